"""Collinearity of features by their ranks: clusters, and what chosen ones explain."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import rankdata

from labelsieve._utils.machine import refuse_larger_than_memory
from labelsieve._utils.matrices import as_dense
from labelsieve._utils.typing import FloatArray, IntArray, Matrix
from labelsieve.reading import Features, Groups
from labelsieve.selectors._base import Ranking, best_of, rank_by_score
from labelsieve.selectors._forced import ForcedFeatures

# Complete linkage joins features whose ranks all correlate at least so much.
CORRELATED = 0.9
# A column of which the picks leave no larger share adds nothing to their basis.
TOLERANCE = 1e-9


def by_residual_variance(
    features: Features, importance: FloatArray, forced: ForcedFeatures, n_select: int
) -> Ranking:
    """Pick by importance times 1 - R2, by Gram-Schmidt on the ranks of the features."""
    scores = importance.copy()
    wanted = (importance > 0) & ~features.constant
    wanted[forced.forced_in[~features.constant[forced.forced_in]]] = True
    (candidates,) = np.nonzero(wanted)
    columns = RankColumns.of(features, candidates)
    groups = Groups(features.groups.sizes[candidates])
    left = np.ones(int(groups.sizes.sum()))  # 1 - R2 of each column
    basis = np.empty((0, features.values.shape[0]))
    first = [int(np.searchsorted(candidates, f)) for f in forced.forced_in if wanted[f]]
    allowed = ~np.isin(candidates, forced.forced_out)
    open_ = np.ones(candidates.size, dtype=bool)
    chosen: list[int] = []
    while len(chosen) < n_select and (open_ & allowed).any():
        found = importance[candidates] * groups.sums(left) / groups.sizes
        scores[candidates[open_]] = found[open_]
        possible = np.where(open_ & allowed, found, -1.0)
        best = first[len(chosen)] if len(chosen) < len(first) else best_of(possible)
        chosen.append(best)
        open_[best] = False
        where = groups.columns(best)
        for column in range(where.start, where.stop):
            vector = columns.column(column)
            vector = vector - (basis @ vector) @ basis
            size = np.linalg.norm(vector)
            if size**2 > TOLERANCE:
                direction = vector / size
                basis = np.vstack([basis, direction])
                left = np.maximum(left - columns.along(direction) ** 2, 0.0)
    others = scores.copy()
    others[candidates[chosen]] = -1.0
    behind = rank_by_score(others, last=features.constant)
    behind = behind[~np.isin(behind, candidates[chosen])]
    order = np.concatenate([candidates[chosen], behind]).astype(np.int64)
    is_open = bool((open_ & allowed).any())
    return Ranking(scores, order, n_exact=len(chosen) if is_open else None)


def correlated_features(features: Features) -> list[IntArray]:
    """Clusters of the features that vary: complete linkage by rank correlation."""
    (varying,) = np.nonzero(~features.constant)
    if varying.size < 2:
        return [varying]
    refuse_larger_than_memory(
        (varying.size, varying.size),
        "The table of correlations of all features",
        "Choose candidates first, for example with FIMF.",
        itemsize=16,
    )
    columns, groups = RankColumns.of(features, varying), features.groups
    products = np.abs(columns.products())
    some = Groups(groups.sizes[varying])
    correlation = some.largest(some.largest(products).T)
    distances = squareform(np.clip(1.0 - correlation, 0.0, 1.0), checks=False)
    cluster = fcluster(linkage(distances, "complete"), 1.0 - CORRELATED, "distance")
    return [varying[cluster == one] for one in np.unique(cluster)]


class RankColumns:
    """Ranks of some features, as columns with mean 0 and length 1.

    Those of a sparse table are kept as differences to the rank of zero: what is
    orthogonal to a constant does not see the mean.
    """

    def __init__(self, ranks: Matrix) -> None:
        self._ranks, n = ranks, ranks.shape[0]
        self._mean = np.asarray(ranks.sum(axis=0)).ravel() / n
        squares = ranks.multiply(ranks) if sp.issparse(ranks) else ranks**2
        length = np.asarray(squares.sum(axis=0)).ravel() - n * self._mean**2
        self._length = np.sqrt(np.maximum(length, np.finfo(np.float64).tiny))

    @classmethod
    def of(cls, features: Features, which: IntArray) -> RankColumns:
        groups = features.groups
        columns = np.concatenate([np.r_[groups.columns(int(f))] for f in which])
        values = features.values[:, columns]
        if not sp.issparse(values):
            return cls(rankdata(values, axis=0))
        by_column = sp.csc_matrix(values)
        n, start = values.shape[0], by_column.indptr
        for first, last in pairwise(start):
            cells = by_column.data[first:last]
            n_zero, n_below = n - cells.size, int((cells < 0).sum())
            shifted = rankdata(cells) + np.where(cells > 0, n_zero, 0)
            by_column.data[first:last] = shifted - n_below - (n_zero + 1) / 2
        return cls(by_column)

    def column(self, place: int) -> FloatArray:
        ranks = as_dense(self._ranks[:, [place]]).ravel()
        return (ranks - self._mean[place]) / self._length[place]

    def along(self, direction: FloatArray) -> FloatArray:
        """Products of all columns with a vector of mean 0."""
        return np.asarray(self._ranks.T @ direction).ravel() / self._length

    def products(self) -> FloatArray:
        """Correlations of all columns."""
        n, mean, ranks = self._ranks.shape[0], self._mean, self._ranks
        centred = as_dense(ranks.T @ ranks) - n * np.outer(mean, mean)
        return centred / np.outer(self._length, self._length)
