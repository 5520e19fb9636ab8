"""Data sets that stay on disk: blocks of rows that Dask reads when they are needed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labelsieve._utils.machine import is_special
from labelsieve._utils.matrices import stacked
from labelsieve._utils.messages import need, warn
from labelsieve.datasets._columns import Labels
from labelsieve.datasets._dataset import NumberedNames, Schema, read_schema
from labelsieve.datasets._libsvm import HEADER, LibsvmRows
from labelsieve.datasets._parquet import open_frames
from labelsieve.datasets._places import (
    DEFAULT_MAX_BYTES,
    NOT_A_FILE,
    FormatError,
    fault,
    read_text,
    refuse_implausible,
)

PARQUET = (".parquet", ".pq")
LIBSVM = (".libsvm", ".svm", ".svmlight", ".txt")


@dataclass(frozen=True, eq=False)
class LazyDataset:
    """Features and labels as Dask collections with the same blocks of rows.

    Parameters
    ----------
    X, Y : dask array or DataFrame
        Features and labels; a block is read when it is computed.
    feature_names, label_names : sequence of str
        The names, in the order of the columns.
    name : str
        What the data set is called.

    Examples
    --------
    >>> import dask.array as da
    >>> from labelsieve.datasets._lazy import LazyDataset
    >>> data = LazyDataset(da.ones((9, 2)), da.ones((9, 1)), ["a", "b"], ["c"])
    >>> X, Y = data
    """

    X: Any
    Y: Any
    feature_names: Sequence[str]
    label_names: Sequence[str]
    name: str = "data"

    def __iter__(self) -> Iterator[Any]:
        yield self.X
        yield self.Y


def open_lazy(
    path: str | os.PathLike[str],
    *,
    labels: Labels = None,
    separator: str | None = None,
    n_features: int | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> LazyDataset:
    """Open Parquet, zarr or LibSVM files that may be larger than memory.

    Parameters
    ----------
    path : str or path
        A Parquet file or a folder of them; a zarr group with the arrays ``X`` and
        ``Y``; a folder of LibSVM files (also ``.gz``), each of which is one block.
    labels : int, str or sequence of str, optional
        Which columns of Parquet files are labels: n for the first n, -n for the
        last n, a string for all names that start with it, a sequence for these
        names. Files that :func:`save` wrote say it themselves. For other LibSVM
        files without a first line of counts: the number of labels.
    separator : str, optional
        What stands between two tags, where the label of Parquet files is a column of
        text such as ``"red;green"``; a column of lists needs none.
    n_features : int, optional
        The number of features of LibSVM files without a first line of counts,
        counted from 1. By default all files are read once to find it.
    max_bytes : int, default=4 GiB
        LibSVM files that are larger, once unpacked, are refused: use more files.

    Returns
    -------
    LazyDataset
        ``X, Y = open_lazy(path)`` works too.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from labelsieve.datasets._lazy import open_lazy
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in ("a.svm", "b.svm"):
    ...         text = "2 3 2\\n0,1 0:1 2:5\\n1 1:2\\n"
    ...         _ = (pathlib.Path(folder) / part).write_text(text)
    ...     X, Y = open_lazy(folder)
    ...     Y.compute().toarray().tolist()
    [[1, 1], [0, 1], [1, 1], [0, 1]]
    """
    need("dask.array", "data larger than memory", "dask")
    place = Path(path)
    if not place.exists():
        raise FileNotFoundError(f"there is no file or folder {os.fspath(path)!r}")
    if any((place / mark).is_file() for mark in ("zarr.json", ".zgroup")):
        from labelsieve.datasets._zarr_blocks import open_arrays

        return LazyDataset(*open_arrays(place), place.stem)
    files = _files_in(place)
    parquet = [file for file in files if file.suffix.lower() in PARQUET]
    if parquet:
        return LazyDataset(*open_frames(parquet, labels, separator), place.stem)
    if separator is not None:
        raise ValueError("separator= is for text in Parquet files")
    texts = [
        file for file in files if file.name.lower().removesuffix(".gz").endswith(LIBSVM)
    ]
    if texts:
        return _open_libsvm(place, texts, labels, n_features, max_bytes)
    found = "no Parquet, zarr or LibSVM files are in the folder"
    if not place.is_dir():
        found = "expected Parquet or LibSVM (.svm, .libsvm, .txt, also with .gz)"
    reason = f"{found}; other formats are read into memory, or converted first"
    raise fault(str(place), reason)


def _files_in(place: Path) -> list[Path]:
    """The files of a folder, and those of Parquet folders in it; or the file itself."""
    if is_special(place):
        raise fault(str(place), NOT_A_FILE)
    if not place.is_dir():
        return [place]
    found: list[Path] = []
    for entry in sorted(place.iterdir()):
        if entry.is_dir() and entry.suffix.lower() in PARQUET:
            found += sorted(file for file in entry.iterdir() if file.is_file())
        elif entry.is_file():
            found.append(entry)
    return found


def _open_libsvm(
    place: Path,
    files: list[Path],
    labels: Labels,
    n_features: int | None,
    max_bytes: int,
) -> LazyDataset:
    import dask
    import dask.array as da

    names: tuple[Sequence[str], Sequence[str]]
    paths = [str(file) for file in files]
    described = None if labels is not None else _sidecar_description(files[0])
    if described is not None:
        first, names = 1, (described.features, described.labels)
    else:
        first, *widths = _shape_of(paths, labels, n_features, max_bytes)
        names = (
            NumberedNames("f", first, widths[0]),
            NumberedNames("label", 0, widths[1]),
        )
    read = dask.delayed(_read_block, pure=False, nout=2)
    shape = first, *map(len, names)
    blocks = [read(path, shape, max_bytes) for path in paths]
    parts = []
    for part, kind in enumerate((np.float64, np.uint8)):
        meta = sparse.csr_matrix((0, 0), dtype=kind)
        columns = [
            da.from_delayed(block[part], shape=(np.nan, len(names[part])), meta=meta)
            for block in blocks
        ]
        parts.append(da.concatenate(columns, allow_unknown_chunksizes=True))
    X, Y = parts
    return LazyDataset(X, Y, names[0], names[1], place.stem)


def _sidecar_description(file: Path) -> Schema | None:
    """What `save` wrote beside the first LibSVM file."""
    plain = file.with_suffix("") if file.suffix.lower() == ".gz" else file
    sidecar = plain.with_suffix(".json")
    if not sidecar.is_file():
        return None
    described = read_schema(sidecar.read_bytes(), str(sidecar))
    if any(len(values) > 2 for values in described.categories.values()):
        warn(
            f"{sidecar}: nominal features in LibSVM files are taken as numbers; "
            "Parquet files keep them nominal"
        )
    return described


def _shape_of(
    paths: list[str], labels: Labels, n_features: int | None, max_bytes: int
) -> tuple[int, int, int]:
    """First number of a feature, numbers of features and labels.

    From the first lines, or the caller.
    """
    data = read_text(paths[0], max_bytes)
    header = HEADER.match(data)
    if header is not None:
        _, features, found = map(int, header.groups())
        refuse_implausible(features, "features", len(data), paths[0])
        refuse_implausible(found, "labels", len(data), paths[0])
        return 0, features, found
    if not isinstance(labels, int | np.integer) or labels < 1:
        reason = "the number of labels is not known; pass labels=, their number"
        raise fault(paths[0], reason)
    if n_features is not None:
        return 1, int(n_features), int(labels)
    from labelsieve.blocks import run, task

    found_in = run([task(_numbers_in, path, max_bytes) for path in paths])
    first = 0 if any(has_zero for _, has_zero in found_in) else 1
    largest = max(last for last, _ in found_in)
    return first, largest + 1 - first, int(labels)


def _numbers_in(path: str, max_bytes: int) -> tuple[int, bool]:
    """The largest number of a feature, and whether there is a 0."""
    rows = LibsvmRows(read_text(path, max_bytes), path)
    return rows.largest, rows.has_zero


def _read_block(
    path: str, shape: tuple[int, int, int], max_bytes: int
) -> tuple[Any, Any]:
    rows = LibsvmRows(read_text(path, max_bytes), path)
    if rows.header is not None:
        expected = len(rows.X.counts), *shape[1:]
        if rows.header != expected:
            n_rows, n_features, n_labels = rows.header
            reason = (
                f"the first line says {n_rows} rows, {n_features} features and "
                f"{n_labels} labels; expected {expected[0]}, {expected[1]} and "
                f"{expected[2]}, as in the first file"
            )
            raise FormatError(path, 1, 1, reason)
    X, Y = rows.numbered(*shape)
    return sparse.csr_matrix(X), sparse.csr_matrix(Y, dtype=np.uint8)


def sample_rows(
    X: Any, Y: Any, n_rows: int, *, random_state: int | None = None
) -> tuple[Any, Any]:
    """Draw rows of Dask collections, each at most once, into memory.

    For methods that need all rows at once and take no Dask collections. GMBA, SPEC
    and MLRF do, with `n_anchors`, which is the better estimate; the page on scaling
    says how good both are.

    Parameters
    ----------
    X, Y : dask array or DataFrame
        Features and labels with the same blocks of rows.
    n_rows : int
        How many rows to draw; all of them where there are not so many.
    random_state : int or None, default=None
        Seed. The same seed draws the same rows, however they are divided into
        blocks.

    Returns
    -------
    X, Y : array, CSR matrix or DataFrame
        The rows, in their order.

    Examples
    --------
    >>> import dask.array as da
    >>> from labelsieve.datasets._lazy import sample_rows
    >>> X, Y = sample_rows(da.ones((90, 4)), da.ones((90, 2)), 10, random_state=0)
    >>> X.shape, Y.shape
    ((10, 4), (10, 2))
    """
    from labelsieve.blocks import blocks_of, lengths_of, run, task

    x_blocks, y_blocks = blocks_of(X, "X"), blocks_of(Y, "Y")
    lengths, y_lengths = lengths_of(x_blocks), lengths_of(y_blocks)
    if lengths != y_lengths:
        raise ValueError(
            f"the blocks of X have {list(lengths)} rows and those of Y "
            f"{list(y_lengths)}; rechunk one like the other."
        )
    ends = np.cumsum(lengths)
    rng = np.random.default_rng(random_state)
    total = int(ends[-1])
    drawn = np.sort(rng.choice(total, min(n_rows, total), replace=False))
    edges = np.searchsorted(drawn, np.concatenate([[0], ends]))
    parts = []
    for number, (x, y) in enumerate(zip(x_blocks, y_blocks, strict=True)):
        rows = drawn[edges[number] : edges[number + 1]]
        if rows.size:
            rows = rows - (ends[number] - lengths[number])
            parts += [task(_take, x, rows), task(_take, y, rows)]
    found = run(parts)
    return stacked(found[::2]), stacked(found[1::2])


def _take(block: Any, rows: NDArray[np.int64]) -> Any:
    return block.iloc[rows] if hasattr(block, "iloc") else block[rows]
