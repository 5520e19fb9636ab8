"""The curves of an experiment, as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelsieve._plumbing.tables import Row
from labelsieve.plots import STANDARD_ERRORS
from labelsieve.report import blocks

CONTROLS = ("random", "all")
# All curves of a page together have about this many points.
MOST_POINTS_OF_A_PAGE = 40_000
FEWEST_POINTS = 6


def curves_section(content: Row) -> dict[str, Any] | None:
    """Return the chart of all curves, None without results."""
    rows, measures = content["curves"], content["experiment"]["measures"]
    if not rows:
        return None
    per_curve = MOST_POINTS_OF_A_PAGE // (len(rows) * len(measures))
    most = min(blocks.MOST_POINTS, max(FEWEST_POINTS, per_curve))
    spans = _spans(rows)
    lines = []
    for row in rows:
        place = (row["dataset"], row["view"], row["contest"])
        for measure in measures:
            lines.append(_line(row, measure, spans.get(place), most))
    choices = {"dataset": "Data set", "contest": "Classifier", "view": "Values"}
    several = {
        key: title
        for key, title in choices.items()
        if key == "dataset" or len({row[key] for row in rows}) > 1
    }
    fractions = any(not float(p).is_integer() for row in rows for p in row["points"])
    return blocks.section(
        "curves",
        "Curves",
        "Quality against the number of features",
        ["Bands are 95 % intervals of the mean over the splits."],
        [
            blocks.curves(
                "curves", lines, {**several, "measure": "Measure"}, fractions=fractions
            )
        ],
    )


def _spans(rows: Sequence[Row]) -> dict[tuple[str, str, str], tuple[float, float]]:
    """The smallest and largest size of the curves that belong together."""
    spans: dict[tuple[str, str, str], tuple[float, float]] = {}
    for row in rows:
        if len(row["points"]) > 1:
            place = (row["dataset"], row["view"], row["contest"])
            low, high = spans.get(place, (np.inf, -np.inf))
            spans[place] = (min(low, *row["points"]), max(high, *row["points"]))
    return spans


def _line(
    row: Row, measure: str, span: tuple[float, float] | None, most_points: int
) -> dict[str, Any]:
    points, values = row["points"], row["measures"][measure]
    mean, deviation = values["mean"], values["sd"]
    if len(points) == 1 and span is not None:
        # One value, such as that of all features, is a level to compare with.
        points, mean, deviation = list(span), mean * 2, deviation * 2
    half = [STANDARD_ERRORS * sd / np.sqrt(row["n_splits"]) for sd in deviation]
    return blocks.series(
        *(row["method"], points, mean, half),
        dashed=row["method"] in CONTROLS,
        most_points=most_points,
        dataset=row["dataset"],
        contest=row["contest"],
        view=row["view"],
        measure=measure,
    )
