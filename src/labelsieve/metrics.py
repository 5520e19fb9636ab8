"""What a prediction is worth: the measures of the multi-label literature.

`Y` is the true 0/1 matrix, `predictions` a 0/1 matrix, `scores` a matrix of real
numbers where larger means more relevant. Where scikit-learn defines a measure in the
same way, the value is the same as scikit-learn's.

Rows that have no label, or all of them, leave some ranking measures undefined.
``undefined="keep"`` counts them as scikit-learn does; ``undefined="skip"`` leaves
them out of the mean, as the authors of several papers do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_consistent_length

from labelsieve.classifiers.scoring import label_scores

Undefined = Literal["keep", "skip"]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

SMALLER_IS_BETTER = frozenset(
    {"hamming_loss", "ranking_loss", "one_error", "coverage", "coverage_error"}
)
BY_PREDICTIONS = (
    "hamming_loss",
    "subset_accuracy",
    "accuracy",
    "micro_f1",
    "macro_f1",
    "example_f1",
)
BY_SCORES = (
    "ranking_loss",
    "coverage",
    "coverage_error",
    "average_precision",
    "one_error",
)


def evaluate(
    Y: object,
    predictions: object,
    scores: object | None = None,
    *,
    undefined: Undefined = "keep",
) -> dict[str, float]:
    """Return all measures by name; those of rankings only if there are scores.

    Examples
    --------
    >>> from labelsieve.metrics import evaluate
    >>> result = evaluate([[1, 0], [1, 1]], [[1, 0], [0, 1]], [[2, 1], [1, 2]])
    >>> result["hamming_loss"], result["subset_accuracy"], result["ranking_loss"]
    (0.25, 0.5, 0.0)
    """
    truth, predicted = _flag_pair(Y, predictions)
    result = {name: _BY_PREDICTIONS[name](truth, predicted) for name in BY_PREDICTIONS}
    if scores is not None:
        ranks = _ranks(truth, _score_matrix(truth, scores))
        for name in BY_SCORES:
            result[name] = _mean(*_BY_SCORES[name](ranks), undefined)
    return result


def hamming_loss(Y: object, predictions: object) -> float:
    """Share of (row, label) cells that are wrong.

    Examples
    --------
    >>> from labelsieve.metrics import hamming_loss
    >>> hamming_loss([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.25
    """
    return _hamming(*_flag_pair(Y, predictions))


def subset_accuracy(Y: object, predictions: object) -> float:
    """Share of rows whose labels are all right.

    Examples
    --------
    >>> from labelsieve.metrics import subset_accuracy
    >>> subset_accuracy([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.5
    """
    return _subset_accuracy(*_flag_pair(Y, predictions))


def accuracy(Y: object, predictions: object, *, empty: float = 1.0) -> float:
    """Multi-label accuracy: mean of shared labels over labels in either set.

    A row that has no label and gets none counts `empty`: it is predicted perfectly.

    Examples
    --------
    >>> from labelsieve.metrics import accuracy
    >>> accuracy([[1, 0], [1, 1], [0, 0]], [[1, 0], [0, 1], [0, 0]])
    0.83...
    """
    return _jaccard(*_flag_pair(Y, predictions), empty)


def micro_f1(Y: object, predictions: object) -> float:
    """F1 of all (row, label) cells together; 0 where nothing is true or predicted.

    Examples
    --------
    >>> from labelsieve.metrics import micro_f1
    >>> micro_f1([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.8
    """
    return _f1(*_flag_pair(Y, predictions), None)


def macro_f1(Y: object, predictions: object) -> float:
    """Mean over labels of F1; a label neither true nor predicted anywhere counts 0.

    Examples
    --------
    >>> from labelsieve.metrics import macro_f1
    >>> macro_f1([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.83...
    """
    return _f1(*_flag_pair(Y, predictions), 0)


def example_f1(Y: object, predictions: object) -> float:
    """Mean over rows of F1; a row that has no label and gets none counts 0.

    Examples
    --------
    >>> from labelsieve.metrics import example_f1
    >>> example_f1([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.83...
    """
    return _f1(*_flag_pair(Y, predictions), 1)


def ranking_loss(Y: object, scores: object, *, undefined: Undefined = "keep") -> float:
    """Mean share of (relevant, irrelevant) pairs in the wrong order; ties are wrong.

    Rows without such pairs count 0, or are skipped.

    Examples
    --------
    >>> from labelsieve.metrics import ranking_loss
    >>> ranking_loss([[1, 0, 0]], [[0.5, 0.5, 0.1]])
    0.5
    """
    return _by_scores("ranking_loss", Y, scores, undefined)


def coverage(Y: object, scores: object, *, undefined: Undefined = "keep") -> float:
    """Mean number of steps down the ranking, from its top, to the last true label.

    A label on top is 0 steps away; a row without labels counts 0, or is skipped.
    Labels of equal score are passed together. See `coverage_error` for the
    convention without the -1.

    Examples
    --------
    >>> from labelsieve.metrics import coverage
    >>> coverage([[1, 0, 1]], [[0.9, 0.5, 0.1]])
    2.0
    """
    return _by_scores("coverage", Y, scores, undefined)


def coverage_error(
    Y: object, scores: object, *, undefined: Undefined = "keep"
) -> float:
    """Mean rank of the last true label, 1 being the top: scikit-learn's convention.

    Published values of "coverage" are often this one, whatever formula is printed.

    Examples
    --------
    >>> from labelsieve.metrics import coverage_error
    >>> coverage_error([[1, 0, 1]], [[0.9, 0.5, 0.1]])
    3.0
    """
    return _by_scores("coverage_error", Y, scores, undefined)


def average_precision(
    Y: object, scores: object, *, undefined: Undefined = "keep"
) -> float:
    """Mean precision of the rankings at the ranks of the true labels.

    Rows with no label or all of them count 1, or are skipped. This is
    ``sklearn.metrics.label_ranking_average_precision_score``, not
    ``average_precision_score``.

    Examples
    --------
    >>> from labelsieve.metrics import average_precision
    >>> average_precision([[1, 0, 1]], [[0.9, 0.5, 0.1]])
    0.83...
    """
    return _by_scores("average_precision", Y, scores, undefined)


def one_error(Y: object, scores: object, *, undefined: Undefined = "keep") -> float:
    """Share of rows whose top label is not a true one; the first of equals is on top.

    Rows with no label are errors and rows with all of them are not, or both are
    skipped.

    Examples
    --------
    >>> from labelsieve.metrics import one_error
    >>> one_error([[0, 1], [1, 0]], [[0.2, 0.7], [0.4, 0.6]])
    0.5
    """
    return _by_scores("one_error", Y, scores, undefined)


def scorer(name: str, *, undefined: Undefined = "keep") -> MultilabelScorer:
    """Return a measure as a scikit-learn scorer: greater is better, losses negative.

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
        if self.name in _BY_PREDICTIONS:
            pair = _flag_pair(Y, estimator.predict(X))
            return self.sign * _BY_PREDICTIONS[self.name](*pair)
        scores = label_scores(estimator, X)
        return self.sign * _by_scores(self.name, Y, scores, self.undefined)


def _flag_pair(Y: object, predictions: object) -> tuple[Flags, Flags]:
    truth, predicted = _flags(Y, "Y"), _flags(predictions, "predictions")
    if truth.shape != predicted.shape:
        raise ValueError(
            f"Y has shape {truth.shape} and predictions have shape {predicted.shape}; "
            "expected the same rows and labels in both."
        )
    return truth, predicted


def _flags(values: object, name: str) -> Flags:
    matrix: npt.NDArray[Any] = check_array(
        values.toarray() if sparse.issparse(values) else values,  # type: ignore[attr-defined]
        dtype=None,
        ensure_min_features=1,
        input_name=name,
    )
    flags = matrix == 1
    if not (flags | (matrix == 0)).all():
        raise ValueError(f"{name} must be a matrix of 0 and 1, one column per label.")
    return flags


def _score_matrix(truth: Flags, scores: object) -> Floats:
    matrix: Floats = check_array(scores, dtype=np.float64, input_name="scores")
    check_consistent_length(truth, matrix)
    if matrix.shape != truth.shape:
        raise ValueError(
            f"Y has shape {truth.shape} and scores have shape {matrix.shape}; expected "
            "one score per row and label."
        )
    return matrix


def _hamming(truth: Flags, predicted: Flags) -> float:
    return float((truth != predicted).mean())


def _subset_accuracy(truth: Flags, predicted: Flags) -> float:
    return float((truth == predicted).all(axis=1).mean())


def _jaccard(truth: Flags, predicted: Flags, empty: float = 1.0) -> float:
    either = (truth | predicted).sum(axis=1)
    both = (truth & predicted).sum(axis=1)
    return float(np.where(either == 0, empty, both / np.maximum(either, 1)).mean())


def _f1(truth: Flags, predicted: Flags, axis: int | None) -> float:
    shared = np.asarray((truth & predicted).sum(axis=axis))
    total = np.asarray(truth.sum(axis=axis) + predicted.sum(axis=axis))
    return float((2 * shared / np.maximum(total, 1)).mean())


_BY_PREDICTIONS = {
    "hamming_loss": _hamming,
    "subset_accuracy": _subset_accuracy,
    "accuracy": _jaccard,
    "micro_f1": lambda truth, predicted: _f1(truth, predicted, None),
    "macro_f1": lambda truth, predicted: _f1(truth, predicted, 0),
    "example_f1": lambda truth, predicted: _f1(truth, predicted, 1),
}


@dataclass(frozen=True)
class _Ranks:
    """Ranks of the labels of every row, the worst place for all labels of a tie."""

    relevant: Flags  # [rows, labels] by ascending score
    n_at_or_above: npt.NDArray[np.int64]  # rank of each such label, 1 is the top
    n_relevant_at_or_above: npt.NDArray[np.int64]
    top_is_relevant: Flags  # [rows]

    @property
    def n_relevant(self) -> npt.NDArray[np.int64]:
        return self.relevant.sum(axis=1)

    @property
    def n_pairs(self) -> npt.NDArray[np.int64]:
        return self.n_relevant * (self.relevant.shape[1] - self.n_relevant)


def _ranks(truth: Flags, scores: Floats) -> _Ranks:
    n_labels = truth.shape[1]
    order = np.argsort(scores, axis=1, kind="stable")
    ascending = np.take_along_axis(scores, order, axis=1)
    relevant = np.take_along_axis(truth, order, axis=1)
    # The first place of each run of equal scores: so many labels are strictly below.
    starts = np.ones(truth.shape, dtype=bool)
    starts[:, 1:] = ascending[:, 1:] != ascending[:, :-1]
    below = np.maximum.accumulate(np.where(starts, np.arange(n_labels), 0), axis=1)
    so_far = np.cumsum(relevant, axis=1)
    relevant_below: npt.NDArray[np.int64] = np.take_along_axis(
        so_far - relevant, below, axis=1
    )
    top = np.argmax(scores, axis=1)
    return _Ranks(
        relevant,
        n_labels - below,
        so_far[:, -1:] - relevant_below,
        np.take_along_axis(truth, top[:, None], axis=1)[:, 0],
    )


def _by_scores(name: str, Y: object, scores: object, undefined: Undefined) -> float:
    truth = _flags(Y, "Y")
    values, defined = _BY_SCORES[name](_ranks(truth, _score_matrix(truth, scores)))
    return _mean(values, defined, undefined)


def _ranking_loss_rows(ranks: _Ranks) -> tuple[Floats, Flags]:
    irrelevant_above = ranks.n_at_or_above - ranks.n_relevant_at_or_above
    wrong = (irrelevant_above * ranks.relevant).sum(axis=1)
    return wrong / np.maximum(ranks.n_pairs, 1), ranks.n_pairs > 0


def _coverage_error_rows(ranks: _Ranks) -> tuple[Floats, Flags]:
    last = (ranks.n_at_or_above * ranks.relevant).max(axis=1)
    return last.astype(np.float64), ranks.n_relevant > 0


def _coverage_rows(ranks: _Ranks) -> tuple[Floats, Flags]:
    last, defined = _coverage_error_rows(ranks)
    return np.maximum(last - 1.0, 0.0), defined


def _average_precision_rows(ranks: _Ranks) -> tuple[Floats, Flags]:
    precision = ranks.n_relevant_at_or_above / ranks.n_at_or_above
    total = (precision * ranks.relevant).sum(axis=1)
    mean = total / np.maximum(ranks.n_relevant, 1)
    return np.where(ranks.n_pairs > 0, mean, 1.0), ranks.n_pairs > 0


def _one_error_rows(ranks: _Ranks) -> tuple[Floats, Flags]:
    return 1.0 - ranks.top_is_relevant.astype(np.float64), ranks.n_pairs > 0


_BY_SCORES = {
    "ranking_loss": _ranking_loss_rows,
    "coverage": _coverage_rows,
    "coverage_error": _coverage_error_rows,
    "average_precision": _average_precision_rows,
    "one_error": _one_error_rows,
}


def _mean(rows: Floats, defined: Flags, undefined: Undefined) -> float:
    """Mean over all rows or over the defined ones; NaN where none is defined."""
    if undefined not in ("keep", "skip"):
        raise ValueError(f"undefined must be 'keep' or 'skip', got {undefined!r}.")
    kept = rows if undefined == "keep" else rows[defined]
    return float(kept.mean()) if kept.size else float("nan")
