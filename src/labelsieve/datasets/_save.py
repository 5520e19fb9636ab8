"""Writes data sets as ARFF, CSV, LibSVM text and Parquet, to be read back."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
from scipy import sparse

from labelsieve._utils.machine import is_special, write_described, write_file
from labelsieve._utils.matrices import as_dense, span
from labelsieve.datasets._arff_header import SIGNATURE, quote
from labelsieve.datasets._dataset import Dataset, schema_of
from labelsieve.datasets._nominal import to_arrays
from labelsieve.datasets._parquet import write_parquet
from labelsieve.datasets._places import FORMATS, suffix_of

_WRITTEN = ("csv", "libsvm", "meka", "mulan", "parquet", "tsv")


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
        The file. The suffix gives the format (``.arff``, ``.csv``, ``.tsv``,
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
    Dataset('toy', 2 samples, 2 features, 2 labels, dense)
    """
    path = Path(path)
    files = files_written(path, format)
    chosen = _format_of(path, format)
    contents = _contents(dataset, chosen)
    if len(files) < len(contents):  # a device or a pipe
        if chosen == "mulan":
            raise ValueError(
                f"{path} takes one file and Mulan needs two: pass format='meka'"
            )
        files, contents = files[-1:], contents[-1:]
    data = contents[-1]
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    if len(files) == 1:
        write_file(path, data)
    else:
        write_described(path, data, files[0], contents[0])


def file_content(dataset: Dataset, format: str) -> bytes:
    """Return what `save` writes into the file of a data set, for a pipe."""
    return _contents(dataset, format)[-1]


def files_written(path: str | os.PathLike[str], format: str | None) -> list[Path]:
    """Return the file that `save` writes, and the one beside it, where there is one."""
    path = Path(path)
    chosen = _format_of(path, format)
    if chosen in ("meka", "parquet") or is_special(path):
        return [path]
    plain = path.with_name(path.name.removesuffix(".gz"))
    sidecar = plain.with_suffix(".xml" if chosen == "mulan" else ".json")
    if sidecar == path:
        raise ValueError(f"{path.name!r} is the name of the file of the description")
    return [sidecar, path]


def _format_of(path: Path, format: str | None) -> str:
    by_suffix = {suffix: name for suffix, name in FORMATS.items() if name != "json"}
    by_suffix[".arff"] = "mulan"
    chosen = format or by_suffix.get(suffix_of(path.name), "")
    if chosen not in _WRITTEN:
        raise ValueError(
            f"cannot infer the format of {path.name!r} (format={format!r}); expected "
            f"format= one of {list(_WRITTEN)} or the suffix {', '.join(by_suffix)}, "
            "perhaps followed by .gz"
        )
    return chosen


def _contents(dataset: Dataset, chosen: str) -> list[bytes]:
    """Return the content of each of the `files_written`, the data last."""
    dataset = to_arrays(dataset)
    _check_categories(dataset)
    if dataset.target_types and chosen in ("mulan", "meka", "libsvm"):
        raise ValueError(
            f"the format {chosen} holds labels only, and some targets are classes or "
            "numbers: use csv, tsv or parquet"
        )
    if chosen == "mulan":
        arff = _write_arff(dataset, dataset.name, labels_first=False)
        return [_write_xml(dataset), arff]
    if chosen == "meka":
        relation = f"{dataset.name}: -C {len(dataset.label_names)}"
        return [_write_arff(dataset, relation, labels_first=True)]
    if chosen == "parquet":
        return [write_parquet(dataset)]
    if chosen == "libsvm":
        text = write_libsvm(dataset)
    else:
        text = write_csv(dataset, "\t" if chosen == "tsv" else ",")
    return [schema_of(dataset).to_json(), text]


# XML 1.0 has no way to write these, not even escaped.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
# A cell that no reader takes for anything but text of its own line.
_PLAIN_CELL = re.compile(r"[A-Za-z0-9_.+-][^,;\t\"\r\n\0]*")
_XML_ESCAPES = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def write_csv(dataset: Dataset, delimiter: str) -> bytes:
    """Return features, then labels, below a line of names."""
    names = [*dataset.feature_names, *dataset.label_names]
    lines = [delimiter.join(map(_cell, names)) + "\n"]
    how = dataset.categories, _cell, schema_of(dataset).missing
    X = _rows(dataset.X, dataset.feature_names, *how)
    Y = _rows(dataset.Y, dataset.label_names, *how)
    for cells, labels in zip(X, Y, strict=True):
        lines.append(delimiter.join(text for _, text in cells + labels) + "\n")
    return "".join(lines).encode()


def write_libsvm(dataset: Dataset) -> bytes:
    """Return labels from 0 and features from 1, zeros left out."""
    X, Y = sparse.csr_array(dataset.X), sparse.csr_array(dataset.Y)
    if np.isnan(Y.data.sum()):
        raise ValueError(
            "LibSVM cannot hold labels that are not known; use another format"
        )
    lines = []
    for row in range(X.shape[0]):
        labels = ",".join(str(label) for label, _ in _row(Y, row))
        cells = [f"{column + 1}:{number_text(value)}" for column, value in _row(X, row)]
        # A row without anything would be a blank line, which is no row.
        lines.append(" ".join([labels, *(cells or ["1:0"])]) + "\n")
    return "".join(lines).encode()


def number_text(value: float) -> str:
    """Return the shortest text that is read back as the same number."""
    return repr(value).removesuffix(".0")


def _write_arff(dataset: Dataset, relation: str, labels_first: bool) -> bytes:
    kinds = {
        name: "{" + ",".join(map(quote, values)) + "}"
        for name, values in dataset.categories.items()
    }
    kinds |= dict.fromkeys(dataset.label_names, "{0,1}")
    sides = [(dataset.X, dataset.feature_names), (dataset.Y, dataset.label_names)]
    if labels_first:
        sides.reverse()
    lines = [f"{SIGNATURE}\n@relation {quote(relation)}\n\n"]
    for _, names in sides:
        declared = [(quote(name), kinds.get(name, "numeric")) for name in names]
        lines += [f"@attribute {name} {kind}\n" for name, kind in declared]
    lines.append("\n@data\n")
    is_sparse = sparse.issparse(dataset.X)
    how = dataset.categories, quote, "?", is_sparse
    first, second = (_rows(part, names, *how) for part, names in sides)
    width = sides[0][0].shape[1]
    for row, (cells, more) in enumerate(zip(first, second, strict=True)):
        cells += [(width + column, text) for column, text in more]
        if is_sparse:
            line = "{" + ",".join(f"{column} {text}" for column, text in cells) + "}"
        else:
            line = ",".join(text for _, text in cells)
        lines.append(line + _weight(dataset, row) + "\n")
    return "".join(lines).encode()


def _rows(
    table: Any,
    names: Sequence[str],
    categories: Mapping[str, tuple[str, ...]],
    quoted: Callable[[str], str],
    missing: str,
    only_stored: bool = False,
) -> Iterator[list[tuple[int, str]]]:
    """Columns and texts of the cells of each row."""
    words = [[*map(quoted, categories.get(name, ()))] for name in names]

    def text(column: int, value: float) -> str:
        if value != value:
            return missing
        return words[column][int(value)] if words[column] else number_text(value)

    for row in range(table.shape[0]):
        whole = [] if only_stored else as_dense(table[[row]])[0].tolist()
        cells = _row(table, row) if only_stored else enumerate(whole)
        yield [(column, text(column, value)) for column, value in cells]


def _cell(text: str) -> str:
    if _PLAIN_CELL.fullmatch(text):
        return text
    if "\0" in text:
        raise ValueError(f"CSV cannot hold the NUL of {text!r}; use another format")
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def _row(matrix: Any, row: int) -> Iterator[tuple[int, float]]:
    cells = span(matrix.indptr, row)
    columns, values = matrix.indices[cells], matrix.data[cells]
    return zip(columns.tolist(), values.tolist(), strict=True)


def _weight(dataset: Dataset, row: int) -> str:
    if dataset.weights is None:
        return ""
    return f",{{{number_text(float(dataset.weights[row]))}}}"


def _write_xml(dataset: Dataset) -> bytes:
    lines = ['<?xml version="1.0" encoding="utf-8"?>\n']
    lines.append('<labels xmlns="http://mulan.sourceforge.net/labels">\n')
    for name in dataset.label_names:
        if _NOT_XML.search(name):
            raise ValueError(f"XML cannot hold the label {name!r}; use format='meka'")
        escaped = escape(name, _XML_ESCAPES)
        lines.append(f'<label name="{escaped}"></label>\n')
    return "".join([*lines, "</labels>\n"]).encode()


def _check_categories(dataset: Dataset) -> None:
    """Refuse nominal values that are no position among their categories."""
    for index, name in enumerate(dataset.feature_names):
        if name not in dataset.categories:
            continue
        column = dataset.X[:, [index]]
        values = column.data if sparse.issparse(column) else column
        values = values[~np.isnan(values)]
        codes = np.arange(len(dataset.categories[name]))
        if not np.isin(values, codes).all():
            raise ValueError(
                f"feature {name!r} holds a value that is no position among its "
                f"{len(codes)} categories"
            )
