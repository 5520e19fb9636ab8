"""Selectors on Dask collections: the same answers from rows in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelsieve.blocks import (
    SurveyedRows,
    leave_unlabelled_rows,
    open_rows,
    remember_columns,
    rows_as_numbers,
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

# Methods without codes still want to know the range of each column.
ONLY_RANGES = (2, "uniform")


def survey_lazily(selector: LabelSelector, X: Any, y: Any) -> SurveyedRows:
    """Look at the rows of Dask collections, before the selector ranks them."""
    refuse_blocks(selector)
    name, binning = type(selector).__name__, selector._binning() or ONLY_RANGES
    opened = open_rows(selector, X, y)
    if selector._takes_numbers:
        opened = rows_as_numbers(opened, name)
    rows = survey(opened, name, *binning)
    refuse_unknown_labels(selector, rows.labels.summary)
    if rows.labels.survey.n_unlabelled:
        rows = survey(leave_unlabelled_rows(opened), name, *binning)
    refuse_missing_cells(selector, rows.groups.sums(rows.columns.n_missing))
    selector._remember_labels(rows.labels.names)
    rows.labels.summary.warn_odd()
    warn_constant_features(rows.constant)
    selector._check_wanted()
    if selector._capabilities.two_valued_labels:
        rows.labels.summary.refuse_several_values(name)
    return rows


def transform_lazily(selector: LabelSelector, X: Any) -> Any:
    """The selected columns of a Dask collection, computed when asked for."""
    remember_columns(selector, X, reset=False)
    return select_columns(X, np.flatnonzero(selector._get_support_mask()))
