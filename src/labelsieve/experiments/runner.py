"""Computes the cells that are missing, on several processes, and can be stopped."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs

from labelsieve._plumbing.messages import progress
from labelsieve.experiments.cells import Cell, run_cells
from labelsieve.experiments.store import Position, Record, Store

# How often to look whether another program has finished what it works on.
SECONDS_BETWEEN_LOOKS = 0.5


def run(
    cells: Sequence[Cell],
    store: Store,
    *,
    n_jobs: int | None = None,
    verbose: bool = False,
    retry_failed: bool = False,
) -> list[Record]:
    """Compute the cells that the store does not hold, and return all their records.

    Parameters
    ----------
    cells : sequence of Cell
        The experiment.
    store : Store
        Where finished cells are kept; they are never computed again.
    n_jobs : int or None
        Number of processes; None is one, -1 all processors. Results are the same.
    verbose : bool
        Show progress and remaining time on the standard error stream.
    retry_failed : bool
        Compute cells again whose record says that they failed.

    Returns
    -------
    records : list of dict
        In the order of `cells`.
    """
    groups = _missing_groups(cells, store, retry_failed)
    while groups:
        done = _compute_all(groups, store, n_jobs, verbose, retry_failed)
        busy = [
            group for group, is_done in zip(groups, done, strict=True) if not is_done
        ]
        if len(busy) == len(groups):
            time.sleep(SECONDS_BETWEEN_LOOKS)
        groups = _missing_groups([c for g in busy for c in g], store, retry_failed)
        verbose = False
    records = store.read()
    return [records[cell.key] for cell in cells]


def _missing_groups(
    cells: Sequence[Cell], store: Store, retry_failed: bool
) -> list[list[Cell]]:
    """Cells without a result, together where they share the selection."""
    known = store.read()
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        if _is_missing(known.get(cell.key), retry_failed):
            groups.setdefault(cell.selection_key, []).append(cell)
    return list(groups.values())


def _is_missing(record: Record | None, retry_failed: bool) -> bool:
    return record is None or (retry_failed and "error" in record)


def _compute_all(
    groups: list[list[Cell]],
    store: Store,
    n_jobs: int | None,
    verbose: bool,
    retry_failed: bool,
) -> list[bool]:
    steps = range(len(groups))
    workers = min(effective_n_jobs(n_jobs), len(groups))
    if workers == 1:
        return [
            _compute(groups[step], store, retry_failed)
            for step in progress(steps, "cells", verbose)
        ]
    # Processes of its own kind, whatever joblib is told: they end with this one.
    pool = Parallel(
        workers, backend="loky", return_as="generator_unordered", batch_size=1
    )
    call = delayed(_compute_in_worker)
    results = pool(
        call(i, group, store.path, store.position, retry_failed, os.getpid())
        for i, group in enumerate(groups)
    )
    done = [False] * len(groups)
    try:
        for _ in progress(steps, "cells", verbose):
            index, is_done = next(results)
            done[index] = is_done
    except BaseException:
        _stop_workers()
        raise
    return done


def _compute(group: list[Cell], store: Store, retry_failed: bool) -> bool:
    """Compute and store what is missing of a group; False if another process does."""
    key = group[0].selection_key
    if not store.claim(key):
        return False
    try:
        known = store.read()
        cells = [c for c in group if _is_missing(known.get(c.key), retry_failed)]
        if cells:
            for record in run_cells(cells):
                store.append([record])
    finally:
        store.release(key)
    return True


def _compute_in_worker(
    index: int,
    group: list[Cell],
    path: Path,
    position: Position,
    retry_failed: bool,
    parent: int,
) -> tuple[int, bool]:
    _obey(parent)
    return index, _compute(group, _worker_store(path, position), retry_failed)


@lru_cache(maxsize=1)
def _worker_store(path: Path, position: Position) -> Store:
    """A store without what the parent had read: of that, it knows what is missing."""
    return Store(path, position)


@lru_cache(maxsize=1)
def _obey(parent: int) -> None:
    """End this process when its parent says so or is gone, killed for example.

    Ctrl-C reaches all processes; only the parent answers it.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "getppid") and os.name == "posix":
        threading.Thread(target=watch, daemon=True).start()


def _stop_workers() -> None:
    from joblib.externals.loky import get_reusable_executor

    executor: Any = get_reusable_executor()
    executor.shutdown(wait=True, kill_workers=True)
