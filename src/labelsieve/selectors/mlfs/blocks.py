"""MLFS over row blocks: class sums of centred values are added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.typing import FloatArray, IntArray, Matrix
from labelsieve.blocks import LabelCodes, SurveyedRows, add_up, run, task, tree, value
from labelsieve.selectors._base import Ranking
from labelsieve.selectors._rows.block_sums import centre_of
from labelsieve.selectors._rows.scaled_rows import Centre, column_blocks
from labelsieve.selectors.mlfs.mlfs import MLFS, f_statistic


def rank_scatter(selector: MLFS, rows: SurveyedRows) -> Ranking:
    """Rank by the F statistic; two passes over the rows."""
    labels, constant = rows.labels.summary, rows.constant
    classes = Classes.of(rows.labels)
    scores = np.zeros(constant.size)
    if classes.frequencies.size > 1:
        sums = _class_sums(rows, classes)
        between, within = selector._scatter(*sums, classes.frequencies)
        shape = rows.n_rows, classes.frequencies.size
        scores = f_statistic(between, within, rows.groups, *shape)
    scores[constant] = 0.0
    return selector._rank_scores(scores, constant, labels)


@dataclass(frozen=True)
class Classes:
    """Labels that occur; a single one is compared with the rows without it."""

    labels: IntArray
    complement: bool
    frequencies: IntArray

    @classmethod
    def of(cls, codes: LabelCodes) -> Classes:
        """The classes of all labels, by how often they occur."""
        ones, n_rows = codes.ones, codes.survey.n_rows
        (labels,) = np.nonzero(ones)
        complement = labels.size == 1 and bool(ones[labels[0]] < n_rows)
        frequencies = ones[labels]
        if complement:
            frequencies = np.append(frequencies, n_rows - frequencies)
        return cls(labels, complement, frequencies)

    def members(self, indicator: Matrix) -> sp.csr_matrix:
        """Which rows of a block belong to each class, one line per class."""
        table = sp.csc_matrix(indicator, dtype=np.float64)[:, self.labels]
        if self.complement:
            table = sp.hstack([table, 1.0 - table.toarray()])
        return sp.csr_matrix(table.T)


def _class_sums(rows: SurveyedRows, classes: Classes) -> tuple[FloatArray, FloatArray]:
    """Sums of centred values and of their squares in each class."""
    numbers = rows.numbers()
    centre = value(centre_of(rows))
    codes, shared = value(rows.labels), value(classes)
    parts = [
        task(_block_sums, block, y, codes, shared, centre)
        for block, y in zip(numbers, rows.rows.labels, strict=True)
    ]
    (found,) = run([tree(add_up, parts)])
    return found[0], found[1]


def _block_sums(
    values: Matrix, y: Any, codes: LabelCodes, classes: Classes, centre: Centre
) -> FloatArray:
    """Sums and sums of squares, [2, classes, columns], of one block."""
    members = classes.members(codes.read(y).indicator("MLFS"))
    out = np.empty((2, members.shape[0], values.shape[1]))
    for columns, block in column_blocks(values):
        centred = centre.of(block, columns)
        out[0, :, columns] = members @ centred
        out[1, :, columns] = members @ centred**2
    return out
