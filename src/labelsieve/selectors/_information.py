"""What the information-theoretic selectors share: codes, counts, constant columns."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from labelsieve._plumbing.machine import one_thread_inside
from labelsieve.discretization import (
    BINNING_CONSTRAINTS,
    CodedColumns,
    block_engine,
    code_features,
    code_labels,
    code_rows,
    find_cuts,
    find_row_cuts,
    indicator_columns,
)
from labelsieve.engines import Terms, choose_engine, terms_of
from labelsieve.reading import Features, Labels
from labelsieve.selectors._base import LabelSelector, Ranking, rank_by_score
from labelsieve.selectors._capabilities import Capabilities
from labelsieve.selectors._decided import Decided

if TYPE_CHECKING:
    from labelsieve.blocks import SurveyedRows


class InformationSelector(LabelSelector):
    """Base of the selectors that see counts only: they implement `_rank_counts`.

    Features and labels that do not vary never reach the counts. Such features get
    the score 0 and the last places.

    Parameters
    ----------
    n_bins : int, default=2
        The number of codes for features with more distinct values than that.
    binning : {"quantile", "uniform", "none"}, default="quantile"
        How values become codes; see :class:`~labelsieve.Discretizer`.
    missing : {"code", "error"}, default="code"
        Missing cells are a code of their own, or refused.
    correction : {"miller-madow", "chi2"} or None, default=None
        Take what chance shows off each term: on average, or where it is not
        significant at 5 percent altogether; see :mod:`labelsieve.information`. None
        is the method as published.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BINNING_CONSTRAINTS,
        "n_jobs": [None, Integral],
    }

    _capabilities: ClassVar[Capabilities] = Capabilities(
        row_blocks=True,
        codes_features=True,
        takes_missing={"missing": ("code",)},
        takes_unknown=True,
    )

    _only_compares: ClassVar[bool] = True
    # Whether the method mostly counts pairs of features, not features with labels.
    _counts_feature_pairs: ClassVar[bool] = False

    n_bins: int = 2
    binning: str = "quantile"
    missing: str = "code"
    n_jobs: int | None = None

    def _binning(self) -> tuple[int, str]:
        return self.n_bins, self.binning

    @abstractmethod
    def _rank_counts(self, counts: Any, n_select: int) -> Ranking:
        """Rank the features that were counted, which are all and vary."""

    def _rank(self, features: Features, labels: Labels) -> Ranking:
        coded = code_features(features, find_cuts(features, *self._binning()))
        coded_labels = code_labels(labels)
        if not coded.kept.size or not coded_labels.kept.size:
            return self._nothing_to_rank(coded)
        return self._rank_all(self._count(coded, coded_labels, self.n_jobs))

    def _rank_blocks(self, rows: SurveyedRows) -> Ranking:
        coded = code_rows(rows, find_row_cuts(rows, *self._binning()))
        try:
            if not coded.features.kept.size or not coded.labels.kept.size:
                return self._nothing_to_rank(coded.features)
            if coded.fits_in_memory:
                # As many threads as Dask would use, if nobody says how many.
                n_jobs = -1 if self.n_jobs is None else self.n_jobs
                return self._rank_all(self._count(*coded.together(), n_jobs))
            return self._rank_all(self._corrected(terms_of(block_engine(coded))))
        finally:
            coded.close()

    def _count(
        self, features: CodedColumns, labels: CodedColumns, n_jobs: int | None
    ) -> Terms:
        """Information from counts in memory; some features vary, and some labels."""
        X, Y = indicator_columns(features), indicator_columns(labels)
        return self._corrected(terms_of(choose_engine(X, Y, n_jobs)))

    def _corrected(self, terms: Terms) -> Terms:
        """The terms as published, or less what chance shows."""
        return terms.corrected(getattr(self, "correction", None))

    def _rank_all(self, counts: Any) -> Ranking:
        """Rank all features, with those that are constant last."""
        kept = counts.features.kept
        decided = Decided.of(self)
        among = decided.among(kept)
        n_constant_first = decided.first.size - among.first.size
        n_open = kept.size - among.never.size
        n_select = min(self._n_kept() - n_constant_first, n_open)
        with one_thread_inside():
            found = self._rank_counts(counts, n_select)
        constant = np.ones(self.n_features_in_, dtype=bool)
        constant[kept] = False
        order = np.concatenate([kept[found.order], np.flatnonzero(constant)])
        scores = np.zeros(constant.size)
        scores[kept] = found.scores
        return Ranking(scores, order, found.n_exact, found.n_found)

    def _nothing_to_rank(self, features: CodedColumns) -> Ranking:
        """The order of the columns, with those that are constant last."""
        scores = np.zeros(self.n_features_in_)
        constant = np.ones(scores.size, dtype=bool)
        constant[features.kept] = False
        n_found = 1 if self.n_features_to_select == "auto" else None
        return Ranking(scores, rank_by_score(scores, last=constant), n_found=n_found)
