"""Run independent pieces of work on the caller's number of threads, and no more."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

Task = TypeVar("Task")
Result = TypeVar("Result")


def run_in_threads(
    function: Callable[[Task], Result], tasks: Sequence[Task], n_jobs: int | None
) -> list[Result]:
    """Return ``[function(task) for task in tasks]``, computed by `n_jobs` threads.

    The results keep the order of the tasks, so a caller that adds them up gets the
    same floating-point sum for every `n_jobs`. The calling thread works too: for
    two jobs one thread is started. An exception, Ctrl-C included, drops the tasks
    that have not started and comes through as it is.
    """
    workers = min(effective_n_jobs(n_jobs), len(tasks))
    if workers <= 1:
        return [function(task) for task in tasks]
    queue = _Queue(function, tasks)
    threads = [
        threading.Thread(target=queue.work, name="labelsieve", daemon=True)
        for _ in range(workers - 1)
    ]
    for thread in threads:
        thread.start()
    try:
        queue.work()
    finally:
        # Also when Ctrl-C comes between two tasks.
        queue.stopped = True
        for thread in threads:
            thread.join()
    if queue.error is not None:
        raise queue.error
    return [queue.results[position] for position in range(len(tasks))]


class _Queue:
    """Tasks that threads take one by one."""

    def __init__(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> None:
        self.function = function
        self.tasks = tasks
        self.positions = iter(range(len(tasks)))
        self.results: dict[int, Any] = {}
        self.error: BaseException | None = None
        self.stopped = False

    def work(self) -> None:
        # Taking the next position from an iterator over a range is atomic.
        while not self.stopped and (position := next(self.positions, None)) is not None:
            try:
                self.results[position] = self.function(self.tasks[position])
            except BaseException as error:
                self.stopped = True
                self.error = self.error or error


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
