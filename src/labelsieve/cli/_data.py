"""Data sets from files, from the standard input, and to the standard output."""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelsieve.datasets import Dataset

STANDARD = "-"


def read_data(path: str, labels: Any) -> Dataset:
    """Load a data set; ``-`` is the standard input, ``demo`` is built in."""
    from labelsieve.datasets import FormatError, load, load_segments

    if path == "demo" and not Path(path).exists():
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


def features_of(dataset: Dataset) -> Any:
    """Return X, as a table where nominal features have more than two values.

    Selectors see in a table which columns are nominal; the numbers of an array have
    an order, which nominal values lack. Two values have no order to mistake.
    """
    if max(map(len, dataset.categories.values()), default=0) <= 2:
        return dataset.X
    try:
        from labelsieve.datasets._frames import to_frames

        return to_frames(dataset).X
    except ImportError:
        warnings.warn(
            "nominal features are taken as numbers, because pandas is not installed; "
            "pip install 'labelsieve[tables]' keeps them nominal",
            UserWarning,
            stacklevel=2,
        )
        return dataset.X


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
