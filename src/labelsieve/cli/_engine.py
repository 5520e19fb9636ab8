"""``labelsieve select --engine dask``: rows that stay on disk, or on a cluster."""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from labelsieve.cli._data import BUILT_IN, STANDARD, columns_named, decide
from labelsieve.cli._options import CV_RULES, Parser, say, say_json
from labelsieve.cli._selection import (
    Selection,
    ranking_as_dict,
    ranking_table,
    title_of,
    write_ranking,
)

if TYPE_CHECKING:
    from labelsieve.datasets import LazyDataset

# Options of select that look at all rows in memory, as the parser names them.
NEED_MEMORY = {
    f"--{name.replace('_', '-')}": name
    for name in ("reduced", "report", "quality", "text", "stability", "p_values", "own")
}
CONNECT_SECONDS = 10
MEMORY, DASK = "memory", "dask"


def add_engine_options(parser: Parser) -> None:
    """Add the options that say where the work is done."""
    parser.option(
        "--engine",
        "dask: stream a folder of Parquet or LibSVM files, or a zarr group, that "
        "may be larger than memory (default: memory)",
        choices=(MEMORY, DASK),
        default=MEMORY,
    )
    parser.option(
        "--scheduler ADDRESS",
        "with --engine dask: the scheduler of a running Dask cluster, such as "
        "tcp://10.0.0.1:8786 (default: threads of this process)",
    )


def uses_dask(arguments: argparse.Namespace) -> bool:
    """Whether Dask is asked for; refuse what does not go together."""
    if arguments.engine != DASK:
        if arguments.scheduler is not None:
            raise ValueError("--scheduler needs --engine dask")
        return False
    if arguments.min_rows > 1:
        raise ValueError("--min-rows needs all rows in memory: leave --engine dask out")
    asked = {text: vars(arguments)[name] for text, name in NEED_MEMORY.items()}
    asked[f"-k {arguments.k}"] = arguments.k in CV_RULES
    for option in (option for option, wanted in asked.items() if wanted):
        raise ValueError(
            f"{option} needs all rows in memory, so it does not work with --engine "
            "dask: leave one of the two out"
        )
    return True


def select_on_dask(selector: Any, arguments: argparse.Namespace) -> None:
    """Open, select, write: what `select` does, with rows in blocks."""
    _refuse_method(selector)
    with _workers(arguments):
        data = _open(arguments)
        decide(selector, data, arguments)
        selector.fit(*data)
        described = _description(data)
    found = Selection(selector, data)
    if arguments.output:
        write_ranking(found, arguments)
    if arguments.json:
        say_json(ranking_as_dict(arguments, found, described))
    elif arguments.output is None or not (
        arguments.quiet or arguments.output == STANDARD
    ):
        title = title_of(found, described["instances"])
        say(replace(ranking_table(found).without("column"), title=title).to_text())


def _refuse_method(selector: Any) -> None:
    """Say in one line that a method does not work on blocks of rows."""
    from labelsieve.selectors import refuse_blocks

    try:
        refuse_blocks(selector)
    except TypeError as error:
        raise ValueError(f"{error} Or leave --engine dask out.") from error


@contextmanager
def _workers(arguments: argparse.Namespace) -> Iterator[None]:
    """The threads of this process, or a cluster that somebody else has started."""
    import dask

    if arguments.scheduler is None:
        jobs = arguments.jobs
        with dask.config.set({"num_workers": jobs} if jobs and jobs > 0 else {}):
            yield
        return
    # What goes wrong is said in one line; the log of Dask would say it in many.
    logging.disable(logging.ERROR)
    try:
        # The cluster that is named goes before what the configuration says.
        with dask.config.set(scheduler=None), _connected(arguments.scheduler):
            yield
    finally:
        logging.disable(logging.NOTSET)


def _connected(address: str) -> Any:
    """A client of a running cluster, to be closed after use."""
    from distributed import Client

    before = _default_client()
    try:
        return Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        # The one that got no answer is everybody's until it is closed.
        left = _default_client()
        if left is not None and left is not before:
            left.close()
        raise ValueError(
            f"no Dask scheduler answers at {address!r}; start one (dask scheduler, and "
            "dask worker ADDRESS), or leave --scheduler out to use the threads of this "
            "process"
        ) from error


def _default_client() -> Any:
    """The client that Dask would use now, None where there is none."""
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return None


def _open(arguments: argparse.Namespace) -> LazyDataset:
    from labelsieve.datasets import open_lazy

    path = arguments.data
    if path in (STANDARD, BUILT_IN) or path.startswith("openml:"):
        raise ValueError(
            f"--engine dask reads files and folders, not {path}: leave --engine dask "
            "out"
        )
    if arguments.unknown is not None:
        raise ValueError(
            "--engine dask takes empty cells for labels that are not known, not "
            "--unknown: leave --engine dask out, or write the file anew with empty "
            "cells"
        )
    # The workers of a cluster have other working directories.
    rule = {"labels": arguments.labels, "separator": arguments.separator}
    data = open_lazy(os.path.abspath(path), **rule)
    return _without(data, arguments.drop) if arguments.drop else data


def _without(data: LazyDataset, dropped: list[str]) -> LazyDataset:
    """Leave some features out, lazily."""
    import numpy as np

    from labelsieve.blocks import select_columns

    names = list(data.feature_names)
    kept = np.delete(np.arange(len(names)), columns_named(data, dropped))
    X = select_columns(data.X, kept)
    return replace(data, X=X, feature_names=[names[place] for place in kept])


def _description(data: LazyDataset) -> dict[str, Any]:
    """What is known of the data without reading the rows again."""
    n_rows = data.X.shape[0]
    if hasattr(n_rows, "compute"):
        from labelsieve.blocks import run

        (n_rows,) = run([n_rows])  # Parquet files say it in their last bytes
    return {
        "name": data.name,
        "instances": None if n_rows != n_rows else int(n_rows),
        "features": len(data.feature_names),
        "labels": len(data.label_names),
    }
