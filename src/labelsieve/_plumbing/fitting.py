"""Fits that several threads may run at once on one estimator."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Fit = TypeVar("Fit", bound=Callable[..., Any])


def fits_in_one_step(fit: Fit) -> Fit:
    """A `fit` that works on a copy: what it found is set in one step, at its end.

    A fit that fails leaves the estimator as it was.
    """

    @wraps(fit)
    def fitted(self: Any, *args: Any, **kwargs: Any) -> Any:
        work = copy.copy(self)
        fit(work, *args, **kwargs)
        self.__dict__ = vars(work)
        return self

    return fitted  # type: ignore[return-value]
