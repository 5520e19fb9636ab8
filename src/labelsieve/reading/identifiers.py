"""Columns that name the rows instead of saying something about them."""

from __future__ import annotations

# A nominal column with more distinct values than this share of its cells names rows.
NAMES_SHARE = 0.9
# Fewer cells do not tell whether values repeat.
FEWEST_CELLS = 10


def names_rows(n_values: int, n_cells: int) -> bool:
    """Whether a column without numbers has a value of its own in nearly every cell.

    What is true of such a value is true of one row, and tells nothing about others.
    """
    return n_cells >= FEWEST_CELLS and n_values > NAMES_SHARE * n_cells
