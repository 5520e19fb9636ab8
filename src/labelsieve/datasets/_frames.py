"""Data sets as pandas DataFrames, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from labelsieve._plumbing.matrices import check_sparse
from labelsieve._plumbing.messages import need
from labelsieve.datasets._dataset import Dataset


def to_frames(dataset: Dataset) -> Dataset:
    """Return the data set with DataFrames for `X` and `Y`.

    Nominal columns are categorical; the columns of a sparse data set stay sparse, and
    its nominal ones stay positions.
    """
    pd = need("pandas", "as_frame=True", "tables")
    names, labels = list(dataset.feature_names), list(dataset.label_names)
    if sparse.issparse(dataset.X):
        X = pd.DataFrame.sparse.from_spmatrix(dataset.X, columns=names)
        Y = pd.DataFrame.sparse.from_spmatrix(dataset.Y, columns=labels)
        return replace(dataset, X=X, Y=Y)
    Y = pd.DataFrame(dataset.Y, columns=labels)
    if not dataset.categories:
        return replace(dataset, X=pd.DataFrame(dataset.X, columns=names), Y=Y)
    columns = {
        name: _column(pd, dataset.X[:, index], dataset.categories.get(name))
        for index, name in enumerate(names)
    }
    return replace(dataset, X=pd.DataFrame(columns), Y=Y)


def to_arrays(dataset: Dataset) -> Dataset:
    """Return the data set with arrays for `X` and `Y`, as `load` gives them."""
    X, Y = dataset.X, dataset.Y
    if not hasattr(X, "iloc"):
        check_sparse(X, "X")
        check_sparse(Y, "Y")
        return dataset
    if len(X.columns) and all(hasattr(kind, "fill_value") for kind in X.dtypes):
        return replace(dataset, X=X.sparse.to_coo(), Y=Y.sparse.to_coo())
    columns = [_values(X.iloc[:, index]) for index in range(X.shape[1])]
    return replace(dataset, X=np.column_stack(columns), Y=Y.to_numpy())


def _column(pd: Any, codes: Any, categories: tuple[str, ...] | None) -> Any:
    if categories is None:
        return codes
    positions = np.where(np.isnan(codes), -1, codes).astype(np.intp)
    return pd.Categorical.from_codes(positions, categories=list(categories))


def _values(column: Any) -> Any:
    if not hasattr(column, "cat"):
        return column.to_numpy(dtype=np.float64)
    codes = column.cat.codes.to_numpy().astype(np.float64)
    codes[codes < 0] = np.nan
    return codes
