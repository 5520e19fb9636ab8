"""An experiment as data, the cells it consists of, and the run of those missing."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs

from labelsieve._utils.messages import progress
from labelsieve.experiments.cells import Cell, Sizes, run_cells
from labelsieve.experiments.data import CODES, DataSource, SplitProtocol, facts, locate
from labelsieve.experiments.methods import ALL, RANDOM, Method
from labelsieve.experiments.store import Position, Record, Store


@dataclass(frozen=True)
class Contender:
    """A selector with a classifier; those of a contest are compared."""

    selector: Method
    classifier: Method
    contest: str
    method: str
    sizes: Sizes | None = None  # where they are not those of the design


@dataclass(frozen=True)
class DataPlan:
    """A data set of an experiment: its name and what is special about it."""

    name: str
    drop: tuple[str, ...] = ()
    protocol: SplitProtocol | None = None
    # Names of methods or contests that are not feasible here, with the reason.
    left_out: Mapping[str, str] = field(default_factory=dict)
    groups: str | None = None  # the feature that says which rows belong together
    labels: str | None = None  # how names of label columns begin, if nothing says it


@dataclass(frozen=True)
class Design:
    """Everything that an experiment consists of, before it is run."""

    name: str
    title: str
    datasets: tuple[DataPlan, ...]
    protocol: SplitProtocol  # where a data set has none of its own
    contenders: tuple[Contender, ...]
    views: tuple[str, ...]  # how values are presented: each is an experiment
    sizes: Sizes
    # What of a curve is compared: at a number of features, its "best", its "area".
    criterion: int | str
    measures: tuple[str, ...]
    reference: str  # the method that the others are tested against
    seed: int = 2024
    notes: tuple[str, ...] = field(default=())
    budget: float | None = None  # processor seconds of a selection, of an evaluation
    kept: tuple[str, ...] | None = None  # the measures that cells keep, None for all


@dataclass(frozen=True)
class Plan:
    """The cells of a design on the data sets that are present."""

    design: Design
    cells: tuple[Cell, ...]
    sources: tuple[DataSource, ...]
    missing: tuple[str, ...]


def with_controls(
    selectors: Iterable[Method], classifiers: Sequence[Method]
) -> tuple[Contender, ...]:
    """Return every selector with every classifier, random and all features added."""
    everything = [*selectors, Method(RANDOM), Method(ALL)]
    return tuple(
        Contender(selector, classifier, classifier.label, selector.label)
        for classifier in classifiers
        for selector in everything
    )


def make_plan(
    design: Design,
    *,
    data: str | os.PathLike[str] | None = None,
    max_splits: int | None = None,
) -> Plan:
    """Find the data sets in a folder, and list the cells, first splits first."""
    sources: dict[str, DataSource] = {}
    cells: list[Cell] = []
    missing = []
    for planned in design.datasets:
        try:
            special = planned.drop, planned.groups, planned.labels
            source = locate(planned.name, data, *special)
        except FileNotFoundError:
            missing.append(planned.name)
            continue
        if source.name in sources:
            raise ValueError(
                f"two data sets are called {source.name!r}: "
                f"{sources[source.name].path} and {source.path}. Tables distinguish "
                "data sets by name: rename one, or leave it out."
            )
        sources[source.name] = source
        cells += _cells(design, planned, source, max_splits)
    cells.sort(key=lambda cell: cell.split)
    return Plan(design, tuple(cells), tuple(sources.values()), tuple(missing))


def _cells(
    design: Design, planned: DataPlan, source: DataSource, max_splits: int | None
) -> Iterable[Cell]:
    known = facts(source)
    protocol = planned.protocol or design.protocol
    if max_splits is not None:
        protocol = protocol.with_splits(max_splits)
    views = design.views
    if known.is_categorical and not set(views).isdisjoint(CODES):
        # Binning does not matter for two values: all codes are one view.
        views = ("none", *(view for view in views if view not in CODES))
    for split, view, contender in product(
        range(protocol.n_splits), views, design.contenders
    ):
        if {contender.method, contender.contest}.isdisjoint(planned.left_out):
            place = source, known.checksum, protocol, design.seed, split, view
            own = {**vars(contender), "sizes": contender.sizes or design.sizes}
            yield Cell(*place, budget=design.budget, measures=design.kept, **own)


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
        busy = _compute_all(groups, store, n_jobs, verbose, retry_failed)
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
        record = known.get(cell.key)
        if record is None or (retry_failed and "error" in record):
            groups.setdefault(cell.selection_key, []).append(cell)
    return list(groups.values())


def _compute_all(
    groups: list[list[Cell]],
    store: Store,
    n_jobs: int | None,
    verbose: bool,
    retry_failed: bool,
) -> list[list[Cell]]:
    """Compute the groups, and return those that other processes compute."""
    steps = range(len(groups))
    workers = min(effective_n_jobs(n_jobs), len(groups))
    if workers == 1:
        return [
            groups[step]
            for step in progress(steps, "cells", verbose)
            if not _compute(groups[step], store, retry_failed)
        ]
    # Processes of its own kind, whatever joblib is told: they end with this one.
    pool = Parallel(
        workers, backend="loky", return_as="generator_unordered", batch_size=1
    )
    call, place = delayed(_compute_in_worker), (store.path, store.position, os.getpid())
    results = pool(call(i, g, retry_failed, *place) for i, g in enumerate(groups))
    busy = []
    try:
        for _ in progress(steps, "cells", verbose):
            index, is_done = next(results)
            busy += [] if is_done else [groups[index]]
    except BaseException:
        from joblib.externals.loky import get_reusable_executor

        executor: Any = get_reusable_executor()
        executor.shutdown(wait=True, kill_workers=True)
        raise
    return busy


def _compute(group: list[Cell], store: Store, retry_failed: bool) -> bool:
    """Compute and store what is missing of a group; False if another process does."""
    key = group[0].selection_key
    if not store.claim(key):
        return False
    try:
        for cells in _missing_groups(group, store, retry_failed):
            for record in run_cells(cells):
                store.append([record])
    finally:
        store.release(key)
    return True


def _compute_in_worker(
    index: int, group: list[Cell], retry_failed: bool, *place: Any
) -> tuple[int, bool]:
    return index, _compute(group, _worker_store(*place), retry_failed)


@lru_cache(maxsize=1)
def _worker_store(path: Path, position: Position, parent: int) -> Store:
    """A store without what the parent had read: of that, it knows what is missing.

    The process ends when its parent is gone, killed for example. Ctrl-C reaches all
    processes; only the parent answers it.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.name == "posix":
        threading.Thread(target=watch, daemon=True).start()
    return Store(path, position)
