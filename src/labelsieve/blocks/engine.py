"""Dask as the engine of larger data: run tasks on row blocks, and add up.

The user's `distributed.Client` is used when there is one; otherwise Dask's threads
(or whatever scheduler its configuration names). Nothing is started from here, and
Dask is only imported where a Dask collection was passed. Results that would fill the
memory are spilled: kept in files, and read by pages.
"""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

from labelsieve._utils.machine import one_thread_inside
from labelsieve._utils.matrices import slices_of

# Partial results are added up in groups of this many.
FAN_IN = 8
# Seconds between two looks at the workers while waiting, and without any of them.
POLL_SECONDS = 2.0
PATIENCE_SECONDS = 30.0
RUNNING = "running"  # what a client says that has its scheduler


def is_lazy(data: Any) -> bool:
    """Whether the data is a Dask collection; imports nothing."""
    dask = sys.modules.get("dask")
    return dask is not None and bool(dask.is_dask_collection(data))


def task(function: Callable[..., Any], *arguments: Any) -> Any:
    """A call for later; arguments may be tasks, and lists of tasks."""
    from dask import delayed

    return delayed(function, pure=False)(*arguments)


def value(content: Any) -> Any:
    """A value that many tasks share, sent once."""
    from dask import delayed

    return delayed(content, pure=False, traverse=False)


def tree(add: Callable[[list[Any]], Any], parts: Sequence[Any]) -> Any:
    """One task that combines all parts, a few at a time."""
    level = list(parts)
    while True:
        groups = slices_of(len(level), FAN_IN)
        level = [task(add, level[group]) for group in groups]
        if len(level) == 1:
            return level[0]


def add_up(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """The sum of arrays, in their order and their type."""
    return np.sum(parts, axis=0, dtype=parts[0].dtype)


def run(tasks: Sequence[Any]) -> list[Any]:
    """The results of the tasks, here."""
    import dask

    client = cluster()
    if client is None:
        # Tasks that limit threads one by one would restore them wrongly.
        with one_thread_inside():
            return list(dask.compute(*tasks))
    with _connected(client):
        futures = client.compute(list(tasks))
        _wait(client, futures)
        return list(client.gather(futures))


def keep(tasks: Sequence[Any]) -> list[Any]:
    """The tasks, done, with their results left where they were computed.

    Hold them while tasks that are made of them run: these have only their names, and
    a cluster forgets what nobody holds.
    """
    import dask

    client = cluster()
    if client is None:
        with one_thread_inside():
            return list(dask.persist(*tasks))
    from distributed import futures_of

    with _connected(client):
        kept = list(dask.persist(*tasks))
        futures = futures_of(kept)
        _wait(client, futures)
        client.gather([f for f in futures if f.status == "error"])
    return kept


def cluster() -> Any:
    """The user's client, None where Dask would run in this process."""
    from dask.base import get_scheduler

    client = getattr(get_scheduler(), "__self__", None)
    return client if hasattr(client, "scheduler_info") else None


@contextmanager
def _connected(client: Any) -> Iterator[None]:
    """Say in one way that the scheduler is gone, whatever Dask says of it."""
    address = getattr(client.scheduler, "address", "that was used")
    try:
        yield
    except Exception as error:
        if client.status == RUNNING and not isinstance(error, CancelledError):
            raise
        raise ConnectionError(
            f"the connection to the Dask scheduler {address} was lost, or the work was "
            "cancelled there. Fit again when it is back."
        ) from error


def _wait(client: Any, futures: list[Any]) -> None:
    """Wait until all is done or failed, but not for workers that never come back."""
    from distributed import wait

    last_seen = time.monotonic()
    while True:
        try:
            wait(futures, timeout=POLL_SECONDS)
            return _refuse_lost(futures)
        except TimeoutError:
            pass
        if client.status != RUNNING:  # a scheduler that comes back has no results
            raise CancelledError
        if _n_workers(client):
            last_seen = time.monotonic()
        elif time.monotonic() - last_seen > PATIENCE_SECONDS:
            client.cancel(futures)
            raise ConnectionError(
                f"the Dask cluster {client.scheduler.address} has had no worker for "
                f"{PATIENCE_SECONDS:.0f} seconds, so this fit cannot go on. Start "
                "workers (their logs say why they ended; most often memory) and fit "
                "again."
            )


def _n_workers(client: Any) -> int:
    try:
        return len(client.nthreads())
    except (OSError, RuntimeError):
        return 0  # the scheduler does not answer either


def _refuse_lost(futures: list[Any]) -> None:
    """Say what happened where a block took its workers down again and again."""
    from distributed import KilledWorker

    for future in futures:
        if future.status == "error" and isinstance(future.exception(), KilledWorker):
            raise ConnectionError(
                "the Dask workers died again and again over the same block of rows, "
                "most often because it does not fit in their memory. Use smaller "
                "partitions or workers with more memory."
            ) from future.exception()


@dataclass(frozen=True)
class Spilled:
    """An object in a file, whose arrays are pages of it, read when touched."""

    path: str

    def load(self) -> Any:
        """The object; what is written into its arrays stays out of the file."""
        return joblib.load(self.path, mmap_mode="c")

    def remove(self) -> None:
        """Delete the file; what was loaded from it stays."""
        Path(self.path).unlink(missing_ok=True)


def spill(content: Any, folder: str | None) -> Any:
    """Write an object to the folder and return where it is; itself without one."""
    if folder is None:
        return content
    path = str(Path(folder) / uuid.uuid4().hex)
    joblib.dump(content, path)
    return Spilled(path)


def load(content: Any) -> Any:
    """The object, read from its file where it was spilled."""
    return content.load() if isinstance(content, Spilled) else content
