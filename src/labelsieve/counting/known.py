"""Information about labels that are not known in every row, as selectors ask for it.

Each label is counted over the rows where it is known, each pair of labels over the
rows where both are; see docs/unknown-labels.md. Everything is a function of the same
integers as ever: that a label is not known is one more code.
"""

from __future__ import annotations

import numpy as np
from scipy.special import chdtri

from labelsieve._plumbing.typing import CountArray, FloatArray
from labelsieve.counting.corrected import (
    SIGNIFICANCE,
    CorrectedCounts,
    Correction,
    correct_pairs,
)
from labelsieve.counting.counts import CELLS_PER_CALL, Counts, Given
from labelsieve.counting.pairs import even_edges
from labelsieve.counting.sources import SparseSource
from labelsieve.counting.triples import CodedTriples


class KnownCounts(CorrectedCounts):
    """Interactions of features with labels where these are known.

    Parameters
    ----------
    counts : Counts
        Where the integers come from; some labels have a code for "not known".
    how : {"miller-madow", "chi2"} or None
        The correction.
    """

    def __init__(self, counts: Counts, how: Correction | None = None) -> None:
        assert counts.known is not None
        self.counts = counts
        self.known = counts.known
        self._correction = how
        if how is not None:
            self.how = how
        self._limits = np.empty(0)
        if how == "chi2":
            n_free = self.known.y_end - self.known.y_start[:-1]
            most = int((counts.features.n_codes.max() - 1) * n_free.max())
            most *= max(counts.features.n_codes.max(), n_free.max() + 1)
            points = chdtri(np.arange(1, most + 1), SIGNIFICANCE)
            self._limits = np.concatenate([[0.0], points])

    def feature_label_information(self) -> FloatArray:
        """Corrected n I(f; l), one line per label."""
        from labelsieve.counting import known_kernels as kernels

        assert self._correction is not None
        counts, known = self.counts, self.known
        told = np.empty((3, counts.n_labels, counts.n_features))
        kernels.known_pairs_any(0, counts.n_labels, known, counts.x_start, told)
        plain, freedom, spare = told
        found = correct_pairs(plain, spare, freedom, self._correction)
        return found * (counts.n_rows / known.n_k)[:, np.newaxis]

    def label_pair_interactions(self) -> FloatArray:
        """Sum over pairs of labels a < b of corrected n I({f, a, b})."""
        from labelsieve.counting import known_kernels as kernels

        counts, source = self.counts, self.counts.source
        if not self._is_plain or not isinstance(source, SparseSource):
            return super().label_pair_interactions()
        parts = np.zeros((counts.n_labels, counts.n_features))
        n_later = np.arange(counts.n_labels)[::-1]
        n_cells = int(n_later.sum()) * counts.n_features
        edges = even_edges(n_later, 1 + n_cells // CELLS_PER_CALL)
        lists = source.labels.columns, source.labels.of_row, source.of_row

        def add(task: int) -> None:
            kernels.add_known_label_pairs_sparse(
                edges[task], edges[task + 1], *lists, self.known, parts
            )

        counts._run(add, range(len(edges) - 1), n_cells)
        return counts._add_up(parts)

    def chosen_interactions(self, feature: int) -> FloatArray:
        """For a chosen s: the sum over labels of corrected n I({f, s, l})."""
        from labelsieve.counting import known_kernels as kernels

        counts, source = self.counts, self.counts.source
        given = counts.given_feature(feature)
        parts = np.zeros((counts.n_chosen_tasks, counts.n_features))
        if not self._is_plain or not isinstance(source, SparseSource):

            def visit(task: int, lines: slice, tables: list[CountArray]) -> None:
                self._add(given, parts[:0, 0], lines, tables, parts[task])

            counts.visit_given(given, visit)
            return counts._add_up(parts)
        groups, edges = given.rows[0].by_label, counts.chosen_edges

        def add(task: int) -> None:
            kernels.add_known_picks_sparse(
                *(edges[task], edges[task + 1], groups, given.rows[0].of_row),
                *(given.n_fa[0], int(given.n_a[0]), self.known, parts[task]),
            )

        counts._run(add, range(len(parts)), counts.n_labels * counts.n_features)
        return counts._add_up(parts)

    @property
    def _is_plain(self) -> bool:
        """Whether the kernels for two codes and no correction do."""
        return self._correction is None and self.counts.known_binary

    def _add(
        self,
        given: Given,
        sums: FloatArray,
        lines: slice,
        tables: list[CountArray],
        out: FloatArray,
    ) -> None:
        """out[f] += interactions with the given column and some labels."""
        from labelsieve.counting import known_kernels as kernels

        counts, known = self.counts, self.known
        low, high = np.searchsorted(counts.y_start, [lines.start, lines.stop])
        n_fab = np.stack(tables)
        if self._is_plain:
            n_known, n_f = counts.n_rows, counts.feature_counts
            if given.label is not None:
                n_known, n_f = known.n_k[given.label], known.n_fk[given.label]
            kernels.add_known_interactions_binary(
                *(n_fab, given.n_fa, given.n_a, given.n_ab, known),
                *(int(n_known), n_f, low, high, out),
            )
            return
        a_end = given.n_a.size
        if given.label is not None:
            a_end = known.y_end[given.label] - known.y_start[given.label]
        kernels.add_known_interactions_any(
            *(n_fab, CodedTriples.of(counts, given), a_end, known.y_end, low, high),
            *(self._correction == "miller-madow", self._limits, out),
        )
