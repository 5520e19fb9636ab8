"""What a comparison says in sentences: who is ahead, and whether that is certain."""

from __future__ import annotations

from typing import Any

from labelsieve import sentences
from labelsieve._plumbing.tables import Row
from labelsieve.experiments.methods import CONTROLS
from labelsieve.experiments.statistics import holm
from labelsieve.experiments.tables import PLACE
from labelsieve.metrics import SMALLER_IS_BETTER, best_place

# More sentences of the same kind than this are a table.
MOST_SENTENCES = 6


def who_is_ahead(content: Row) -> list[str]:
    """Return who is ahead by the first measure: over all data sets, or on each one.

    Parameters
    ----------
    content : mapping
        The results, as in ``results.json``.
    """
    measure = content["experiment"]["measures"][0]
    ranked = [
        sentences.best_ranked(
            ranks,
            best_place(ranks["average_ranks"], smaller_is_better=True),
            _compared(content),
        )
        for ranks in content["ranks"]
        if ranks["measure"] == measure
    ]
    said = ranked or [_ahead(content, scores) for scores in _contests(content, measure)]
    if not said:
        return ["There are no results yet."]
    left = len(said) - MOST_SENTENCES
    more = [f"{left} more cases are in the tables."] if left > 0 else []
    return said[:MOST_SENTENCES] + more


def against_reference(content: Row) -> list[dict[str, Any]]:
    """Return each test with Holm's p-value over the methods of its place.

    The verdict is that on the reference method against the other.
    """
    found = []
    for place in dict.fromkeys(_place(test) for test in content["tests"]):
        tests = [test for test in content["tests"] if _place(test) == place]
        adjusted = holm([test["p_corrected"] for test in tests])
        for test, p in zip(tests, adjusted, strict=True):
            larger = test["difference"] > 0
            better = larger != (test["measure"] in SMALLER_IS_BETTER)
            clear = sentences.BETTER if better else sentences.WORSE
            verdict = clear if p < sentences.LEVEL else sentences.NOT_DISTINGUISHABLE
            found.append({**test, "p_holm": p, "verdict": verdict})
    return found


def _contests(content: Row, measure: str) -> list[list[Row]]:
    """The scores of the methods by a measure that are compared with each other."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in content["scores"]:
        if row["measure"] == measure:
            found.setdefault(_place(row), []).append(row)
    return list(found.values())


def _ahead(content: Row, scores: list[Row]) -> str:
    methods = [row for row in scores if row["method"] not in CONTROLS] or scores
    smaller = methods[0]["measure"] in SMALLER_IS_BETTER
    best = methods[
        best_place([row["mean"] for row in methods], smaller_is_better=smaller)
    ]
    tests = [
        test
        for test in content["tests"]
        if _place(test) == _place(best) and test["method"] not in CONTROLS
    ]
    adjusted = holm([test["p_corrected"] for test in tests])
    p_values = dict(zip([test["method"] for test in tests], adjusted, strict=True))
    reference = content["experiment"]["reference_method"]
    several = len({row["contest"] for row in content["scores"]}) > 1
    judge = best["contest"] if several else ""
    compared = _compared(content, best)
    return sentences.best_on(best, reference, p_values, judge, compared)


def _compared(content: Row, score: Row | None = None) -> str:
    """What of the curves is compared, to follow a measure; the sizes of one score."""
    criterion = content["experiment"]["criterion"]
    if criterion == "best":
        return ", each at its best number of features"
    if criterion != "area":
        return f", at {criterion} features"
    for curve in content["curves"]:
        if score and all(curve[key] == score[key] for key in (*PLACE[:-1], "method")):
            points = curve["points"]
            return f", on average over {points[0]:g} to {points[-1]:g} features"
    return ", on average over the numbers of features"


def _place(row: Row) -> tuple[str, ...]:
    return tuple(row[key] for key in PLACE)
