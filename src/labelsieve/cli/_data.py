"""Data sets from files, from the standard input, and to the standard output."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labelsieve._plumbing.warnings import warn

if TYPE_CHECKING:
    from labelsieve.datasets import Dataset

STANDARD = "-"
BUILT_IN = "builtin:segments"
# A nominal feature with more values than this share of the rows names the rows.
IDENTIFIER_SHARE = 0.5


def read_data(path: str, labels: Any) -> Dataset:
    """Load a data set; ``-`` is the standard input, ``builtin:segments`` built in."""
    from labelsieve.datasets import FormatError, load, load_segments

    if path == BUILT_IN:
        return load_segments()
    if path != STANDARD:
        return load(path, labels=labels)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "stdin"
        file.write_bytes(sys.stdin.buffer.read())
        try:
            return load(file, labels=labels)
        except FormatError as error:
            place = (error.line, error.column, error.reason)
            raise FormatError("standard input", *place) from None


def write_data(dataset: Dataset, path: str, format: str | None) -> None:
    """Save a data set; ``-`` is the standard output, which takes one file only."""
    from labelsieve.datasets import save

    if path != STANDARD:
        save(dataset, path, format=format)
        return
    if format is None or format == "mulan":
        raise ValueError(
            "the standard output takes one file: pass --to meka, csv, tsv, libsvm or "
            "parquet (Mulan needs two)"
        )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / dataset.name.replace("/", "_")
        save(dataset, file, format=format)
        sys.stdout.buffer.write(file.read_bytes())
        sys.stdout.buffer.flush()


def features_of(dataset: Dataset, takes_missing: bool) -> Any:
    """Return X, as a table where nominal features have more than two values.

    Selectors see in a table which columns are nominal; the numbers of an array have
    an order, which nominal values lack. Two values have no order to mistake.
    """
    if not takes_missing:
        _refuse_missing(dataset)
    _warn_identifiers(dataset)
    if max(map(len, dataset.categories.values()), default=0) <= 2:
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


def _refuse_missing(dataset: Dataset) -> None:
    import numpy as np
    from scipy import sparse

    X = dataset.X
    if sparse.issparse(X):
        columns = np.unique(X.indices[np.isnan(X.data)])
    else:
        columns = np.flatnonzero(np.isnan(X).any(axis=0))
    if columns.size:
        name = dataset.feature_names[int(columns[0])]
        raise ValueError(
            f"{dataset.name}: {columns.size} of {X.shape[1]} features have missing "
            f"values (NaN), the first is {name!r}; fill them, leave such features out "
            "with --drop, or use a method that takes them, such as sieve"
        )


def _warn_identifiers(dataset: Dataset) -> None:
    most = IDENTIFIER_SHARE * dataset.X.shape[0]
    for name, values in dataset.categories.items():
        if len(values) > max(most, 2):
            warn(
                f"feature {name!r} has {len(values)} values in {dataset.X.shape[0]} "
                "rows: it looks like a name of the rows, which tells nothing about "
                "others; --drop leaves it out"
            )


def without(dataset: Dataset, names: list[str]) -> Dataset:
    """Return the data set without some features."""
    known = list(dataset.feature_names)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"{dataset.name} has no feature {unknown[0]!r}")
    dropped = set(names)
    kept = [place for place, name in enumerate(known) if name not in dropped]
    return reduced(dataset, kept)


def reduced(dataset: Dataset, columns: list[int]) -> Dataset:
    """Return the data set with some of its features, in the order of the file."""
    from labelsieve.datasets import Dataset

    kept = sorted(columns)
    names = [dataset.feature_names[column] for column in kept]
    categories = {
        name: dataset.categories[name] for name in names if name in dataset.categories
    }
    return Dataset(
        dataset.X[:, kept],
        dataset.Y,
        names,
        dataset.label_names,
        dataset.name,
        categories,
        dataset.weights,
    )
