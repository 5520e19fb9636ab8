"""Which rows belong together: parts that share labels fairly and keep groups whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples

from labelsieve._utils.estimators import Documented
from labelsieve._utils.matrices import span
from labelsieve._utils.typing import IntArray, Matrix
from labelsieve.reading import strata, targets_in

# Each pair of labels is handed out like a label: this many take a second or so.
MOST_PAIRS = 5000


@dataclass(repr=False, eq=False)
class LabelFolds(Documented, BaseEstimator):
    """Folds for many labels: stratified, grouped, or both; repeated if wanted.

    A splitter as scikit-learn has them, for `SizeCV`, `cross_validate` and searches.
    Every label has about the same share of each fold, and every pair of labels, where
    there are at most 5,000 pairs: rows of the rarest are handed out first. So has
    every value of a class, every fifth of the values of a number, and, of a label that
    is partly known, where it is known to be absent. With `groups` in `split` rows of
    the same group stay together.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds.
    stratified : bool, default=True
        Whether labels get their share of every fold.
    n_repeats : int, default=1
        How often rows are divided again.
    random_state : int, RandomState or None, default=None
        The seed.

    References
    ----------
    K. Sechidis, G. Tsoumakas, I. Vlahavas: On the stratification of multi-label data.
    ECML PKDD 2011. P. Szymanski, T. Kajdanowicz: A network perspective on
    stratification of multi-label data. LIDTA 2017 (pairs of labels).

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import LabelFolds
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [0, 0]])
    >>> folds = LabelFolds(2, random_state=0).split(Y, Y)
    >>> [Y[test].sum(axis=0).tolist() for train, test in folds]
    [[1, 1], [1, 1]]
    """

    n_splits: int = 5
    _: KW_ONLY
    stratified: bool = True
    n_repeats: int = 1
    random_state: Any = None

    def split(
        self, X: Any, y: Any, groups: Any = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the training and the test rows of every split.

        Parameters
        ----------
        X : object
            The features, which do not matter.
        y : array, sparse matrix or DataFrame of shape (n_samples, n_targets)
            The targets: labels, classes and numbers; NaN where they are not known.
        groups : array-like of shape (n_samples,), optional
            Rows of the same group are never in both parts.

        Yields
        ------
        train, test : ndarrays of int
            The rows, ascending.
        """
        for name, least in (("n_splits", 2), ("n_repeats", 1)):
            value = getattr(self, name)
            if not isinstance(value, Integral) or value < least:
                raise ValueError(
                    f"{name} must be a whole number of at least {least}, got {value!r}."
                )
        if y is None:
            raise ValueError("LabelFolds splits samples by their labels: pass y.")
        targets = targets_in(y, np.zeros((_num_samples(y), 1)))
        labels = strata(targets.dense(), targets.kinds)
        labels = with_pairs(labels) if self.stratified else labels
        which = None if groups is None else group_codes(groups, len(labels))
        n_units = len(labels) if which is None else int(which.max()) + 1
        if n_units < self.n_splits:
            what = "rows" if which is None else "groups"
            raise ValueError(
                f"{n_units} {what} cannot be divided into {self.n_splits} folds."
            )
        k, n = int(self.n_splits), len(labels)
        sizes = [n // k + (i < n % k) for i in range(k)]
        shared = labels if self.stratified else None
        drawn = check_random_state(self.random_state)
        for _ in range(self.n_repeats):
            seed = drawn.randint(np.iinfo(np.int32).max)
            parts = divided(sizes, np.random.default_rng(seed), shared, which)
            for fold, test in enumerate(parts):
                others = parts[:fold] + parts[fold + 1 :]
                yield np.sort(np.concatenate(others)), test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return how many splits there are.

        Parameters
        ----------
        X, y, groups : object
            Do not matter.

        Returns
        -------
        n : int
            Folds times repetitions.
        """
        return int(self.n_splits * self.n_repeats)


def divided(
    sizes: list[int],
    random: np.random.Generator,
    labels: Matrix | None = None,
    groups: IntArray | None = None,
) -> list[IntArray]:
    """Divide rows into parts that share labels fairly, and keep groups whole."""
    if groups is not None:
        return grouped_parts(labels, groups, sizes, random)
    if labels is not None:
        return stratified_parts(labels, sizes, random)
    order = random.permutation(sum(sizes))
    return [np.sort(part) for part in np.split(order, np.cumsum(sizes)[:-1])]


def with_pairs(labels: Matrix) -> Matrix:
    """The labels, and where they are not too many all pairs that occur, as columns."""
    one, other = np.triu_indices(labels.shape[1], 1)
    if one.size > MOST_PAIRS:
        return labels
    pairs = labels[:, one] & labels[:, other]
    return np.hstack([labels, pairs[:, pairs.any(axis=0)]])


def group_codes(groups: Any, n_rows: int) -> IntArray:
    """Groups as numbers 0, 1, ...; ValueError unless there is one for each row."""
    column = np.asarray(groups)
    if column.shape != (n_rows,):
        raise ValueError(
            f"groups must have one entry for each of the {n_rows} rows, got an array "
            f"of shape {column.shape}."
        )
    codes: IntArray = np.unique(column, return_inverse=True)[1].astype(np.int64)
    return codes


def grouped_parts(
    Y: Matrix | None, groups: IntArray, sizes: list[int], random: np.random.Generator
) -> list[IntArray]:
    """Divide rows into parts of about the given sizes, keeping groups whole.

    With Y, labels get their share of every part: groups of the rarest label are
    handed out first, the largest first, each to the part that misses the label most.
    Without, or where no label is left, the largest group goes to the part with the
    most room.
    """
    size = np.bincount(groups)
    room = np.asarray(sizes, dtype=np.float64)
    part_of = np.full(size.size, -1)
    # Chance decides between groups that are alike.
    shuffled = random.permutation(size.size)
    if Y is not None:
        cells = (np.ones(groups.size), (groups, np.arange(groups.size)))
        table = sp.csr_array(cells, shape=(size.size, groups.size))
        counts = (table @ sp.csr_array(Y)).toarray()
        wanted = np.outer(room / room.sum(), counts.sum(axis=0))
        left = (counts > 0).sum(axis=0)
        while left.any():
            rarest = int(np.argmin(np.where(left > 0, left, size.size + 1)))
            own = shuffled[(part_of[shuffled] < 0) & (counts[shuffled, rarest] > 0)]
            for group in own[np.argsort(-counts[own, rarest], kind="stable")]:
                need = np.where(room > 0, wanted[:, rarest], -np.inf)
                if not np.isfinite(need).any():
                    need = room
                best = np.flatnonzero(need >= need.max() - 1e-9)
                part = int(best[np.argmax(room[best])])
                part_of[group] = part
                room[part] -= size[group]
                wanted[part] -= counts[group]
                left -= counts[group] > 0
    rest = shuffled[part_of[shuffled] < 0]
    for group in rest[np.argsort(-size[rest], kind="stable")]:
        part_of[group] = int(np.argmax(room))
        room[part_of[group]] -= size[group]
    return [np.flatnonzero(part_of[groups] == part) for part in range(room.size)]


def stratified_parts(
    Y: Matrix, sizes: list[int], random: np.random.Generator
) -> list[IntArray]:
    """Divide rows into parts of given sizes that share every label fairly.

    Iterative stratification (Sechidis, Tsoumakas, Vlahavas, ECML PKDD 2011): rows of
    the rarest label are handed out first, each to the part that misses this label
    most. Parts get exactly their sizes.
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
            # The part that misses the label most; of equals the emptiest, then chance.
            need = np.where(free > 0, wanted[:, rarest], -np.inf)
            best = np.flatnonzero(need >= need.max() - 1e-9)
            best = best[free[best] == free[best].max()]
            part = int(best[0] if best.size == 1 else random.choice(best))
            part_of[row] = part
            free[part] -= 1
            own = labels.indices[span(labels.indptr, row)]
            wanted[part, own] -= 1
            left[own] -= 1
    unlabelled = random.permutation(np.flatnonzero(part_of < 0))
    part_of[unlabelled] = np.repeat(np.arange(free.size), free)
    return [np.flatnonzero(part_of == part) for part in range(free.size)]
