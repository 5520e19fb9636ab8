"""What the chosen features leave unexplained of the labels and of other features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.memory import refuse_larger_than_memory
from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.counting import Counts
from labelsieve.selectors.sieve.columns import Columns
from labelsieve.selectors.sieve.least import Least

if TYPE_CHECKING:
    from labelsieve.selectors.sieve.kernels import Blocks, Targets
    from labelsieve.selectors.sieve.view_kernels import View

# Rows, label and weight of each target.
LabelTargets = tuple[Any, IntArray, FloatArray]
# What is taken off as chance, in rows times nats: c of the formula. A pair that tells
# nothing shows half of it on average.
CHANCE = 1.0
# Less than this share of its variance left, and a feature counts as a repetition.
REPEATED = 0.01


class Projected:
    """Columns from which those of chosen features are projected out.

    All begins with whole numbers, and projections go on in a fixed order, so that the
    same bits come from any source and any number of threads. Targets are label
    indicators; a label with more than two codes has one for each code.

    Attributes
    ----------
    level : (L,) what a view of a pair of columns must exceed, in rows times nats: n/N
        times what chance shows, where the label is known in N rows
    label_freedom : (L,) degrees of freedom of each label
    variance : (L,) variance of each label
    n_y, n_known : (T,) rows with each target, and those where its label is known
    whole, left : (T,) the sum of squares of each target, and what is not explained
    n_basis : how many columns have been projected out
    """

    def __init__(self, counts: Counts, columns: Columns, targets: LabelTargets) -> None:
        self.counts = counts
        self.columns = columns
        self.n_y, self.label, self.weight = targets
        self._n_targets = np.bincount(self.label)
        # A label with c codes has c - 1 degrees of freedom: that many shares.
        self.label_freedom = np.maximum(self._n_targets - 1, 1)
        n_known = known_rows(counts)
        self.level = CHANCE * (counts.n_rows / n_known)
        self.n_known = n_known[self.label]
        share = self.n_y / self.n_known
        self.whole = self.left = counts.n_rows * (share - share * share)
        squares = np.bincount(self.label, self.weight * self.left)
        self.variance = squares.astype(np.float64) / counts.n_rows
        self._start = columns.start
        self._width = np.diff(self._start)
        self._v_start = np.append(0, np.cumsum(self._width**2))
        self._V = columns.covariances()
        self._diagonal = self._find_diagonal()
        self._v = self._V[self._diagonal]
        self._at_first = self._v.copy()
        self._tiny = REPEATED * self._at_first
        self._A = np.empty((64, self._v.size))
        self.n_basis = 0

    def sums_of(self, column: int) -> Any:
        """(T,) the sum of a column over the rows of each target."""
        raise NotImplementedError

    def known_sums_of(self, column: int) -> Any:
        """(T,) the same over the rows where the label of each target is known."""
        return np.full(self.n_y.size, self.columns.totals[column])

    def contrasts(self, feature: int) -> FloatArray:
        """(T, width) parts of the sums of squares that a feature explains."""
        raise NotImplementedError

    def _line(self, column: int) -> FloatArray:
        """(T,) centred products of a column, less what the chosen explain."""
        raise NotImplementedError

    def _explain(self, along: FloatArray, basis: FloatArray) -> None:
        """Take from all such products what a new basis vector explains."""
        raise NotImplementedError

    @property
    def uniqueness(self) -> FloatArray:
        """The share of each feature's variance that the chosen ones do not explain."""
        left = np.maximum(self._v, 0.0)
        return self._of_features(left) / self._of_features(self._at_first)

    def covariances_with(self, feature: int, n_fg: Any) -> list[FloatArray]:
        """(P,) centred products of all columns with each column of a feature.

        `n_fg` are its joint counts with all indicators.
        """
        sums, n = self.columns.totals, self.counts.n_rows
        lines = self.columns.with_feature(feature, n_fg)
        first = self._start[feature]
        return [line - sums * (sums[g] / n) for g, line in enumerate(lines, first)]

    def project(self, feature: int, covariances: list[FloatArray]) -> None:
        """Project a feature out; its covariances with all columns are overwritten."""
        for g, column in enumerate(covariances, self._start[feature]):
            self._project_out(g, column)

    def _project_out(self, g: int, column: FloatArray) -> None:
        from labelsieve.selectors.sieve import kernels

        k = self.n_basis
        if k == len(self._A):
            self._A = np.concatenate([self._A, np.empty_like(self._A)])
        rest = self._blocks, self._diagonal, self._v
        length = kernels.extend_basis(self._A, k, g, column, *rest)
        if not length:
            return
        along = self._line(g) / length
        self._explain(along, self._A[k])
        self.left = np.maximum(self.left - along**2, 0.0)
        self.n_basis += 1

    @cached_property
    def _blocks(self) -> Blocks:
        """The covariances within features as kernels take them."""
        from labelsieve.selectors.sieve.kernels import Blocks

        return Blocks(self._V, self._v_start, self._start, self._tiny)

    def _of_features(self, values: FloatArray) -> FloatArray:
        """Add up over the columns of each feature."""
        if values.size == self._width.size:
            return values
        return np.add.reduceat(values, self._start[:-1])

    def _find_diagonal(self) -> IntArray:
        """Where the variances of the columns stand in the blocks."""
        width = np.repeat(self._width, self._width)
        within = np.arange(width.size) - np.repeat(self._start[:-1], self._width)
        return np.repeat(self._v_start[:-1], self._width) + within * (width + 1)

    def _run(self, function: Callable[[Any], None], tasks: Sequence[Any]) -> None:
        run_in_threads(function, tasks, self.counts.n_jobs)


class Unexplained(Projected):
    """The products of all columns with all targets, in a table.

    Those of a feature are brought up to date when they are asked for.
    """

    def __init__(self, counts: Counts, columns: Columns) -> None:
        from labelsieve.selectors.sieve.view_kernels import Near

        n_l, self._sums, label, weight = _targets(counts, columns)
        super().__init__(counts, columns, (n_l, label, weight))
        self._known_sums = _sums_where_known(counts, columns, label)
        # Of numbers a second table is kept, of what they share by themselves.
        itemsize = 8 if columns.are_indicators else 16
        sums = self._sums, self.n_known, self._known_sums
        self._C = _centred(n_l, *sums, counts.n_rows, itemsize)
        self._single = columns.single and bool((self._n_targets == 1).all())
        self._along = np.empty((len(self._A), n_l.size))
        self._explained = np.zeros(counts.n_features, dtype=np.int64)
        self._every = np.arange(counts.n_features)
        self._watched: FloatArray | None = None
        self.near = Near(np.empty(0), np.empty(0))

    def sums_of(self, column: int) -> Any:
        """(T,) the sum of a column over the rows of each target."""
        return self._sums[:, column]

    def known_sums_of(self, column: int) -> Any:
        """(T,) the same over the rows where the label of each target is known."""
        return self._known_sums[:, column]

    def view(self, features: IntArray) -> FloatArray:
        """(L, features) half the share of labels explained by each, beyond the level.

        In rows times nats, not below zero.
        """
        from labelsieve.selectors.sieve import view_kernels as views

        self._bring_up(features)
        out = np.zeros((self.counts.n_labels, features.size))
        views.view_linear(
            *(self._C, self._blocks, self._targets, self.level, features, out)
        )
        return out

    def gains(self, least: Least, scale: FloatArray) -> FloatArray:
        """What each feature would tell beyond the chosen ones and beyond chance.

        The sum over labels of what is least: half the explained share, or `least`.
        `scale` says how much each label counts.
        """
        total = np.zeros(self.counts.n_features)
        every = self._every
        self._run(lambda some: self.gain(every[some], least, scale, total), least.tasks)
        return total

    def gain(
        self, features: IntArray, least: Least, scale: FloatArray, total: FloatArray
    ) -> None:
        """Fill in the same for some features."""
        from labelsieve.selectors.sieve import view_kernels as views

        self._bring_up(features)
        views.fill_gains(
            features, self.view_of_all, least.pairs, scale, self.near, total
        )

    @cached_property
    def view_of_all(self) -> View:
        """What kernels need for the view of features that are up to date."""
        from labelsieve.selectors.sieve.view_kernels import View

        parts = self._blocks, self._targets, self.level
        return View(self._C, *parts, self._single)

    def contrasts(self, feature: int) -> FloatArray:
        """(T, width) parts of the sums of squares that a feature explains."""
        from labelsieve.selectors.sieve import view_kernels as views

        self._bring_up(np.array([feature]))
        out = np.empty((self.left.size, self._width[feature]))
        views.explained_parts(self._C, self._blocks, feature, out)
        return out

    @cached_property
    def _targets(self) -> Targets:
        from labelsieve.selectors.sieve.kernels import Targets

        n_free = self.label_freedom.astype(np.float64)
        half = 0.5 * n_free / self.variance
        return Targets(self.weight, self.label, half, n_free)

    def _line(self, column: int) -> FloatArray:
        feature = column
        if not self._single:
            feature = int(self._start.searchsorted(column, side="right")) - 1
        if self._explained[feature] < self.n_basis:
            self._bring_up(np.array([feature]))
        return self._C[column]

    def _explain(self, along: FloatArray, basis: FloatArray) -> None:
        if self.n_basis == len(self._along):
            self._along = np.concatenate([self._along, self._along])
        self._along[self.n_basis] = along
        if self._watched is not None:
            from labelsieve.selectors.sieve import view_kernels as views

            length = float(np.sqrt(self._watched @ (along * along)))
            views.loosen(basis, length, self._blocks, self.near)

    def watch(self, scale: FloatArray) -> None:
        """From now on keep a bound of what each feature could gain: `near`."""
        from labelsieve.selectors.sieve.view_kernels import Near

        of_label, n_features = scale * self._targets.half, self.counts.n_features
        self._watched = self.weight * of_label[self.label]
        self.near = Near(np.full(n_features, np.inf), np.zeros(n_features))

    def _bring_up(self, features: IntArray) -> None:
        """Take from the products of some features what the chosen ones explain."""
        from labelsieve.selectors.sieve import kernels

        basis = self._A[: self.n_basis], self._along[: self.n_basis]
        kernels.explain_features(
            features, self._explained, *basis, self._start, self._C
        )


def known_rows(counts: Counts) -> IntArray:
    """(L,) in how many rows each label is known."""
    if counts.known is None:
        return np.full(counts.n_labels, counts.n_rows)
    return counts.known.n_k


def _targets(counts: Counts, columns: Columns) -> tuple[Any, Any, IntArray, FloatArray]:
    """Counts of the targets, sums of columns with them; their labels and weights.

    Half the squares of all codes of a label are, for two codes, those of one of them.
    """
    n_l, n_fl, known = counts.label_counts, columns.with_labels, counts.known
    start, n_codes = counts.y_start[:-1], counts.labels.n_codes
    if (n_codes == 2).all():
        return n_l, n_fl, np.arange(n_codes.size), np.ones(n_codes.size)
    n_known = known_rows(counts)
    end = start + n_codes - 1 if known is None else known.y_end
    n_values = end - start + 1
    if (n_values == 2).all():
        return n_l[start], n_fl[start], np.arange(start.size), np.ones(start.size)
    of_known = _sums_where_known(counts, columns, np.arange(n_codes.size))
    single: list[Any] = []
    joint: list[Any] = []
    for label, n_own in enumerate(n_values):
        lines = slice(start[label], end[label])
        single += n_l[lines].tolist()
        joint += list(n_fl[lines])
        if n_own > 2:
            single.append(n_known[label] - n_l[lines].sum(dtype=np.int64))
            joint.append(of_known[label] - n_fl[lines].sum(axis=0, dtype=np.int64))
    n_targets = np.where(n_values == 2, 1, n_values)
    label_of = np.repeat(np.arange(n_values.size), n_targets)
    weight = np.where(n_targets == 1, 1.0, 0.5)[label_of]
    return np.array(single), np.stack(joint), label_of, weight


def _sums_where_known(counts: Counts, columns: Columns, label: IntArray) -> Any:
    """(targets, P) the sum of each column over the rows where a label is known."""
    sums = np.asarray(columns.totals, dtype=np.int64)
    if counts.known is None:
        return np.broadcast_to(sums, (label.size, sums.size))
    if columns.are_indicators:
        n_fk = counts.known.n_fk
        return n_fk if np.array_equal(label, np.arange(len(n_fk))) else n_fk[label]
    lines = counts.known.y_end[label]
    unknown = counts.labels.unknown
    assert unknown is not None
    unsure = unknown[label]
    out = np.tile(sums, (label.size, 1))
    out[unsure] -= columns.with_labels[lines[unsure]]
    return out


def _centred(
    n_y: Any, sums: Any, n_known: Any, totals: Any, n: int, itemsize: int
) -> FloatArray:
    from labelsieve.selectors.sieve import kernels

    refuse_larger_than_memory(
        sums.shape,
        "The table of what features and labels share",
        "Select among fewer features, for example with FIMF first.",
        itemsize=itemsize,
    )
    out = np.empty(sums.shape[::-1])
    kernels.centre_sums(sums, n_y, totals, n_known, n, out)
    return out
