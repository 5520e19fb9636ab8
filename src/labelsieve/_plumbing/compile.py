"""The one way in which kernels are compiled: numba, cached on disk, GIL released."""

from __future__ import annotations

import functools
import logging
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys

from labelsieve._plumbing.kept_code import CodeFiles
from labelsieve._plumbing.warnings import warn
from labelsieve._plumbing.watching import tell, what_is_done

logger = logging.getLogger("labelsieve")

# Compiling that takes longer than this, in seconds, is told.
PATIENCE = 1.0

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

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = CodeFiles(self)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # Numba would first import all that compiling needs, which takes longer than a
        # fit; compiled code needs its runtime only. Compiling imports the rest.
        rtsys.initialize(target_context)
        try:
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
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


class _Compiling(event.Listener):
    """Tells why a call is slow, once for each method, where it takes over a second."""

    def __init__(self) -> None:
        self.seconds = 0.0  # of the processor, in all
        self.depth = 0
        self.waited = 0.0  # for what is being done now
        self.told: set[str | None] = set()
        self.what: str | None = None
        self.timer: threading.Timer | None = None

    # Numba compiles under a lock of its own: one thread at a time comes here.
    def on_start(self, event: event.Event) -> None:
        self.depth += 1
        if self.depth > 1:  # a kernel that another one calls
            return
        self.begin, self.spent = time.monotonic(), time.thread_time()
        if (what := what_is_done()) != self.what:
            self.what, self.waited = what, 0.0
        if what not in self.told:
            self.timer = threading.Timer(max(0.0, PATIENCE - self.waited), self._tell)
            self.timer.daemon = True
            self.timer.start()

    def on_end(self, event: event.Event) -> None:
        self.depth -= 1
        if self.depth:
            return
        self.waited += time.monotonic() - self.begin
        self.seconds += time.thread_time() - self.spent
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def _tell(self) -> None:
        self.told.add(self.what)
        text = f"compiling {self.what or 'kernels'} for this processor, once"
        logger.info(text)
        tell(f"{text} (some seconds)")


def working_seconds() -> float:
    """Processor seconds of this process so far, without those of compiling.

    Compiling happens once: it tells nothing about how long the same takes again.
    """
    return time.process_time() - _compiling.seconds


_compiling = _Compiling()
event.register("numba:compile", _compiling)
