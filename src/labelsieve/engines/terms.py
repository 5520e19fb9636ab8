"""The sums of information that selectors are made of, from joint counts.

Each term is over the samples in which its labels are known, in nats. Plug-in
information of columns without any connection is above zero; a correction takes off
what chance shows, on average ("miller-madow") or where it is not significant ("chi2").
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.special import chdtri

from labelsieve._utils.machine import cached_property, refuse_larger_than_memory
from labelsieve._utils.matrices import slices_of
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.engines.columns import Columns
from labelsieve.engines.tables import (
    Counted,
    Information,
    Tables,
    block_entropies,
    logs_of,
)

Correction = Literal["miller-madow", "chi2"]
CORRECTIONS = ("miller-madow", "chi2")
SIGNIFICANCE = 0.05
# Labels are taken some at a time where a table of all would have more cells.
MOST_CELLS = 1 << 26


class Terms:
    """Relevance, redundancy and interactions of all features, from tables of counts.

    Parameters
    ----------
    engine : what counts; it holds the features X and the labels Y
    correction : "miller-madow", "chi2" or None
    """

    def __init__(self, engine: Any, correction: Correction | None = None) -> None:
        self.engine, self.correction = engine, correction
        self.features: Columns = engine.X
        self.labels: Columns = engine.Y
        self.n_samples: float = engine.n_samples
        self.n_jobs: int | None = engine.n_jobs
        self.n_features, self.n_labels = engine.X.n_blocks, engine.Y.n_blocks

    def corrected(self, correction: Correction | None) -> Terms:
        """The same terms less what chance shows."""
        if correction == self.correction:
            return self
        from labelsieve.engines.sparse_terms import terms_of

        terms = terms_of(self.engine, correction)
        counted = vars(self).keys() & {"T", "_whole"}
        vars(terms).update({name: vars(self)[name] for name in counted})
        return terms

    def with_labels(self, labels: IntArray) -> Terms:
        """The same for some of the labels, in the given order."""
        terms = type(self)(self.engine.with_targets(labels), self.correction)
        if "_whole" in vars(self):
            (joint, n_x, n_y, n), columns = (
                self._whole,
                self.labels.columns_of_all(labels),
            )
            vars(terms)["_whole"] = Counted(joint[:, columns], n_x, n_y[columns], n)
        return terms

    @cached_property
    def T(self) -> Any:
        """(n + 1,) T(k) = k log(k / n)."""
        return logs_of(self.features)

    @cached_property
    def feature_entropy(self) -> FloatArray:
        """(D,) H(f)."""
        return block_entropies(self.features)

    @cached_property
    def label_entropy(self) -> FloatArray:
        """(L,) H(l) over the samples in which l is known."""
        return block_entropies(self.labels)

    def feature_label_information(self) -> FloatArray:
        """(D, L) I(f; l)."""
        return self._mutual(self._tables, self._whole, self._information)

    def relevance(self) -> FloatArray:
        """(D,) the sum over labels of I(f; l)."""
        step = max(1, MOST_CELLS // self.features.totals.size)
        if self.n_labels <= step:
            return self.feature_label_information().sum(axis=1)
        labels = np.arange(self.n_labels)
        some = (self.with_labels(labels[part]) for part in slices_of(labels.size, step))
        return np.sum([terms.relevance() for terms in some], axis=0)

    def shared_with(self, chosen: int) -> FloatArray:
        """(D,) I(f; s) for the chosen feature s."""
        return self.feature_pairs(chosen, chosen + 1)[0]

    def feature_pairs(self, low: int, high: int) -> FloatArray:
        """I(f; g) for the features g in [low, high), one line each; H(g) if f is g."""
        X = self.features
        columns = slice(int(X.start[low]), int(X.start[high]))
        tables = Tables(X, X.about(np.arange(low, high)), self.T)
        gram = self.engine.grams(columns)
        counted = Counted(gram, X.totals, X.totals[columns], self.n_samples)
        return self._mutual(tables, counted, tables.information(counted)).T

    def interaction_with(self, chosen: int) -> FloatArray:
        """(D,) the sum over labels l of I({f, s, l}) for the chosen feature s."""
        given = self.engine.given(*self.features.start[chosen : chosen + 2])
        strata = self._tables.information(self._whole.split(given))
        known = self._tables.known(self._whole)
        return self._interaction(self._information, strata, known)

    def label_pair_interaction(self) -> FloatArray:
        """(D,) the sum over pairs of labels a < b of I({f, a, b})."""
        total = np.zeros(self.n_features)
        for a in range(self.n_labels - 1):
            total += self._interaction_with(a)
        return total

    def _interaction_with(self, a: int) -> FloatArray:
        """(D,) the sum over the labels b > a of I({f, a, b})."""
        Y, first = self.labels, int(self.labels.start[a + 1])
        joint, n_x, n_y, n = self._whole
        whole = Counted(joint[:, first:], n_x, n_y[first:], n)
        strata = whole.split(self.engine.given_target(int(Y.start[a]), first, first))
        if Y.unknown[a]:
            # All samples in which a is known: those of its levels.
            strata = Counted(*(np.delete(counts, -2, axis=0) for counts in strata))
            whole = Counted(*(counts.sum(axis=0) for counts in strata))
        tables = Tables(self.features, Y.about(np.arange(a + 1, Y.n_blocks)), self.T)
        found = tables.information(whole), tables.information(strata)
        return self._interaction(*found, tables.known(whole))

    @cached_property
    def _whole(self) -> Counted:
        """Joint counts in all samples."""
        refuse_table((self.features.totals.size, self.labels.totals.size), itemsize=24)
        joint = self.engine.joint()
        return Counted(joint, self.features.totals, self.labels.totals, self.n_samples)

    @cached_property
    def _tables(self) -> Tables:
        return Tables(self.features, self.labels, self.T)

    @cached_property
    def _information(self) -> Information:
        return self._tables.information(self._whole)

    def _mutual(
        self, tables: Tables, counted: Counted, found: Information
    ) -> FloatArray:
        """(D, L) I(f; l), corrected."""
        value = found.value
        if self.correction == "miller-madow":
            # (occupied cells - 1) / 2 more in each of N H(f) + N H(l) - N H(f, l)
            value = value + found.excess / 2
        elif self.correction == "chi2":
            value = _significant(value, found.freedom)
        return value / np.maximum(tables.known(counted), 1)

    def _interaction(
        self, marginal: Information, strata: Information, known: IntArray
    ) -> FloatArray:
        """(D,) the sum over labels of I(f; l) - I(f; l | s), s having these strata."""
        # N I(f; l | s) = sum over the strata of N_s I_s(f; l)
        value = marginal.value - strata.value.sum(axis=0)
        if self.correction == "miller-madow":
            value += (marginal.excess - strata.excess.sum(axis=0)) / 2
        elif self.correction == "chi2":
            freedom = strata.freedom.sum(axis=0) - marginal.freedom
            value = _significant(value, freedom)
        value /= np.maximum(known, 1)
        return value.sum(axis=1)


def _significant(value: FloatArray, freedom: IntArray) -> FloatArray:
    """What is significant of N I, zero elsewhere: 2 N I is compared to chi-square."""
    freedom = np.maximum(freedom, 1)
    limit = chdtri(np.arange(1.0, freedom.max(initial=1) + 1), SIGNIFICANCE)
    return np.where(2.0 * np.abs(value) > limit[freedom - 1], value, 0.0)


def refuse_table(
    shape: tuple[int, ...],
    what: str = "A table of features and labels",
    itemsize: int = 8,
) -> None:
    """MemoryError before tables of features and labels are made that do not fit."""
    refuse_larger_than_memory(
        shape,
        what,
        "FIMF without correction needs none where features are sparse; or take fewer "
        "labels (the most frequent matter most), or choose candidates among the "
        "features with FIMF first.",
        itemsize,
    )
