"""What features tell about labels given a chosen feature, and only together with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.typing import CountArray, FloatArray, IntArray
from labelsieve.counting import (
    BinaryTriples,
    CodedTriples,
    Counts,
    Given,
    KnownLabels,
)
from labelsieve.information import feature_label_information

# How likely a search through all pairs of features that tell nothing may find one.
ERROR_RATE = 0.05
# Information counts as far as it exceeds this many times what chance shows on average:
# two standard errors, squared.
STRICT = 4.0


@dataclass(frozen=True)
class Informed:
    """What features tell about labels, and which of them tell anything.

    Attributes
    ----------
    values : (L, D) in rows times nats, never below zero
    listed, n_listed : (L, D) and (L,) of each label, the features whose values are
        not zero; where all columns have two codes
    """

    values: FloatArray
    listed: NDArray[np.uint32]
    n_listed: IntArray

    @classmethod
    def build(cls, values: FloatArray, lists: bool) -> Informed:
        """List the features of each label, or not."""
        from labelsieve.counting import corrected_kernels as kernels

        listed = np.empty(values.shape if lists else (len(values), 0), dtype=np.uint32)
        n_listed = np.zeros(len(values), dtype=np.int64)
        if lists:
            kernels.list_positive(values, listed, n_listed)
        return cls(values, listed, n_listed)

    def of(self, labels: slice) -> Informed:
        """The lines of some labels, the same memory."""
        return Informed(self.values[labels], self.listed[labels], self.n_listed[labels])


def clear_from(n_indicators: float, counts: Counts) -> float:
    """The limit of synergy in a search through pairs of so many codes of features."""
    n_tests = float(n_indicators) * float(n_indicators) / 2 * counts.n_label_values
    return float(2.0 * np.log(2.0 * n_tests / ERROR_RATE))


def _label_freedom(counts: Counts) -> FloatArray:
    """(L,) codes of each label but one, n/N times where it is known in N rows."""
    if counts.known is None:
        return (counts.labels.n_codes - 1).astype(np.float64)
    n_free = counts.known.y_end - counts.known.y_start[:-1]
    return np.asarray(n_free * (counts.n_rows / counts.known.n_k), dtype=np.float64)


class Conditional:
    """Least information about each label given any one chosen feature, and synergy.

    Attributes
    ----------
    least : the least of I(f; l) and all I(f; l | s) over the chosen s, each less what
        chance shows
    synergy : (D,) the variance of labels that the product with one chosen feature
        explains, where it is clear and more than both explain by themselves: a search
        through features without meaning finds any with a probability of `ERROR_RATE`
    limit : how clear that is; by default of a search through all counted features
    """

    def __init__(
        self, counts: Counts, strict: float = STRICT, limit: float | None = None
    ) -> None:
        self.counts = counts
        self._strict = strict
        least = feature_label_information(counts)
        least *= counts.n_rows
        if counts.binary:
            least -= 0.5 * strict
        else:
            n_free = counts.features.n_codes - 1
            for line, chance in zip(least, _label_freedom(counts), strict=True):
                line -= 0.5 * strict * (chance * n_free)
        np.maximum(least, 0.0, out=least)
        self.least = Informed.build(least, lists=counts.known_binary)
        self.synergy = np.zeros(counts.n_features)
        self._owner = np.repeat(np.arange(counts.n_features), np.diff(counts.x_start))
        self.limit = limit or clear_from(counts.x_start[-1], counts)

    def choose(self, feature: int) -> Given:
        """Condition on a feature; returns its joint counts."""
        counts = self.counts
        given = counts.given_feature(feature)
        s_fg = counts.given_sums(given)
        parts = np.zeros((counts.n_chosen_tasks, counts.n_features))

        def visit(task: int, lines: slice, n_fgl: list[CountArray]) -> None:
            self._lower(lines, n_fgl, given, s_fg)
            self._find_synergy(lines, n_fgl, given, parts[task])

        counts.visit_given(given, visit)
        together = parts[0] if len(parts) == 1 else parts.sum(axis=0)
        np.maximum(self.synergy, together, out=self.synergy)
        return given

    def _lower(
        self, lines: slice, n_fgl: list[CountArray], given: Given, s_fg: FloatArray
    ) -> None:
        from labelsieve.counting import corrected_kernels as kernels

        counts = self.counts
        if counts.known is not None:
            self._lower_known(lines, n_fgl, given, counts.known)
            return
        if counts.binary:
            least = self.least.of(lines)
            kernels.lower_information_binary(
                n_fgl[0],
                BinaryTriples.of(counts, given, lines),
                s_fg,
                self._strict,
                least.values,
                least.listed,
                least.n_listed,
            )
            return
        low, high = np.searchsorted(counts.y_start, [lines.start, lines.stop])
        kernels.lower_information_any(
            *(np.stack(n_fgl), CodedTriples.of(counts, given), low, high),
            *(self._strict, self.least.values[low:high]),
        )

    def _lower_known(
        self, lines: slice, n_fgl: list[CountArray], given: Given, known: KnownLabels
    ) -> None:
        from labelsieve.selectors.sieve import known_kernels as kernels

        counts, strict = self.counts, self._strict
        low, high = np.searchsorted(counts.y_start, [lines.start, lines.stop])
        least = self.least.of(slice(low, high))
        if counts.known_binary:
            kernels.lower_known_binary(
                *(n_fgl[0], given.n_fa[0], int(given.n_a[0]), given.n_ab[0]),
                *(known, strict, low, high),
                *(least.values, least.listed, least.n_listed),
            )
            return
        triples = CodedTriples.of(counts, given)
        kernels.lower_known_any(
            *(np.stack(n_fgl), triples, known.y_end, strict, low, high, least.values)
        )

    def _find_synergy(
        self, lines: slice, n_fgl: list[CountArray], given: Given, out: Any
    ) -> None:
        from labelsieve.selectors.sieve import kernels, known_kernels

        counts = self.counts
        if counts.known is not None:
            low, high = np.searchsorted(counts.y_start, [lines.start, lines.stop])
            for g, joint in enumerate(n_fgl):
                of_g = given.n_fa[g], int(given.n_a[g]), given.n_ab[g]
                known_kernels.add_known_synergy(
                    joint, *of_g, counts.known, low, high, self._owner, self.limit, out
                )
            return
        for indicator, joint in enumerate(n_fgl):
            triples = BinaryTriples.of(counts, given, lines, indicator)
            kernels.add_interactions(joint, triples, self._owner, self.limit, out)
