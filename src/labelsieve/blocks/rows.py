"""Features and labels that come as Dask collections: rows in matching blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from labelsieve._utils.matrices import check_sparse
from labelsieve._utils.texts import (
    amounts_in,
    refuse_other_amounts,
    warn_amounts,
)
from labelsieve.blocks.engine import is_lazy, run, task, value
from labelsieve.reading import (
    LIST_TYPES,
    distinct_tags,
    label_names,
    merge_words,
    open_sparse,
    read_tags,
    resolve_categories,
    rows_of_column,
    tag_table,
    tags_in,
    warn_nominal,
    words_in,
)

Blocks = list[Any]

# Columns of a DataFrame that may be nominal, by the name of their type.
TEXT_OR_CATEGORY = ("object", "str", "large_string", "category", "dictionary")


@dataclass(frozen=True)
class LazyRows:
    """Blocks of the same rows of features and labels, to be read by tasks.

    Attributes
    ----------
    features, labels : tasks that return an array, sparse matrix or DataFrame
    n_features : number of columns
    label_names : how to call the labels, None for their numbers
    categories : for each nominal column, its categories over all blocks
    """

    features: Blocks
    labels: Blocks
    n_features: int
    label_names: Sequence[Any] | None
    categories: dict[int, NDArray[Any]]


def open_rows(estimator: Any, X: Any, y: Any) -> LazyRows:
    """Match the blocks of X and y; remember width and names on the estimator."""
    if not is_lazy(X):
        raise TypeError(
            "y is a Dask collection and X is not. Pass both as Dask collections, or "
            "both in memory: y.compute()."
        )
    remember_columns(estimator, X, reset=True)
    features = blocks_of(X, "X")
    lengths = _lengths(X)
    names = label_names(y) if _is_frame(y) or not is_lazy(y) else None
    if not is_lazy(y):
        tags = read_tags(y)
        if tags is not None:
            y, names = tags.table, tags.names
        labels = _cut_rows(y, lengths or lengths_of(features))
    else:
        labels = _matching_blocks(X, y, lengths)
        labels, names = _tags_as_columns(y, labels) or (labels, names)
    if len(labels) != len(features):
        raise ValueError(
            f"X comes in {len(features)} blocks of rows and y in {len(labels)}, and "
            "without known lengths they cannot be matched. Make the lengths known, "
            "for example with compute_chunk_sizes() or to_dask_array(lengths=True)."
        )
    categories = _all_categories(X, features)
    return LazyRows(features, labels, estimator.n_features_in_, names, categories)


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
    return _sound(X, name).rechunk({1: -1})


def _sound(data: Any, name: str) -> Any:
    """The same collection, whose sparse blocks are looked through before Dask cuts."""
    return data.map_blocks(_checked, name, dtype=data.dtype, meta=data._meta)


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


def _lengths(data: Any) -> tuple[int, ...] | None:
    """The number of rows of each block, None where Dask does not know it."""
    if not hasattr(data, "chunks") or np.isnan(sum(data.chunks[0])):
        return None
    return tuple(data.chunks[0])


def lengths_of(blocks: Blocks) -> tuple[int, ...]:
    """How many rows each block has, which is counted."""
    return tuple(run([task(_n_rows, block) for block in blocks]))


def _n_rows(block: Any) -> int:
    return int(block.shape[0])


def _matching_blocks(X: Any, y: Any, lengths: tuple[int, ...] | None) -> Blocks:
    """The blocks of y, cut like those of X where both lengths are known."""
    y_lengths = _lengths(y)
    if lengths is not None and y_lengths is not None:
        _refuse_other_length(sum(lengths), sum(y_lengths))
        if lengths != y_lengths:
            y = _sound(y, "y").rechunk({0: lengths})
    return blocks_of(y, "y")


def _cut_rows(y: Any, lengths: tuple[int, ...]) -> Blocks:
    """Labels in memory, cut into blocks of the given lengths."""
    if sp.issparse(y):
        y, _ = open_sparse(y, "y")
    elif not hasattr(y, "iloc"):
        y = np.asarray(y)
        if y.ndim == 0:
            raise TypeError(f"y should have one row per row of X, got {y.item()!r}.")
    _refuse_other_length(sum(lengths), y.shape[0])
    ends = np.cumsum(lengths)
    rows = y.iloc if hasattr(y, "iloc") else y
    return [
        task(_itself, rows[end - length : end])
        for end, length in zip(ends, lengths, strict=True)
    ]


def _tags_as_columns(y: Any, blocks: Blocks) -> tuple[Blocks, list[Any]] | None:
    """Blocks with a column for each tag of all blocks, where these are of tags."""
    if not _may_hold_tags(y):
        return None
    found = run([task(tags_in, block) for block in blocks])
    parts = [part for part in found if part is not None]
    if not parts:
        return None
    names = distinct_tags(parts)
    shared = value(names)
    texts = [str(name) for name in names]
    return [task(_tags_of, block, shared) for block in blocks], texts


def _may_hold_tags(y: Any) -> bool:
    kinds = list(y.dtypes) if getattr(y, "ndim", 1) == 2 and _is_frame(y) else [y.dtype]
    return len(kinds) == 1 and str(kinds[0]).startswith(LIST_TYPES)


def _tags_of(block: Any, names: list[Any]) -> Any:
    return tag_table(rows_of_column(block), names).table


def _itself(block: Any) -> Any:
    return block


def _refuse_other_length(n_x: int, n_y: int) -> None:
    if n_x != n_y:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"[{n_x}, {n_y}]"
        )


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
