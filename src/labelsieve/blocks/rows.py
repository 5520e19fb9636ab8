"""Features and labels that come as Dask collections: rows in blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from labelsieve._utils.matrices import check_sparse
from labelsieve._utils.texts import amounts_in, refuse_other_amounts, warn_amounts
from labelsieve.blocks.engine import is_lazy, run, task
from labelsieve.reading import merge_words, resolve_categories, warn_nominal, words_in

Blocks = list[Any]

# Columns of a DataFrame that may be nominal, by the name of their type.
TEXT_OR_CATEGORY = ("object", "str", "large_string", "category", "dictionary")


@dataclass(frozen=True)
class LazyRows:
    """Blocks of rows of features, to be read by tasks, and the labels of all rows.

    Attributes
    ----------
    features : tasks that return an array, sparse matrix or DataFrame
    label_blocks : such tasks, None where the labels are in memory
    labels : as they were given
    n_features : number of columns
    categories : for each nominal column, its categories over all blocks
    """

    features: Blocks
    label_blocks: Blocks | None
    labels: Any
    n_features: int
    categories: dict[int, NDArray[Any]]


def open_rows(estimator: Any, X: Any, y: Any) -> LazyRows:
    """Open X and y; remember width and names on the estimator."""
    if not is_lazy(X):
        raise TypeError(
            "y is a Dask collection and X is not. Pass both as Dask collections, or "
            "both in memory: y.compute()."
        )
    remember_columns(estimator, X, reset=True)
    features = blocks_of(X, "X")
    label_blocks = blocks_of(y, "y") if is_lazy(y) else None
    categories = _all_categories(X, features)
    return LazyRows(features, label_blocks, y, estimator.n_features_in_, categories)


def remember_columns(estimator: Any, X: Any, *, reset: bool) -> None:
    """Set or check the width and the column names of the estimator."""
    if _is_frame(X) and X.ndim == 2:
        named = X._meta
    elif hasattr(X, "chunks") and X.ndim == 2 and not np.isnan(X.shape[1]):
        named = np.broadcast_to(0.0, (1, int(X.shape[1])))
    else:
        shape = getattr(X, "shape", None)
        raise ValueError(
            "Expected X as a 2-D Dask array with a known number of columns or as a "
            f"Dask DataFrame, got {type(X).__name__} of shape {shape}. Reshape your "
            "data, for example with X.reshape(-1, 1) for a single feature."
        )
    validate_data(estimator, named, reset=reset, skip_check_array=True)


def select_columns(X: Any, columns: NDArray[np.int64]) -> Any:
    """Some of the columns, lazily."""
    if _is_frame(X):
        return X[[X.columns[column] for column in columns]]
    whole = _one_column_chunk(X, "X")
    chunks = (whole.chunks[0], (columns.size,))
    return whole.map_blocks(_take, columns, dtype=X.dtype, chunks=chunks)


def _take(block: Any, columns: NDArray[np.int64]) -> Any:
    check_sparse(block, "X")
    return block[:, columns]


def _is_frame(data: Any) -> bool:
    return hasattr(data, "_meta") and hasattr(data, "columns")


def _one_column_chunk(X: Any, name: str) -> Any:
    if _is_frame(X) or len(X.chunks[1]) == 1:
        return X
    # Sparse blocks are looked through before Dask cuts them.
    sound = X.map_blocks(_checked, name, dtype=X.dtype, meta=X._meta)
    return sound.rechunk({1: -1})


def _checked(block: Any, name: str) -> Any:
    check_sparse(block, name)
    return block


def blocks_of(data: Any, name: str) -> Blocks:
    """Tasks that return the blocks of rows of a collection."""
    if not hasattr(data, "to_delayed") or getattr(data, "ndim", 2) > 2:
        raise TypeError(
            f"Expected {name} as a Dask array or DataFrame, got {type(data).__name__}."
        )
    if getattr(data, "ndim", 1) == 2 and hasattr(data, "chunks"):
        data = _one_column_chunk(data, name)
    # Blocks of X and y may come from the same task: keep it one, do not fuse it.
    options = {} if _is_frame(data) else {"optimize_graph": False}
    found = _listed(data.to_delayed(**options))
    if len(found) < data.npartitions:
        # Dask puts blocks of few columns together, which then match no others.
        found = _listed(data.to_delayed(optimize_graph=False))
    return found


def _listed(blocks: Any) -> Blocks:
    return list(np.ravel(np.asarray(blocks, dtype=object)))


def lengths_of(blocks: Blocks) -> tuple[int, ...]:
    """How many rows each block has, which is counted."""
    return tuple(map(int, run([block.shape[0] for block in blocks])))


def _all_categories(X: Any, blocks: Blocks) -> dict[int, NDArray[Any]]:
    """The categories of the nominal columns of a DataFrame, over all blocks."""
    if not _is_frame(X):
        return {}
    kinds = [str(kind) for kind in X._meta.dtypes]
    asked = [j for j, kind in enumerate(kinds) if kind.startswith(TEXT_OR_CATEGORY)]
    if not asked:
        return {}
    found = run([task(words_in, block, asked) for block in blocks])
    names, merged, amounts = list(X.columns), {}, {}
    for column, parts in zip(asked, zip(*found, strict=True), strict=True):
        name, words = names[column], merge_words(parts)
        categories = resolve_categories(name, words, warns=True)
        if categories is not None:
            merged[column] = categories
        elif read := amounts_in(words.counts):
            refuse_other_amounts(name, read, [part.counts for part in parts])
            amounts[name] = read
    warn_nominal(names, merged)
    warn_amounts(amounts)
    return merged
