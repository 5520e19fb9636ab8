"""Measures of predictions: of each cell, row or label being right."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]


def hamming(truth: Flags, predicted: Flags) -> float:
    return float((truth != predicted).mean())


def subset_accuracy(truth: Flags, predicted: Flags) -> float:
    return float((truth == predicted).all(axis=1).mean())


def jaccard(truth: Flags, predicted: Flags, empty: float = 1.0) -> float:
    either = (truth | predicted).sum(axis=1)
    both = (truth & predicted).sum(axis=1)
    return float(np.where(either == 0, empty, both / np.maximum(either, 1)).mean())


def f1(truth: Flags, predicted: Flags, axis: int | None) -> float:
    shared = np.asarray((truth & predicted).sum(axis=axis))
    total = np.asarray(truth.sum(axis=axis) + predicted.sum(axis=axis))
    return float((2 * shared / np.maximum(total, 1)).mean())


MEASURES = {
    "hamming_loss": hamming,
    "subset_accuracy": subset_accuracy,
    "accuracy": jaccard,
    "micro_f1": lambda truth, predicted: f1(truth, predicted, None),
    "macro_f1": lambda truth, predicted: f1(truth, predicted, 0),
    "example_f1": lambda truth, predicted: f1(truth, predicted, 1),
}
