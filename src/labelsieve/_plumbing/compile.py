"""The one way in which kernels are compiled: numba, cached on disk, GIL released."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import event

logger = logging.getLogger("labelsieve")

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def njit(function: Kernel) -> Kernel:
    """Compile a kernel on first use and keep the result on disk where possible.

    Integer overflow and division follow C, and no thread of numba's own is used:
    callers split the work, so results never depend on how many threads there are.
    A kernel fills arrays and returns none: Ctrl-C while numba makes Python's array of
    a returned one would come out as SystemError.
    """
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except (RuntimeError, OSError):
        # No folder to write a cache to: compile in every process instead.
        return numba.njit(nogil=True, error_model="numpy")(function)


class _FirstCompilation(event.Listener):
    """Say once, when the first kernel is really compiled, why the call is slow."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: event.Event) -> None:
        if not self.said:
            self.said = True
            logger.info(
                "compiling kernels for this machine; this happens once, "
                "later runs read them from disk"
            )

    def on_end(self, event: event.Event) -> None:
        pass


event.register("numba:compile", _FirstCompilation())
