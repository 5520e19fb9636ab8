"""p-values of features from labels that were shuffled among the rows."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples

from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.choosing._rounds import Prepared, run_rounds, seeds
from labelsieve.choosing.size_cv import SizeCV
from labelsieve.reading import read_labels
from labelsieve.selectors import LabelSelector, check_selector


@dataclass(frozen=True)
class PermutationPValues:
    """What shuffled labels say about a selection.

    Attributes
    ----------
    selected : array of int
        The features that the selector chooses, in its order.
    p : array of shape (n_features,)
        How often shuffled labels give a feature a score as good as its own.
    p_family : array of shape (n_features,)
        How often they give *any* feature such a score: small values hold even for
        the best of many features.
    n_permutations : int
        How often labels were shuffled.
    """

    selected: IntArray
    p: FloatArray
    p_family: FloatArray
    n_permutations: int


def permutation_p_values(
    selector: LabelSelector,
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_permutations: int = 200,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> PermutationPValues:
    """Compare the scores of features with those under shuffled labels.

    Whole rows of labels are shuffled, so that labels keep their dependency on each
    other and features theirs. If no feature tells anything about any label, each
    p-value is uniform between 0 and 1.

    Parameters
    ----------
    selector : selector of this library
        What scores the features; it is not changed.
    X, y : as in `fit` of the selector
        The data.
    n_permutations : int, default=200
        How often labels are shuffled; no p-value is below 1 / (n_permutations + 1).
    random_state : int, RandomState or None, default=None
        The seed of the shuffling.
    n_jobs : int, default=None
        Number of threads; -1 uses all processors. The result does not depend on it.
    verbose : bool, default=False
        Show the progress on the standard error stream.

    Returns
    -------
    result : PermutationPValues
        `selected`, `p`, `p_family` and `n_permutations`.

    Notes
    -----
    Scores that only compare the features of the same data with each other (MFS-MCDM,
    EMCFS density) are as large for shuffled labels: their p-values tell nothing.

    Examples
    --------
    >>> from labelsieve import FIMF
    >>> from labelsieve.choosing import permutation_p_values
    >>> from labelsieve.datasets import make_multilabel
    >>> X, Y, truth = make_multilabel(300, 3, random_state=0)
    >>> found = permutation_p_values(FIMF(4), X, Y, n_permutations=99, random_state=0)
    >>> found.p_family[found.selected].tolist()
    [0.01, 0.01, 0.01, 0.01]
    """
    check_selector(selector, "permutation_p_values", SizeCV)
    if isinstance(n_permutations, bool) or not isinstance(n_permutations, Integral):
        raise TypeError(
            f"n_permutations must be a whole number, got {n_permutations!r}."
        )
    if n_permutations < 1:
        raise ValueError(f"n_permutations must be at least 1, got {n_permutations}.")
    if y is None:
        raise ValueError("y is None; expected one 0/1 column per label.")
    read_labels(y, X)  # says what is wrong with them before any fit
    prepared = Prepared.of(selector, X, y)
    rows = np.arange(_num_samples(X))
    fitted = prepared.fit(rows, rows)
    drawn = seeds(check_random_state(random_state), n_permutations)

    def score(task: int) -> FloatArray:
        shuffled = np.random.default_rng(drawn[task]).permutation(rows)
        return _goodness(prepared.fit(rows, shuffled))

    null = np.stack(run_rounds(score, len(drawn), "permutations", n_jobs, verbose))
    own = _goodness(fitted)
    n_chosen = int(fitted.support_.sum())
    return PermutationPValues(
        fitted.order_[:n_chosen],
        _share(null >= own),
        _share(null.max(axis=1, keepdims=True) >= own),
        n_permutations,
    )


def _goodness(fitted: LabelSelector) -> FloatArray:
    """The scores, turned around for methods whose small scores are good."""
    turned = getattr(fitted, "_goodness", None)
    return fitted.scores_ if turned is None else turned(fitted.scores_)


def _share(at_least: Any) -> FloatArray:
    """The share of permutations, with the data themselves as one of them."""
    return (1.0 + at_least.sum(axis=0)) / (len(at_least) + 1.0)
