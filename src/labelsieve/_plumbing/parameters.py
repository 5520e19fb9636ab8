"""What parameters of estimators may be, beyond what scikit-learn refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils._param_validation import InvalidParameterError, make_constraint

TAKE_BOOLS = ("boolean", "verbose", "no_validation")


def refuse_bools(estimator: Any) -> None:
    """Reject True and False where they would count as 1 and 0."""
    for name, constraints in estimator._parameter_constraints.items():
        value = getattr(estimator, name, None)
        if not isinstance(value, bool | np.bool_) or constraints in TAKE_BOOLS:
            continue
        if any(isinstance(c, str) and c in TAKE_BOOLS for c in constraints):
            continue
        allowed = [str(make_constraint(constraint)) for constraint in constraints]
        *others, last = allowed
        expected = f"{', '.join(others)} or {last}" if others else last
        raise InvalidParameterError(
            f"The {name!r} parameter of {type(estimator).__name__} must be {expected}. "
            f"Got {value!r} instead."
        )
