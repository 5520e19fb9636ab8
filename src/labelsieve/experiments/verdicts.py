"""What was printed beside what was measured, and whether they agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from labelsieve.experiments import statistics
from labelsieve.experiments.papers import Claim, Published
from labelsieve.experiments.summary import Curve, paired
from labelsieve.metrics import SMALLER_IS_BETTER, same

# A Hamming loss this near to the printed one is reproduced; twice as near is close.
HAMMING_TOLERANCE = 0.01
# An interval from fewer splits is too wide to say anything.
LEAST_SPLITS = 5
# Other measures are close within this share of the printed value.
CLOSE_SHARE = 0.05

REPRODUCED, CLOSE, NOT_REPRODUCED = "reproduced", "close", "not reproduced"
NOT_COMPARED = "not compared"


def judge_published(
    published: Iterable[Published], curves: Sequence[Curve]
) -> list[dict[str, Any]]:
    """Return a row for every printed value and view of its data set.

    *reproduced*: the Hamming loss is within 0.01, or the printed value lies in the 95 %
    interval of the mean of at least 5 splits. *close*: the Hamming loss is within
    0.02; or the value is within 5 % of the printed one, or no further from the mean
    than two standard deviations of a single split.
    """
    rows = []
    for value in published:
        for curve in curves:
            if curve.records and _belongs(value, curve):
                rows.append(_row(value, curve))
    return rows


def _belongs(value: Published, curve: Curve) -> bool:
    return (value.dataset, value.contest, value.method) == (
        curve.dataset,
        curve.contest,
        curve.method,
    )


def _row(value: Published, curve: Curve) -> dict[str, Any]:
    criterion = "best" if value.at == "all" else value.at
    scores = curve.by_criterion(value.measure, criterion)
    summary = statistics.summarize(list(scores.values()))
    at = curve.points[curve.best_point(value.measure)] if value.at == "best" else None
    return {
        "dataset": value.dataset,
        "view": curve.view,
        "contest": value.contest,
        "method": value.method,
        "measure": value.measure,
        "at": value.at,
        "best_at": at,
        "published": value.value,
        "ours": round(summary.mean, 6),
        "difference": round(summary.mean - value.value, 6),
        "low": round(summary.low, 6),
        "high": round(summary.high, 6),
        "n_splits": summary.n,
        "where": value.where,
        "verdict": NOT_COMPARED if value.remark else verdict(value, summary),
        "remark": value.remark,
    }


def verdict(value: Published, summary: statistics.Summary) -> str:
    """Return whether a printed value is reproduced by what was measured."""
    distance = abs(summary.mean - value.value)
    hamming = value.measure == "hamming_loss"
    if hamming and distance <= HAMMING_TOLERANCE:
        return REPRODUCED
    if summary.n >= LEAST_SPLITS and summary.low <= value.value <= summary.high:
        return REPRODUCED
    near = 2 * HAMMING_TOLERANCE if hamming else CLOSE_SHARE * abs(value.value)
    if distance <= max(near, 2 * summary.sd):
        return CLOSE
    return NOT_REPRODUCED


def count_verdicts(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Return how many rows of each view have which verdict."""
    names = (REPRODUCED, CLOSE, NOT_REPRODUCED, NOT_COMPARED)
    views = dict.fromkeys(row["view"] for row in rows)
    return {
        view: {
            name: sum(row["view"] == view and row["verdict"] == name for row in rows)
            for name in names
        }
        for view in views
    }


def judge_claims(
    claims: Iterable[Claim],
    curves: Sequence[Curve],
    measures: Sequence[str],
    criterion: int | str,
) -> list[dict[str, Any]]:
    """Count in how many cases each statement holds, and whether significantly.

    A case is a data set, view, contest, measure and opponent. The test is the
    corrected resampled t-test at 0.05.
    """
    return [_claim_row(claim, curves, measures, criterion) for claim in claims]


def _claim_row(
    claim: Claim,
    curves: Sequence[Curve],
    measures: Sequence[str],
    criterion: int | str,
) -> dict[str, Any]:
    outcomes = [
        _outcome(curve, other, measure, criterion)
        for curve in curves
        if curve.method == claim.better and curve.records
        if not claim.datasets or curve.dataset in claim.datasets
        for other in _opponents(claim, curve, curves)
        for measure in measures
    ]
    n = len(outcomes)
    better = sum(gain > 0 for gain, _ in outcomes)
    clearly = sum(gain > 0 and p <= 0.05 for gain, p in outcomes)
    clearly_worse = sum(gain < 0 and p <= 0.05 for gain, p in outcomes)
    holds = (
        clearly + clearly_worse <= n / 2 if claim.similar else better > n / 2
    ) and n > 0
    return {
        "claim": claim.text,
        "where": claim.where,
        "cases": n,
        "better": better,
        "significantly_better": clearly,
        "significantly_worse": clearly_worse,
        "verdict": "no data" if n == 0 else "holds" if holds else "does not hold",
    }


def _opponents(claim: Claim, curve: Curve, curves: Sequence[Curve]) -> list[Curve]:
    place = (curve.dataset, curve.view, curve.contest)
    return [
        other
        for other in curves
        if other.records
        and other.method in claim.worse
        and (other.dataset, other.view, other.contest) == place
    ]


def _outcome(
    curve: Curve, other: Curve, measure: str, criterion: int | str
) -> tuple[float, float]:
    """The mean gain of a curve over another, and the p-value of the difference."""
    first, second = paired(curve, other, measure, criterion)
    ours, theirs = float(np.mean(first)), float(np.mean(second))
    gain = 0.0 if same(ours, theirs) else ours - theirs
    sign = -1 if measure in SMALLER_IS_BETTER else 1
    p = statistics.corrected_t_test(first, second, curve.test_to_train).p
    return sign * gain, p
