"""A sample of rows in memory, for methods that need all rows at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def sample_rows(
    X: Any, Y: Any, n_rows: int, *, random_state: int | None = None
) -> tuple[Any, Any]:
    """Draw rows of Dask collections, each at most once, into memory.

    For methods that need all rows at once and take no Dask collections; the page on
    scaling says how far rankings from a sample are from those of all rows.

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
    >>> from labelsieve.datasets._sample import sample_rows
    >>> X, Y = sample_rows(da.ones((90, 4)), da.ones((90, 2)), 10, random_state=0)
    >>> X.shape, Y.shape
    ((10, 4), (10, 2))
    """
    from labelsieve.blocks import run, task

    x_blocks, y_blocks = _blocks(X), _blocks(Y)
    if len(x_blocks) != len(y_blocks):
        raise ValueError(
            f"X comes in {len(x_blocks)} blocks of rows and Y in {len(y_blocks)}; "
            "rechunk one like the other."
        )
    found = run([task(_n_rows, block) for block in (*x_blocks, *y_blocks)])
    lengths, y_lengths = found[: len(x_blocks)], found[len(x_blocks) :]
    if lengths != y_lengths:
        raise ValueError(
            f"the blocks of X have {lengths} rows and those of Y {y_lengths}; rechunk "
            "one like the other."
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
    return _stack(found[::2]), _stack(found[1::2])


def _blocks(data: Any) -> list[Any]:
    if hasattr(data, "chunks"):
        if data.ndim == 2 and len(data.chunks[1]) > 1:
            data = data.rechunk({1: -1})
        return list(np.ravel(data.to_delayed(optimize_graph=False)))
    return list(data.to_delayed())


def _n_rows(block: Any) -> int:
    return int(block.shape[0])


def _take(block: Any, rows: NDArray[np.int64]) -> Any:
    return block.iloc[rows] if hasattr(block, "iloc") else block[rows]


def _stack(parts: list[Any]) -> Any:
    if hasattr(parts[0], "iloc"):
        import pandas as pd

        return pd.concat(parts)
    if sparse.issparse(parts[0]):
        return sparse.vstack(parts).tocsr()
    return np.concatenate(parts)
