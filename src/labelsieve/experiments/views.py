"""How an experiment presents feature values: as codes, scaled, or as they are."""

from __future__ import annotations

from typing import Any, Literal

import scipy.sparse as sp
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    StandardScaler,
)

from labelsieve._plumbing.matrices import as_dense
from labelsieve._plumbing.messages import unknown
from labelsieve._plumbing.typing import Matrix
from labelsieve.discretization import Discretizer

View = Literal["quantile", "uniform", "none", "standard", "minmax", "raw"]
VIEWS: tuple[View, ...] = ("quantile", "uniform", "none", "standard", "minmax", "raw")
CODES = ("quantile", "uniform", "none")


def transform_rows(view: str, train: Matrix, test: Matrix) -> tuple[Matrix, Matrix]:
    """Return training and test rows as the view shows them, fitted on training rows."""
    if view == "standard":
        train, test = as_dense(train), as_dense(test)
    fitted = _transformer(view, sp.issparse(train)).fit(train)
    return fitted.transform(train), fitted.transform(test)


def selector_sees_codes(view: str) -> bool:
    """Whether selectors get the values as they are and make the view's codes."""
    return view in CODES


def _transformer(view: str, is_sparse: bool) -> Any:
    if view in CODES:
        return Discretizer(binning=view)
    if view == "standard":
        return StandardScaler()
    if view == "minmax":
        # Sparse values stay sparse: zero is their minimum, or stays where it is.
        return MaxAbsScaler() if is_sparse else MinMaxScaler()
    if view == "raw":
        return FunctionTransformer(accept_sparse=True)
    raise ValueError(unknown("view", view, VIEWS))
