"""Data sets from files, streams and clusters, to files, never over what is read."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labelsieve._utils.messages import warn
from labelsieve.cli._options import put

if TYPE_CHECKING:
    from labelsieve.datasets import Dataset, LazyDataset

STANDARD = "-"
# Options that say how a file is read.
READING = ("labels", "targets", "separator", "unknown", "min_rows")
# Parameters of selectors, and options, that say what must be in and what must not.
DECIDED = ("include", "exclude")
BUILT_IN = "builtin:segments"
CONNECT_SECONDS = 10


def read_data(path: str, arguments: argparse.Namespace) -> Dataset:
    """Load a data set; ``-`` is the standard input, ``builtin:segments`` built in."""
    from labelsieve.datasets import load, load_segments, make_words

    if path == BUILT_IN:
        dataset = load_segments()
    else:
        source = sys.stdin.buffer if path == STANDARD else path
        options = {name: getattr(arguments, name) for name in READING}
        if arguments.target_type:
            options["target_types"] = dict(arguments.target_type)
        dataset = load(source, **options)
    if columns := getattr(arguments, "text", None):
        rule = {"min_df": arguments.min_df, "ngrams": arguments.ngrams}
        return make_words(dataset, columns, **rule)
    return dataset


def write_data(dataset: Dataset, path: str, format: str | None) -> None:
    """Save a data set; ``-`` is the standard output, which takes one file only."""
    from labelsieve.datasets import file_content, save

    if path != STANDARD:
        save(dataset, path, format=format)
        return
    if format is None or format == "mulan":
        raise ValueError(
            "the standard output takes one file: pass --to meka, csv, tsv, libsvm or "
            "parquet (Mulan needs two)"
        )
    put(file_content(dataset, format))


def features_of(dataset: Dataset, named: bool = False) -> Any:
    """Return X, as a table where nominal features have more than two values.

    Selectors see in a table which columns are nominal; the numbers of an array have
    an order, which nominal values lack. Two values have no order to mistake.
    """
    if not named and max(map(len, dataset.categories.values()), default=0) <= 2:
        return dataset.X
    try:
        from labelsieve.datasets import to_frames

        return to_frames(dataset).X
    except ImportError:
        warn(
            "nominal features are taken as numbers, because pandas is not installed; "
            "pip install 'labelsieve[tables]' keeps them nominal"
        )
        return dataset.X


def without(dataset: Any, patterns: list[str]) -> Any:
    """Return the data set, which may be a lazy one, without some features."""
    import numpy as np

    from labelsieve.blocks import select_columns
    from labelsieve.datasets import Dataset, with_features

    names = dataset.feature_names
    kept = np.delete(np.arange(len(names)), columns_named(dataset, patterns))
    if isinstance(dataset, Dataset):
        return with_features(dataset, kept.tolist())
    X = select_columns(dataset.X, kept)
    return replace(dataset, X=X, feature_names=[names[place] for place in kept])


def take_column(dataset: Dataset, name: str, use: str) -> tuple[Dataset, Any]:
    """Return the data set without a feature, and its values: of groups, or weights."""
    (column,) = columns_named(dataset, [name], f" for --{use}")[:1]
    values = dataset.X[:, [column]]
    values = values.toarray() if hasattr(values, "toarray") else values
    return without(dataset, [dataset.feature_names[column]]), values.ravel()


def columns_named(dataset: Any, patterns: list[str], use: str = "") -> list[int]:
    """Return the features of these names, or of names that match, such as ``tag_*``."""
    from fnmatch import fnmatchcase

    known = {name: place for place, name in enumerate(dataset.feature_names)}
    found: dict[int, None] = {}  # in the order of the patterns, each once
    for pattern in patterns:
        places = [place for name, place in known.items() if fnmatchcase(name, pattern)]
        if pattern in known:  # a name may look like a pattern
            places = [known[pattern]]
        if not places:
            raise ValueError(f"{dataset.name} has no feature {pattern!r}{use}")
        found |= dict.fromkeys(places)
    return list(found)


def force_features(selector: Any, dataset: Any, arguments: argparse.Namespace) -> None:
    for option in DECIDED:
        patterns = getattr(arguments, option)
        if patterns is not None and arguments.feature_groups:
            selector.set_params(**{option: patterns})  # names of groups
        elif patterns is not None:
            selector.set_params(**{option: columns_named(dataset, patterns)})


def forced_names(selector: Any, dataset: Any) -> dict[str, list[str]]:
    """Return the names of the features that must be in, and of those that must not."""
    names = dataset.feature_names
    return {
        option: [w if isinstance(w, str) else names[w] for w in which]
        for option in DECIDED
        if (which := getattr(selector, option)) is not None
    }


def refuse_overwriting(
    data: Iterable[Any], *, outputs: Iterable[Any], reduced: Any = None, to: Any = None
) -> None:
    """Refuse outputs that are files of the data sets, before any work is done.

    `reduced` is an output that is a data set in the format `to`, with what is written
    beside it.
    """
    from labelsieve.datasets import files_read, files_written

    wanted = [Path(name) for name in outputs if name is not None]
    if reduced is not None and str(reduced) != STANDARD:
        wanted += files_written(reduced, to)
    read = [file for name in data for file in files_read(name)]
    refuse_same(wanted, read)


def refuse_same(outputs: list[Path], inputs: list[Path]) -> None:
    """Refuse outputs that are inputs, or one another."""
    seen: set[str] = set()
    for output in outputs:
        there = [file for file in inputs if file.exists() and output.exists()]
        if any(map(output.samefile, there)):
            raise ValueError(
                f"{output} is also read from; choose another name for the output"
            )
        place = os.path.realpath(output)
        if place in seen and (os.path.isfile(place) or not os.path.exists(place)):
            raise ValueError(f"{output} would be written twice; choose two names")
        seen.add(place)


@contextmanager
def workers(arguments: argparse.Namespace) -> Iterator[None]:
    """The threads of this process, or a cluster that somebody else has started."""
    import dask

    if arguments.scheduler is None:
        jobs = arguments.jobs
        with dask.config.set({"num_workers": jobs} if jobs and jobs > 0 else {}):
            yield
        return
    from distributed import Client

    # What goes wrong is said in one line; the log of Dask would say it in many.
    logging.disable(logging.ERROR)
    address, rule = arguments.scheduler, {"timeout": CONNECT_SECONDS}
    try:
        # The cluster that is named goes before what the configuration says.
        with dask.config.set(scheduler=None):
            try:
                # One that got no answer must not be everybody's.
                client = Client(address, set_as_default=False, **rule)
            except (OSError, ValueError) as error:
                raise ValueError(
                    f"no Dask scheduler answers at {address!r}; start one (dask "
                    "scheduler, and dask worker ADDRESS), or leave --scheduler out to "
                    "use the threads of this process"
                ) from error
            with client, client.as_current():
                yield
    finally:
        logging.disable(logging.NOTSET)


def open_blocks(arguments: argparse.Namespace) -> LazyDataset:
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
            "--unknown: leave --engine dask out, or write the file again with empty "
            "cells"
        )
    # The workers of a cluster have other working directories.
    rule = {"labels": arguments.labels, "separator": arguments.separator}
    data = open_lazy(os.path.abspath(path), **rule)
    return without(data, arguments.drop) if arguments.drop else data
