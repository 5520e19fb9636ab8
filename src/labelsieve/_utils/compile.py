"""The one way in which kernels are compiled: numba, cached on disk, GIL released."""

from __future__ import annotations

import functools
import glob
import hashlib
import logging
import os
import pickle
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import event
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from labelsieve._utils.machine import write_file
from labelsieve._utils.messages import current_status, notify, warn

logger = logging.getLogger("labelsieve")

# Compiling that takes longer than this, in seconds, is announced.
PATIENCE = 1.0
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# How folders of compiled code are called, before the digest of the sources.
FOLDERS = "labelsieve-kernels-"
# Folders of code from other sources that are kept: other branches, an older release.
OLD_FOLDERS = 3

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def njit(function: Kernel) -> Kernel:
    """Compile a kernel on first use and keep the result on disk where possible.

    Integer overflow and division follow C, and no thread of numba's own is used:
    callers split the work, so results never depend on how many threads there are.
    A kernel fills arrays and returns none: Ctrl-C while numba makes Python's array of
    a returned one would come out as SystemError. Constants of kernels belong into
    modules with kernels: code on disk is compiled again when one of these changes.
    """
    if numba.config.DISABLE_JIT:  # as silent about overflow as compiled code
        return np.errstate(all="ignore")(function)
    kernel = numba.njit(nogil=True, error_model="numpy")(function)
    kernel._cache = _Cache(function)  # what cache=True does, with our files
    return cast(Kernel, kernel)


class _Cache(NullCache):
    """Compiled code on disk: a file for each kernel, types of arguments and processor.

    Numba numbers its files and keeps an index of them. Two processes that compile the
    same kernel at the same time take the same number, and one finds the code of the
    other under its types, then and ever after. Nor does numba notice a change in a
    kernel of another module, whose code is part of this one's.
    """

    said = False  # that nothing is kept

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = f"{function.__module__}.{function.__qualname__}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code that was kept, None where it is to be compiled."""
        # Numba would first import all that compiling needs, which takes longer than a
        # fit; compiled code needs its runtime only. Compiling imports the rest.
        rtsys.initialize(target_context)
        if (path := self._path(sig, target_context.codegen())) is None:
            return None
        try:
            with open(path, "rb") as file:
                return CompileResult._rebuild(target_context, *pickle.load(file))
        except FileNotFoundError:
            return None
        except OSError as error:
            _Cache.say_nothing_is_kept(error)
        except Exception:  # damaged: unpickling raises errors of any kind
            logger.debug("%s is damaged", path)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code, unless it holds addresses of this process."""
        path = self._path(sig, data.codegen)
        if path is None or data.library.has_dynamic_globals:
            return
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write_file(path, dumps(data._reduce()))
        except OSError as error:
            _Cache.say_nothing_is_kept(error)

    def _path(self, sig: Any, codegen: Any) -> str | None:
        """Where code for these types and this processor is."""
        if (folder := _folder(numba.config.CACHE_DIR)) is None:
            return None
        key = repr((sig, codegen.magic_tuple())).encode()
        digest = hashlib.sha256(key).hexdigest()
        return os.path.join(folder, f"{self.name}.{digest[:16]}.nbc")

    @staticmethod
    def say_nothing_is_kept(error: OSError) -> None:
        """Say once why every process is slow at first."""
        if not _Cache.said:
            _Cache.said = True
            warn(
                f"compiled kernels cannot be kept on disk ({error}): each process "
                "compiles those that it needs, which takes seconds. Make room, or set "
                "NUMBA_CACHE_DIR to a folder that can be written."
            )


@functools.cache
def _folder(chosen: str) -> str | None:
    """The folder of code from the present sources, None if none can be written.

    It is below the chosen one, else beside Python's compiled files or, where these
    cannot be written, among the user's.
    """
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    for place in [chosen] if chosen else [os.path.join(PACKAGE, "__pycache__"), home]:
        path = os.path.join(place, f"{FOLDERS}{_sources()}")
        try:
            os.makedirs(path, exist_ok=True)
            tempfile.TemporaryFile(dir=path).close()
            os.utime(path)
        except OSError as error:
            reason = error
            continue
        _remove_old(place, path)
        return path
    _Cache.say_nothing_is_kept(reason)
    return None


def _sources() -> str:
    """A digest of all modules with kernels, of numba's version and of Python's."""
    versions = numba.__version__, *sys.version_info[:2]
    digest = hashlib.sha256(repr(versions).encode())
    for path in sorted(glob.glob(f"{PACKAGE}/**/*.py", recursive=True)):
        with open(path, "rb") as file:
            source = file.read()
        if b"njit" in source:
            digest.update(source)
    return digest.hexdigest()[:16]


def _remove_old(place: str, present: str) -> None:
    """Remove folders of other sources, but for those last used."""
    others = set(glob.glob(os.path.join(glob.escape(place), f"{FOLDERS}*")))
    try:
        latest = sorted(others - {present}, key=os.path.getmtime, reverse=True)
    except OSError:  # another process removes them
        return
    for path in latest[OLD_FOLDERS:]:
        shutil.rmtree(path, ignore_errors=True)


class _Compiling(event.Listener):
    """Says why a call is slow, once for each method, where it takes over a second."""

    def __init__(self) -> None:
        self.seconds = 0.0  # of the processor, in all
        self.depth = 0
        self.waited: dict[str | None, float] = {}  # for each method
        self.told: set[str | None] = set()

    # Numba compiles under a lock of its own: one thread at a time comes here.
    def on_start(self, event: event.Event) -> None:
        self.depth += 1
        if self.depth == 1:  # not a kernel that another one calls
            self.begin, self.spent = time.monotonic(), time.thread_time()

    def on_end(self, event: event.Event) -> None:
        self.depth -= 1
        if self.depth:
            return
        self.seconds += time.thread_time() - self.spent
        what = current_status()
        waited = self.waited.get(what, 0.0) + time.monotonic() - self.begin
        self.waited[what] = waited
        if waited > PATIENCE and what not in self.told:
            self.told.add(what)
            text = f"compiling {what or 'kernels'} for this processor, once"
            logger.info(text)
            notify(f"{text} (some seconds)")


def working_seconds() -> float:
    """Processor seconds of this process so far, without those of compiling.

    Compiling happens once: it says nothing about how long the same takes again.
    """
    return time.process_time() - _compiling.seconds


_compiling = _Compiling()
event.register("numba:compile", _compiling)
