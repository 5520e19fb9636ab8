"""Columns of codes as blocks of indicators, straight from the definition."""

import numpy as np
import scipy.sparse as sp

from labelsieve.engines import Columns


def columns_of(codes, listed=False):
    """Columns of whole numbers; -1 is a level too, and NaN a cell that is not known."""
    blocks, unknown = [], []
    for column in codes.T:
        is_unknown = np.isnan(column)
        values, counts = np.unique(column[~is_unknown], return_counts=True)
        levels = np.delete(values, counts.argmax())
        block = [column == level for level in levels]
        unknown.append(is_unknown.any())
        if unknown[-1]:
            block.append(is_unknown)
        blocks.append(np.array(block).T.astype(np.uint8))
    values = np.hstack(blocks)
    width = [block.shape[1] for block in blocks]
    n = len(width)
    return Columns(
        sp.csr_matrix(values) if listed else values,
        np.append(0, np.cumsum(width)),
        np.arange(n),
        np.zeros(n, dtype=bool),
        np.array(unknown),
        np.zeros(values.shape[1], dtype=np.int64),
    )


def random_codes(rng, n, n_columns, n_levels, share=0.3, unknown=0.0):
    """Columns that vary, with NaN in some cells."""
    while True:
        codes = rng.integers(1, n_levels, (n, n_columns), endpoint=False)
        codes = np.where(rng.random(codes.shape) < share, codes, 0).astype(float)
        codes[rng.random(codes.shape) < unknown] = np.nan
        if all(np.unique(c[~np.isnan(c)]).size > 1 for c in codes.T):
            return codes
