"""Information from counts, less what chance alone would show.

Two corrections are offered. ``"miller-madow"`` adds (occupied cells - 1) / (2 n) to
each entropy, so that columns without any connection share no information on average.
``"chi2"`` counts information, or an interaction, as zero unless it is significant:
2 n times it must exceed the 95 percent point of the chi-squared distribution.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.special import chdtri

from labelsieve._plumbing.typing import CountArray, FloatArray
from labelsieve.counting.counts import Counts, Given
from labelsieve.counting.pairs import refuse_table
from labelsieve.counting.triples import BinaryTriples, CodedTriples

Correction = Literal["miller-madow", "chi2"]
CORRECTIONS = ("miller-madow", "chi2")

# Information counts as significant if chance shows more in fewer cases than this.
SIGNIFICANCE = 0.05


def correct_pairs(
    information: FloatArray, spare: FloatArray, freedom: FloatArray, how: Correction
) -> FloatArray:
    """Correct n times the mutual information of pairs of columns."""
    if how == "miller-madow":
        return information - 0.5 * spare
    significant = 2.0 * information > chdtri(freedom, SIGNIFICANCE)
    return np.where(significant, information, 0.0)


class CorrectedCounts:
    """Interactions of features with labels, corrected one by one.

    Parameters
    ----------
    counts : Counts
        Where the integers come from.
    how : {"miller-madow", "chi2"}
        The correction.
    """

    def __init__(self, counts: Counts, how: Correction) -> None:
        self.counts = counts
        self.how = how
        # Counts, sums, and what the correction takes off each.
        refuse_table((counts.n_labels, counts.n_features), itemsize=44)
        sums = counts.feature_label_sums - counts.feature_sums
        self._plain = np.maximum(sums - counts.label_sums[:, np.newaxis], 0.0)
        n_codes = counts.features.n_codes - 1, counts.labels.n_codes - 1
        self._freedom = np.outer(n_codes[1], n_codes[0]).astype(np.float64)
        self._spare = spare_cells(
            counts, counts.feature_label_counts, counts.label_counts, counts.y_start
        )
        self._limits = np.empty(0)
        if how == "chi2":
            most = int(self._freedom.max() * max(n.max() + 1 for n in n_codes))
            points = chdtri(np.arange(1, most + 1), SIGNIFICANCE)
            self._limits = np.concatenate([[0.0], points])

    def feature_label_information(self) -> FloatArray:
        """Corrected n I(f; l), one line per label."""
        return correct_pairs(self._plain, self._spare, self._freedom, self.how)

    def label_pair_interactions(self) -> FloatArray:
        """Sum over pairs of labels a < b of corrected n I({f, a, b})."""
        counts = self.counts
        parts = np.zeros((counts.n_labels, counts.n_features))
        counts._prepare_labels()

        def add(label: int) -> None:
            given = counts.given_label(label)
            sums = counts.feature_label_sums[label]
            for left, right in counts._label_blocks(
                label + 1, counts.n_labels, len(given.rows)
            ):
                b = slice(int(counts.y_start[left]), int(counts.y_start[right]))
                tables = [
                    counts.source.count_both(r, b.start, b.stop) for r in given.rows
                ]
                self._add(given, sums, b, tables, parts[label])

        counts._run(add, range(counts.n_labels), parts.size * counts.n_labels // 2)
        return counts._add_up(parts)

    def chosen_terms(self, feature: int) -> tuple[FloatArray, FloatArray]:
        """For a chosen s: corrected n I(f; s), and the sum of n I({f, s, l})."""
        counts = self.counts
        given = counts.given_feature(feature)
        sums = counts.given_sums(given)
        parts = np.zeros((counts.n_chosen_tasks, counts.n_features))

        def visit(task: int, lines: slice, tables: list[CountArray]) -> None:
            self._add(given, sums, lines, tables, parts[task])

        counts.visit_given(given, visit)
        return self._with_chosen(feature, given, sums), counts._add_up(parts)

    def feature_pairs(self, low: int, high: int) -> FloatArray:
        """Corrected n I(f; g) for the features g in [low, high), one line each."""
        counts, start = self.counts, self.counts.x_start[low : high + 1]
        n_fg = counts.feature_pair_counts(int(start[0]), int(start[-1]))
        n_g, ends = counts.feature_counts[start[0] : start[-1]], start - start[0]
        sums = counts._pairs(n_fg, n_g, ends)
        return self._between(
            slice(low, high), sums, spare_cells(counts, n_fg, n_g, ends)
        )

    def _with_chosen(self, feature: int, given: Given, sums: FloatArray) -> FloatArray:
        ends = np.array([0, given.n_a.size])
        spare = spare_cells(self.counts, given.n_fa, given.n_a, ends)
        return self._between(slice(feature, feature + 1), sums, spare)[0]

    def _between(self, lines: slice, sums: FloatArray, spare: FloatArray) -> FloatArray:
        """Corrected n I(f; g) from cell sums and spare cells, one line for each g."""
        alone = self.counts.feature_sums
        information = np.maximum(sums - (alone + alone[lines, np.newaxis]), 0.0)
        n_codes = self.counts.features.n_codes - 1
        freedom = np.outer(n_codes[lines], n_codes).astype(np.float64)
        return correct_pairs(information, spare, freedom, self.how)

    def _add(
        self,
        given: Given,
        sums: FloatArray,
        lines: slice,
        tables: list[CountArray],
        out: FloatArray,
    ) -> None:
        """out[f] += corrected interactions with the given column and some labels."""
        from labelsieve.counting import corrected_kernels as kernels

        counts = self.counts
        if counts.binary:
            limit = self._limits[1] if self._limits.size else -1.0
            triples = BinaryTriples.of(counts, given, lines)
            plain, spare = self._plain[lines], self._spare[lines]
            kernels.add_interactions_binary(
                tables[0], triples, sums, plain, spare, limit, out
            )
            return
        low, high = np.searchsorted(counts.y_start, [lines.start, lines.stop])
        kernels.add_interactions_any(
            *(np.stack(tables), CodedTriples.of(counts, given), low, high),
            *(self._plain, self._spare, self._freedom, self._limits, out),
        )


def spare_cells(counts: Counts, n_xy: Any, n_y: Any, y_start: Any) -> FloatArray:
    """Occupied cells of features and columns y, less those of each, plus one."""
    from labelsieve.counting import corrected_kernels as kernels

    out = np.empty((y_start.size - 1, counts.n_features))
    kernels.spare_cells(
        n_xy, counts.feature_counts, n_y, counts.x_start, y_start, counts.n_rows, out
    )
    return out
