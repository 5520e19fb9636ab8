"""What the information-theoretic selectors share: discretisation and counts."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from labelsieve._utils.machine import one_thread_inside
from labelsieve._utils.typing import FloatArray
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
from labelsieve.reading import Features, Labels, read_scored_targets
from labelsieve.selectors._base import Ranking, WeightedSelector, rank_by_score
from labelsieve.selectors._capabilities import Capabilities
from labelsieve.selectors._forced import ForcedFeatures

if TYPE_CHECKING:
    from labelsieve.blocks import SurveyedRows


class InformationSelector(WeightedSelector):
    """Base of the selectors that are made of counts: they implement `_rank_counts`.

    Constant features and labels are not counted. Such features get the score 0 and
    the last ranks.

    Parameters
    ----------
    n_bins : int, default=2
        The number of bins of numeric features with more distinct values than that.
    binning : {"quantile", "uniform", "none"}, default="quantile"
        How numeric features are discretised; see :class:`~labelsieve.Discretizer`.
    missing : {"code", "error"}, default="code"
        Whether missing values are a level of their own, or refused.
    n_target_bins : int, default=None
        Turns numeric targets into classes: quantile bins, as many as this; None
        refuses numeric targets.
    correction : {"miller-madow", "chi2"} or None, default=None
        Bias correction of the plug-in estimates: subtract the expected bias (Miller
        and Madow), or set to zero what is not significant at 5 percent (chi-squared
        test); see :mod:`labelsieve.information`. None is the published method.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BINNING_CONSTRAINTS,
        "n_target_bins": [None, Interval(Integral, 2, None, closed="left")],
    }

    _capabilities: ClassVar[Capabilities] = Capabilities(
        row_blocks=True,
        codes_features=True,
        takes_missing={"missing": ("code",)},
        takes_unknown=True,
        takes_weights=True,
        takes_groups=True,
    )

    _only_compares: ClassVar[bool] = True
    # What asks for searches without the picks.
    _substitutes: ClassVar[Any] = None
    # Whether the method mostly counts pairs of features, not features with labels.
    _counts_feature_pairs: ClassVar[bool] = False

    n_bins: int = 2
    binning: str = "quantile"
    missing: str = "code"
    n_target_bins: int | None = None
    n_jobs: int | None = None

    def _read_targets(self, y: Any, X: Any, weight: FloatArray | None) -> Labels:
        return read_scored_targets(y, X, n_bins=self.n_target_bins, weight=weight)

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
        """The terms as published, or with bias correction."""
        return terms.corrected(getattr(self, "correction", None))

    def _rank_all(self, counts: Any) -> Ranking:
        """Rank all features, with those that are constant last."""
        kept = counts.features.kept
        forced = ForcedFeatures.of(self)
        among = forced.among(kept)
        n_constant_first = forced.forced_in.size - among.forced_in.size
        n_open = kept.size - among.forced_out.size
        n_select = min(self._n_kept() - n_constant_first, n_open)
        with one_thread_inside():
            found = self._rank_counts(counts, n_select)
        constant = np.ones(self.n_features_in_, dtype=bool)
        constant[kept] = False
        order = np.concatenate([kept[found.order], np.flatnonzero(constant)])
        if (looks := self._substitutes) is not None:
            rest = order[kept.size :] if found.n_found is None else order[:0]
            some = looks.found.items()
            looks.found = {int(kept[i]): np.append(kept[p], rest) for i, p in some}
        scores = np.full(constant.size, min(found.scores.min(), 0.0))
        scores[kept] = found.scores
        return Ranking(scores, order, found.n_exact, found.n_found)

    def _nothing_to_rank(self, features: CodedColumns) -> Ranking:
        """The order of the columns, with those that are constant last."""
        scores = np.zeros(self.n_features_in_)
        constant = np.ones(scores.size, dtype=bool)
        constant[features.kept] = False
        n_found = 1 if self.n_features_to_select == "auto" else None
        return Ranking(scores, rank_by_score(scores, last=constant), n_found=n_found)
