"""Selectors on Dask collections: the same answers from rows in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelsieve.blocks import (
    SurveyedRows,
    leave_unlabelled_rows,
    open_rows,
    remember_columns,
    select_columns,
    survey,
)
from labelsieve.reading import warn_constant_features
from labelsieve.selectors._base import LabelSelector
from labelsieve.selectors._capabilities import (
    refuse_blocks,
    refuse_missing_cells,
    refuse_unknown_labels,
)


def survey_lazily(selector: LabelSelector, X: Any, y: Any) -> SurveyedRows:
    """Look at the rows of Dask collections, before the selector ranks them."""
    refuse_blocks(selector)
    binning = selector._binning()
    assert binning is not None, "row blocks are for methods made of codes"
    name, opened = type(selector).__name__, open_rows(selector, X, y)
    rows = survey(opened, name, *binning)
    refuse_unknown_labels(selector, rows.labels.summary)
    if rows.labels.survey.n_unlabelled:
        rows = survey(leave_unlabelled_rows(opened), name, *binning)
    refuse_missing_cells(selector, rows.columns.n_missing)
    selector._remember_labels(rows.labels.names)
    rows.labels.summary.warn_odd()
    warn_constant_features(rows.columns.constant)
    selector._check_wanted()
    return rows


def transform_lazily(selector: LabelSelector, X: Any) -> Any:
    """The selected columns of a Dask collection, computed when asked for."""
    remember_columns(selector, X, reset=False)
    return select_columns(X, np.flatnonzero(selector._get_support_mask()))
