"""Selectors on Dask collections: the same answers from rows in blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from labelsieve._dask_rows import open_rows, remember_columns, select_columns
from labelsieve._features import warn_constant_features
from labelsieve.discretization._dask_codes import SurveyedRows, code_rows, survey
from labelsieve.selectors._base import LabelSelector, Ranking

if TYPE_CHECKING:
    from labelsieve.selectors._information import InformationSelector


def rank_lazily(selector: LabelSelector, X: Any, y: Any) -> Ranking:
    """Rank the features of a Dask collection."""
    rank = lazy_method(selector)
    n_bins = getattr(selector, "n_bins", 2)
    # Methods without codes still want to know the range of each column.
    binning = getattr(selector, "binning", "uniform")
    rows = survey(open_rows(selector, X, y), type(selector).__name__, n_bins, binning)
    rows.labels.summary.warn_constant()
    warn_constant_features(rows.columns.constant)
    selector._warn_if_too_many()
    return rank(selector, rows)


def transform_lazily(selector: LabelSelector, X: Any) -> Any:
    """The selected columns of a Dask collection, computed when asked for."""
    remember_columns(selector, X, reset=False)
    return select_columns(X, np.flatnonzero(selector._get_support_mask()))


def lazy_method(selector: LabelSelector) -> Callable[[Any, SurveyedRows], Ranking]:
    """How the selector ranks rows in blocks; TypeError where it cannot."""
    from labelsieve.selectors._dask_density import rank_density
    from labelsieve.selectors._dask_scatter import rank_scatter
    from labelsieve.selectors._dask_tables import rank_tables, refuse_rows_with_rows
    from labelsieve.selectors._information import InformationSelector
    from labelsieve.selectors.emcfs_density import EMCFSDensity
    from labelsieve.selectors.grro import GRRO
    from labelsieve.selectors.mlfs import MLFS
    from labelsieve.selectors.transformations import TransformationSelector

    methods: dict[type[LabelSelector], Callable[[Any, SurveyedRows], Ranking]] = {
        InformationSelector: _rank_information,
        MLFS: rank_scatter,
        EMCFSDensity: rank_density,
        TransformationSelector: rank_tables,
    }
    if isinstance(selector, TransformationSelector):
        refuse_rows_with_rows(selector)
    for kind, method in methods.items():
        # The distances of GRRO's labels are not among the counts.
        if isinstance(selector, kind) and not isinstance(selector, GRRO):
            return method
    raise TypeError(
        f"{type(selector).__name__} needs all rows at once, so it takes no Dask "
        "collections. Fit it on a sample of the rows in memory (see the page on "
        "scaling), or use Sieve, PMU, FIMF, MLQPFS, MLFS, EMCFSDensity or "
        "TransformationSelector with chi2 or mutual_information."
    )


def _rank_information(selector: InformationSelector, rows: SurveyedRows) -> Ranking:
    from labelsieve.counting.dask_counts import DaskCounts

    coded = code_rows(rows, selector.n_bins, selector.binning)
    try:
        if not coded.features.kept.size or not coded.labels.kept.size:
            return selector._nothing_to_rank(rows.rows.n_features)
        wants = selector._counts_feature_pairs, selector._picks_features
        counts = DaskCounts.of(coded, *wants, selector.n_jobs)
        return selector._rank_all(counts)
    finally:
        coded.close()
