"""Which rows train and which rows test: seeded, each split on its own."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.slices import span
from labelsieve._plumbing.typing import IntArray, Matrix


@dataclass(frozen=True)
class Split:
    """Row indices of the training and the test part, ascending."""

    train: IntArray
    test: IntArray


@dataclass(frozen=True)
class SplitProtocol:
    """Base of the protocols: subclasses say how rows are divided.

    The split number i depends on the seed, on i and on nothing else that varies, so
    that more splits later keep the first ones.
    """

    n_splits: int
    stratified: bool = False

    def split(self, Y: Matrix, seed: int, index: int) -> Split:
        """Return the split number `index` of the rows of Y.

        Parameters
        ----------
        Y : 0/1 matrix of shape (n_samples, n_labels)
            The labels; only their number of rows counts unless `stratified`.
        seed : int
            The seed of the whole experiment.
        index : int
            Number of the split, from 0 to `n_splits` - 1.
        """
        if not 0 <= index < self.n_splits:
            raise IndexError(f"there are splits 0 to {self.n_splits - 1}, got {index}.")
        return self._split(Y, seed, index)

    def with_splits(self, n_splits: int) -> SplitProtocol:
        """Return the same protocol with at most `n_splits` splits."""
        return replace(self, n_splits=min(n_splits, self.n_splits))

    def identity(self) -> dict[str, Any]:
        """Return what determines a split besides the seed and its number."""
        fields = {"kind": type(self).__name__, **asdict(self)}
        del fields["n_splits"]
        return fields

    def describe(self) -> str:
        """Return the protocol in words."""
        raise NotImplementedError

    def _split(self, Y: Matrix, seed: int, index: int) -> Split:
        raise NotImplementedError

    def _parts(
        self, Y: Matrix, sizes: list[int], random: np.random.Generator
    ) -> list[IntArray]:
        if self.stratified:
            return stratified_parts(Y, sizes, random)
        order = random.permutation(Y.shape[0])
        return [np.sort(part) for part in np.split(order, np.cumsum(sizes)[:-1])]


@dataclass(frozen=True)
class HoldOut(SplitProtocol):
    """Random training and test parts, drawn again for each split.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve.experiments import HoldOut
    >>> split = HoldOut(n_splits=30, test_size=0.3).split(np.eye(10), seed=0, index=4)
    >>> split.train.size, split.test.size
    (7, 3)
    """

    n_splits: int = 30
    test_size: float = 0.3

    def describe(self) -> str:
        """Return the protocol in words."""
        percent = round(100 * self.test_size)
        how = "stratified " if self.stratified else ""
        return f"{self.n_splits} x {how}hold-out, {100 - percent}/{percent}"

    def _split(self, Y: Matrix, seed: int, index: int) -> Split:
        n = Y.shape[0]
        n_test = min(max(round(self.test_size * n), 1), n - 1)
        random = np.random.default_rng([seed, index])
        return Split(*self._parts(Y, [n - n_test, n_test], random))


@dataclass(frozen=True)
class CappedHoldOut(HoldOut):
    """Hold-out of a sample of the rows where there are more than `most_rows`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve.experiments.protocols import CappedHoldOut
    >>> split = CappedHoldOut(1, most_rows=10).split(np.eye(50), seed=0, index=0)
    >>> split.train.size, split.test.size
    (7, 3)
    """

    most_rows: int = 1500

    def describe(self) -> str:
        """Return the protocol in words."""
        return f"{super().describe()}, of at most {self.most_rows} rows"

    def _split(self, Y: Matrix, seed: int, index: int) -> Split:
        n = min(Y.shape[0], self.most_rows)
        n_test = min(max(round(self.test_size * n), 1), n - 1)
        random = np.random.default_rng([seed, index])
        sizes = [n - n_test, n_test, Y.shape[0] - n]
        train, test, *_ = self._parts(Y, sizes, random)
        return Split(train, test)


@dataclass(frozen=True)
class KFold(SplitProtocol):
    """Each row tests once: parts of equal size, one of them the test part in turn.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve.experiments import KFold
    >>> folds = KFold(n_splits=5)
    >>> [folds.split(np.eye(10), seed=0, index=i).test.size for i in range(5)]
    [2, 2, 2, 2, 2]
    """

    n_splits: int = 10
    n_folds: int | None = None

    def describe(self) -> str:
        """Return the protocol in words."""
        how = "stratified " if self.stratified else ""
        only = "" if self.n_splits == self.folds else f" ({self.n_splits} of them)"
        return f"{how}{self.folds}-fold cross-validation{only}"

    @property
    def folds(self) -> int:
        """The number of parts, which stays when fewer splits are used."""
        return self.n_folds or self.n_splits

    def with_splits(self, n_splits: int) -> SplitProtocol:
        """Return the same folds, of which at most `n_splits` are used."""
        fewer = min(n_splits, self.n_splits)
        return replace(self, n_splits=fewer, n_folds=self.folds)

    def identity(self) -> dict[str, Any]:
        """Return what determines a split besides the seed and its number."""
        return {**super().identity(), "n_folds": self.folds}

    def _split(self, Y: Matrix, seed: int, index: int) -> Split:
        n = Y.shape[0]
        if n < self.folds:
            raise ValueError(f"{n} rows cannot be divided into {self.folds} folds.")
        sizes = [n // self.folds + (i < n % self.folds) for i in range(self.folds)]
        parts = self._parts(Y, sizes, np.random.default_rng(seed))
        train = np.concatenate(parts[:index] + parts[index + 1 :])
        return Split(np.sort(train), parts[index])


@dataclass(frozen=True)
class SampledTraining(SplitProtocol):
    """A fixed number of training rows and a share of other rows for the test.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve.experiments import SampledTraining
    >>> protocol = SampledTraining(n_splits=10, n_train=50, test_size=0.1)
    >>> split = protocol.split(np.eye(200), seed=0, index=0)
    >>> split.train.size, split.test.size
    (50, 20)
    """

    n_splits: int = 10
    n_train: int = 1800
    test_size: float = 0.1

    def describe(self) -> str:
        """Return the protocol in words."""
        how = "stratified " if self.stratified else ""
        return (
            f"{self.n_splits} x {how}{self.n_train} training rows, "
            f"{100 * self.test_size:g} % of all rows for the test"
        )

    def _split(self, Y: Matrix, seed: int, index: int) -> Split:
        n = Y.shape[0]
        n_test = max(int(self.test_size * n), 1)
        rest = n - self.n_train - n_test
        if rest < 0:
            raise ValueError(
                f"{self.n_train} training and {n_test} test rows are more than the "
                f"{n} rows there are. Use HoldOut for this data set."
            )
        random = np.random.default_rng([seed, index])
        train, test, _ = self._parts(Y, [self.n_train, n_test, rest], random)
        return Split(train, test)


def stratified_parts(
    Y: Matrix, sizes: list[int], random: np.random.Generator
) -> list[IntArray]:
    """Divide rows into parts of given sizes that share every label fairly.

    Iterative stratification (Sechidis, Tsoumakas, Vlahavas, ECML PKDD 2011): rows of
    the rarest label are handed out first, each to the part that misses this label
    most. Parts get exactly their sizes.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve.experiments.protocols import stratified_parts
    >>> Y = np.array([[1], [1], [0], [0], [0], [0]])
    >>> parts = stratified_parts(Y, [3, 3], np.random.default_rng(0))
    >>> [int(Y[part].sum()) for part in parts]
    [1, 1]
    """
    labels = sp.csr_array(Y, copy=True)
    labels.eliminate_zeros()
    n_rows = labels.shape[0]
    by_label = labels.tocsc()
    free = np.asarray(sizes, dtype=np.int64)
    wanted = np.outer(free / n_rows, np.diff(by_label.indptr))
    part_of = np.full(n_rows, -1)
    left = np.diff(by_label.indptr).astype(np.int64)
    while left.any():
        rarest = int(np.argmin(np.where(left > 0, left, n_rows + 1)))
        rows = by_label.indices[span(by_label.indptr, rarest)]
        for row in random.permutation(rows[part_of[rows] < 0]):
            part = _neediest(wanted[:, rarest], free, random)
            part_of[row] = part
            free[part] -= 1
            own = labels.indices[span(labels.indptr, row)]
            wanted[part, own] -= 1
            left[own] -= 1
    unlabelled = random.permutation(np.flatnonzero(part_of < 0))
    part_of[unlabelled] = np.repeat(np.arange(free.size), free)
    return [np.flatnonzero(part_of == part) for part in range(free.size)]


def _neediest(
    wanted: np.ndarray[Any, Any], free: IntArray, random: np.random.Generator
) -> int:
    """The part that misses a label most; among equals the emptiest, then chance."""
    need = np.where(free > 0, wanted, -np.inf)
    best = np.flatnonzero(need >= need.max() - 1e-9)
    if best.size > 1:
        best = best[free[best] == free[best].max()]
    return int(best[0] if best.size == 1 else random.choice(best))
