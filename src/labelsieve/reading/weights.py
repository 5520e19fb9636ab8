"""How often each sample counts: counts of samples, or weights of a survey."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing, check_consistent_length
from sklearn.utils.validation import _check_sample_weight, _num_samples

from labelsieve._utils.typing import FloatArray, IntArray, Weights

# Weights are multiples of one over this: their sums are exact in any order, as counts.
STEPS = float(1 << 32)


def read_weights(
    sample_weight: Any, X: Any, y: Any
) -> tuple[FloatArray, IntArray, Any, Any]:
    """The weights above zero, which samples have them, and X and y of these."""
    check_consistent_length(X, y)
    try:
        sample_weight = np.asarray(sample_weight, dtype=np.float64)[()]
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"sample_weight does not hold numbers ({error}); expected one for each "
            "sample, or None."
        ) from error
    weight: FloatArray = _check_sample_weight(
        sample_weight, np.empty((_num_samples(X), 1)), ensure_non_negative=True
    )
    (counted,) = np.nonzero(weight)
    if not counted.size:
        raise ValueError("sample_weight is zero everywhere; expected some above zero.")
    if counted.size < weight.size:
        X, y = _safe_indexing(X, counted), _safe_indexing(y, counted)
    return weight[counted], counted, X, y


def scaled_weights(weight: FloatArray) -> Weights | None:
    """How often each sample counts, so that the sum is the number of samples.

    Whole numbers are counts: a sample of weight 3 is there three times. Of others only
    the ratio matters; they are scaled to the effective sample size (Kish 1965),
    (sum w)^2 / sum w^2. None means once each.
    """
    if (weight != np.floor(weight)).any():
        weight = weight / weight.max()
        weight = np.rint(weight * (weight.sum() / (weight @ weight)) * STEPS) / STEPS
    if (weight != np.floor(weight)).any():
        return weight
    return None if (weight == 1.0).all() else weight.astype(np.int64)
