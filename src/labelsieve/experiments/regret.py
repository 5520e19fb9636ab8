"""How methods stand over many data sets: regret, ranks, wins, and how sure it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress, product
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from labelsieve._utils.typing import BoolArray, FloatArray
from labelsieve.experiments import statistics
from labelsieve.experiments.methods import ALL, CONTROLS, RANDOM
from labelsieve.experiments.summary import DIGITS, MethodCurve, rank_row
from labelsieve.metrics import SMALLER_IS_BETTER, tied

# Measures are shares of 1: a difference of one in a hundred means nothing in practice.
ROPE = 0.01


class Place(NamedTuple):
    """What tells a case from others."""

    dataset: str
    classifier: str
    at: float  # a number of features, or a share of them
    measure: str

    @property
    def title(self) -> str:
        """The case in words, its measure left out."""
        return f"{self.dataset}, {self.classifier}, {size_text(self.at)}"


def size_text(at: float) -> str:
    """A number of features, or a share of them as a percentage."""
    return f"{at:g}" if at >= 1 else f"{100 * at:g} %"


@dataclass(frozen=True)
class Cases:
    """All values by case: data set, classifier, number of features, measure."""

    methods: list[str]  # controls among them
    places: list[Place]
    values: FloatArray  # (n_cases, n_methods) larger is better
    known: BoolArray  # which were measured; others stand for random features

    @classmethod
    def of(cls, curves: Sequence[MethodCurve], measures: Sequence[str]) -> Cases:
        """Take the mean over splits of every curve apart into cases.

        A method that failed or took too long is left with what random features give.
        """
        table: dict[Place, dict[str, float]] = {}
        methods: dict[str, None] = {}
        points = {}
        for curve in curves:
            methods.setdefault(curve.method)
            if curve.records and curve.method == RANDOM:
                points[curve.dataset, curve.contest] = curve.points
        for curve, measure in product(curves, measures):
            if not curve.records:
                continue
            sign = -1.0 if measure in SMALLER_IS_BETTER else 1.0
            mean = sign * curve.values(measure).mean(axis=0)
            own = curve.points
            if curve.method == ALL:  # which count everywhere
                own = points.get((curve.dataset, curve.contest), [])
                mean = np.repeat(mean[:1], len(own))
            for at, value in zip(own, mean.tolist(), strict=True):
                place = Place(curve.dataset, curve.contest, at, measure)
                table.setdefault(place, {})[curve.method] = value
        names = list(methods)
        rows = [[found.get(name, np.nan) for name in names] for found in table.values()]
        values = np.array(rows)
        known = np.isfinite(values)
        random = values[:, [names.index(RANDOM)]]
        worst = np.nanmin(values, axis=1, keepdims=True)
        values = np.where(known, values, np.where(np.isnan(random), worst, random))
        return cls(names, list(table), values, known)

    @property
    def datasets(self) -> list[str]:
        """The data sets of the cases, as `by_dataset` has them."""
        return list(dict.fromkeys(place.dataset for place in self.places))

    def only(self, which: Callable[[Place], bool]) -> Cases:
        """Some of the cases."""
        kept = [i for i, place in enumerate(self.places) if which(place)]
        places = [self.places[i] for i in kept]
        return Cases(self.methods, places, self.values[kept], self.known[kept])

    @property
    def regret(self) -> FloatArray:
        """How much worse each is than the best selection of the case."""
        return self._behind([name not in CONTROLS for name in self.methods])

    @property
    def regret_with_all(self) -> FloatArray:
        """How much worse each is where all features may be the best of a case."""
        return self._behind([name != RANDOM for name in self.methods])

    def _behind(self, which: list[bool]) -> FloatArray:
        return self.values[:, which].max(axis=1, keepdims=True) - self.values

    @property
    def ranks(self) -> FloatArray:
        """The rank of each in each case, 1 the best; all features are left out."""
        found = np.full(self.values.shape, np.nan)
        chosen = np.array([name != ALL for name in self.methods])
        found[:, chosen] = [rankdata(tied(-row)) for row in self.values[:, chosen]]
        return found

    def by_dataset(self, values: FloatArray, measure: str = "") -> FloatArray:
        """The mean over the cases of each data set, data sets in lines."""
        lines: dict[str, list[FloatArray]] = {}
        for place, line in zip(self.places, values, strict=True):
            if measure in ("", place.measure):
                lines.setdefault(place.dataset, []).append(line)
        return np.array([np.mean(found, axis=0) for found in lines.values()])

    def wins(self, control: str) -> FloatArray:
        """1 where a method is better than a control, one half where they tie."""
        other = self.values[:, [self.methods.index(control)]]
        tie = np.abs(self.values - other) <= 1e-12
        return np.where(tie, 0.5, (self.values > other).astype(np.float64))


def rank_methods(cases: Cases, kinds: dict[str, list[str]]) -> list[dict[str, Any]]:
    """One row per method, best first: each number with its bootstrap interval."""
    regret = cases.by_dataset(cases.regret)
    with_all = cases.by_dataset(cases.regret_with_all)
    ranks = cases.by_dataset(cases.ranks)
    wins = {name: cases.by_dataset(cases.wins(name)) for name in CONTROLS}
    datasets = cases.datasets
    by_measure = {
        name: cases.by_dataset(cases.regret, measure=name).mean(axis=0)
        for name in dict.fromkeys(place.measure for place in cases.places)
    }
    rows = []
    for m, method in enumerate(cases.methods):
        row: dict[str, Any] = {
            "method": method,
            "regret": _with_interval(regret[:, m]),
            "regret_with_all": _with_interval(with_all[:, m]),
            "worst_case": _worst(cases.regret[:, m], [p.title for p in cases.places]),
            "worst_dataset": _worst(regret[:, m], datasets),
            # All features are no choice of features.
            "rank": None if method == ALL else _with_interval(ranks[:, m]),
        }
        for name in CONTROLS:
            row[f"wins_against_{name}"] = _with_interval(wins[name][:, m])
        row["without_value"] = int((~cases.known[:, m]).sum())
        row["regret_by_measure"] = {
            name: round(float(found[m]), DIGITS) for name, found in by_measure.items()
        }
        row["regret_by_kind"] = {
            kind: round(float(regret[[d in names for d in datasets], m].mean()), DIGITS)
            for kind, names in kinds.items()
            if names
        }
        rows.append(row)
    return sorted(rows, key=lambda row: (row["regret"]["mean"], row["method"]))


def _worst(values: FloatArray, names: Sequence[str]) -> dict[str, Any]:
    place = int(values.argmax())
    return {"regret": round(float(values[place]), DIGITS), "where": names[place]}


def regret_by_dataset(cases: Cases) -> dict[str, dict[str, float]]:
    """The mean regret of every method on every data set."""
    table = cases.by_dataset(cases.regret)
    return {
        name: {
            method: round(float(value), DIGITS)
            for method, value in zip(cases.methods, line, strict=True)
        }
        for name, line in zip(cases.datasets, table, strict=True)
    }


def against(cases: Cases, reference: str) -> list[dict[str, Any]]:
    """The reference against each other method, over the mean values of data sets."""
    values = cases.by_dataset(cases.values)
    own = values[:, cases.methods.index(reference)]
    rows: list[dict[str, Any]] = []
    for name in (name for name in cases.methods if name != reference):
        gain = own - values[:, cases.methods.index(name)]
        found = statistics.bayesian_signed_rank(gain, ROPE)
        wilcoxon = statistics.wilcoxon_test(gain, np.zeros_like(gain))
        shares = {share: round(value, 4) for share, value in found.items()}
        row = {"method": name, "gain": _with_interval(gain), **shares}
        rows.append({**row, "p_wilcoxon": float(f"{wilcoxon.p:.3g}")})
    adjusted = statistics.holm([row["p_wilcoxon"] for row in rows])
    for row, p in zip(rows, adjusted, strict=True):
        row["p_holm"] = float(f"{p:.3g}")
    return rows


def average_ranks(cases: Cases) -> dict[str, Any]:
    """Friedman's test and the critical difference, over data sets."""
    chosen = [place for place, name in enumerate(cases.methods) if name != ALL]
    table = cases.by_dataset(cases.regret)[:, chosen]
    found = statistics.compare_ranks(table, smaller_is_better=True)
    return rank_row(found, [cases.methods[place] for place in chosen])


def _with_interval(values: FloatArray) -> dict[str, float]:
    found = float(values.mean()), *statistics.bootstrap_interval(values)
    return dict(
        zip(("mean", "low", "high"), (round(v, DIGITS) for v in found), strict=True)
    )


def kinds_of(known: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """Which data sets are of which kind."""
    kinds = {
        "text": [data["words"] for data in known],
        "numbers": [not data["words"] for data in known],
        "few samples": [data["rows"] < 1000 for data in known],
        "many labels": [data["labels"] >= 50 for data in known],
        "more features than samples": [d["features"] > d["rows"] for d in known],
        "unknown cells": [d["missing"] > 0 or d["unknown"] > 0 for d in known],
        "outside the collections": [data["outside"] for data in known],
    }
    names = [data["name"] for data in known]
    return {kind: list(compress(names, holds)) for kind, holds in kinds.items()}


def at_one_size(cases: Cases, classifier: str, at: float) -> list[dict[str, Any]]:
    """Mean of each measure over data sets at one size, as papers print it; best first.

    The rank is that among all but all features, the mean over data sets and measures.
    """
    found = cases.only(lambda p: (p.classifier, p.at) == (classifier, at))
    measures = dict.fromkeys(place.measure for place in found.places)
    means = {m: found.by_dataset(found.values, measure=m).mean(0) for m in measures}
    ranks = found.by_dataset(found.ranks).mean(axis=0) if measures else []
    rows = [
        {
            "method": method,
            "rank": None if method == ALL else round(float(ranks[m]), DIGITS),
            **{name: round(float(mean[m]), DIGITS) for name, mean in means.items()},
        }
        for m, method in enumerate(cases.methods if measures else ())
    ]
    return sorted(rows, key=lambda row: (row["rank"] is None, row["rank"]))
