"""The outcome of an experiment on one screen: the answer first, then one table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from labelsieve import sentences
from labelsieve._plumbing.tables import Column, Row, Table, numbers
from labelsieve.experiments.methods import CONTROLS
from labelsieve.experiments.spoken import against_reference, who_is_ahead
from labelsieve.experiments.tables import CONTEST, DATASET, METHOD, PLACE, VIEW, groups

# Numbers of features that people ask for; a table shows at most so many.
ROUND_SIZES = (5, 10, 20, 50, 100, 200, 500, 1000)
MOST_SIZES = 5
FROM_THE_OTHER_SIDE = {
    sentences.BETTER: sentences.WORSE,
    sentences.WORSE: sentences.BETTER,
}


def on_a_screen(content: Row) -> str:
    """Return who is ahead, and the figures by the first measure, as text."""
    measure = content["experiment"]["measures"][0]
    scores = [row for row in content["scores"] if row["measure"] == measure]
    parts = ["\n".join([*who_is_ahead(content), *_reproduced(content)])]
    if scores:
        one = len({tuple(row[key] for key in PLACE) for row in scores}) == 1
        table = _at_sizes(content, scores) if one else _over_places(scores)
        parts.append(table.to_text())
    if content["failed"]:
        curves = sentences.many(len(content["failed"]), "curve")
        reason = content["failed"][0]["reason"]
        parts.append(f"{curves} could not be computed in full. The first: {reason}")
    return "\n\n".join(parts)


def _reproduced(content: Row) -> list[str]:
    """How many of a paper's printed values were found again."""
    return [
        f"Printed values, {view}: "
        + ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        + "."
        for view, counts in content.get("verdicts", {}).items()
    ]


def _at_sizes(content: Row, scores: Sequence[Row]) -> Table:
    """One data set and classifier: each method at some sizes, and what is compared."""
    measure, place = scores[0]["measure"], [scores[0][key] for key in PLACE[:-1]]
    curves = {
        curve["method"]: curve
        for curve in content["curves"]
        if [curve[key] for key in PLACE[:-1]] == place
    }
    ranked = [curve for name, curve in curves.items() if name not in CONTROLS]
    sizes = _some_sizes((ranked or list(curves.values()))[0]["points"])
    verdicts = {
        test["method"]: FROM_THE_OTHER_SIDE.get(test["verdict"], test["verdict"])
        for test in against_reference(content)
        if test["measure"] == measure
    }
    rows = []
    for score in scores:
        curve = curves[score["method"]]
        at = dict(zip(curve["points"], curve["measures"][measure]["mean"], strict=True))
        found = {str(size): at.get(size) for size in sizes}
        rows.append({**score, **found, "verdict": verdicts.get(score["method"])})
    experiment = content["experiment"]
    criterion, reference = experiment["criterion"], experiment["reference_method"]
    compared = {"area": "mean", "best": "best"}.get(criterion, f"compared, {criterion}")
    columns = [
        METHOD,
        *(numbers(f"at {size:g}", str(size), sentences.plain) for size in sizes),
        numbers(compared, "mean", sentences.plain),
        Column(f"against {reference}", "verdict"),
    ]
    splits = sentences.many(scores[0]["n_splits"], "split")
    title = f"{sentences.MEASURES[measure]} with so many features, mean of {splits}"
    return Table(title, columns, rows)


def _over_places(scores: Sequence[Row]) -> Table:
    """Several data sets or classifiers: the value of each method that is compared."""
    methods = dict.fromkeys(row["method"] for row in scores)
    rows = [
        {**group[0], **{row["method"]: row["mean"] for row in group}}
        for _, group in groups(scores, *PLACE)
    ]
    columns = [
        *(DATASET, CONTEST, VIEW),
        *(numbers(method, method, sentences.plain) for method in methods),
    ]
    title = sentences.MEASURES[scores[0]["measure"]]
    return Table(title, columns, rows).telling("contest", "view")


def _some_sizes(points: Sequence[float]) -> list[float]:
    known = [size for size in ROUND_SIZES if size in points][:MOST_SIZES]
    if len(known) > 1:
        return list(known)
    places = np.linspace(0, len(points) - 1, min(len(points), MOST_SIZES))
    return [points[place] for place in np.unique(places.round().astype(int))]
