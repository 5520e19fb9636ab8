"""The means of columns whose rows come in blocks."""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.typing import FloatArray, Matrix
from labelsieve.blocks import SurveyedRows, add_up, run, task, tree
from labelsieve.selectors._rows.scaled_rows import Centre, column_blocks, power_of_two


def centre_of(rows: SurveyedRows) -> Centre:
    """The mean of each column; one pass over the rows."""
    power = power_of_two(rows.columns.low, rows.columns.high)
    sums = [task(_column_sums, block, power) for block in rows.numbers()]
    (total,) = run([tree(add_up, sums)])
    return Centre(power, total / rows.n_rows)


def _column_sums(values: Matrix, power: FloatArray) -> FloatArray:
    blocks = column_blocks(values)
    return np.concatenate([(b * power[c]).sum(axis=0) for c, b in blocks])
