"""What a choice of features is worth: findings, the verdict and its figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from labelsieve import sentences
from labelsieve._utils.machine import cached_property
from labelsieve._utils.messages import Column, Table, frame_of, numbers
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.choosing._evaluation import (
    CHOSEN,
    EVERYTHING,
    LABEL_F1,
    RANDOM,
    SIMPLER,
)
from labelsieve.metrics import SMALLER_IS_BETTER

if TYPE_CHECKING:
    from labelsieve.plots import VerdictDisplay


@dataclass(frozen=True)
class Finding:
    """One classifier's measure of the chosen features against others.

    Attributes
    ----------
    classifier, measure, against : str
        What was measured; against ``"all"``, ``"random"`` or ``"simpler"``.
    chosen, other : float
        The means over the splits.
    low, high : float
        The 95 % interval of the gain, as far as the measure can reach: positive where
        the chosen features are better.
    p : float
        Of the corrected resampled t-test, by Holm's rule over the classifiers; NaN
        where the difference is not testable.
    tolerance : float
        A loss below this does not matter.
    """

    classifier: str
    measure: str
    against: str
    chosen: float
    other: float
    low: float
    high: float
    p: float
    tolerance: float

    @property
    def verdict(self) -> str:
        """Either "better", "equivalent", "worse" or "inconclusive".

        Nothing can be tested where there is one split, or the same difference in all.
        """
        if self.p < sentences.LEVEL:
            return sentences.BETTER if self.low + self.high > 0 else sentences.WORSE
        if -self.low < self.tolerance:
            return sentences.EQUIVALENT
        return sentences.INCONCLUSIVE


@dataclass(frozen=True, eq=False, repr=False)
class Quality:
    """The verdict on a choice of features, with the figures that it follows from.

    Attributes
    ----------
    classifiers : list of str
        The classifiers that were asked.
    values : dict of (classifier, features) to dict of measure to ndarray (n_splits,)
        What each classifier reached with ``"chosen"``, ``"random"``, ``"simpler"`` (the
        most mutual information) and ``"all"`` features in each split.
    sizes : ndarray of shape (n_sizes,)
        The numbers of features along the curves; empty without curves.
    curves : dict of features to dict of measure to ndarray (n_splits, n_sizes)
        The first classifier with the first chosen, random and simpler features.
    n_chosen, n_features : int
        How many features are kept, of how many.
    labels : ndarray of shape (n_labels,)
        Which labels were evaluated: ``"label_f1"`` of `values` and `curves` has a value
        for each of them.
    n_rows, n_all_rows, n_labels, n_all_labels : int
        How many rows and labels were evaluated, of how many.
    n_all_splits : int
        How many splits were asked for.
    test_to_train, tolerance, budget, estimate, seconds : float
        Test rows for each training row; the loss that does not matter, as a share of
        what all features reach; the seconds allowed, foretold and taken.
    n_known_cells, n_cells : int
        How many cells of the targets are known, of how many.
    n_columns : int
        How many columns the features are: more, where some are groups of columns.
    """

    classifiers: list[str]
    values: dict[tuple[str, str], dict[str, FloatArray]]
    sizes: IntArray
    curves: dict[str, dict[str, FloatArray]]
    n_chosen: int
    n_features: int
    n_rows: int
    n_all_rows: int
    labels: IntArray
    n_all_labels: int
    n_all_splits: int
    test_to_train: float
    tolerance: float
    budget: float
    estimate: float
    seconds: float
    n_known_cells: int = 0
    n_cells: int = 0
    n_columns: int = 0
    # Selector and data: a notebook shows a page about them.
    source: tuple[Any, Any, Any, dict[str, Any]] | None = None

    @property
    def n_splits(self) -> int:
        """How often the rows were split."""
        return len(next(iter(self.values[self.classifiers[0], CHOSEN].values())))

    @property
    def n_labels(self) -> int:
        """How many labels were evaluated."""
        return self.labels.size

    @property
    def test_share(self) -> float:
        """The share of the rows that was kept for testing."""
        return self.test_to_train / (1 + self.test_to_train)

    @property
    def measures(self) -> list[str]:
        """All measures of the library that are of these targets."""
        found = self.values[self.classifiers[0], CHOSEN]
        return [name for name in found if name in sentences.MEASURES]

    @property
    def main_measures(self) -> list[str]:
        """The measure that sentences are about, for each kind of target."""
        return [name for name in sentences.MAIN_MEASURES if name in self.measures]

    def mean(self, measure: str, features: str, classifier: str | None = None) -> float:
        """Return the mean over the splits, of the first classifier by default."""
        found = self.values[classifier or self.classifiers[0], features][measure]
        known = found[~np.isnan(found)]
        return float(known.mean()) if known.size else math.nan

    @cached_property
    def findings(self) -> list[Finding]:
        """Every classifier and measure against all, random and simpler features."""
        against = [w for w in (EVERYTHING, RANDOM, SIMPLER) if self._has(w)]
        return [
            found
            for which in against
            for measure in self.measures
            for found in self._compared(measure, which)
        ]

    def _has(self, which: str) -> bool:
        return (self.classifiers[0], which) in self.values

    def about(self, measure: str, against: str) -> list[Finding]:
        """The findings of all classifiers by one measure against some features."""
        return [
            found
            for found in self.findings
            if (found.measure, found.against) == (measure, against)
        ]

    def lost_by(self) -> list[str]:
        """The measures by which some classifier clearly loses what matters."""
        lost = [
            found.measure
            for found in self.findings
            if (found.against, found.verdict) == (EVERYTHING, sentences.WORSE)
            and abs(found.chosen - found.other) > found.tolerance
        ]
        return list(dict.fromkeys(lost))

    def _compared(self, measure: str, which: str) -> Iterator[Finding]:
        from labelsieve.experiments import corrected_interval, corrected_t_test, holm

        sign = -1.0 if measure in SMALLER_IS_BETTER else 1.0
        shared = self._shared(which)
        pairs = self._pairs(measure, which)
        tests = [corrected_t_test(*pair, shared) for pair in pairs.values()]
        p_values = holm([test.p for test in tests])
        for (classifier, (ours, theirs)), p in zip(
            pairs.items(), p_values, strict=True
        ):
            gain = corrected_interval(sign * (ours - theirs), shared)
            means = float(ours.mean()), float(theirs.mean())
            reached = self.mean(measure, EVERYTHING, classifier)
            limit = self.tolerance * abs(reached)
            # No gain is larger than the range of the measure.
            reach = self.n_labels if measure.startswith("coverage") else 1.0
            reach = UNBOUNDED.get(measure, reach)
            ends = max(gain.low, -reach), min(gain.high, reach)
            yield Finding(classifier, measure, which, *means, *ends, p, limit)

    def _pairs(
        self, measure: str, which: str
    ) -> dict[str, tuple[FloatArray, FloatArray]]:
        """What classifiers reach in each split where something is known of it."""
        found = {}
        for name in self.classifiers:
            if measure in self.values[name, CHOSEN]:
                sets = self.values[name, CHOSEN], self.values[name, which]
                ours, theirs = (values[measure] for values in sets)
                known = ~np.isnan(ours + theirs)
                if known.any():
                    found[name] = ours[known], theirs[known]
        return found

    def _shared(self, which: str) -> float:
        """What the variance of a mean over splits has beyond 1 / n_splits.

        Nadeau and Bengio take two splits to be correlated by the share of test rows,
        as if differences came from test rows alone. Those that come from training
        rows are correlated by the share of training rows; where each is half of the
        variance, two splits are correlated by one half, whatever the shares. Features
        drawn at random are new in each split: for them the smaller one is enough.
        """
        if which == RANDOM:
            return self.test_to_train
        return max(1.0, self.test_to_train)

    def sentences(self) -> list[str]:
        """The verdict in words, the most important first."""
        return sentences.summary(self)

    def table(self) -> Table:
        """Every finding as a row."""
        rows = [
            {
                "classifier": sentences.classifier_name(
                    found.classifier, found.measure
                ),
                "measure": found.measure,
                "against": found.against,
                "chosen": found.chosen,
                "other": found.other,
                "gain_low": found.low,
                "gain_high": found.high,
                "p": found.p,
                "verdict": found.verdict,
                "words": sentences.verdict_words(found),
            }
            for found in self.findings
        ]
        return Table("Verdicts", _COLUMNS, rows)

    def to_frame(self) -> Any:
        """Return the table of all findings as a DataFrame of pandas or polars."""
        rows = self.table().rows
        keys = rows[0] if rows else {column.keys[0]: () for column in _COLUMNS}
        return frame_of({key: [row[key] for row in rows] for key in keys})

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as plain values."""
        means = {
            classifier: {
                measure: {
                    which: self.mean(measure, which, classifier)
                    for which in (CHOSEN, RANDOM, SIMPLER, EVERYTHING)
                    if self._has(which)
                }
                for measure in self.values[classifier, CHOSEN]
                if measure != LABEL_F1
            }
            for classifier in self.classifiers
        }
        return {
            **{name: getattr(self, name) for name in _FIGURES},
            "classifiers": means,
            "verdicts": [dict(row) for row in self.table().rows],
            "sentences": self.sentences(),
            "curves": {
                "sizes": self.sizes.tolist(),
                **_of_each(self.curves, lambda v: v.mean(axis=0)),
            },
            "half_intervals": self._half_intervals(),
        }

    def _half_intervals(self) -> dict[str, Any]:
        """Half the 95 % intervals of the curves, and of the first with all features."""
        from labelsieve.plots import average

        drawn = dict(self.curves)
        if self._has(EVERYTHING):
            of_all = self.values[self.classifiers[0], EVERYTHING]
            drawn[EVERYTHING] = {name: v[:, np.newaxis] for name, v in of_all.items()}
        return _of_each(drawn, lambda v: average([0], v).high - v.mean(axis=0))

    def plot(
        self, measures: Sequence[str] | None = None, ax: Any = None
    ) -> VerdictDisplay:
        """Draw the gain over all features, with its interval, and return the display.

        Parameters
        ----------
        measures : sequence of str, optional
            Which to show; by default five that differ in kind.
        ax : matplotlib Axes, optional
            Where to draw; by default into a new figure.
        """
        from labelsieve.plots import VerdictDisplay

        return VerdictDisplay.from_quality(self, measures).plot(ax)

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def __repr__(self) -> str:
        return f"<Quality of {self.n_chosen} of {self.n_features} features>\n{self}"

    def _repr_html_(self) -> str:
        from labelsieve._utils.messages import paragraphs, table, with_page

        mains = self.main_measures
        main = [row for row in self.table().rows if row["measure"] in mains]
        static = paragraphs(self.sentences()) + table(Table("", _COLUMNS, main))
        return with_page(static, self)


def _of_each(curves: dict[str, Any], of: Callable[[Any], Any]) -> dict[str, Any]:
    """Some figure of each curve, as lists."""
    return {
        which: {name: of(v).tolist() for name, v in found.items() if name != LABEL_F1}
        for which, found in curves.items()
    }


# How much measures can change that are not between 0 and 1.
UNBOUNDED = {"r2": math.inf, "rank_correlation": 2.0}
_FIGURES = (
    *("n_chosen", "n_features", "n_rows", "n_all_rows", "n_labels", "n_all_labels"),
    *("n_splits", "n_all_splits", "test_to_train", "tolerance"),
    *("budget", "estimate", "seconds", "n_known_cells", "n_cells"),
)
_COLUMNS = [
    Column("classifier", "classifier"),
    Column("measure", "measure", sentences.measure_name, style="name"),
    Column("against", "against"),
    numbers("chosen", "chosen", sentences.plain),
    numbers("other", "other", sentences.plain),
    Column("verdict", "words", style="words"),
]
