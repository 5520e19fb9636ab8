"""Tables, dense or sparse: lists and blocks of them, and what is wrong with them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._utils.typing import IndexArray, IntArray, Matrix

# Sparse tables are worked on in this many blocks, fewer where there are few cells.
MOST_BLOCKS = 8
CELLS_PER_BLOCK = 250_000


def as_dense(table: Matrix) -> NDArray[Any]:
    """The table as an array: itself if it is one."""
    return table.toarray() if sp.issparse(table) else table


def as_csr(table: Matrix) -> Any:
    """The table as CSR: itself if it is sparse."""
    if sp.issparse(table):
        return table
    # Several times as quick as SciPy, which goes by rows and columns.
    (n_rows, n_columns), cells = table.shape, np.flatnonzero(table != 0)
    start = np.searchsorted(cells, before := n_columns * np.arange(n_rows + 1))
    data, columns = table.ravel()[cells], cells - np.repeat(before[:-1], np.diff(start))
    return sp.csr_matrix((data, columns, start), shape=table.shape)


class IndexLists(NamedTuple):
    """Lists of indices, one after the other: those of each row, rows of each label."""

    start: IntArray  # [lists + 1] where each list begins
    entries: IndexArray  # of all lists


def span(start: NDArray[Any], item: int) -> slice:
    """Where the entries of one item stand, of those that begin at `start`."""
    return slice(int(start[item]), int(start[item + 1]))


def slices_of(n: int, step: int) -> list[slice]:
    """Cut n items into ranges of `step`, the last one shorter."""
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def row_blocks(table: sp.csr_matrix) -> list[slice]:
    """Ranges of rows with about as many stored cells each; not of the threads' number.

    What is counted in blocks can be added up in their order, whoever counted.
    """
    return even_blocks(table.indptr)


def even_blocks(start: NDArray[Any]) -> list[slice]:
    """The same from where the cells of each row begin."""
    n_blocks = min(MOST_BLOCKS, int(start[-1]) // CELLS_PER_BLOCK)
    if n_blocks < 2:
        return [slice(0, start.size - 1)]
    cells = np.linspace(0, start[-1], n_blocks + 1)[1:-1]
    edges = np.searchsorted(start, cells).tolist()
    return [slice(*ends) for ends in pairwise([0, *edges, start.size - 1])]


def stored_cells(table: sp.csr_matrix, rows: slice) -> slice:
    """Where the stored cells of a range of rows stand."""
    return slice(int(table.indptr[rows.start]), int(table.indptr[rows.stop]))


def open_sparse(table: Any, name: str) -> Any:
    """A sparse table as CSR, looked through before anything follows its indices.

    `name` is what the table is called in the error for wrong indices. The table that
    was passed stays as it is.
    """
    check_sparse(table, name)
    table = table.tocsr()
    # A new object: marks that SciPy made earlier may no longer be true.
    n_stored = int(table.indptr[-1])
    cells = table.data[:n_stored], table.indices[:n_stored], table.indptr
    return type(table)(cells, shape=table.shape)


def merge_repeats(table: Any) -> Any:
    """The CSR table, or a copy, with sorted rows in which each cell is stored once."""
    if not table.has_canonical_format:
        table = table.copy()
        table.sum_duplicates()
    return table


def stacked(blocks: list[Any]) -> Any:
    """Blocks of rows, tables of one kind, one below the other."""
    if hasattr(blocks[0], "iloc"):
        import pandas as pd

        return pd.concat(blocks)
    if all(map(sp.issparse, blocks)):
        return sp.vstack(blocks, format="csr")
    return np.concatenate([as_dense(block) for block in blocks])


def check_sparse(table: Any, name: str) -> None:
    """Raise for a sparse table with wrong indices, and for tables nobody reads.

    `name` is what the table is called in the error.
    """
    refuse_others(table, name)
    if not sp.issparse(table):
        return
    if table.ndim != 2:
        raise ValueError(
            f"{name} is a sparse array with {table.ndim} dimension(s); expected one "
            "row per sample and one column per feature or label."
        )
    try:
        fault = _fault(table)
    except (ArithmeticError, IndexError, TypeError, ValueError) as error:
        fault = str(error)
    if fault is not None:
        raise ValueError(
            f"{name} is a broken sparse matrix ({table.format.upper()} of shape "
            f"{table.shape}): {fault}. Rebuild it, for example from its dense form."
        )


def refuse_others(table: Any, name: str) -> None:
    """TypeError for kinds of tables that are not read as they are, with the way out."""
    if sp.issparse(table):
        if table.dtype.kind in "OUSV":
            raise TypeError(
                f"{name} is a sparse matrix of {table.dtype} cells; expected numbers. "
                f"Pass {name}.astype(float)."
            )
    elif hasattr(table, "to_scipy_sparse"):  # of the package sparse
        kind = f"{type(table).__module__.partition('.')[0]}.{type(table).__name__}"
        raise TypeError(
            f"{name} is a {kind}; expected an array, a SciPy sparse matrix or a "
            f"DataFrame. Pass {name}.to_scipy_sparse()."
        )
    elif type(table).__name__ == "LazyFrame" and hasattr(table, "collect"):
        raise TypeError(
            f"{name} is a LazyFrame, which is not computed yet. Pass {name}.collect()."
        )
    elif isinstance(table, np.ndarray) and table.dtype.names is not None:
        fields = ", ".join(map(repr, table.dtype.names[:5]))
        raise TypeError(
            f"{name} is a structured array with the fields {fields}; expected one "
            f"column each. Pass pandas.DataFrame({name})."
        )


def _fault(table: Any) -> str | None:
    """What is wrong with the arrays of a sparse table, None where nothing is."""
    lengths = "its arrays have different lengths"
    if table.format in ("csr", "csc", "bsr"):
        return _fault_of_compressed(table)
    if table.format == "dia":
        if table.offsets.size != table.data.shape[0]:
            return lengths
        return _fault_of_index(table.offsets + table.shape[0], sum(table.shape) + 1)
    if table.format == "lil" and [*map(len, table.rows)] != [*map(len, table.data)]:
        return lengths
    table = table.tocoo()
    if not table.row.shape == table.col.shape == table.data.shape:
        return lengths
    pairs = zip((table.row, table.col), table.shape, strict=True)
    return next(filter(None, (_fault_of_index(*pair) for pair in pairs)), None)


def _fault_of_compressed(table: Any) -> str | None:
    start, index = table.indptr, table.indices
    shape = np.array(table.shape) // getattr(table, "blocksize", 1)
    n_lines, bound = shape[::-1] if table.format == "csc" else shape
    for part in (start, index):
        if part.ndim != 1 or part.dtype.kind not in "iu":
            return "its indices are no list of whole numbers"
    rises = start.size == n_lines + 1 and bool((start[1:] >= start[:-1]).all())
    if not rises or start[0] != 0 or start[-1] > index.size:
        return (
            f"indptr must have {n_lines + 1} entries that rise from 0 to at most the "
            f"{index.size} stored cells"
        )
    if index.size != table.data.shape[0]:
        return "its arrays have different lengths"
    return _fault_of_index(index[: start[-1]], bound)


def _fault_of_index(index: NDArray[Any], bound: int) -> str | None:
    if index.size and not 0 <= index.min() <= index.max() < bound:
        return f"indices reach from {index.min()} to {index.max()}, not below {bound}"
    return None
