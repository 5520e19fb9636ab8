"""Curves of an experiment as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from labelsieve._plumbing.tables import Row
from labelsieve.sentences import MEASURES

if TYPE_CHECKING:
    from labelsieve.plots import SelectionCurveDisplay


def curves_display(content: Row, measure: str, place: int) -> SelectionCurveDisplay:
    """Return the curves of all methods on one data set with one classifier."""
    from labelsieve.plots import STANDARD_ERRORS, Curve, SelectionCurveDisplay

    rows = content["curves"]
    keys = ("dataset", "view", "contest")
    places = list(dict.fromkeys(tuple(row[key] for key in keys) for row in rows))
    if not 0 <= place < len(places):
        raise ValueError(f"there are {len(places)} places to show, got {place}.")
    shown = [row for row in rows if tuple(row[key] for key in keys) == places[place]]
    span = [point for row in shown if len(row["points"]) > 1 for point in row["points"]]
    curves = {}
    for row in shown:
        points = np.array(row["points"], dtype=np.float64)
        mean, deviation = (
            np.array(row["measures"][measure][key]) for key in ("mean", "sd")
        )
        half = STANDARD_ERRORS * deviation / np.sqrt(row["n_splits"])
        if points.size == 1 and span:
            # One value, such as that of all features, is a level to compare with.
            points = np.array([min(span), max(span)])
            mean, half = np.repeat(mean, 2), np.repeat(half, 2)
        curves[row["method"]] = Curve(points, mean, mean - half, mean + half)
    dataset, _, contest = places[place]
    title = f"{dataset}, {contest}: {MEASURES.get(measure, measure)}"
    return SelectionCurveDisplay(curves, title)
