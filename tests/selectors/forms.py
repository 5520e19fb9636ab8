"""One table and its labels in all forms that selectors take, and what they refuse."""

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp

from labelsieve import with_unknown


def _read_only_memmap(X, tmp_path_factory):
    path = tmp_path_factory.mktemp("memmap") / "X.npy"
    np.save(path, X)
    return np.load(path, mmap_mode="r")


CONTAINERS = {
    "Fortran order": lambda X, _: np.asfortranarray(X),
    "read-only memmap": _read_only_memmap,
    "negative strides": lambda X, _: X[::-1].copy()[::-1],
    "float32": lambda X, _: X.astype(np.float32),
    "float16": lambda X, _: X.astype(np.float16),
    "longdouble": lambda X, _: X.astype(np.longdouble),
    "int64": lambda X, _: X.astype(np.int64),
    "nested list": lambda X, _: X.tolist(),
    "CSR": lambda X, _: sp.csr_matrix(X),
    "CSR array": lambda X, _: sp.csr_array(X),
    "CSC": lambda X, _: sp.csc_matrix(X),
    "CSC array": lambda X, _: sp.csc_array(X),
    "COO": lambda X, _: sp.coo_matrix(X),
    "DOK": lambda X, _: sp.dok_matrix(X),
    "CSR with int64 indices": lambda X, _: _wide(X),
    "CSR with zeros and duplicates": lambda X, _: _messy(X),
    "pandas": lambda X, _: pd.DataFrame(X),
    "polars": lambda X, _: pl.DataFrame(X),
}
# Those that reach a method in a form of their own.
FEW_CONTAINERS = [
    "Fortran order",
    "read-only memmap",
    "float32",
    "CSR",
    "CSC",
    "pandas",
]


def _wide(X):
    table = sp.csr_matrix(X)
    table.indices = table.indices.astype(np.int64)
    table.indptr = table.indptr.astype(np.int64)
    return table


def _messy(X):
    """Every cell is stored twice as half its value, unsorted, zeros included."""
    n, d = X.shape
    rows, columns = np.divmod(np.arange(n * d)[::-1], d)
    table = sp.coo_matrix(
        (
            np.tile(X[rows, columns] / 2, 2),
            (np.tile(rows, 2), np.tile(columns, 2)),
        ),
        shape=X.shape,
    )
    start = np.arange(0, 2 * n * d + 1, 2 * d)
    order = np.lexsort((-table.col, table.row))
    return sp.csr_matrix((table.data[order], table.col[order], start), shape=X.shape)


LABELS = {
    "minus one and one": lambda Y: 2 * Y - 1,
    "bool": lambda Y: Y.astype(bool),
    "uint8": lambda Y: Y.astype(np.uint8),
    "objects": lambda Y: Y.astype(object),
    "float": lambda Y: Y.astype(float),
    "CSR": sp.csr_matrix,
    "CSC bool": lambda Y: sp.csc_matrix(Y.astype(bool)),
    "sparse array": lambda Y: sp.coo_array(Y),
    "nested list": lambda Y: Y.tolist(),
    "pandas": lambda Y: pd.DataFrame(Y).add_prefix("label"),
    "polars": lambda Y: pl.DataFrame(Y),
    "text": lambda Y: np.where(Y == 1, "yes", "no"),
    "sparse two": lambda Y: sp.csr_matrix(2 * Y),
}
FEW_LABELS = ["minus one and one", "CSR", "CSC bool", "text"]

# Twenty rows of two features, and one label.
X, Y = np.arange(40.0).reshape(20, 2) % 7, np.arange(20) % 2


def _with(value):
    changed = X.copy()
    changed[3, 1] = value
    return changed


# Tables with the same cells missing, the fourth and last of the first column.
_HOLES = np.isin(np.arange(20), (3, 19))
_HOLED = np.where(_HOLES[:, np.newaxis] & [True, False], np.nan, X)
MISSING = {
    "NaN": _HOLED,
    "None": np.where(np.isnan(_HOLED), None, _HOLED).tolist(),
    "objects": pd.DataFrame(_HOLED).convert_dtypes().to_numpy(dtype=object),
    "masked": np.ma.masked_array(X.astype(int), mask=np.isnan(_HOLED)),
    "CSR": sp.csr_matrix(_HOLED),
    "pandas": pd.DataFrame(_HOLED, columns=["a", "b"]),
    "NA in pandas": pd.DataFrame(_HOLED, columns=["a", "b"]).convert_dtypes(),
    "null in polars": pl.DataFrame(_HOLED, schema=["a", "b"]).fill_nan(None),
    "categories": pd.DataFrame(_HOLED, columns=["a", "b"]).astype(
        {"a": pd.CategoricalDtype(range(7))}
    ),
}

# Two labels with the same cells unknown; of the last row nothing is known.
_LABELS = np.column_stack([Y, np.arange(20) % 3 == 0]).astype(float)
_UNKNOWN = np.isin(np.arange(20), (3, 19))[:, np.newaxis] & [True, False]
_UNKNOWN |= np.isin(np.arange(20), (5, 19))[:, np.newaxis] & [False, True]
_LABELS[_UNKNOWN] = np.nan
UNKNOWN = {
    "NaN": _LABELS,
    "None": np.where(_UNKNOWN, None, _LABELS).tolist(),
    "objects": pd.DataFrame(_LABELS).convert_dtypes().to_numpy(dtype=object),
    "masked": np.ma.masked_array(np.nan_to_num(_LABELS).astype(int), mask=_UNKNOWN),
    "CSR": sp.csr_matrix(_LABELS),
    "pandas": pd.DataFrame(_LABELS),
    "NA in pandas": pd.DataFrame(_LABELS).convert_dtypes(),
    "null in polars": pl.DataFrame(_LABELS).fill_nan(None),
    "-1": with_unknown(np.where(_UNKNOWN, -1, _LABELS), -1),
    "-1 in pandas": with_unknown(pd.DataFrame(np.where(_UNKNOWN, -1, _LABELS)), -1),
}

REFUSED = {
    "infinity in X": (_with(np.inf), Y, ValueError, "contains infinity"),
    "NaN in y": (X, np.full(20, np.nan), ValueError, "y contains NaN"),
    "None in y": (X, [None] * 20, ValueError, "y contains NaN"),
    "infinity in y": (
        X,
        np.where(Y == 1, np.inf, 0),
        ValueError,
        "y contains inf",
    ),
    "no rows": (X[:0], Y[:0], ValueError, r"0 sample\(s\).*minimum of 2"),
    "one row": (X[:1], Y[:1], ValueError, r"1 sample.*minimum of 2"),
    "no columns": (X[:, :0], Y, ValueError, r"0 feature\(s\)"),
    "no labels": (X, np.empty((20, 0)), ValueError, "Found 0 labels"),
    "no sparse labels": (X, sp.csr_matrix((20, 0)), ValueError, "Found 0 labels"),
    "unequal lengths": (X, Y[:-1], ValueError, r"inconsistent.*20, 19"),
    "no y": (X, None, ValueError, "requires y to be passed"),
    "lists in cells": (
        X,
        pd.DataFrame({"a": [[1]] * 20, "b": [[2]] * 20}),
        ValueError,
        "y holds lists among its cells",
    ),
    "tags and text": (X, [["a"], "b"] * 10, ValueError, "'b' in another"),
    "missing tags": (X, [["a"], ["b", None]] * 10, ValueError, "a missing value among"),
    "tags in tags": (X, [["a"], ["b", ["c"]]] * 10, ValueError, "no text and no numb"),
    "packed columns": (
        X,
        pd.Series([[0, 1], [1, 1]] * 10),
        ValueError,
        r"lists of 2 numbers 0 and 1.*numpy.stack",
    ),
    "continuous y": (
        X,
        Y * 0.37,
        ValueError,
        "Unknown label type: continuous",
    ),
    "complex y": (X, Y * 1j, ValueError, "Unknown label type"),
    "3-D y": (X, np.zeros((20, 2, 2)), ValueError, "one column per label"),
    "3-D X": (X.reshape(20, 2, 1), Y, ValueError, "dim 3"),
    "1-D X": (X[:, 0], Y, ValueError, "1D array"),
    "complex X": (X * 1j, Y, ValueError, "Complex data not supported"),
    "lists": (
        pl.DataFrame({"a": [[1, 2]] * 20, "b": X[:, 0]}),
        Y,
        ValueError,
        r"'a' has dtype List\(Int64\): expected numbers.*leave it out",
    ),
    "arrays": (
        pd.DataFrame({"a": [X[0]] * 20, "b": X[:, 0]}),
        Y,
        TypeError,
        "'a' holds ndarray values",
    ),
    "text": (
        np.where(X > 3, "high", "low"),
        Y,
        ValueError,
        "could not convert",
    ),
    "duplicate names": (
        pd.DataFrame(X, columns=["a", "a"]),
        Y,
        ValueError,
        "duplicate|unique",
    ),
    "mixed names": (
        pd.DataFrame(X, columns=["a", 1]),
        Y,
        TypeError,
        "string",
    ),
}
