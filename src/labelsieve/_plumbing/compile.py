"""The one way in which kernels are compiled: numba, cached on disk, GIL released."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import event
from numba.core.caching import FunctionCache

from labelsieve._plumbing.warnings import warn

logger = logging.getLogger("labelsieve")

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def njit(function: Kernel) -> Kernel:
    """Compile a kernel on first use and keep the result on disk where possible.

    Integer overflow and division follow C, and no thread of numba's own is used:
    callers split the work, so results never depend on how many threads there are.
    A kernel fills arrays and returns none: Ctrl-C while numba makes Python's array of
    a returned one would come out as SystemError.
    """
    if numba.config.DISABLE_JIT:
        return _in_python(function)
    kernel = numba.njit(nogil=True, error_model="numpy")(function)
    try:
        kernel._cache = _Cache(function)  # what cache=True does, with our errors
    except (RuntimeError, OSError) as error:  # there is no folder to write to
        _Cache.say_nothing_is_kept(error)
    return cast(Kernel, kernel)


def _in_python(function: Kernel) -> Kernel:
    """The function as it is, slow, and silent about overflow as when compiled."""

    @functools.wraps(function)
    def kernel(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*arguments)

    return cast(Kernel, kernel)


class _Cache(FunctionCache):
    """Compiled code on disk; where that fails, the code is used and not kept."""

    said = False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except OSError as error:
            self.say_nothing_is_kept(error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            self.say_nothing_is_kept(error)

    @staticmethod
    def say_nothing_is_kept(error: Exception) -> None:
        """Tell once why every process is slow at first."""
        if not _Cache.said:
            _Cache.said = True
            warn(
                f"compiled kernels cannot be kept on disk ({error}): each process "
                "compiles those that it needs, which takes seconds. Make room, or set "
                "NUMBA_CACHE_DIR to a folder that can be written."
            )


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
