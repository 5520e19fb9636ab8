"""Random features and labels in every form that users come up with."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[Any]

HEIGHTS = (0, 1, 2, 2, 3, 3, *(5,) * 4, *(12,) * 6, *(30,) * 6)
WIDTHS = (0, *(1, 2) * 3, *(4, 9) * 6)


def cells(rng: random.Random, height: int, width: int) -> Array:
    """Numbers of one kind, or of another kind in each column."""
    if width and rng.random() < 0.3:
        columns = [cells(rng, height, 1) for _ in range(width)]
        return np.hstack(columns)
    made = np.random.default_rng(rng.randrange(2**32))
    shape = (height, width)
    kinds: list[Callable[[], Array]] = [
        lambda: made.integers(0, 2, shape).astype(float),
        lambda: made.integers(0, 2, shape).astype(float),
        lambda: made.integers(-3, 4, shape).astype(float),
        lambda: made.normal(size=shape),
        lambda: made.normal(size=shape),
        lambda: np.full(shape, rng.choice((0.0, 1.0, -2.5))),
        lambda: made.normal(size=shape) * rng.choice((1e-320, 1e-160, 1e160, 1e307)),
        lambda: made.integers(0, 2, shape) * rng.choice((1e-320, 1e308)),
        lambda: made.normal(size=shape) + 1e12,
        lambda: np.repeat(made.normal(size=(1, width)), height, axis=0),
    ]
    if rng.random() < 0.01:
        return np.where(made.random(shape) < 0.1, rng.choice(BAD), 1.0)
    return rng.choice(kinds)()


BAD = (np.nan, np.inf, -np.inf)
TYPES = ("f8",) * 12 + ("f4", "f2", "i1", "u1", "i4", "i8", "u8", "?")
ODD_TYPES = ("O", "O", "U8", "c16")
SPARSE = ("csr", "csr", "csc", "coo", "lil", "dok", "dia", "bsr")


def typed(rng: random.Random, values: Array) -> Array:
    """The same numbers, roughly, in another type."""
    dtype = np.dtype(rng.choice(TYPES if rng.random() < 0.95 else ODD_TYPES))
    with np.errstate(all="ignore"):
        if dtype.kind in "iu?":
            values = np.nan_to_num(values, posinf=5, neginf=5)
            values = np.clip(values, 0 if dtype.kind != "i" else -9, 9)
        return values.astype(dtype)


def laid_out(rng: random.Random, values: Array) -> Any:
    """The same numbers in another order of memory or number of dimensions."""
    kind = rng.randrange(24)
    if kind == 0:
        return np.asfortranarray(values)
    if kind == 1:
        return np.repeat(values, 2, axis=0)[::2]
    if kind == 2:
        return values[::-1, ::-1]
    if kind == 3:
        values = values.copy()
        values.flags.writeable = False
        return values
    if kind == 4 and rng.random() < 0.5:
        return values.ravel()
    if kind == 5 and rng.random() < 0.5:
        return values[:, :, None]
    if kind == 6 and values.size and rng.random() < 0.5:
        return values.ravel()[0]
    if kind == 7:
        return np.ma.masked_array(values, mask=rng.random() < 0.5)
    if kind == 8:
        return values.astype(values.dtype.newbyteorder())
    return values


def sparse(rng: random.Random, values: Array) -> Any:
    """The same numbers in a sparse format, sometimes with repeats or zeros."""
    if values.ndim != 2 or values.dtype.kind not in "biuf" or values.dtype == "f2":
        return values
    table = (sp.csr_array if rng.random() < 0.5 else sp.csr_matrix)(values)
    if rng.random() < 0.1:
        table.data[: rng.randrange(3)] = 0
    if table.nnz and rng.random() < 0.05:
        spoil(rng, table)
        return table
    if rng.random() < 0.1:
        table = sp.csr_array(
            (table.data, table.indices.astype("i8"), table.indptr.astype("i8")),
            shape=table.shape,
        )
    return table.asformat(rng.choice(SPARSE))


def spoil(rng: random.Random, table: Any) -> None:
    """Write a wrong number into the arrays of a sparse table."""
    part = rng.choice([table.indices, table.indptr])
    part[rng.randrange(part.size)] = rng.choice((-1, 10**6, 0, table.shape[1]))


def frame(rng: random.Random, values: Array) -> Any:
    """The same numbers as a table, sometimes with text, categories or dates."""
    if values.ndim != 2 or values.dtype.kind == "c":
        return values
    names: list[Any] = [f"x{j}" for j in range(values.shape[1])]
    if rng.random() < 0.1:
        names = (
            names[:-1] + names[:1] if rng.random() < 0.5 else list(range(len(names)))
        )
    table = pd.DataFrame(np.asarray(values), columns=names)
    if len(table) and len(names) and rng.random() < 0.3:
        position = rng.randrange(len(names))
        table.isetitem(position, column(rng, len(table)))
    if rng.random() < 0.3:
        try:
            return pl.from_pandas(table)
        except Exception:  # not every table of pandas is one of polars
            return table
    return table


def column(rng: random.Random, height: int) -> Any:
    """A column that is no plain number."""
    texts = [rng.choice("abc") for _ in range(height)]
    kinds: list[Callable[[], Any]] = [
        lambda: texts,
        lambda: pd.Categorical(texts, categories=list("abcd")),
        lambda: pd.Series(range(height), dtype="Int64"),
        lambda: pd.Series([None, *texts][:height], dtype=object),
        lambda: pd.date_range("2020", periods=height),
        lambda: pd.Series([text == "a" for text in texts], dtype="boolean"),
        lambda: [[text] for text in texts],
        lambda: [1, *texts][:height],
        lambda: [10**400, *range(height)][:height],
    ]
    return rng.choice(kinds)()


def features(rng: random.Random, height: int, width: int) -> Any:
    """Features in any container."""
    values = typed(rng, cells(rng, height, width))
    kind = rng.randrange(10)
    if kind < 3:
        return sparse(rng, values)
    if kind < 5:
        return frame(rng, values)
    if kind == 5:
        return rng.choice([values.tolist(), tuple(map(tuple, values.tolist()))])
    if kind == 6 and rng.random() < 0.5 and values.dtype.kind in "fiub" and height:
        return da.from_array(values, chunks=(max(1, height // 2), -1))
    if kind == 7 and rng.random() < 0.1:
        return rng.choice(ODD)
    return laid_out(rng, values)


ODD: list[Any] = [None, "text", 3, {"a": [1, 2]}, [[1, 2], [3]], np.array(5), [], {}]


def labels(rng: random.Random, height: int, n_labels: int) -> Any:
    """Labels in any form, mostly 0 and 1."""
    made = np.random.default_rng(rng.randrange(2**32))
    flags = (made.random((height, n_labels)) < rng.choice((0.1, 0.5, 0.9))).astype(int)
    plain: list[Callable[[], Any]] = [
        lambda: flags,
        lambda: flags.astype(rng.choice(["?", "f8", "u1", "i1", "f4", "O", "i8"])),
        lambda: np.asfortranarray(flags),
        lambda: flags.tolist(),
        lambda: sparse(rng, flags.astype(rng.choice(["f8", "u1", "i8", "?"]))),
        lambda: sparse(rng, flags),
        lambda: pd.DataFrame(flags),
        lambda: pd.DataFrame(flags, columns=[f"y{j}" for j in range(n_labels)]),
        lambda: flags[:, 0] if n_labels else flags,
    ]
    other: list[Callable[[], Any]] = [
        lambda: flags * 2 - 1,
        lambda: flags + 1,
        lambda: np.where(flags, "yes", "no"),
        lambda: np.where(flags[:, :1], "yes", "no"),
        lambda: made.integers(0, 4, flags.shape),
        lambda: made.integers(0, 4, height),
        lambda: made.choice(["a", "b", "c"], height),
        lambda: sparse(rng, made.integers(0, 3, flags.shape)),
        lambda: sparse(rng, made.integers(0, 3, (height, 1))),
        lambda: flags * 0,
        lambda: flags * 0 + 1,
        lambda: made.normal(size=flags.shape),
        lambda: np.where(made.random(flags.shape) < 0.1, np.nan, flags),
        lambda: [["a", "b"][: rng.randrange(3)] for _ in range(height)],
        lambda: [set("ab") for _ in range(height)],
        lambda: np.where(flags, None, 1),
        lambda: pl.DataFrame(flags),
        lambda: pd.Series(flags[:, 0] if n_labels else made.normal(size=height)),
        lambda: pd.DataFrame({"a": made.choice(["u", "v"], height), "b": 1}),
        lambda: flags[:, :, None],
        lambda: flags[:-1],
        lambda: flags + 1j,
        lambda: laid_out(rng, flags),
        lambda: da.from_array(flags) if flags.size else flags,
        lambda: rng.choice(ODD),
    ]
    return rng.choice(plain if rng.random() < 0.75 else other)()


def table_and_labels(rng: random.Random) -> tuple[Any, Any]:
    """Features and labels of mostly the same number of rows."""
    height = rng.choice(HEIGHTS)
    other = rng.choice(HEIGHTS) if rng.random() < 0.03 else height
    X = features(rng, height, rng.choice(WIDTHS))
    return X, labels(rng, other, rng.choice((0, *(1, 2, 3) * 6, 6)))


def told(value: Any) -> str:
    """What a table is, in a few words."""
    if sp.issparse(value):
        return f"{type(value).__name__} {value.dtype} {value.shape}"
    if hasattr(value, "shape"):
        dtype = getattr(value, "dtype", "")
        return f"{type(value).__module__.split('.')[0]} {dtype} {value.shape}"
    return f"{type(value).__name__} {repr(value)[:50]}"


def stored(value: Any) -> list[bytes]:
    """The bytes of an array or of the arrays of a sparse table."""
    names = ("data", "indices", "indptr", "row", "col", "offsets")
    found = [getattr(value, name, None) for name in names] if sp.issparse(value) else []
    arrays = [part for part in (*found, value) if isinstance(part, np.ndarray)]
    plain = [np.ma.getdata(array) for array in arrays if array.dtype.kind != "O"]
    return [array.tobytes() for array in plain]
