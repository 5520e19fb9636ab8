"""One call that writes a data set so that it can be read back."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

from labelsieve._plumbing.files import is_special, write_described, write_file
from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._files import suffix_of
from labelsieve.datasets._frames import to_arrays
from labelsieve.datasets._parquet import write_parquet
from labelsieve.datasets._schema import schema_of
from labelsieve.datasets._write import (
    check_categories,
    write_csv,
    write_libsvm,
    write_meka,
    write_mulan,
)

_FORMATS = {
    ".arff": "mulan",
    ".csv": "csv",
    ".tsv": "tsv",
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".parquet": "parquet",
}


def save(
    dataset: Dataset, path: str | os.PathLike[str], *, format: str | None = None
) -> None:
    """Write a data set; :func:`load` of the path returns the same data set.

    Mulan files come with an XML file that names the labels, CSV, TSV and LibSVM files
    with a JSON file that holds what they cannot say (which columns are labels,
    categories, weights, sparse or dense). Both lie beside the data and have its name.

    Parameters
    ----------
    dataset : Dataset
        What to write.
    path : str or path
        The file. The suffix tells the format (``.arff``, ``.csv``, ``.tsv``,
        ``.libsvm``, ``.svm``, ``.svmlight``, ``.parquet``); a further ``.gz``
        compresses. Files that exist are replaced when all are written, in one step.
    format : {"mulan", "meka", "csv", "tsv", "libsvm", "parquet"}, optional
        The format, where the suffix is not to decide; ``.arff`` means Mulan.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np
    >>> from labelsieve.datasets import Dataset, load, save
    >>> data = Dataset(np.eye(2), np.eye(2), ["a", "b"], ["x", "y"], name="toy")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(data, pathlib.Path(folder) / "toy.arff")
    ...     load(folder)
    Dataset('toy', 2 rows, 2 features, 2 labels, dense)
    """
    path = Path(path)
    files = files_written(path, format)
    chosen = _format_of(path, format)
    dataset = to_arrays(dataset)
    check_categories(dataset)
    contents = _contents(dataset, chosen)
    if len(files) < len(contents):  # a device or a pipe
        if chosen == "mulan":
            raise ValueError(
                f"{path} takes one file and Mulan needs two: pass format='meka'"
            )
        files, contents = files[-1:], contents[-1:]
    data = _packed(path, contents[-1])
    if len(files) == 1:
        write_file(path, data)
    else:
        write_described(path, data, files[0], contents[0])


def file_content(dataset: Dataset, format: str) -> bytes:
    """Return what `save` writes into the file of a data set, for a pipe."""
    dataset = to_arrays(dataset)
    check_categories(dataset)
    return _contents(dataset, format)[-1]


def files_written(path: str | os.PathLike[str], format: str | None) -> list[Path]:
    """Return the file that `save` writes, and the one beside it, where there is one."""
    path = Path(path)
    chosen = _format_of(path, format)
    if chosen in ("meka", "parquet") or is_special(path):
        return [path]
    beside = _beside(path, ".xml" if chosen == "mulan" else ".json")
    if beside == path:
        raise ValueError(f"{path.name!r} is the name of the file beside the data")
    return [beside, path]


def _format_of(path: Path, format: str | None) -> str:
    chosen = format or _FORMATS.get(suffix_of(path.name), "")
    if chosen not in _FORMATS.values() and chosen != "meka":
        raise ValueError(
            f"cannot tell the format of {path.name!r} (format={format!r}); expected "
            f"format= one of {sorted({*_FORMATS.values(), 'meka'})} or the suffix "
            f"{', '.join(_FORMATS)}, perhaps followed by .gz"
        )
    return chosen


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name.removesuffix(".gz")).with_suffix(suffix)


def _contents(dataset: Dataset, chosen: str) -> list[bytes]:
    """Return the content of each of the `files_written`, the data last."""
    if chosen == "mulan":
        arff, xml = write_mulan(dataset)
        return [xml, arff]
    if chosen == "meka":
        return [write_meka(dataset)]
    if chosen == "parquet":
        return [write_parquet(dataset)]
    if chosen == "libsvm":
        text = write_libsvm(dataset)
    else:
        text = write_csv(dataset, "\t" if chosen == "tsv" else ",")
    return [schema_of(dataset).to_json(), text]


def _packed(path: Path, content: bytes) -> bytes:
    return gzip.compress(content, mtime=0) if path.suffix == ".gz" else content
