"""What stands on top of a ranking: the measures of extreme classification."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from labelsieve._plumbing.matrices import check_sparse
from labelsieve.metrics._measures import (
    Undefined,
    flags,
    mean_of_rows,
    score_matrix,
    truth_of,
)
from labelsieve.metrics._ranks import (
    Floats,
    best_labels,
    gain_rows,
    known_first,
    precision_rows,
    propensity_scored,
)


def precision_at(
    Y: object, scores: object, k: int = 1, *, undefined: Undefined = "keep"
) -> float:
    """Share of true labels among the k on top, mean over rows; P@k.

    Of labels with equal scores the first is on top. Rows without labels count 0, or
    are skipped.

    Examples
    --------
    >>> from labelsieve.metrics import precision_at
    >>> precision_at([[1, 0, 0, 1]], [[0.9, 0.8, 0.1, 0.5]], 2)
    0.5
    """
    truth, top = _top(Y, scores, k)
    hits = np.take_along_axis(truth, top, axis=1)
    return mean_of_rows(precision_rows(hits, k), truth.sum(axis=1) > 0, undefined)


def ndcg_at(
    Y: object, scores: object, k: int = 5, *, undefined: Undefined = "keep"
) -> float:
    """Gain of the true labels among the k on top, as a share of the best; nDCG@k.

    A true label at place i gains 1 / log2(i + 1). Ties and rows without labels are
    treated as in `precision_at`.

    Examples
    --------
    >>> from labelsieve.metrics import ndcg_at
    >>> ndcg_at([[1, 0, 0, 1]], [[0.9, 0.8, 0.1, 0.5]], 3)
    0.91...
    """
    truth, top = _top(Y, scores, k)
    hits = np.take_along_axis(truth, top, axis=1)
    n_relevant = truth.sum(axis=1)
    return mean_of_rows(gain_rows(hits, n_relevant), n_relevant > 0, undefined)


def psp_at(Y: object, scores: object, propensities: npt.ArrayLike, k: int = 1) -> float:
    """Propensity-scored precision: rare labels count more; PSP@k.

    A true label among the k on top counts the inverse of its propensity. The sum over
    all rows is divided by the largest that any ranking could reach, as in the tables
    of the extreme classification repository; NaN where no row has a label.

    Parameters
    ----------
    Y : array-like or sparse matrix of shape (n, n_labels)
        True labels, 0 and 1.
    scores : array-like of shape (n, n_labels)
        Larger means more relevant.
    propensities : array-like of shape (n_labels,)
        How likely a label is to be noticed, as :func:`propensities` tells.
    k : int, default=1
        How many labels are on top.

    References
    ----------
    H. Jain, Y. Prabhu, M. Varma: Extreme multi-label loss functions for
    recommendation, tagging, ranking and other missing label applications. KDD 2016.

    Examples
    --------
    >>> from labelsieve.metrics import psp_at
    >>> psp_at([[1, 1], [1, 0]], [[0.9, 0.2], [0.7, 0.1]], [1.0, 0.25])
    0.4
    """
    truth, top = _top(Y, scores, k)
    return propensity_scored(truth, top, propensities)


def propensities(Y: object, a: float = 0.55, b: float = 1.5) -> Floats:
    """How likely each label is to be noticed where it is true, by its training rows.

    The model of Jain et al. (2016): 1 / (1 + C (n_l + b)^-a), C = (log n - 1)
    (b + 1)^a, for a label with n_l of n rows. The repository uses a = 0.5, b = 0.4
    for Wikipedia and a = 0.6, b = 2.6 for Amazon, the default elsewhere.

    Examples
    --------
    >>> from labelsieve.metrics import propensities
    >>> propensities([[1, 0], [1, 0], [1, 1], [1, 0]]).round(2)
    array([0.8 , 0.72])
    """
    check_sparse(Y, "Y")
    truth = sp.csr_matrix(Y) if sp.issparse(Y) else flags(Y, "Y")
    n_rows = np.asarray(truth.sum(axis=0)).ravel()
    scale = (np.log(truth.shape[0]) - 1.0) * (b + 1.0) ** a
    return np.asarray(1.0 / (1.0 + scale * (n_rows + b) ** -a))


def _top(
    Y: object, scores: object, k: int
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.intp]]:
    """The truth of rows of which something is known, and their labels on top."""
    truth = truth_of(Y)
    if not k >= 1:
        raise ValueError(f"k must be at least 1, got {k}.")
    truth, known = known_first(truth, score_matrix(truth, scores))
    return truth, best_labels(known, k)
