"""Run independent pieces of work on the caller's number of threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from joblib import effective_n_jobs

Task = TypeVar("Task")
Result = TypeVar("Result")


def run_in_threads(
    function: Callable[[Task], Result], tasks: Sequence[Task], n_jobs: int | None
) -> list[Result]:
    """Return ``[function(task) for task in tasks]``, computed by `n_jobs` threads.

    The results keep the order of the tasks, so a caller that adds them up gets the
    same floating-point sum for every `n_jobs`. An exception, Ctrl-C included, drops
    the tasks that have not started and comes through as it is.
    """
    workers = min(effective_n_jobs(n_jobs), len(tasks))
    if workers <= 1:
        return [function(task) for task in tasks]
    pool = ThreadPoolExecutor(workers, thread_name_prefix="labelsieve")
    try:
        return list(pool.map(function, tasks))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
