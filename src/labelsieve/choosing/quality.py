"""measure_quality: what a choice of features is worth, as a verdict with figures."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GroupShuffleSplit
from sklearn.utils import get_tags

from labelsieve import sentences
from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.frames import frame_of
from labelsieve._plumbing.matrices import as_dense
from labelsieve._plumbing.tables import Column, Table, numbers
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.choosing._judging import (
    CHOSEN,
    EVERYTHING,
    RANDOM,
    SIMPLER,
    Panel,
    Run,
    Split,
    run_within,
)
from labelsieve.choosing._rounds import indexable
from labelsieve.classifiers import BRLogistic, Judge, per_label
from labelsieve.metrics import SMALLER_IS_BETTER
from labelsieve.reading import ColumnSelector, read_labels, read_values, without_tags
from labelsieve.registry import make_selector
from labelsieve.selectors import LabelSelector, check_selector, size_limits

if TYPE_CHECKING:
    from labelsieve.plots import VerdictDisplay

# A curve with more points than this looks the same.
POINTS = 8
# More labels than this are a sample of them: judges take time for each.
MOST_LABELS = 100
# The budget where none is given: so many times the selection, and at least so long.
TIMES_SELECTION, LEAST_SECONDS = 10.0, 10.0
# Logistic regression is judged after so many passes: more change little.
PASSES = 8


@dataclass(frozen=True)
class Finding:
    """One judge's measure of the chosen features against others.

    Attributes
    ----------
    judge, measure, against : str
        What was measured; against ``"all"``, ``"random"`` or ``"simpler"``.
    chosen, other : float
        The means over the splits.
    low, high : float
        The 95 % interval of the gain: positive where the chosen features are better.
    p : float
        Of the corrected resampled t-test, by Holm's rule over the judges.
    tolerance : float
        A loss below this does not matter.
    """

    judge: str
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
        """One of "better", "as good", "worse" and "not distinguishable"."""
        if self.p < sentences.LEVEL:
            return sentences.BETTER if self.low + self.high > 0 else sentences.WORSE
        if -self.low < self.tolerance:
            return sentences.AS_GOOD
        return sentences.NOT_DISTINGUISHABLE


@dataclass(frozen=True, eq=False)
class Quality:
    """The verdict on a choice of features, with the figures that it follows from.

    Attributes
    ----------
    judges : list of str
        The classifiers that were asked.
    values : dict of (judge, features) to dict of measure to ndarray (n_splits,)
        What each judge reached with ``"chosen"``, ``"random"``, ``"simpler"`` (the
        most mutual information) and ``"all"`` features in each split.
    sizes : ndarray of shape (n_sizes,)
        The numbers of features along the curves; empty without curves.
    curves : dict of features to dict of measure to ndarray (n_splits, n_sizes)
        The first judge with the first chosen, and random, features.
    n_chosen, n_features : int
        How many features are kept, of how many.
    n_rows, n_all_rows, n_labels, n_all_labels : int
        How many rows and labels were judged, of how many.
    test_to_train, tolerance, budget, estimate, seconds : float
        Test rows for each training row; the loss that does not matter, as a share of
        what all features reach; the seconds allowed, foretold and taken.
    """

    judges: list[str]
    values: dict[tuple[str, str], dict[str, FloatArray]]
    sizes: IntArray
    curves: dict[str, dict[str, FloatArray]]
    n_chosen: int
    n_features: int
    n_rows: int
    n_all_rows: int
    n_labels: int
    n_all_labels: int
    test_to_train: float
    tolerance: float
    budget: float
    estimate: float
    seconds: float

    @property
    def n_splits(self) -> int:
        """How often the rows were split."""
        return len(self.values[self.judges[0], CHOSEN]["hamming_loss"])

    @property
    def test_share(self) -> float:
        """The share of the rows that was kept for testing."""
        return self.test_to_train / (1 + self.test_to_train)

    @property
    def measures(self) -> list[str]:
        """All measures of the library."""
        found = self.values[self.judges[0], CHOSEN]
        return [name for name in found if name in sentences.MEASURES]

    def mean(self, measure: str, features: str, judge: str | None = None) -> float:
        """Return the average over the splits; that of the first judge by default."""
        found = self.values[judge or self.judges[0], features][measure]
        known = found[~np.isnan(found)]
        return float(known.mean()) if known.size else math.nan

    @cached_property
    def findings(self) -> list[Finding]:
        """Every judge and measure against all, random and simpler features."""
        against = [w for w in (EVERYTHING, RANDOM, SIMPLER) if self._has(w)]
        return [
            found
            for which in against
            for measure in self.measures
            for found in self._compared(measure, which)
        ]

    def _has(self, which: str) -> bool:
        return (self.judges[0], which) in self.values

    def about(self, measure: str, against: str) -> list[Finding]:
        """The findings of all judges by one measure against some features."""
        return [
            found
            for found in self.findings
            if (found.measure, found.against) == (measure, against)
        ]

    def lost_by(self) -> list[str]:
        """The measures by which some judge clearly loses what matters."""
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
        pairs = [
            (self.values[judge, CHOSEN][measure], self.values[judge, which][measure])
            for judge in self.judges
        ]
        tests = [corrected_t_test(*pair, self.test_to_train) for pair in pairs]
        p_values = holm([test.p for test in tests])
        for judge, (ours, theirs), p in zip(self.judges, pairs, p_values, strict=True):
            gain = corrected_interval(sign * (ours - theirs), self.test_to_train)
            means = float(ours.mean()), float(theirs.mean())
            reached = self.mean(measure, EVERYTHING, judge)
            limit = self.tolerance * abs(reached)
            ends = gain.low, gain.high
            yield Finding(judge, measure, which, *means, *ends, p, limit)

    def sentences(self) -> list[str]:
        """The verdict in words, the most important first."""
        return sentences.summary(self)

    def table(self) -> Table:
        """Every finding as a row."""
        rows = [
            {
                "judge": sentences.judge_name(found.judge),
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
            judge: {
                measure: {
                    which: self.mean(measure, which, judge)
                    for which in (CHOSEN, RANDOM, SIMPLER, EVERYTHING)
                    if self._has(which)
                }
                for measure in (*self.measures, "precision", "recall")
            }
            for judge in self.judges
        }
        return {
            **{name: getattr(self, name) for name in _FIGURES},
            "judges": means,
            "verdicts": [dict(row) for row in self.table().rows],
            "sentences": self.sentences(),
            "curves": {
                "sizes": self.sizes.tolist(),
                **{
                    which: {name: v.mean(axis=0).tolist() for name, v in found.items()}
                    for which, found in self.curves.items()
                },
            },
        }

    def plot(self, measures: Sequence[str] | None = None) -> VerdictDisplay:
        """Draw the gain over all features, with its interval, and return the display.

        Parameters
        ----------
        measures : sequence of str, optional
            Which to show; by default five that differ in kind.
        """
        from labelsieve.plots import VerdictDisplay

        return VerdictDisplay.from_quality(self, measures).plot()

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def __repr__(self) -> str:
        return f"<Quality of {self.n_chosen} of {self.n_features} features>\n{self}"

    def _repr_html_(self) -> str:
        from labelsieve._plumbing.html import paragraphs, table

        main = [row for row in self.table().rows if row["measure"] == sentences.MAIN]
        return paragraphs(self.sentences()) + table(Table("", _COLUMNS, main))


_FIGURES = (
    *("n_chosen", "n_features", "n_rows", "n_all_rows", "n_labels", "n_all_labels"),
    *("n_splits", "test_to_train", "tolerance", "budget", "estimate", "seconds"),
)
_COLUMNS = [
    Column("judge", "judge"),
    Column("measure", "measure", sentences.measure_name, style="name"),
    Column("against", "against"),
    numbers("chosen", "chosen", sentences.plain),
    numbers("other", "other", sentences.plain),
    Column("verdict", "words", style="words"),
]


def measure_quality(
    selector: Any,
    X: Any,
    Y: Any,
    *,
    judges: Sequence[Any] = (),
    n_splits: int = 10,
    test_share: float = 0.3,
    tolerance: float = 0.05,
    budget: float | None = None,
    groups: Any = None,
    stratified: bool = False,
    cv: Any = None,
    seed: int = 0,
    verbose: bool = False,
) -> Quality:
    """Judge a choice of features on rows that did not choose, and say what is lost.

    In each split features are chosen on the training rows, and classifiers that differ
    in kind predict the labels of the test rows with the chosen features, with all,
    with as many at random, and with as many of the most mutual information. The
    differences are tested with the corrected resampled t-test.

    Parameters
    ----------
    selector : selector of this library, SizeCV or StabilitySelection
        Fitted or not; copies are fitted on the training rows. ``"auto"`` means the
        number of features that it finds in all rows.
    X, Y : as in `fit`
        The data.
    judges : sequence of scikit-learn classifiers
        Asked beside naive Bayes (for sparse features) or nearest neighbours (for
        others, scaled to [0, 1] by the training rows) and logistic regression.
    n_splits : int, default=10
        How often the rows are split at random.
    test_share : float, default=0.3
        The share of the rows that is kept for testing.
    tolerance : float, default=0.05
        A loss below this share of what all features reach does not matter.
    budget : float, optional
        Seconds of computing. Where all rows would take more, a sample of them is
        judged, and at most 100 labels. By default 10 times the selection, and at
        least 10; ``inf`` judges all.
    groups : array-like of shape (n_samples,), optional
        Rows of a group stay together, in the training or in the test part.
    stratified : bool, default=False
        Whether both parts get their share of every label.
    cv : splitter, optional
        What splits the rows instead, as in scikit-learn.
    seed : int, default=0
        Of the splits, of the random features and of the sample.
    verbose : bool, default=False
        Show the progress on the standard error stream.

    Returns
    -------
    quality : Quality
        Printing it gives the verdict in words; ``to_frame()`` all figures.

    References
    ----------
    C. Nadeau, Y. Bengio: Inference for the generalization error. Machine Learning
    52(3), 2003.

    Examples
    --------
    >>> from labelsieve import FIMF
    >>> from labelsieve.choosing import measure_quality
    >>> from labelsieve.datasets import load_segments
    >>> X, Y = load_segments()
    >>> quality = measure_quality(FIMF(12), X[:300], Y[:300], n_splits=3)
    >>> quality.judges
    ['MLkNN', 'BRLogistic']
    >>> quality.about("hamming_loss", "all")[0].verdict
    'worse'
    """
    check_selector(selector, "measure_quality", ColumnSelector)
    Y = without_tags(Y)
    takes_missing = get_tags(selector).input_tags.allow_nan
    features = read_values(selector, X, min_rows=3, takes_missing=takes_missing)
    labels = as_dense(read_labels(Y, features.values).indicator("measure_quality"))
    labels = np.ascontiguousarray(labels, dtype=np.uint8)
    n_rows, n_features = features.values.shape
    begin = time.process_time()
    n_chosen = int(clone(selector).fit(X, Y).support_.sum())
    seconds = time.process_time() - begin
    if budget is None:
        budget = max(LEAST_SECONDS, TIMES_SELECTION * seconds)
    shown = np.arange(labels.shape[1])
    if budget < math.inf:
        drawn = np.random.default_rng(seed).permutation(shown)
        shown = np.sort(drawn[:MOST_LABELS])
    can_be_cut = isinstance(selector, LabelSelector)
    sizes = _sizes(selector, n_chosen, n_features) if can_be_cut else None
    panel = Panel(
        clone(selector),
        _simpler(selector),
        indexable(X, "X"),
        indexable(Y, "Y"),
        labels[:, shown],
        _judges(features, labels[:, shown], judges, selector),
        n_features,
        n_chosen,
        sizes,
    )

    def make_splits(rows: IntArray) -> list[Split]:
        found = _splits(labels[rows], n_splits, test_share, seed, stratified)
        if cv is not None:
            kept = None if groups is None else np.asarray(groups)[rows]
            found = cv.split(rows, labels[rows], kept)
        elif groups is not None:
            shuffle = GroupShuffleSplit(
                n_splits, test_size=test_share, random_state=seed
            )
            found = shuffle.split(rows, groups=np.asarray(groups)[rows])
        return [(rows[train], rows[test]) for train, test in found]

    run = run_within(panel, make_splits, n_rows, budget, seed, verbose)
    values, curves = _gathered(run, panel)
    return Quality(
        list(panel.judges),
        values,
        np.empty(0, dtype=np.int64) if sizes is None else sizes,
        curves,
        *(n_chosen, n_features, run.n_rows, n_rows, len(shown), labels.shape[1]),
        *(run.test_to_train, tolerance, budget, run.estimate, run.seconds),
    )


def _sizes(selector: LabelSelector, wanted: int, n_features: int) -> IntArray:
    """Sizes up to twice the wanted one, which is among them; what must be in is."""
    least, most = size_limits(selector, n_features)
    largest = min(2 * wanted, most)
    spread = np.linspace(least, largest, min(largest, POINTS)).round()
    return np.unique(np.append(spread.astype(np.int64), wanted))


def _simpler(selector: Any) -> Any:
    """The selector by summed mutual information, None where this is it."""
    simpler = make_selector("br+mi", n_features_to_select=1)
    takes_missing = get_tags(simpler).input_tags.allow_nan
    if get_tags(selector).input_tags.allow_nan and not takes_missing:
        return None
    same = type(selector) is type(simpler) and {
        **selector.get_params(deep=False),
        "n_features_to_select": 1,
    } == simpler.get_params(deep=False)
    return None if same else simpler


def _judges(
    features: Any, labels: Any, further: Sequence[Any], selector: Any
) -> dict[str, Judge]:
    n_jobs = selector.get_params(deep=False).get("n_jobs")
    asked = [None, BRLogistic(max_iter=PASSES, n_jobs=n_jobs), *map(per_label, further)]
    found: dict[str, Judge] = {}
    for place, classifier in enumerate(asked):
        judge = Judge(features, labels, classifier, scaled=True)
        given = judge.classifier if place < 2 else further[place - 2]
        name = type(given).__name__
        found[name if name not in found else f"{name} {place + 1}"] = judge
    return found


def _splits(
    labels: Any, n_splits: int, test_share: float, seed: int, stratified: bool
) -> Iterator[Split]:
    from labelsieve.experiments import HoldOut

    if len(labels) < 3:
        raise ValueError(
            f"{len(labels)} rows are too few to measure quality; expected 3."
        )
    protocol = HoldOut(n_splits=n_splits, stratified=stratified, test_size=test_share)
    for index in range(n_splits):
        split = protocol.split(labels, seed, index)
        yield split.train, split.test


def _gathered(run: Run, panel: Panel) -> tuple[Any, Any]:
    """The values at the chosen size by judge and features, and the first's curves."""
    place = 0
    if panel.sizes is not None:
        place = int(np.searchsorted(panel.sizes, panel.n_chosen))
    values, curves = {}, {}
    for key in run.splits[0]:
        stacked = {
            name: np.stack([split[key][name] for split in run.splits])
            for name in run.splits[0][key]
        }
        is_curve = next(iter(stacked.values())).shape[1] > 1
        values[key] = {
            name: found[:, place if is_curve else 0] for name, found in stacked.items()
        }
        if is_curve:
            curves[key[1]] = stacked
    return values, curves
