"""Measures of classes and of numbers, over the cells that are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata
from sklearn.metrics import f1_score, r2_score

from labelsieve.metrics._measures import evaluate
from labelsieve.metrics._ranks import Floats
from labelsieve.reading import CLASS, LABEL, NUMBER

Pair = tuple[Floats, Floats]


def r2(Y: npt.ArrayLike, predictions: npt.ArrayLike) -> float:
    """Mean over numbers of R2, the share of the variance that is predicted.

    Each is scikit-learn's ``r2_score`` over the samples where the number is known (not
    NaN). Numbers with fewer than two different values there are left out; NaN where
    none is left.

    Examples
    --------
    >>> from labelsieve.metrics import r2
    >>> r2([[1.0], [2.0], [3.0], [float("nan")]], [[1.0], [2.0], [2.0], [9.0]])
    0.5
    """
    return _mean([r2_score(*pair) for pair in _varying(Y, predictions)])


def rank_correlation(Y: npt.ArrayLike, predictions: npt.ArrayLike) -> float:
    """Mean over numbers of Spearman's rank correlation, where they are known.

    The same prediction everywhere counts 0.

    Examples
    --------
    >>> from labelsieve.metrics import rank_correlation
    >>> rank_correlation([[1.0], [2.0], [3.0]], [[1.0], [5.0], [40.0]])
    1.0
    """
    return _mean([_spearman(*pair) for pair in _varying(Y, predictions)])


def class_accuracy(Y: npt.ArrayLike, predictions: npt.ArrayLike) -> float:
    """Share of the known cells whose class is right.

    Examples
    --------
    >>> from labelsieve.metrics import class_accuracy
    >>> class_accuracy([[0, 2], [1, float("nan")]], [[0, 2], [2, 0]])
    0.66...
    """
    right = [truth == said for truth, said in _known(Y, predictions)]
    return _mean(np.concatenate(right)) if right else float("nan")


def class_f1(Y: npt.ArrayLike, predictions: npt.ArrayLike) -> float:
    """Mean over targets of the mean over classes of F1, where targets are known.

    Classes that are neither true nor predicted there do not count.

    Examples
    --------
    >>> from labelsieve.metrics import class_f1
    >>> class_f1([[0], [1], [2]], [[0], [1], [1]])
    0.55...
    """
    known = _known(Y, predictions)
    return _mean([f1_score(*x, average="macro", zero_division=0.0) for x in known])


OF_CLASSES = {"class_accuracy": class_accuracy, "class_f1": class_f1}
OF_NUMBERS = {"r2": r2, "rank_correlation": rank_correlation}
BY_CLASSES, BY_NUMBERS = tuple(OF_CLASSES), tuple(OF_NUMBERS)


def evaluate_targets(
    predictor: Any,
    rows: Any,
    path: Any,
    place: int,
    of_labels: Callable[..., dict[str, Any]] = evaluate,
) -> dict[str, Any]:
    """All measures of what a `PathPredictor` says of some rows, at one place."""
    found: dict[str, Any] = {}
    labels = predictor.truth(LABEL, rows)
    if labels.shape[1]:
        found |= of_labels(labels, path.predictions[place], path.scores[place])
    others = (CLASS, OF_CLASSES, path.classes), (NUMBER, OF_NUMBERS, path.numbers)
    for kind, measures, said in others:
        truth = predictor.truth(kind, rows)
        if truth.shape[1]:
            found |= {name: of(truth, said[place]) for name, of in measures.items()}
    return found


def _known(Y: npt.ArrayLike, predictions: npt.ArrayLike) -> Iterator[Pair]:
    """Truth and predictions of each target in the samples where it is known."""
    truth, said = (np.asarray(table, dtype=np.float64) for table in (Y, predictions))
    if truth.shape != said.shape or truth.ndim != 2:
        raise ValueError(
            f"Y has shape {truth.shape} and predictions have shape {said.shape}; "
            "expected the same samples and targets in both."
        )
    for column, predicted in zip(truth.T, said.T, strict=True):
        known = ~(np.isnan(column) | np.isnan(predicted))
        if known.any():
            yield column[known], predicted[known]


def _varying(Y: npt.ArrayLike, predictions: npt.ArrayLike) -> Iterator[Pair]:
    return (pair for pair in _known(Y, predictions) if np.ptp(pair[0]) > 0)


def _spearman(truth: Floats, predicted: Floats) -> float:
    if np.ptp(predicted) == 0:
        return 0.0
    return float(np.corrcoef(rankdata(truth), rankdata(predicted))[0, 1])


def _mean(values: npt.ArrayLike) -> float:
    found = np.asarray(values, dtype=np.float64)
    return float(found.mean()) if found.size else float("nan")
