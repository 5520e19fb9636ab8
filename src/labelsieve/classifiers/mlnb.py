"""Multi-label naive Bayes: one naive Bayes classifier per label."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve._plumbing.matrices import span
from labelsieve.classifiers._base import (
    Flags,
    Floats,
    Matrix,
    ProbabilisticClassifier,
)
from labelsieve.classifiers._bayes import CategoricalOdds, GaussianOdds, known_rows

MOST_CATEGORIES = 16  # kind="auto": a feature with more distinct values is continuous


class MLNB(ProbabilisticClassifier):
    """Multi-label naive Bayes.

    Every label has its own naive Bayes classifier with smoothed priors
    (s + n_l) / (2 s + n); a label is predicted if its posterior is at least 1/2.

    Parameters
    ----------
    kind : {"auto", "categorical", "gaussian"}, default="auto"
        "categorical" takes each distinct value of a feature as a category and
        estimates P(v | H) = (s + count) / (s V + n_H), V being the feature's number
        of categories in training. "gaussian" fits a normal density with the unbiased
        standard deviation. "auto" is "categorical" if no feature has more than 16
        distinct values.
    smoothing : float, default=1.0
        The s above.

    Attributes
    ----------
    kind_ : {"categorical", "gaussian"}
        What `kind` came to.

    See Also
    --------
    MLkNN : Posteriors from the labels of the nearest rows.

    Notes
    -----
    Labels are ranked by their log-odds, which order them as the posteriors do
    without the ties of posteriors that round to 1. Densities are floored by adding
    1e-20, and variances at 1e-9 of the feature's variance, so that a feature which
    is constant among the rows with a label decides much but not everything.

    A label that no training row has, or every one, has nothing to compare: features
    are left out, its log-odds are those of its smoothed prior in every row, and so it
    is predicted never or always. A warning names such labels.

    References
    ----------
    M.-L. Zhang, J. M. Peña, V. Robles, "Feature selection for multi-label naive Bayes
    classification", Information Sciences 179, 2009.

    Examples
    --------
    >>> from labelsieve.classifiers import MLNB
    >>> X, Y = [[0, 1], [0, 0], [1, 1], [1, 0]], [[0, 1], [0, 0], [1, 1], [1, 0]]
    >>> MLNB().fit(X, Y).predict([[1, 1]])
    array([[1, 1]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kind": [StrOptions({"auto", "categorical", "gaussian"})],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        kind: Literal["auto", "categorical", "gaussian"] = "auto",
        smoothing: float = 1.0,
    ) -> None:
        self.kind = kind
        self.smoothing = smoothing

    _skips_unknown: ClassVar[bool] = True

    def _fit_labels(self, X: Matrix, Y: Flags) -> None:
        n_discrete = _leading_discrete(X) if self.kind == "auto" else 0
        discrete = self.kind == "categorical" or n_discrete == X.shape[1]
        self.kind_ = "categorical" if discrete else "gaussian"
        self._odds = self._fit_odds(discrete, X, Y)

    def _fit_odds(self, discrete: bool, X: Matrix, Y: Flags) -> _Odds:
        prior = _log_prior_odds(Y, self.smoothing)
        if discrete:
            return CategoricalOdds(X, Y, prior, self.smoothing)
        return GaussianOdds(X, Y, prior)

    def _score_labels(self, X: Matrix) -> Floats:
        return self._odds.path(X, np.array([X.shape[1]]))[0]

    def _path_scores(
        self, X: Matrix, Y: Flags, X_test: Matrix, sizes: npt.NDArray[np.int64]
    ) -> Floats:
        """Scores for the leading features of X, for every (ascending) size."""
        n_discrete = {"categorical": X.shape[1], "gaussian": 0, "auto": None}[self.kind]
        if n_discrete is None:
            n_discrete = _leading_discrete(X)
        n_small = int(np.searchsorted(sizes, n_discrete, side="right"))
        parts = []
        for is_discrete, part in ((True, sizes[:n_small]), (False, sizes[n_small:])):
            if part.size:
                odds = self._fit_odds(is_discrete, X[:, : part[-1]], Y)
                parts.append(odds.path(X_test[:, : part[-1]], part))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


class _Odds(Protocol):
    def path(self, X: Matrix, sizes: npt.NDArray[np.int64]) -> Floats: ...


def _log_prior_odds(Y: Flags, smoothing: float) -> Floats:
    with_label, n_known = known_rows(Y)
    return np.log(smoothing + with_label) - np.log(smoothing + n_known - with_label)


def _leading_discrete(X: Matrix) -> int:
    """Return how many features come before the first with too many values."""
    stored = sparse.csc_array(X) if sparse.issparse(X) else None
    for feature in range(X.shape[1]):
        if stored is None:
            column = X[:, feature]
        else:
            column = stored.data[span(stored.indptr, feature)]
        # Most continuous columns are found out by their first rows.
        for part in (column[: 4 * MOST_CATEGORIES], column):
            implicit_zero = part.size < X.shape[0] and part is column
            if np.unique(part).size + implicit_zero > MOST_CATEGORIES:
                return feature
    return int(X.shape[1])
