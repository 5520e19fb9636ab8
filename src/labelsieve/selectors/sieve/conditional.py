"""What features tell about labels given a chosen feature, and only together with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from labelsieve._plumbing.typing import CountArray, FloatArray
from labelsieve.counting import (
    BinaryTriples,
    CodedTriples,
    Counts,
    Given,
    KnownLabels,
)
from labelsieve.information import feature_label_information
from labelsieve.selectors.sieve.least import Least
from labelsieve.selectors.sieve.together import Together, add_synergy
from labelsieve.selectors.sieve.unexplained import CHANCE

if TYPE_CHECKING:
    from labelsieve.selectors.sieve.given_kernels import Synergy
    from labelsieve.selectors.sieve.unexplained import Unexplained

# Once in so many picks, what has come to nothing is taken off the lists.
LOWERED_AT_ONCE = 4


class Conditional:
    """Least information about each label given any one chosen feature, and synergy.

    Attributes
    ----------
    alone : what features tell about labels by themselves, beyond chance
    least : the least of I(f; l) and all I(f; l | s) over the chosen s, each less what
        chance shows; of numbers, which are ranks, half the share that they explain
    synergy : (D,) the variance of labels that the product with one chosen feature
        explains, where it is clear and more than both explain by themselves: a search
        through features without meaning finds any with a probability of `ERROR_RATE`
    """

    def __init__(self, counts: Counts, linear: Unexplained) -> None:
        self.counts = counts
        self._is_rank = linear.columns.is_rank
        (self._coded,) = np.nonzero(~self._is_rank)
        self._strict = 2.0 * CHANCE
        self.least = Least.of(told_alone(counts, linear))
        self.alone = self.least.copy()
        self._n_lowered = 0
        self.synergy = np.zeros(counts.n_features)
        self._together = Together(counts)

    def choose(self, feature: int, what: Synergy) -> Given:
        """Condition on a feature; returns its joint counts."""
        counts = self.counts
        given = counts.given_feature(feature)
        lowers = not self._is_rank[feature] and self._coded.size
        if not lowers and Together.serves(counts):
            found = self._together.find(given, what)
            np.maximum(self.synergy, found, out=self.synergy)
            return given
        s_fg = counts.given_sums(given) if lowers else np.empty(0)
        parts = np.zeros((counts.n_chosen_tasks, counts.n_features))

        def visit(task: int, lines: slice, n_fgl: list[CountArray]) -> None:
            if lowers:
                self._lower(lines, n_fgl, given, s_fg)
            for g, joint in enumerate(n_fgl):
                add_synergy(counts, given, g, lines, joint, what, parts[task])

        counts.visit_given(given, visit)
        if lowers:
            self._n_lowered += 1
            if self._n_lowered % LOWERED_AT_ONCE == 1:
                self.least.drop()
        together = parts[0] if len(parts) == 1 else parts.sum(axis=0)
        np.maximum(self.synergy, together, out=self.synergy)
        return given

    def _lower(
        self, lines: slice, n_fgl: list[CountArray], given: Given, s_fg: FloatArray
    ) -> None:
        from labelsieve.selectors.sieve import given_kernels as kernels

        counts, pairs = self.counts, self.least.pairs
        if counts.known is not None:
            self._lower_known(lines, n_fgl, given, counts.known)
            return
        if counts.binary:
            triples = BinaryTriples.of(counts, given, lines)
            first, coded = lines.start, self._coded
            kernels.lower_binary(
                *(n_fgl[0], triples, self._together.whole.n_lf, s_fg),
                *(self._strict, first, coded, pairs),
            )
            return
        low, high = np.searchsorted(counts.y_start, [lines.start, lines.stop])
        kernels.lower_any(
            *(np.stack(n_fgl), CodedTriples.of(counts, given), low, high),
            *(self._strict, self._coded, pairs),
        )

    def _lower_known(
        self, lines: slice, n_fgl: list[CountArray], given: Given, known: KnownLabels
    ) -> None:
        from labelsieve.selectors.sieve import known_kernels as kernels

        counts = self.counts
        low, high = np.searchsorted(counts.y_start, [lines.start, lines.stop])
        rest = self._strict, low, high, self._coded, self.least.pairs
        if counts.known_binary:
            of_g = kernels.GivenIndicator(
                given.n_fa[0], int(given.n_a[0]), given.n_ab[0]
            )
            kernels.lower_known_binary(n_fgl[0], of_g, known, *rest)
            return
        triples = CodedTriples.of(counts, given)
        kernels.lower_known_any(np.stack(n_fgl), triples, known.y_end, *rest)


def told_alone(counts: Counts, linear: Unexplained) -> FloatArray:
    """(L, D) what features tell about labels by themselves, beyond chance."""
    from labelsieve.selectors.sieve.kernels import tell_alone

    is_rank = linear.columns.is_rank
    alone = np.zeros((counts.n_labels, counts.n_features))
    if counts.binary and counts.known is None:
        n_f, n_l = counts.feature_counts, counts.label_counts
        table = counts.feature_label_counts
        tell_alone(table, n_f, n_l, CHANCE, counts.table, alone)
    elif not is_rank.all():
        alone = feature_label_information(counts)
        alone *= counts.n_rows
        n_free = counts.features.n_codes - 1
        for line, level, free in zip(
            alone, linear.level, linear.label_freedom, strict=True
        ):
            line -= level * free * n_free
        np.maximum(alone, 0.0, out=alone)
    if is_rank.any():
        (ranks,) = np.nonzero(is_rank)
        alone[:, ranks] = linear.view(ranks)
    return alone
