"""Evaluation measures: one function each, all at once, and as scorers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_consistent_length

from labelsieve._utils.estimators import check_count
from labelsieve._utils.matrices import as_dense, check_sparse
from labelsieve._utils.messages import warn
from labelsieve.classifiers import label_scores
from labelsieve.metrics._compared import SMALLER_IS_BETTER
from labelsieve.metrics._ranks import (
    PLACES,
    ROW_MEASURES,
    Flags,
    Floats,
    Ranks,
    gain_rows,
    known_first,
    label_auc,
    precision_rows,
    propensity_scored,
    rank_labels,
)
from labelsieve.reading import as_matrix, fill_masked, unknown_cells

Undefined = Literal["keep", "skip"]

AUC = "macro_auc"
BY_SCORES = (*ROW_MEASURES, AUC)
BY_PROPENSITIES = tuple(f"psp_at_{k}" for k in PLACES)
# A label with samples of one kind only has no pairs to order.
CHANCE = 0.5


def _jaccard(truth: Flags, predicted: Flags, empty: float = 1.0) -> float:
    either = (truth | predicted).sum(axis=1)
    both = (truth & predicted).sum(axis=1)
    return float(np.where(either == 0, empty, both / np.maximum(either, 1)).mean())


def _f1(truth: Flags, predicted: Flags, axis: int | None) -> float:
    shared = np.asarray((truth & predicted).sum(axis=axis))
    total = np.asarray(truth.sum(axis=axis) + predicted.sum(axis=axis))
    return float((2 * shared / np.maximum(total, 1)).mean())


OF_PREDICTIONS = {
    "hamming_loss": lambda truth, predicted: float((truth != predicted).mean()),
    "subset_accuracy": lambda truth, predicted: float(
        (truth == predicted).all(axis=1).mean()
    ),
    "accuracy": _jaccard,
    "micro_f1": lambda truth, predicted: _f1(truth, predicted, None),
    "macro_f1": lambda truth, predicted: _f1(truth, predicted, 0),
    "example_f1": lambda truth, predicted: _f1(truth, predicted, 1),
}
BY_PREDICTIONS = tuple(OF_PREDICTIONS)


def evaluate(
    Y: object,
    predictions: object,
    scores: object | None = None,
    *,
    undefined: Undefined = "keep",
    propensities: npt.ArrayLike | None = None,
) -> dict[str, float]:
    """Return all measures by name; ranking measures only if `scores` are given.

    ``precision_at_k``, ``ndcg_at_k`` and, if `propensities` are given, ``psp_at_k``
    are computed for k = 1, 3 and 5. Every measure skips unknown labels (NaN in Y), and
    rankings contain the known labels only.

    Examples
    --------
    >>> from labelsieve.metrics import evaluate
    >>> result = evaluate([[1, 0], [1, 1]], [[1, 0], [0, 1]], [[2, 1], [1, 2]])
    >>> result["hamming_loss"], result["subset_accuracy"], result["ranking_loss"]
    (0.25, 0.5, 0.0)
    """
    truth = truth_of(Y)
    pair = _paired(truth, predictions)
    result = {name: of_pair(*pair) for name, of_pair in OF_PREDICTIONS.items()}
    if scores is not None:
        matrix = score_matrix(truth, scores)
        ranks = rank_labels(truth, matrix)
        for name, of_rows in ROW_MEASURES.items():
            result[name] = mean_of_rows(*of_rows(ranks), undefined)
        result[AUC] = _mean_auc(*label_auc(truth, matrix))
        if propensities is not None:
            known, matrix = known_first(truth, matrix)
            for k, name in zip(PLACES, BY_PROPENSITIES, strict=True):
                result[name] = propensity_scored(known, matrix, k, propensities)
    return result


def hamming_loss(Y: object, predictions: object) -> float:
    """Fraction of (sample, label) pairs that are predicted wrongly.

    Examples
    --------
    >>> from labelsieve.metrics import hamming_loss
    >>> hamming_loss([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.25
    """
    return by_predictions("hamming_loss", Y, predictions)


def subset_accuracy(Y: object, predictions: object) -> float:
    """Fraction of samples whose labels are all predicted correctly.

    Examples
    --------
    >>> from labelsieve.metrics import subset_accuracy
    >>> subset_accuracy([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.5
    """
    return by_predictions("subset_accuracy", Y, predictions)


def accuracy(Y: object, predictions: object, *, empty: float = 1.0) -> float:
    """Multi-label accuracy: mean Jaccard index of true and predicted label sets.

    A sample without labels that gets none counts `empty`: by default a perfect 1.

    Examples
    --------
    >>> from labelsieve.metrics import accuracy
    >>> accuracy([[1, 0], [1, 1], [0, 0]], [[1, 0], [0, 1], [0, 0]])
    0.83...
    """
    return _jaccard(*_paired(truth_of(Y), predictions), empty)


def micro_f1(Y: object, predictions: object) -> float:
    """F1 over all (sample, label) pairs; 0 where nothing is true or predicted.

    Examples
    --------
    >>> from labelsieve.metrics import micro_f1
    >>> micro_f1([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.8
    """
    return by_predictions("micro_f1", Y, predictions)


def macro_f1(Y: object, predictions: object) -> float:
    """Mean F1 over labels; a label that is never true nor predicted counts 0.

    Examples
    --------
    >>> from labelsieve.metrics import macro_f1
    >>> macro_f1([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.83...
    """
    return by_predictions("macro_f1", Y, predictions)


def example_f1(Y: object, predictions: object) -> float:
    """Mean F1 over samples; a sample without labels that gets none counts 0.

    Examples
    --------
    >>> from labelsieve.metrics import example_f1
    >>> example_f1([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.83...
    """
    return by_predictions("example_f1", Y, predictions)


def ranking_loss(Y: object, scores: object, *, undefined: Undefined = "keep") -> float:
    """Mean fraction of (relevant, irrelevant) label pairs in wrong order; ties count.

    Samples without such pairs count 0, or are skipped.

    Examples
    --------
    >>> from labelsieve.metrics import ranking_loss
    >>> ranking_loss([[1, 0, 0]], [[0.5, 0.5, 0.1]])
    0.5
    """
    return by_scores("ranking_loss", Y, scores, undefined)


def coverage(Y: object, scores: object, *, undefined: Undefined = "keep") -> float:
    """Mean rank of the last relevant label minus 1.

    The top label has rank 1; tied labels share the worst rank. A sample without labels
    counts 0 (not -1), or is skipped. `coverage_error` is the convention without the -1:
    where samples without labels are kept, the two differ by the fraction of samples
    that have a label.

    Examples
    --------
    >>> from labelsieve.metrics import coverage
    >>> coverage([[1, 0, 1]], [[0.9, 0.5, 0.1]])
    2.0
    """
    return by_scores("coverage", Y, scores, undefined)


def coverage_error(
    Y: object, scores: object, *, undefined: Undefined = "keep"
) -> float:
    """Mean rank of the last relevant label, as in scikit-learn; the top has rank 1.

    Published values of "coverage" are often this one, whatever formula is printed. A
    sample without labels counts 0 as in scikit-learn, or is skipped.

    Examples
    --------
    >>> from labelsieve.metrics import coverage_error
    >>> coverage_error([[1, 0, 1]], [[0.9, 0.5, 0.1]])
    3.0
    """
    return by_scores("coverage_error", Y, scores, undefined)


def average_precision(
    Y: object, scores: object, *, undefined: Undefined = "keep"
) -> float:
    """Label ranking average precision (LRAP): mean precision at the relevant labels.

    Samples with no label or all labels count 1, or are skipped. This is
    ``sklearn.metrics.label_ranking_average_precision_score``, not
    ``average_precision_score``.

    Examples
    --------
    >>> from labelsieve.metrics import average_precision
    >>> average_precision([[1, 0, 1]], [[0.9, 0.5, 0.1]])
    0.83...
    """
    return by_scores("average_precision", Y, scores, undefined)


def one_error(Y: object, scores: object, *, undefined: Undefined = "keep") -> float:
    """Fraction of samples whose top label is not relevant; the smaller index wins ties.

    Samples without labels are errors and samples with all labels are not, or both are
    skipped.

    Examples
    --------
    >>> from labelsieve.metrics import one_error
    >>> one_error([[0, 1], [1, 0]], [[0.2, 0.7], [0.4, 0.6]])
    0.5
    """
    return by_scores("one_error", Y, scores, undefined)


def macro_auc(Y: object, scores: object) -> float:
    """Mean over labels of the area under the ROC curve.

    Constant labels are left out, with a warning; if no label is left the value is 0.5,
    that of a random ranking. `evaluate` leaves them out without a warning.

    Examples
    --------
    >>> from labelsieve.metrics import macro_auc
    >>> macro_auc([[1, 0], [0, 1], [1, 1]], [[0.9, 0.5], [0.1, 0.3], [0.8, 0.6]])
    0.75
    """
    truth = truth_of(Y)
    values, defined = label_auc(truth, score_matrix(truth, scores))
    if not defined.all():
        warn(
            f"{(~defined).sum()} of {defined.size} labels have no row with them or no "
            "row without them: macro_auc is the mean over the others."
        )
    return _mean_auc(values, defined)


def _mean_auc(values: Floats, defined: Flags) -> float:
    return float(values[defined].mean()) if defined.any() else CHANCE


def precision_at(
    Y: object, scores: object, k: int = 1, *, undefined: Undefined = "keep"
) -> float:
    """Precision at k (P@k): mean fraction of relevant labels among the top k.

    The smaller index wins ties. Samples without labels count 0, or are skipped.

    Examples
    --------
    >>> from labelsieve.metrics import precision_at
    >>> precision_at([[1, 0, 0, 1]], [[0.9, 0.8, 0.1, 0.5]], 2)
    0.5
    """
    return _mean(partial(precision_rows, k), Y, scores, undefined, check_count(k, "k"))


def ndcg_at(
    Y: object, scores: object, k: int = 5, *, undefined: Undefined = "keep"
) -> float:
    """Normalised discounted cumulative gain at k (nDCG@k).

    A relevant label at rank i gains 1 / log2(i + 1). Ties and samples without labels
    are treated as in `precision_at`.

    Examples
    --------
    >>> from labelsieve.metrics import ndcg_at
    >>> ndcg_at([[1, 0, 0, 1]], [[0.9, 0.8, 0.1, 0.5]], 3)
    0.91...
    """
    return _mean(partial(gain_rows, k), Y, scores, undefined, check_count(k, "k"))


def psp_at(Y: object, scores: object, propensities: npt.ArrayLike, k: int = 1) -> float:
    """Propensity-scored precision at k (PSP@k): rare labels count more.

    A relevant label among the top k counts the inverse of its propensity. The sum over
    all samples is divided by the maximum of any ranking, as in the tables of the
    extreme classification repository; NaN where no sample has a label.

    Parameters
    ----------
    Y : array-like or sparse matrix of shape (n, n_labels)
        True labels, 0 and 1.
    scores : array-like of shape (n, n_labels)
        Larger means more relevant.
    propensities : array-like of shape (n_labels,)
        The probability that a relevant label is observed; see :func:`propensities`.
    k : int, default=1
        How many labels at the top count.

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
    truth = truth_of(Y)
    known, matrix = known_first(truth, score_matrix(truth, scores))
    return propensity_scored(known, matrix, check_count(k, "k"), propensities)


def propensities(Y: object, a: float = 0.55, b: float = 1.5) -> Floats:
    """Propensity of each label: the probability that it is observed where relevant.

    The model of Jain et al. (2016): 1 / (1 + C (n_l + b)^-a), C = (log n - 1)
    (b + 1)^a, for a label that n_l of n samples are known to have. The repository uses
    a = 0.5, b = 0.4 for Wikipedia and a = 0.6, b = 2.6 for Amazon, the default
    elsewhere.

    Examples
    --------
    >>> from labelsieve.metrics import propensities
    >>> propensities([[1, 0], [1, 0], [1, 1], [1, 0]]).round(2)
    array([0.8 , 0.72])
    """
    check_sparse(Y, "Y")
    truth = sp.csr_matrix(Y) if sp.issparse(Y) else np.ma.filled(truth_of(Y), False)
    n_rows = np.asarray(truth.sum(axis=0)).ravel()
    scale = (np.log(truth.shape[0]) - 1.0) * (b + 1.0) ** a
    return np.asarray(1.0 / (1.0 + scale * (n_rows + b) ** -a))


def _paired(truth: Flags, predictions: object) -> tuple[Flags, Flags]:
    """Return truth and predictions as booleans of the same shape.

    Where labels are not known, both are masked arrays without the rows and labels of
    which nothing is known: sums and means skip masked cells.
    """
    predicted = flags(predictions, "predictions")
    if truth.shape != predicted.shape:
        raise ValueError(
            f"Y has shape {truth.shape} and predictions have shape {predicted.shape}; "
            "expected the same rows and labels in both."
        )
    if not isinstance(truth, np.ma.MaskedArray):
        return truth, predicted
    unknown = np.ma.getmaskarray(truth)
    some = np.ix_(~unknown.all(axis=1), ~unknown.all(axis=0))
    return truth[some], np.ma.array(predicted, mask=unknown)[some]


def truth_of(Y: object) -> Flags:
    """Labels as booleans, a masked array where some are not known."""
    check_sparse(Y, "Y")
    _refuse_lists(Y, "Y")
    cells = np.asarray(fill_masked(as_dense(Y)))
    if cells.dtype.kind == "O":
        cells = as_matrix(cells)
    unknown = unknown_cells(cells)
    if unknown is None:
        return flags(Y, "Y")
    if unknown.all():
        raise ValueError("Input Y contains NaN: no label is known in any row.")
    return np.ma.array(flags(np.where(unknown, 0, cells), "Y"), mask=unknown)


def flags(values: object, name: str) -> Flags:
    """Return a matrix of 0 and 1 as booleans."""
    check_sparse(values, name)
    _refuse_lists(values, name)
    matrix = check_array(as_dense(values), dtype=None, input_name=name)
    ones = matrix == 1
    if not (ones | (matrix == 0)).all():
        raise ValueError(f"{name} must be a matrix of 0 and 1, one column per label.")
    return ones


def _refuse_lists(values: Any, name: str) -> None:
    """ValueError for a list of tags in each row, or lists of different lengths."""
    if not isinstance(values, list | tuple):
        return
    if any(
        isinstance(row, set | frozenset)
        or (isinstance(row, list | tuple) and any(isinstance(c, str) for c in row))
        for row in values
    ):
        raise ValueError(
            f"{name} holds tags; measures compare tables of 0 and 1 whose columns are "
            "the same labels. Make both with one sklearn.preprocessing."
            "MultiLabelBinarizer(classes=...)."
        )
    lengths = {len(row) if isinstance(row, list | tuple) else 1 for row in values}
    if len(lengths) > 1:
        raise ValueError(
            f"{name} has rows of {min(lengths)} to {max(lengths)} cells; expected a "
            "table of 0 and 1 with one column for each label."
        )


def score_matrix(truth: Flags, scores: object) -> Floats:
    """Return scores as numbers, one per row and label."""
    try:
        matrix: Floats = check_array(scores, dtype=np.float64, input_name="scores")
    except OverflowError:  # whole numbers of Python have no limit
        raise ValueError(
            "scores contain a whole number that is too large for float64."
        ) from None
    check_consistent_length(truth, matrix)
    if matrix.shape != truth.shape:
        raise ValueError(
            f"Y has shape {truth.shape} and scores have shape {matrix.shape}; expected "
            "one score per row and label."
        )
    return matrix


def by_predictions(name: str, Y: object, predictions: object) -> float:
    """Return one of the measures of predictions by its name."""
    return OF_PREDICTIONS[name](*_paired(truth_of(Y), predictions))


def by_scores(
    name: str, Y: object, scores: object, undefined: Undefined = "keep"
) -> float:
    """Return one of the ranking measures by its name."""
    if name == AUC:
        return macro_auc(Y, scores)
    return _mean(ROW_MEASURES[name], Y, scores, undefined)


def _mean(
    of_rows: Callable[[Ranks], tuple[Floats, Flags]],
    Y: object,
    scores: object,
    undefined: Undefined,
    n_top: int = max(PLACES),
) -> float:
    truth = truth_of(Y)
    ranks = rank_labels(truth, score_matrix(truth, scores), n_top)
    return mean_of_rows(*of_rows(ranks), undefined)


def mean_of_rows(rows: Floats, defined: Flags, undefined: Undefined) -> float:
    """Mean over all rows or over the defined ones; NaN where none is defined."""
    if undefined not in ("keep", "skip"):
        raise ValueError(f"undefined must be 'keep' or 'skip', got {undefined!r}.")
    kept = rows if undefined == "keep" else rows[defined]
    return float(kept.mean()) if kept.size else float("nan")


def scorer(name: str, *, undefined: Undefined = "keep") -> MultilabelScorer:
    """Return a measure as a scikit-learn scorer; losses have a negative sign.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from labelsieve.classifiers import MLkNN
    >>> from labelsieve.metrics import scorer
    >>> search = GridSearchCV(
    ...     MLkNN(), {"n_neighbors": [5, 10]}, scoring=scorer("ranking_loss")
    ... )
    """
    known = BY_PREDICTIONS + BY_SCORES
    if name not in known:
        raise ValueError(
            f"Unknown measure {name!r}; expected one of {', '.join(known)}."
        )
    return MultilabelScorer(name, undefined)


@dataclass(frozen=True)
class MultilabelScorer:
    """Callable ``(estimator, X, Y) -> float`` as scikit-learn's searches expect.

    Examples
    --------
    >>> from labelsieve.metrics import MultilabelScorer
    >>> MultilabelScorer("hamming_loss").sign
    -1.0
    """

    name: str
    undefined: Undefined = "keep"

    @property
    def sign(self) -> float:
        """Return -1 for losses, 1 for measures of which more is better."""
        return -1.0 if self.name in SMALLER_IS_BETTER else 1.0

    def __call__(self, estimator: BaseEstimator, X: object, Y: object) -> float:
        """Predict with the estimator and return the signed measure."""
        if self.name in BY_PREDICTIONS:
            return self.sign * by_predictions(self.name, Y, estimator.predict(X))
        scores = label_scores(estimator, X)
        return self.sign * by_scores(self.name, Y, scores, self.undefined)
