"""ReliefF, with classes or with a distance between label sets, and its sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from labelsieve._utils.machine import one_thread_inside, run_in_threads
from labelsieve._utils.matrices import as_dense, slices_of
from labelsieve._utils.typing import FloatArray, IntArray, Matrix
from labelsieve.neighbors import Distances, Metric, block_size, nearest
from labelsieve.reading import Features
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._indicator import IndicatorSelector
from labelsieve.selectors._rows.scaled_rows import range_normalized
from labelsieve.selectors._terms import ScoreTerms

# Below this share of non-zero coefficients sparse products are faster.
SPARSE_BELOW = 0.1
# Sparse rows are made dense in blocks of so many cells.
BLOCK_CELLS = 2**22
# For a block of rows, the coefficients [rows, n] of one problem after the other.
BlockCoefficients = Callable[[slice], Iterable[FloatArray]]


class ReliefFML(IndicatorSelector):
    """RReliefF with the Hamming distance of label sets (Reyes et al., 2015).

    A good feature differs between neighbours whose labels differ, and agrees between
    neighbours whose labels agree. The Hamming distance of the label sets takes the
    place of the difference of a numeric target. Pure interactions (XOR) are found as
    well.

    Parameters
    ----------
    n_neighbors : int, default=10
        How many nearest neighbours each sample is compared with.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The weight of each feature, between -1 and 1; 0 for constant features.

    See Also
    --------
    MLRF : ReliefF on pairs of labels.

    Notes
    -----
    Distances are Manhattan distances of features divided by their range; nominal
    features differ by 0 or 1.

    References
    ----------
    O. Reyes, C. Morell and S. Ventura, "Scalable extensions of the ReliefF algorithm
    for weighting and selecting features on the multi-label learning context",
    Neurocomputing 161, 2015; M. Petkovic, D. Kocev and S. Dzeroski, "Feature ranking
    with Relief for multi-label classification", 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import ReliefFML
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (60, 2))
    >>> X = np.hstack([rng.normal(size=(60, 3)), Y + 0.3 * rng.normal(size=(60, 2))])
    >>> sorted(ReliefFML(2).fit(X, Y).order_[:2].tolist())
    [3, 4]
    """

    _takes_numbers: ClassVar[bool] = False  # categories differ by 0 or 1
    _slow_terms: ClassVar[bool] = True

    n_neighbors: int = 10
    n_jobs: int | None = None

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        scores = self._made_of(features, indicator).score()
        scores[features.constant] = 0.0
        return scores

    def _made_of(self, features: Features, indicator: Matrix) -> ScoreTerms:
        """P(differ | labels apart) and minus P(differ | labels together)."""
        sums = ReliefSums(features, slice(None))
        n_rows = sums.rows.shape[0]
        k = min(self.n_neighbors, n_rows - 1)
        neighbors, _ = nearest(sums.rows, k=k, metric=sums.metric, n_jobs=self.n_jobs)
        apart = label_distances(indicator, neighbors)

        def coefficients(block: slice) -> Iterator[FloatArray]:
            out = np.zeros((block.stop - block.start, n_rows))
            np.put_along_axis(out, neighbors[block], 1.0, axis=1)
            yield out
            np.put_along_axis(out, neighbors[block], apart[block], axis=1)
            yield out

        differ, differ_apart = sums.add_up(coefficients, self.n_jobs)
        together = apart.size - apart.sum()
        return ScoreTerms(
            {
                "where labels differ": _share(differ_apart, apart.sum()),
                "where labels agree": -_share(differ - differ_apart, together),
            }
        )

    def _terms(self, explained: Explained) -> ScoreTerms:
        made_of = self._made_of(explained.features, explained.indicator)
        return made_of.at(explained.chosen)


def label_distances(indicator: Matrix, neighbors: IntArray) -> FloatArray:
    """Share of the labels in which each row and each of its neighbours differ.

    Constant labels, in which no two rows differ, are not among them.
    """
    bits = as_dense(indicator)
    varying = (bits != bits[0]).any(axis=0)
    if not varying.any():
        return np.zeros(neighbors.shape)
    bits = bits[:, varying]
    differing = [(bits ^ bits[others]).mean(axis=1) for others in neighbors.T]
    return np.column_stack(differing)


def _share(part: FloatArray, whole: float) -> FloatArray:
    return part / whole if whole > 0 else np.zeros_like(part)


def relieff(
    features: Features,
    which: IntArray | slice,
    problems: list[IntArray],
    n_neighbors: int,
    n_jobs: int | None,
    in_parts: bool = False,
) -> FloatArray:
    """ReliefF weights of all features, one line per problem or two for its parts.

    A problem is a class code 0, 1, ... for each of the rows `which`. All rows are
    used; classes without another member have no hits.
    """
    from labelsieve.selectors.relief.kernels import class_coefficients

    sums = ReliefSums(features, which)
    search = Distances(sums.rows, metric=sums.metric)
    starts = [np.append(0, np.cumsum(np.bincount(classes))) for classes in problems]
    members = [np.argsort(classes, kind="stable") for classes in problems]

    def coefficients(block: slice) -> Iterator[FloatArray]:
        distances, places = search.block(block), np.arange(block.start, block.stop)
        out = np.empty_like(distances)
        for lists in zip(starts, members, problems, strict=True):
            class_coefficients(distances, places, *lists, n_neighbors, out)
            yield from parts_of(out) if in_parts else (out,)

    return sums.add_up(coefficients, n_jobs)


class ReliefSums:
    """Sums of |x_if - x_jf| / range_f over chosen pairs of rows.

    Parameters
    ----------
    features : the features; nominal columns of a table differ by 0 or 1
    which : the rows that take part; ranges are those of their values
    """

    def __init__(self, features: Features, which: IntArray | slice) -> None:
        used = Features(features.values[which], features.categories)
        self.rows: Matrix
        self.rows, self._owners = range_normalized(used)
        self._n_features = features.values.shape[1]
        # Of 0 and 1 the Manhattan distance comes faster from products.
        cells = self.rows.data if sp.issparse(self.rows) else self.rows
        self._binary = bool(((cells == 0) | (cells == 1)).all())
        self.metric: Metric = "sqeuclidean" if self._binary else "manhattan"

    def add_up(
        self,
        coefficients: BlockCoefficients,
        n_jobs: int | None,
        some: IntArray | None = None,
    ) -> FloatArray:
        """For each problem (line) and feature: the sum of c_ij |x_if - x_jf|.

        With `some`, i goes over these rows only, and blocks are blocks of them.
        """
        rows = self.rows if some is None else self.rows[some]
        add = self._add_binary if self._binary else self._add_numbers

        def add_block(block: slice) -> FloatArray:
            here = as_dense(rows[block])
            return np.array([add(here, given) for given in coefficients(block)])

        blocks = slices_of(rows.shape[0], block_size(self.rows.shape))
        with one_thread_inside():
            sums = np.sum(run_in_threads(add_block, blocks, n_jobs), axis=0)
        # Add up the columns that a nominal feature was split into.
        total = np.zeros((sums.shape[0], self._n_features))
        np.add.at(total.T, self._owners, sums.T)
        return total

    def _add_binary(self, some: FloatArray, coefficients: FloatArray) -> FloatArray:
        # |a - b| = a + b - 2 a b
        c: Matrix = coefficients
        if np.count_nonzero(c) < SPARSE_BELOW * c.size:
            c = sp.csr_matrix(c)
        from_rows, to_rows = (np.asarray(c.sum(axis=axis)).ravel() for axis in (1, 0))
        both = np.einsum("ij,ij->j", some, as_dense(c @ self.rows))
        return np.asarray(from_rows @ some + to_rows @ self.rows - 2.0 * both)

    def _add_numbers(self, some: FloatArray, coefficients: FloatArray) -> FloatArray:
        from labelsieve.selectors.relief.kernels import add_differences

        total = np.zeros(some.shape[1])
        for part in slices_of(self.rows.shape[0], max(1, BLOCK_CELLS // total.size)):
            c = np.ascontiguousarray(coefficients[:, part])
            add_differences(c, some, as_dense(self.rows[part]), total)
        return total


def parts_of(coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Coefficients of rows that are misses more than hits, and those of the others."""
    return np.maximum(coefficients, 0.0), np.minimum(coefficients, 0.0)
