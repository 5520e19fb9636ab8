"""From the records of all cells to curves, tests, ranks, stability and costs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any

import numpy as np

from labelsieve._utils.typing import FloatArray
from labelsieve.experiments import statistics
from labelsieve.experiments.methods import CONTROLS
from labelsieve.experiments.papers import Claim, Published
from labelsieve.experiments.runner import Design, Plan
from labelsieve.experiments.store import Record
from labelsieve.metrics import (
    SMALLER_IS_BETTER,
    TIE_DIGITS,
    best_place,
    same,
    stability,
)

DIGITS = 6
TIMES = ("select_seconds", "select_cpu_seconds", "judge_seconds")


@dataclass
class MethodCurve:
    """All splits of one method on one data set."""

    dataset: str
    view: str
    contest: str
    method: str
    records: dict[int, Record] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    @property
    def place(self) -> dict[str, str]:
        """What distinguishes it from the other curves."""
        names = ("dataset", "view", "contest", "method")
        return {name: getattr(self, name) for name in names}

    @property
    def contestants(self) -> tuple[str, str, str]:
        """What it has in common with the curves that it is compared with."""
        return self.dataset, self.view, self.contest

    @property
    def first(self) -> Record:
        """The record of the first split that succeeded."""
        return self.records[min(self.records)]

    @property
    def splits(self) -> list[int]:
        """The splits that succeeded, in order."""
        return sorted(self.records)

    @property
    def points(self) -> list[float]:
        """The numbers or fractions of features of the curve."""
        return list(self.first["points"])

    @property
    def test_to_train(self) -> float:
        """The number of test rows divided by that of training rows."""
        return float(self.first["n_test"] / self.first["n_train"])

    def values(self, measure: str) -> FloatArray:
        """Return a measure: one row per split, one column per point."""
        rows = [self.records[split]["measures"][measure] for split in self.splits]
        return np.array(rows, dtype=np.float64)

    def best_point(self, measure: str) -> int:
        """Return the place of the best mean value, the first of equals."""
        mean = self.values(measure).mean(axis=0)
        return best_place(mean, smaller_is_better=measure in SMALLER_IS_BETTER)

    def by_criterion(self, measure: str, criterion: int | str) -> dict[int, float]:
        """Return one number for each split."""
        values = self.values(measure)
        points = self.points
        if criterion == "area":
            found = [statistics.curve_area(points, row) for row in values]
        elif criterion == "best":
            found = values[:, self.best_point(measure)].tolist()
        else:
            # A method with a single point, such as all features, has that value.
            place = points.index(criterion) if criterion in points else -1
            found = values[:, place].tolist()
        return dict(zip(self.splits, found, strict=True))


def collect(plan: Plan, records: Sequence[Record]) -> list[MethodCurve]:
    """Sort the records into curves, in the order of the plan."""
    curves: dict[tuple[str, str, str, str], MethodCurve] = {}
    for cell, record in zip(plan.cells, records, strict=True):
        place = (cell.source.name, cell.view, cell.contest, cell.method)
        curve = curves.setdefault(place, MethodCurve(*place))
        if "error" in record:
            curve.errors.append(f"split {cell.split}: {record['error']}")
        else:
            curve.records[cell.split] = record
    return list(curves.values())


def summarize_curves(
    curves: Iterable[MethodCurve], design: Design
) -> list[dict[str, Any]]:
    """Return means and deviations along every curve."""
    rows = []
    for curve in curves:
        measures = {}
        for name in design.measures:
            values = curve.values(name)
            sd = values.std(axis=0, ddof=1) if len(values) > 1 else 0 * values[0]
            along = {"mean": values.mean(axis=0), "sd": sd}
            measures[name] = {what: list(map(_round, v)) for what, v in along.items()}
        found = {"n_splits": len(curve.records), "points": curve.points}
        rows.append({**curve.place, **found, "measures": measures})
    return rows


def summarize_scores(
    curves: Iterable[MethodCurve], design: Design
) -> list[dict[str, Any]]:
    """Return for every method and measure the value that is compared, and the best."""
    rows = []
    for curve, measure in product(curves, design.measures):
        best = curve.best_point(measure)
        scores = curve.by_criterion(measure, design.criterion)
        summary = asdict(statistics.summarize(list(scores.values())))
        area = list(curve.by_criterion(measure, "area").values())
        rows.append(
            {
                **curve.place,
                "measure": measure,
                "n_splits": summary.pop("n"),
                **{name: _round(value) for name, value in summary.items()},
                "best": _round(curve.values(measure).mean(axis=0)[best]),
                "best_at": curve.points[best],
                "area": _round(np.mean(area)),
            }
        )
    return rows


def compare_pairs(
    curves: Sequence[MethodCurve], design: Design
) -> list[dict[str, Any]]:
    """Test the reference method against the others on the same splits."""
    references = {c.contestants: c for c in curves if c.method == design.reference}
    rows = []
    for other, measure in product(curves, design.measures):
        if other.contestants not in references or other.method == design.reference:
            continue
        reference, smaller = references[other.contestants], measure in SMALLER_IS_BETTER
        first, second = pair = paired(reference, other, measure, design.criterion)
        tests = {
            "paired": statistics.corrected_t_test(*pair, 0.0),
            "corrected": statistics.corrected_t_test(*pair, reference.test_to_train),
            "wilcoxon": statistics.wilcoxon_test(*pair),
        }
        row = {
            **other.place,
            "reference": reference.method,
            "measure": measure,
            "n_splits": len(first),
            "difference": _round(np.mean(first) - np.mean(second)),
            # None where the difference is not testable: JSON has no NaN.
            **{
                f"p_{name}": None if math.isnan(test.p) else _round(test.p)
                for name, test in tests.items()
            },
            "win_tie_loss": statistics.win_tie_loss(*pair, smaller_is_better=smaller),
        }
        rows.append(row)
    return rows


def paired(
    one: MethodCurve, other: MethodCurve, measure: str, criterion: int | str
) -> tuple[list[float], list[float]]:
    """Return what is compared of two curves on the splits that both have."""
    ours = one.by_criterion(measure, criterion)
    theirs = other.by_criterion(measure, criterion)
    common = sorted(ours.keys() & theirs.keys())
    return [ours[split] for split in common], [theirs[split] for split in common]


def compare_over_datasets(
    curves: Sequence[MethodCurve], design: Design
) -> list[dict[str, Any]]:
    """Rank the methods over all data sets, for each view, contest and measure."""
    rows = []
    contests = sorted({curve.contest for curve in curves})
    for view, contest, measure in product(design.views, contests, design.measures):
        # Data with two values look the same in all codes: they count in each view.
        places = [(view, contest), ("none", contest)]
        members = [c for c in curves if (c.view, c.contest) in places]
        table, methods = _table(members, measure, design)
        if min(table.shape) > 1:
            found = statistics.compare_ranks(
                table, smaller_is_better=measure in SMALLER_IS_BETTER
            )
            place = {"view": view, "contest": contest, "measure": measure}
            nemenyi = [[_round(p) for p in row] for row in found.pairwise_p]
            rows.append({**place, **rank_row(found, methods), "nemenyi_p": nemenyi})
    return rows


def rank_row(
    found: statistics.RankComparison, methods: Sequence[str]
) -> dict[str, Any]:
    """A comparison of ranks as plain values."""
    return {
        "n_datasets": found.n_datasets,
        "methods": list(methods),
        "average_ranks": [_round(rank) for rank in found.average_ranks],
        "friedman_p": float(f"{found.p:.3g}"),
        "critical_difference": _round(found.critical_difference),
    }


def _table(
    curves: Sequence[MethodCurve], measure: str, design: Design
) -> tuple[FloatArray, list[str]]:
    """Mean scores of methods that were evaluated on every data set."""
    datasets = list(dict.fromkeys(curve.dataset for curve in curves))
    means: dict[str, dict[str, float]] = {}
    for curve in curves:
        scores = curve.by_criterion(measure, design.criterion)
        mean = float(np.mean(list(scores.values())))
        means.setdefault(curve.method, {})[curve.dataset] = mean
    methods = [method for method in means if len(means[method]) == len(datasets)]
    rows = [[means[method][dataset] for method in methods] for dataset in datasets]
    return np.array(rows).reshape(len(datasets), len(methods)), methods


def summarize_stability(
    curves: Iterable[MethodCurve], sizes: Sequence[int]
) -> list[dict[str, Any]]:
    """Return how stable each selection is, at some sizes."""
    rows = []
    # Contests share their selections: each is shown once.
    shown = {(c.dataset, c.view, c.method): c for c in reversed(list(curves))}
    for curve in reversed(list(shown.values())):
        if curve.method in CONTROLS or len(curve.records) < 2:
            continue
        orders = [curve.records[split]["order"] for split in curve.splits]
        n_features = curve.first["n_features"]
        for size in sizes:
            if orders[0] and size <= min(map(len, orders)) and size < n_features:
                found = stability([order[:size] for order in orders], n_features)
                index = {"stability": found.value, "low": found.low, "high": found.high}
                index = {name: _round(value) for name, value in index.items()}
                rows.append({**curve.place, "size": size, **index})
    return rows


def summarize_costs(curves: Iterable[MethodCurve]) -> list[dict[str, Any]]:
    """Return median times and the largest memory of selection and judgement."""
    rows = []
    for curve in curves:
        costs = [curve.records[split]["cost"] for split in curve.splits]
        medians = {name: np.median([cost[name] for cost in costs]) for name in TIMES}
        peaks = [cost["select_peak_bytes"] for cost in costs]
        known = [peak for peak in peaks if peak is not None]
        rows.append(
            {
                **curve.place,
                "n_splits": len(costs),
                **{name: float(f"{value:.4g}") for name, value in medians.items()},
                "select_peak_mib": round(max(known) / 2**20, 1) if known else None,
            }
        )
    return rows


def failures(curves: Iterable[MethodCurve]) -> list[dict[str, Any]]:
    """Return the cells that failed, with the first reason of each curve."""
    return [
        {**curve.place, "n_failed": len(curve.errors), "reason": curve.errors[0]}
        for curve in curves
        if curve.errors
    ]


def _round(value: Any) -> float:
    # Values that are the same but for rounding stay so.
    return round(round(float(value), TIE_DIGITS), DIGITS)


# A Hamming loss this near to the printed one is reproduced; twice as near is close.
HAMMING_TOLERANCE = 0.01
# An interval from fewer splits is too wide to say anything.
LEAST_SPLITS = 5
# Other measures are close within this share of the printed value.
CLOSE_SHARE = 0.05

REPRODUCED, CLOSE, NOT_REPRODUCED = "reproduced", "close", "not reproduced"
NOT_COMPARED = "not compared"


def compare_published(
    published: Iterable[Published], curves: Sequence[MethodCurve]
) -> list[dict[str, Any]]:
    """Return a row for every printed value and view of its data set.

    *reproduced*: the Hamming loss is within 0.01, or the printed value lies in the 95 %
    interval of the mean of at least 5 splits. *close*: the Hamming loss is within
    0.02; or the value is within 5 % of the printed one, or no further from the mean
    than two standard deviations of a single split.
    """
    return [
        _row(value, curve)
        for value in published
        for curve in curves
        if (value.dataset, value.contest, value.method)
        == (curve.dataset, curve.contest, curve.method)
    ]


def _row(value: Published, curve: MethodCurve) -> dict[str, Any]:
    criterion = "best" if value.at == "all" else value.at
    scores = curve.by_criterion(value.measure, criterion)
    summary = statistics.summarize(list(scores.values()))
    at = curve.points[curve.best_point(value.measure)] if value.at == "best" else None
    return {
        **curve.place,
        "measure": value.measure,
        "at": value.at,
        "best_at": at,
        "published": value.value,
        "ours": round(summary.mean, DIGITS),
        "difference": round(summary.mean - value.value, DIGITS),
        "low": round(summary.low, DIGITS),
        "high": round(summary.high, DIGITS),
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
    verdicts = (REPRODUCED, CLOSE, NOT_REPRODUCED, NOT_COMPARED)
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        counts = found.setdefault(row["view"], dict.fromkeys(verdicts, 0))
        counts[row["verdict"]] += 1
    return found


def check_claims(
    claims: Iterable[Claim], curves: Sequence[MethodCurve], design: Design
) -> list[dict[str, Any]]:
    """Count in how many cases each statement holds, and whether significantly.

    A case is a data set, view, contest, measure and opponent. The test is the
    corrected resampled t-test at 0.05.
    """
    rows = []
    for claim in claims:
        outcomes = [
            _outcome(curve, other, measure, design.criterion)
            for curve, other in product(curves, curves)
            if curve.method == claim.better and other.method in claim.worse
            if curve.contestants == other.contestants
            if not claim.datasets or curve.dataset in claim.datasets
            for measure in design.measures
        ]
        n = len(outcomes)
        better = sum(gain > 0 for gain, _ in outcomes)
        clearly = sum(gain > 0 and p <= 0.05 for gain, p in outcomes)
        clearly_worse = sum(gain < 0 and p <= 0.05 for gain, p in outcomes)
        differ, most = clearly + clearly_worse > n / 2, better > n / 2
        holds = not differ if claim.similar else most
        said = "holds" if holds else "does not hold"
        rows.append(
            {
                "claim": claim.text,
                "where": claim.where,
                "cases": n,
                "better": better,
                "significantly_better": clearly,
                "significantly_worse": clearly_worse,
                "verdict": said if n else "no data",
            }
        )
    return rows


def _outcome(
    curve: MethodCurve, other: MethodCurve, measure: str, criterion: int | str
) -> tuple[float, float]:
    """The mean gain of a curve over another, and the p-value of the difference."""
    first, second = paired(curve, other, measure, criterion)
    ours, theirs = float(np.mean(first)), float(np.mean(second))
    gain = 0.0 if same(ours, theirs) else ours - theirs
    sign = -1 if measure in SMALLER_IS_BETTER else 1
    p = statistics.corrected_t_test(first, second, curve.test_to_train).p
    return sign * gain, p
