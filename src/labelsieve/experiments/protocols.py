"""Which rows train and which rows test: seeded, each split on its own."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from labelsieve._plumbing.typing import IntArray, Matrix
from labelsieve.folds import grouped_parts, stratified_parts


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

    def split(
        self, Y: Matrix, seed: int, index: int, groups: IntArray | None = None
    ) -> Split:
        """Return the split number `index` of the rows of Y.

        Parameters
        ----------
        Y : 0/1 matrix of shape (n_samples, n_labels)
            The labels; only their number of rows counts unless `stratified`.
        seed : int
            The seed of the whole experiment.
        index : int
            Number of the split, from 0 to `n_splits` - 1.
        groups : array of shape (n_samples,), optional
            Rows of the same group stay in the same part.
        """
        if not 0 <= index < self.n_splits:
            raise IndexError(f"there are splits 0 to {self.n_splits - 1}, got {index}.")
        return self._split(Y, seed, index, groups)

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

    def _sizes(self, n_rows: int) -> list[int]:
        """How many rows train, how many test, and how many do neither, if any."""
        raise NotImplementedError

    def _split(
        self, Y: Matrix, seed: int, index: int, groups: IntArray | None
    ) -> Split:
        random = np.random.default_rng([seed, index])
        train, test, *_ = self._parts(Y, self._sizes(Y.shape[0]), random, groups)
        return Split(train, test)

    def _parts(
        self,
        Y: Matrix,
        sizes: list[int],
        random: np.random.Generator,
        groups: IntArray | None,
    ) -> list[IntArray]:
        if groups is not None:
            return grouped_parts(Y if self.stratified else None, groups, sizes, random)
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

    def _sizes(self, n_rows: int) -> list[int]:
        n_test = min(max(round(self.test_size * n_rows), 1), n_rows - 1)
        return [n_rows - n_test, n_test]


@dataclass(frozen=True)
class CappedHoldOut(HoldOut):
    """Hold-out of a sample of the rows where there are more than `most_rows`."""

    most_rows: int = 1500

    def describe(self) -> str:
        """Return the protocol in words."""
        return f"{super().describe()}, of at most {self.most_rows} rows"

    def _sizes(self, n_rows: int) -> list[int]:
        n = min(n_rows, self.most_rows)
        return [*super()._sizes(n), n_rows - n]


@dataclass(frozen=True)
class KFold(SplitProtocol):
    """Each row tests once: parts of equal size, one of them the test part in turn.

    With more splits than `n_folds` the rows are divided again and again.

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
        if self.n_splits > self.folds:
            only = f", repeated ({self.n_splits} splits)"
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

    def _split(
        self, Y: Matrix, seed: int, index: int, groups: IntArray | None
    ) -> Split:
        n = Y.shape[0]
        if n < self.folds:
            raise ValueError(f"{n} rows cannot be divided into {self.folds} folds.")
        sizes = [n // self.folds + (i < n % self.folds) for i in range(self.folds)]
        repeat, fold = divmod(index, self.folds)
        random = np.random.default_rng([seed, repeat] if repeat else seed)
        parts = self._parts(Y, sizes, random, groups)
        train = np.concatenate(parts[:fold] + parts[fold + 1 :])
        return Split(np.sort(train), parts[fold])


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

    def _sizes(self, n_rows: int) -> list[int]:
        n_test = max(int(self.test_size * n_rows), 1)
        rest = n_rows - self.n_train - n_test
        if rest < 0:
            raise ValueError(
                f"{self.n_train} training and {n_test} test rows are more than the "
                f"{n_rows} rows there are. Use HoldOut for this data set."
            )
        return [self.n_train, n_test, rest]
