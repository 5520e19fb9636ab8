"""What a comparison says in sentences: who is ahead, and whether that is certain."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from labelsieve import sentences
from labelsieve._utils.messages import Row
from labelsieve.experiments.methods import CONTROLS
from labelsieve.experiments.statistics import holm
from labelsieve.experiments.tables import PLACE, ResultTables, groups, place_of
from labelsieve.metrics import SMALLER_IS_BETTER, best_place
from labelsieve.sentences import MEASURES, listed

# More sentences of the same kind than this are a table.
MOST_SENTENCES = 6


def who_is_ahead(content: Row) -> list[str]:
    """Return who is ahead by the first measure: over all data sets, or on each one.

    Of a mixture of targets, by the first measure of each kind.

    Parameters
    ----------
    content : mapping
        The results, as in ``results.json``.
    """
    said = [one for name in _first_measures(content) for one in _by(name, content)]
    if not said:
        return ["There are no results yet."]
    left = len(said) - MOST_SENTENCES
    more = [f"{left} more cases are in the tables."] if left > 0 else []
    return said[:MOST_SENTENCES] + more


def _first_measures(content: Row) -> list[str]:
    """The first measure of each kind of target."""
    named = content["experiment"]["measures"]
    return [*{sentences.main_of(name): name for name in named[::-1]}.values()][::-1]


def _by(measure: str, content: Row) -> list[str]:
    rows = [ranks for ranks in content["ranks"] if ranks["measure"] == measure]
    several = len({ranks["contest"] for ranks in rows}) > 1
    ranked = [
        best_ranked(
            ranks, (f" with {ranks['contest']}" if several else "") + _compared(content)
        )
        for ranks in rows
    ]
    scores = [row for row in content["scores"] if row["measure"] == measure]
    contests = [rows for _, rows in groups(scores, *PLACE)]
    return ranked or [_ahead(content, scores) for scores in contests]


def against_reference(content: Row) -> list[dict[str, Any]]:
    """Return each test with Holm's p-value over the methods of its place.

    The verdict is that on the reference method against the other.
    """
    found = []
    for _, tests in groups(content["tests"], *PLACE):
        for test, p in zip(tests, _adjusted(tests), strict=True):
            larger = test["difference"] > 0
            better = larger != (test["measure"] in SMALLER_IS_BETTER)
            clear = sentences.BETTER if better else sentences.WORSE
            verdict = clear if p < sentences.LEVEL else sentences.INCONCLUSIVE
            found.append({**test, "p_holm": p, "verdict": verdict})
    return found


def _adjusted(tests: list[Row]) -> list[float]:
    """Holm's p-values, NaN of what is not testable."""
    p_values = [test["p_corrected"] for test in tests]
    return holm([math.nan if p is None else p for p in p_values])


def best_ranked(ranks: Mapping[str, Any], compared: str = "") -> str:
    """Which method is ahead over several data sets, and whether that is certain."""
    found = dict(zip(ranks["methods"], ranks["average_ranks"], strict=True))
    methods = [name for name in found if name not in CONTROLS] or [*found]
    best = methods[best_place([found[m] for m in methods], smaller_is_better=True)]
    before = [f"“{m}”: {r:.2f}" for m, r in found.items() if r < found[best]]
    text = (
        f"Over {ranks['n_datasets']} data sets, {best} has the best average rank by "
        f"{MEASURES[ranks['measure']]}{compared}: {found[best]:.2f} of {len(found)}"
        f"{f' ({listed(before)})' if before else ''}. "
    )
    p = f"Friedman's test, {sentences.p_value(ranks['friedman_p'])}"
    if ranks["friedman_p"] >= sentences.LEVEL:
        return f"{text}The methods are not distinguishable with these data sets ({p})."
    return f"{text}The differences are significant ({p})."


def best_on(
    row: Mapping[str, Any],
    reference: str,
    p_values: Mapping[str, float],
    classifier: str = "",
    compared: str = "",
) -> str:
    """Which method is ahead on one data set, and from which it is distinguishable.

    `p_values` are Holm's of the tests of the reference against each other method;
    `classifier` is named where there are several; `compared` says what of the curves.
    """
    method, data = row["method"], row["dataset"]
    data = "these data" if data == "data" else data  # no name was given
    by = f" with {sentences.classifier_name(classifier)}" if classifier else ""
    text = (
        f"On {data}{by}, {method} has the best mean by "
        f"{MEASURES[row['measure']]}{compared}: {sentences.plain(row['mean'])}. "
    )
    if method != reference:
        p_values = {reference: p_values[method]} if method in p_values else {}
    if not p_values:
        return f"{text}Its difference from the other methods was not tested."
    same = [name for name, p in p_values.items() if p >= sentences.LEVEL]
    untested = [name for name, p in p_values.items() if math.isnan(p)]
    apart = [name for name in p_values if name not in (*same, *untested)]
    said = []
    if same:
        said = [f"It is not distinguishable from {listed(same)} with these splits."]
    elif apart:
        said = [f"It differs significantly from {listed(apart)}."]
    if untested:
        said.append(
            f"Its difference from {listed(untested)} is not testable: there is one "
            "split, or the difference is the same in all of them."
        )
    return text + " ".join(said)


def _ahead(content: Row, scores: list[Row]) -> str:
    methods = [row for row in scores if row["method"] not in CONTROLS] or scores
    smaller = methods[0]["measure"] in SMALLER_IS_BETTER
    means = [row["mean"] for row in methods]
    best = methods[best_place(means, smaller_is_better=smaller)]
    tests = [
        test
        for test in content["tests"]
        if place_of(test) == place_of(best) and test["method"] not in CONTROLS
    ]
    tested = [test["method"] for test in tests]
    p_values = dict(zip(tested, _adjusted(tests), strict=True))
    reference = content["experiment"]["reference_method"]
    several = len({row["contest"] for row in content["scores"]}) > 1
    classifier = best["contest"] if several else ""
    return best_on(best, reference, p_values, classifier, _compared(content, best))


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


def on_a_screen(content: Row) -> str:
    """Return who is ahead, and the figures by the same measures, as text."""
    firsts = _first_measures(content)
    scores = [row for row in content["scores"] if row["measure"] in firsts]
    tables = ResultTables({**content, "scores": scores})
    counted = [f"Printed values, {counts}." for counts in tables.verdicts()]
    parts = ["\n".join([*who_is_ahead(content), *counted])]
    shown = tables.scores_of_methods()
    if shown is not None and len(shown.rows) == len(firsts):
        others = [m for m in content["experiment"]["measures"] if m not in firsts]
        shown = tables.scores()[0].without(*others)
    if shown is not None:
        parts.append((shown if firsts[1:] else shown.without("measure")).to_text())
    if content["failed"]:
        curves = sentences.many(len(content["failed"]), "curve")
        reason = content["failed"][0]["reason"]
        parts.append(f"{curves} could not be computed in full. The first: {reason}")
    return "\n\n".join(parts)
