"""What the machine gives: threads and memory, and no more of them than asked for."""

from __future__ import annotations

import _thread
import functools
import gc
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

Task = TypeVar("Task")
Result = TypeVar("Result")
# Arrays below this size are not worth asking the machine what it has.
ALWAYS_TRIED = 2**28
# Where Linux tells a process in a container what it may take.
CONTROL_GROUP = "/sys/fs/cgroup"
if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):
        """Like that of Python 3.12: threads with other instances do not wait."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            value = vars(instance)[self.attrname] = self.func(instance)
            return value


def n_threads(n_jobs: int | None) -> int:
    """Return how many threads are meant: -1 is one for each processor."""
    if n_jobs == 0:
        raise ValueError("n_jobs must be 1 or more, -1 for all processors, or None.")
    return int(effective_n_jobs(n_jobs))


def run_in_threads(
    function: Callable[[Task], Result], tasks: Sequence[Task], n_jobs: int | None
) -> list[Result]:
    """Return ``[function(task) for task in tasks]``, computed by `n_jobs` threads.

    The results keep the order of the tasks, so a caller that adds them up gets the
    same floating-point sum for every `n_jobs`. The calling thread works too: for
    two jobs one thread is started. An exception, Ctrl-C included, drops the tasks
    that have not started and comes through as it is.
    """
    # Asking joblib costs more than short tasks do.
    alone = len(tasks) < 2 and n_jobs != 0
    workers = 1 if alone else min(n_threads(n_jobs), len(tasks))
    if workers <= 1:
        return [function(task) for task in tasks]
    positions = iter(range(len(tasks)))
    results: dict[int, Result] = {}
    errors: list[BaseException] = []
    stopped = False

    def work() -> None:
        # Taking the next position from an iterator over a range is atomic.
        while not (stopped or errors) and (at := next(positions, None)) is not None:
            try:
                results[at] = function(tasks[at])
            except BaseException as error:
                errors.append(error)

    def help(lock: _thread.LockType) -> None:
        # Who gets the lock after all was stopped knows that no task is running: a
        # thread that starts later finds nothing to do.
        with lock:
            work()

    helping = [_thread.allocate_lock() for _ in range(workers - 1)]
    try:
        for lock in helping:
            # Not threading.Thread: its start() waits until the thread runs.
            _thread.start_new_thread(help, (lock,))
        work()
    finally:
        # Also when Ctrl-C comes between two tasks.
        stopped = True
        _wait_for(helping)
    if errors:
        raise errors[0]
    return [results[at] for at in range(len(tasks))]


def _wait_for(helping: list[_thread.LockType]) -> None:
    """Let no task outlive its call, also when Ctrl-C comes while waiting."""
    try:
        for lock in helping:
            with lock:
                pass
    except KeyboardInterrupt:
        _wait_for(helping)
        raise


def one_thread_inside() -> AbstractContextManager[object]:
    """Leave threads to `n_jobs`: those of BLAS and OpenMP would fight them.

    The sums of BLAS also depend on how many threads it uses.
    """
    return _thread_pools().limit(limits=1)


@cache
def _thread_pools() -> ThreadpoolController:
    # Only libraries that are loaded are found, and finding them takes milliseconds.
    import_module("scipy.linalg")
    return ThreadpoolController()


def refuse_larger_than_memory(
    shape: tuple[int, ...], what: str, way_out: str, itemsize: int = 4
) -> None:
    """Raise MemoryError before an array is tried that this machine cannot hold."""
    n_bytes = math.prod(shape) * itemsize
    if n_bytes < ALWAYS_TRIED:
        return
    available = available_memory()
    if n_bytes > available:
        raise MemoryError(
            f"{what} of {' x '.join(map(str, shape))} cells needs "
            f"{n_bytes / 2**30:.1f} GiB, and {available / 2**30:.1f} GiB are free. "
            f"{way_out}"
        )


def available_memory() -> int:
    """Bytes that can be allocated now without swapping; a guess where unknown."""
    try:
        with open("/proc/meminfo") as lines:
            fields = dict(line.split(":", 1) for line in lines)
        free = int(fields["MemAvailable"].split()[0]) * 1024
        return min(free, _left_in_group(free))
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 16 * 2**30


def _left_in_group(free: int) -> int:
    """What a container may still take, `free` where nothing limits it."""
    try:
        limit, used, pages = (
            Path(CONTROL_GROUP, f"memory.{name}").read_text()
            for name in ("max", "current", "stat")
        )
        # Pages of files are given back when they are needed.
        cached = dict(line.split() for line in pages.splitlines())["inactive_file"]
        return max(0, int(limit) - int(used) + int(cached))
    except (OSError, KeyError, ValueError):
        return free


@contextmanager
def paused_collector() -> Iterator[None]:
    """Let the collector rest: it would look at all new lists again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
