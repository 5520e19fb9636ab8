"""Selectors on Dask collections: the same answers from rows in blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from labelsieve.blocks import (
    SurveyedRows,
    open_rows,
    remember_columns,
    select_columns,
    survey,
)
from labelsieve.discretization import code_rows
from labelsieve.reading import warn_constant_features
from labelsieve.selectors._base import LabelSelector, Ranking

if TYPE_CHECKING:
    from labelsieve.selectors._information import InformationSelector

# Parameters with which a method cannot be computed from anchors.
IN_MEMORY_ONLY: dict[str, dict[str, Any]] = {
    "GMBA": {"variant": "authors", "weighted_distances": True},
    "SPEC": {"phi": 3},
}


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
    from labelsieve.selectors.transformations.blocks import refuse_rows_with_rows
    from labelsieve.selectors.transformations.selector import TransformationSelector

    if isinstance(selector, TransformationSelector):
        refuse_rows_with_rows(selector)
    for kind, method in _methods().items():
        if isinstance(selector, kind):
            _refuse_without_anchors(selector)
            return method
    raise TypeError(
        f"{type(selector).__name__} needs all rows at once, so it takes no Dask "
        "collections. Fit it on a sample of the rows in memory (see the page on "
        "scaling), or use Sieve, PMU, FIMF, MLQPFS, MLFS, EMCFSDensity, "
        "TransformationSelector with chi2 or mutual_information, or GMBA, SPEC or "
        "MLRF with n_anchors."
    )


def _methods() -> dict[type[LabelSelector], Callable[[Any, SurveyedRows], Ranking]]:
    from labelsieve.selectors._information import InformationSelector
    from labelsieve.selectors.density.blocks import rank_density
    from labelsieve.selectors.density.emcfs_density import EMCFSDensity
    from labelsieve.selectors.gmba.blocks import rank_margins
    from labelsieve.selectors.gmba.gmba import GMBA
    from labelsieve.selectors.mlfs.blocks import rank_scatter
    from labelsieve.selectors.mlfs.mlfs import MLFS
    from labelsieve.selectors.relief.blocks import rank_pairs
    from labelsieve.selectors.relief.mlrf import MLRF
    from labelsieve.selectors.spec.blocks import rank_edges
    from labelsieve.selectors.spec.spec import SPEC
    from labelsieve.selectors.transformations.blocks import rank_tables
    from labelsieve.selectors.transformations.selector import TransformationSelector

    return {
        InformationSelector: _rank_information,
        MLFS: rank_scatter,
        EMCFSDensity: rank_density,
        TransformationSelector: rank_tables,
        GMBA: rank_margins,
        SPEC: rank_edges,
        MLRF: rank_pairs,
    }


def _refuse_without_anchors(selector: Any) -> None:
    """TypeError for what anchors are needed for, or cannot do."""
    from labelsieve.selectors.grro import GRRO

    name = type(selector).__name__
    if isinstance(selector, GRRO):
        raise TypeError(
            "GRRO takes no Dask collections: the distances of its labels need all "
            "rows. Fit it in memory, or use Sieve, PMU, FIMF or MLQPFS."
        )
    if getattr(selector, "n_anchors", 1) is None:
        raise TypeError(
            f"{name} compares rows with rows, so it takes Dask collections only with "
            "anchors, rows that stand for all: set n_anchors, for example "
            "n_anchors=1000."
        )
    for parameter, impossible in IN_MEMORY_ONLY.get(name, {}).items():
        if getattr(selector, parameter) == impossible:
            raise TypeError(
                f"{name} with {parameter}={impossible!r} needs all rows at once, so it "
                "takes no Dask collections. Use another value, or fit on a sample of "
                "the rows in memory."
            )


def _rank_information(selector: InformationSelector, rows: SurveyedRows) -> Ranking:
    from labelsieve.counting import DaskCounts

    coded = code_rows(rows, selector.n_bins, selector.binning)
    try:
        if not coded.features.kept.size or not coded.labels.kept.size:
            return selector._nothing_to_rank(rows.rows.n_features)
        if coded.fits_in_memory:
            # As many threads as Dask would use, if nobody says how many.
            n_jobs = -1 if selector.n_jobs is None else selector.n_jobs
            return selector._rank_coded(*coded.together(), n_jobs)
        wants = selector._counts_feature_pairs, selector._picks_features
        counts = DaskCounts.of(coded, *wants, selector.n_jobs)
        return selector._rank_all(counts)
    finally:
        coded.close()
