"""An experiment as data, and the cells it consists of."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from labelsieve.experiments.cells import Cell, Sizes
from labelsieve.experiments.data import CODES, DataSource, Facts, facts, locate
from labelsieve.experiments.methods import ALL, RANDOM, Method
from labelsieve.experiments.protocols import SplitProtocol


@dataclass(frozen=True)
class Contender:
    """A selector with a classifier, and what tables call it.

    Methods of the same contest are compared with each other.
    """

    selector: Method
    classifier: Method
    contest: str
    method: str


@dataclass(frozen=True)
class DataPlan:
    """A data set of an experiment: its name and what is special about it."""

    name: str
    drop: tuple[str, ...] = ()
    protocol: SplitProtocol | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Names of methods or contests that are not feasible here, with the reason."""
    groups: str | None = None
    """The feature that says which rows belong together."""


@dataclass(frozen=True)
class Design:
    """Everything that an experiment consists of, before it is run.

    Attributes
    ----------
    name, title : what it is called
    datasets : the data sets
    protocol : how rows are divided, where a data set has no protocol of its own
    contenders : what is compared
    views : how values are presented; each is an experiment of its own
    sizes : at which numbers of features rankings are judged
    criterion : what of a curve is compared: its value at a number of features,
        its "best" value over sizes, or its mean height, its "area"
    measures : the measures that tables show
    reference : the method that the others are tested against
    seed : of all splits and random choices
    budget : processor seconds of a selection and of a judgement, None for any
    kept : the measures that cells keep, None for all
    """

    name: str
    title: str
    datasets: tuple[DataPlan, ...]
    protocol: SplitProtocol
    contenders: tuple[Contender, ...]
    views: tuple[str, ...]
    sizes: Sizes
    criterion: int | str
    measures: tuple[str, ...]
    reference: str
    seed: int = 2024
    notes: tuple[str, ...] = field(default=())
    budget: float | None = None
    kept: tuple[str, ...] | None = None


@dataclass(frozen=True)
class PlannedCell:
    """A cell with its place in the tables."""

    cell: Cell
    contender: Contender


@dataclass(frozen=True)
class Plan:
    """The cells of a design on the data sets that are present."""

    design: Design
    cells: tuple[PlannedCell, ...]
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
    """Find the data sets and list the cells, first splits first.

    Parameters
    ----------
    design : Design
        The experiment.
    data : path, optional
        Folder of the data sets; by default they are looked up as `find_dataset` does.
    max_splits : int, optional
        Use no more splits than this.
    """
    found: list[tuple[DataPlan, DataSource, Facts]] = []
    missing = []
    for planned in design.datasets:
        try:
            source = locate(planned.name, data, planned.drop, planned.groups)
        except FileNotFoundError:
            missing.append(planned.name)
        else:
            found.append((planned, source, facts(source)))
    _refuse_same_names([source for _, source, _ in found])
    cells = [
        cell
        for planned, source, known in found
        for cell in _cells(design, planned, source, known, max_splits)
    ]
    cells.sort(key=lambda planned_cell: planned_cell.cell.split)
    sources = tuple(source for _, source, _ in found)
    return Plan(design, tuple(cells), sources, tuple(missing))


def _refuse_same_names(sources: Sequence[DataSource]) -> None:
    seen: dict[str, str] = {}
    for source in sources:
        if source.name in seen:
            raise ValueError(
                f"two data sets are called {source.name!r}: {seen[source.name]} and "
                f"{source.path}. Tables tell data sets apart by name: rename one, or "
                "leave it out."
            )
        seen[source.name] = source.path


def _cells(
    design: Design,
    planned: DataPlan,
    source: DataSource,
    known: Facts,
    max_splits: int | None,
) -> Iterable[PlannedCell]:
    protocol = planned.protocol or design.protocol
    if max_splits is not None:
        protocol = protocol.with_splits(max_splits)
    for split, view, contender in product(
        range(protocol.n_splits), views_of(design, known), design.contenders
    ):
        if {contender.method, contender.contest}.isdisjoint(planned.left_out):
            cell = Cell(
                source,
                known.checksum,
                protocol,
                design.seed,
                split,
                view,
                contender.selector,
                contender.classifier,
                design.sizes,
                design.budget,
                design.kept,
            )
            yield PlannedCell(cell, contender)


def views_of(design: Design, known: Facts) -> tuple[str, ...]:
    """Return the views of a data set: binning does not matter for two values."""
    if not known.is_categorical:
        return design.views
    others = tuple(view for view in design.views if view not in CODES)
    return (("none",) if len(others) < len(design.views) else ()) + others
