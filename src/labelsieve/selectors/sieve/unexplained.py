"""What the chosen features leave unexplained of the labels and of other features."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from labelsieve._plumbing.memory import refuse_larger_than_memory
from labelsieve._plumbing.slices import span
from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.counting import Counts
from labelsieve.selectors.sieve.conditional import Informed

if TYPE_CHECKING:
    from labelsieve.selectors.sieve.kernels import Blocks

# A gain counts as far as it exceeds this many times what chance explains on average:
# two standard errors, squared.
STRICT = 4.0
# Less than this share of its variance left, and a feature counts as a repetition.
REPEATED = 0.01
# Labels are shared among threads in this many tasks: a fixed number, so that sums do
# not depend on the threads; and in one task where there are few.
LABEL_TASKS = 4
FEW_LABELS = 64
# Threads cost about a tenth of a millisecond: not for less work than this.
CELLS_WORTH_THREADS = 1_000_000


class Unexplained:
    """Centred sums of products, from which chosen features are projected out.

    The sums are functions of counts of pairs; projections go on in a fixed order, so
    that the same bits come from any source and any number of threads. Targets are
    label indicators; a label with more than two codes has one for each code.
    """

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        n_l, n_fl, self._label, self._weight = _targets(counts)
        self._first_target = np.flatnonzero(np.diff(self._label, prepend=-1))
        self._start = counts.x_start
        self._C = _centred(n_fl, n_l, counts, self._label)
        self._n_known = np.full(n_l.size, counts.n_rows)
        self._left = n_l - n_l.astype(np.float64) * n_l / counts.n_rows
        if counts.known is not None:
            self._n_known = counts.known.n_k[self._label]
            share = n_l / self._n_known
            self._left = counts.n_rows * (share - share * share)
        self._least = 1e-12 * self._left
        self._width = np.diff(self._start)
        self._v_start = np.concatenate([[0], np.cumsum(self._width**2)])
        self._V = _within_features(counts, self._v_start)
        self._diagonal = self._find_diagonal()
        self._v = self._V[self._diagonal]
        self._at_first = self._v.copy()
        self._tiny = REPEATED * self._at_first
        self._tasks = self._split()
        self._A = np.empty((64, self._v.size))
        self._n_basis = 0

    @property
    def label_variance(self) -> FloatArray:
        """What is left of the sum of squares of each label."""
        return np.add.reduceat(self._weight * self._left, self._first_target)

    @property
    def _noise(self) -> FloatArray:
        """The gain in each target that is expected from a feature without meaning."""
        free = np.maximum(self._n_known - 1 - self._n_basis, 1)
        return np.maximum(self._left, self._least) / free

    @property
    def uniqueness(self) -> FloatArray:
        """The share of each feature's variance that the chosen ones do not explain."""
        left = np.maximum(self._v, 0.0)
        return self._of_features(left) / self._of_features(self._at_first)

    def choose(self, feature: int, n_fg: Any) -> None:
        """Project a feature out; `n_fg` are its joint counts with all indicators."""
        n_f, n = self.counts.feature_counts, self.counts.n_rows
        first = self._start[feature]
        for line in range(self._width[feature]):
            g = first + line
            column = n_fg[line] - n_f * (n_f[g] / n)
            self._project_out(g, column)

    def gains(self, least: Informed, scale: FloatArray) -> FloatArray:
        """What each feature would explain beyond the chosen ones and beyond chance.

        The sum over labels of the geometric mean of explained variance and of
        `least`, which holds information about the labels; `scale` says how much each
        label counts.
        """
        labels, targets = self._tasks
        out = np.zeros((labels.size - 1, self.counts.n_features))
        noise = self._noise

        def collect(task: int) -> None:
            lines = slice(targets[task], targets[task + 1])
            mine = slice(labels[task], labels[task + 1])
            self._collect(
                lines, mine, noise[lines], least.of(mine), scale[mine], out[task]
            )

        self._run(collect, labels.size - 1)
        return out[0] if len(out) == 1 else out.sum(axis=0)

    def _collect(
        self,
        lines: slice,
        labels: slice,
        noise: FloatArray,
        least: Informed,
        scale: FloatArray,
        out: FloatArray,
    ) -> None:
        from labelsieve.selectors.sieve import kernels

        C = self._C[lines]
        if self.counts.known_binary:
            kernels.add_gains_binary(
                C,
                self._v,
                self._tiny,
                noise,
                STRICT,
                least.values,
                least.listed,
                least.n_listed,
                scale,
                out,
            )
        else:
            targets = kernels.Targets(noise, self._weight[lines], self._label[lines])
            kernels.add_gains_any(
                *(C, self._blocks, targets, STRICT, labels.start),
                *(least.values, scale, out),
            )

    def log_odds_of_chance(self, feature: int) -> float:
        """The logarithm of 2 / p, by Bernstein's inequality.

        p bounds how likely a feature without meaning explains so much of a label.
        """
        from labelsieve.selectors.sieve import kernels

        row = self.counts.n_rows / self._n_known
        return 0.5 * kernels.clearest_contrast(
            self._C, self._blocks, self._noise, row, feature
        )

    @property
    def _blocks(self) -> Blocks:
        """The covariances within features as kernels take them."""
        from labelsieve.selectors.sieve.kernels import Blocks

        return Blocks(self._V, self._v_start, self._start, self._tiny)

    def alone(self) -> FloatArray:
        """The share of all labels' variance that each feature explains, by itself.

        To be asked before anything is chosen.
        """
        squares = np.einsum("t,ti,ti->i", self._weight, self._C, self._C)
        whole = self._at_first * self.label_variance.sum()
        # A category that occurs in no row has no variance, and explains nothing.
        shares = np.divide(squares, whole, out=np.zeros_like(whole), where=whole > 0)
        return self._of_features(shares)

    def _of_features(self, values: FloatArray) -> FloatArray:
        """Add up over the indicators of each feature."""
        if self.counts.known_binary:
            return values
        return np.add.reduceat(values, self._start[:-1])

    def _project_out(self, g: int, column: FloatArray) -> None:
        from labelsieve.selectors.sieve import kernels

        kernels.project_out(self._A, self._n_basis, g, column)
        if column[g] <= self._tiny[g]:
            return
        basis = column / np.sqrt(column[g])
        along = self._C[:, g] / np.sqrt(column[g])
        _, targets = self._tasks

        def explain(task: int) -> None:
            lines = slice(targets[task], targets[task + 1])
            kernels.explain_lines(self._C[lines], along[lines], basis)

        self._run(explain, targets.size - 1)
        self._left = np.maximum(self._left - along**2, 0.0)
        kernels.shrink_blocks(self._blocks, basis)
        self._v = self._V[self._diagonal]
        self._remember(basis)

    def _remember(self, basis: FloatArray) -> None:
        if self._n_basis == len(self._A):
            self._A = np.concatenate([self._A, np.empty_like(self._A)])
        self._A[self._n_basis] = basis
        self._n_basis += 1

    def _find_diagonal(self) -> IntArray:
        """Where the variances of the indicators stand in the blocks."""
        width = np.repeat(self._width, self._width)
        within = np.arange(width.size) - np.repeat(self._start[:-1], self._width)
        return np.repeat(self._v_start[:-1], self._width) + within * (width + 1)

    def _split(self) -> tuple[IntArray, IntArray]:
        """Where each task begins, among labels and among targets."""
        n_labels = self.counts.n_labels
        n_tasks = LABEL_TASKS if n_labels > FEW_LABELS else 1
        labels = np.linspace(0, n_labels, n_tasks + 1).astype(np.int64)
        return labels, np.searchsorted(self._label, labels)

    def _run(self, function: Callable[[int], None], n_tasks: int) -> None:
        if self._C.size <= CELLS_WORTH_THREADS:
            for task in range(n_tasks):
                function(task)
            return
        run_in_threads(function, range(n_tasks), self.counts.n_jobs)


def _targets(counts: Counts) -> tuple[Any, Any, IntArray, FloatArray]:
    """Counts of the targets, alone and with features; their labels and weights.

    Half the squares of all codes of a label are, for two codes, those of one of them.
    """
    n_l, n_fl, known = counts.label_counts, counts.feature_label_counts, counts.known
    start, n_codes = counts.y_start[:-1], counts.labels.n_codes
    if (n_codes == 2).all():
        return n_l, n_fl, np.arange(n_codes.size), np.ones(n_codes.size)
    n_known, n_f, end = counts.n_rows, counts.feature_counts, start + n_codes - 1
    if known is not None:
        end = known.y_end
        n_codes = end - start + 1
    single: list[Any] = []
    joint: list[Any] = []
    for label in range(n_codes.size):
        lines = slice(start[label], end[label])
        single.append(n_l[lines])
        joint.append(n_fl[lines])
        if n_codes[label] > 2:
            if known is not None:
                n_known, n_f = known.n_k[label], known.n_fk[label]
            single.append([n_known - n_l[lines].sum()])
            joint.append([n_f - n_fl[lines].sum(axis=0)])
    n_targets = np.where(n_codes > 2, n_codes, 1)
    weight = np.repeat(np.where(n_codes > 2, 0.5, 1.0), n_targets)
    of_label = np.repeat(np.arange(n_codes.size), n_targets)
    return np.concatenate(single), np.concatenate(joint), of_label, weight


def _centred(n_fl: Any, n_l: Any, counts: Counts, label: IntArray) -> FloatArray:
    from labelsieve.selectors.sieve import kernels, known_kernels

    refuse_larger_than_memory(
        n_fl.shape,
        "The table of what features and labels share",
        "Select among fewer features, for example with FIMF first.",
        itemsize=8,
    )
    out = np.empty(n_fl.shape)
    if counts.known is None:
        kernels.centre_counts(n_fl, counts.feature_counts, n_l, counts.n_rows, out)
    else:
        known_kernels.centre_known(n_fl, n_l, label, counts.known, out)
    return out


def _within_features(counts: Counts, v_start: IntArray) -> FloatArray:
    """Covariances between the indicators of each feature, which exclude each other."""
    V = np.empty(int(v_start[-1]))
    n_f, n = counts.feature_counts.astype(np.float64), counts.n_rows
    if (np.diff(counts.x_start) == 1).all():
        return n_f - n_f * n_f / n
    for f, (low, high) in enumerate(
        zip(counts.x_start[:-1], counts.x_start[1:], strict=True)
    ):
        block = np.diag(n_f[low:high]) - np.outer(n_f[low:high], n_f[low:high]) / n
        V[span(v_start, f)] = block.ravel()
    return V
