"""One call that writes a data set so that it can be read back."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

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
        compresses. Files that exist are replaced, each in one step.
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
    chosen = format or _FORMATS.get(suffix_of(path.name), "")
    if chosen not in _FORMATS.values() and chosen != "meka":
        raise ValueError(
            f"cannot tell the format of {path.name!r} (format={format!r}); expected "
            f"format= one of {sorted({*_FORMATS.values(), 'meka'})} or the suffix "
            f"{', '.join(_FORMATS)}, perhaps followed by .gz"
        )
    dataset = to_arrays(dataset)
    check_categories(dataset)
    for suffix, content in _files(dataset, chosen).items():
        file = path
        if suffix:
            file = path.with_name(path.name.removesuffix(".gz")).with_suffix(suffix)
        _replace(file, content)


def _files(dataset: Dataset, chosen: str) -> dict[str, bytes]:
    """Return the content of each file by its suffix; "" is the file itself."""
    if chosen == "mulan":
        arff, xml = write_mulan(dataset)
        return {".xml": xml, "": arff}
    if chosen == "meka":
        return {"": write_meka(dataset)}
    if chosen == "parquet":
        return {"": write_parquet(dataset)}
    if chosen == "libsvm":
        text = write_libsvm(dataset)
    else:
        text = write_csv(dataset, "\t" if chosen == "tsv" else ",")
    return {".json": schema_of(dataset).to_json(), "": text}


def _replace(path: Path, content: bytes) -> None:
    """Write beside the file and move into its place: no half file is ever seen."""
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    scratch = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        scratch.write_bytes(content)
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)
