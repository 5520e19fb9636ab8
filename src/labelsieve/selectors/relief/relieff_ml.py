"""ReliefFML: ReliefF with a distance between label sets."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from labelsieve._plumbing.matrices import as_dense
from labelsieve._plumbing.typing import FloatArray, IntArray, Matrix
from labelsieve.neighbors import nearest
from labelsieve.reading import Features
from labelsieve.selectors._decided import Which
from labelsieve.selectors._indicator import IndicatorSelector
from labelsieve.selectors._terms import ScoreTerms
from labelsieve.selectors.relief.sums import ReliefSums

if TYPE_CHECKING:
    from labelsieve.selectors._explain import Explained


class ReliefFML(IndicatorSelector):
    """ReliefF for label sets (Reyes, Morell and Ventura, 2015).

    A feature is good if it differs between near rows whose labels differ, and does
    not between near rows whose labels agree. Labels differ by their Hamming
    distance, a number between 0 and 1, as the target does in RReliefF.

    Parameters
    ----------
    n_neighbors : int, default=10
        How many nearest rows each row is compared with.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The weight of each feature, between -1 and 1; 0 for constant features.

    See Also
    --------
    MLRF : ReliefF on every pair of labels.

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
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **IndicatorSelector._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_features_to_select: int | float = 0.1,
        *,
        include: Which = None,
        exclude: Which = None,
        n_neighbors: int = 10,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.exclude = exclude
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs

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

    def _looks_again(self) -> bool:
        return True


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
