"""Entropies where tables were added up: what goes back is one sum per feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelsieve._plumbing.slices import span
from labelsieve._plumbing.typing import CountArray, FloatArray, IntArray
from labelsieve.counting.block_counts import Question
from labelsieve.counting.counts import Counts, Given
from labelsieve.discretization import CodedColumns


@dataclass(frozen=True)
class Asked:
    """The questions that a line of counts answers, and who else was asked about."""

    group: list[Question]
    indicators: tuple[int, int] = (0, 0)


def summed_counts(
    features: CodedColumns,
    labels: CodedColumns,
    feature_counts: CountArray,
    label_counts: CountArray,
    label_pairs: CountArray,
    feature_label_parts: list[CountArray],
) -> Counts:
    """Counts without rows: all tables but those of three columns are there."""
    counts = Counts(features, labels, SummedTables(), 1)  # type: ignore[arg-type]
    counts.feature_counts, counts.label_counts = feature_counts, label_counts
    counts.label_pair_counts = label_pairs
    counts.feature_label_counts = np.concatenate(feature_label_parts)
    return counts


def take_lines(parts: list[CountArray], lines: IntArray) -> CountArray:
    """Some lines of a table that comes in parts."""
    return np.concatenate(parts)[lines]


class SummedTables:
    """A source without rows: a set of rows is its table, counted and added up."""

    def count_both(
        self, rows: tuple[CountArray, int], low: int, high: int
    ) -> CountArray:
        """The lines of the table for the label indicators in [low, high)."""
        table, first = rows
        return table[low - first : high - first]


Sums = dict[int, FloatArray]


def label_triples(
    counts: Counts,
    flat: CountArray,
    before: tuple[Any, Sums] | None,
    asked: Asked,
) -> tuple[None, Sums]:
    """Add up n I(f; a, b) for the label a of each line."""
    group = asked.group
    sums = _Sums(counts, group, before)
    reader = _Reader(flat, counts)
    n_fl, n_l, n_lm = (
        counts.feature_label_counts,
        counts.label_counts,
        counts.label_pair_counts,
    )
    for question in group:
        a = span(counts.y_start, question.line)
        rows = reader.tables(question, a.stop - a.start)
        given = Given(rows, n_fl[a], n_l[a], n_lm[a])
        sums.add(given, counts.feature_sums, question)
    return None, sums.of_line


def feature_triples(
    counts: Counts,
    flat: CountArray,
    before: tuple[Any, Sums] | None,
    asked: Asked,
) -> tuple[CountArray, Sums]:
    """Add up n I(f; l | g) over the labels of each line; returns also n(f, g)."""
    group, indicators = asked.group, asked.indicators
    sums = _Sums(counts, group, before)
    reader = _Reader(flat, counts)
    n_given = indicators[1] - indicators[0]
    n_fg = reader.lines(n_given, int(counts.x_start[-1]))
    n_gl = reader.lines(n_given, int(counts.y_start[-1]))
    n_g = counts.feature_counts[slice(*indicators)]
    s_g = counts.feature_sums[np.searchsorted(counts.x_start, indicators[0])]
    for question in group:
        rows = reader.tables(question, n_given)
        given = Given(rows, n_fg, n_g, n_gl)
        own = counts.given_sums(given) - s_g
        sums.add(given, own, question)
    return n_fg, sums.of_line


class _Sums:
    """Sums of entropies, line by line; the first may go on from another group."""

    def __init__(
        self, counts: Counts, group: list[Question], before: tuple[Any, Sums] | None
    ) -> None:
        self.counts = counts
        self.of_line = {
            question.line: np.zeros(counts.n_features) for question in group
        }
        if before is not None:
            line = group[0].line
            self.of_line[line] = before[1][line].copy()

    def add(self, given: Given, own: FloatArray, question: Question) -> None:
        out = self.of_line[question.line]
        self.counts.add_triples(given, own, question.left, question.right, out)


class _Reader:
    """Takes tables off a long line of counts, in the order they were put there."""

    def __init__(self, flat: CountArray, counts: Counts) -> None:
        self.flat, self.counts, self.place = flat, counts, 0

    def lines(self, n_lines: int, width: int) -> CountArray:
        end = self.place + n_lines * width
        table = self.flat[self.place : end].reshape(n_lines, width)
        self.place = end
        return table

    def tables(self, question: Question, n_given: int) -> list[tuple[CountArray, int]]:
        left, right = self.counts.y_start[[question.left, question.right]]
        width = int(self.counts.x_start[-1])
        return [(self.lines(int(right - left), width), left) for _ in range(n_given)]
