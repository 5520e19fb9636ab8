"""The row of numbers that papers print for a data set."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._nominal import to_arrays


class Description(NamedTuple):
    """What a data set looks like.

    Attributes
    ----------
    name : str
        The name of the data set.
    instances, features, labels : int
        Its rows, features and labels.
    nominal_features, numeric_features : int
        The two kinds of features.
    cardinality : float
        Labels per row, on average.
    density : float
        Cardinality divided by the number of labels.
    distinct_label_sets : int
        Different combinations of labels that occur, the empty one included.
    samples_without_label : int
        Rows of which every label is known, and that carry none.
    samples_of_rarest_label : int
        Rows of the label that has fewest.
    constant_features : int
        Features with one value in all rows; a missing value counts as a value.
    mean_imbalance, max_imbalance : float
        Rows of the commonest label divided by rows of each label (Charte et al.,
        Neurocomputing 163, 2015), averaged and at its largest over the labels that
        occur; NaN where none does.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve.datasets import Dataset, describe
    >>> Y = [[1, 0], [1, 1], [1, 0], [0, 0]]
    >>> row = describe(Dataset(np.eye(4), Y, list("abcd"), ["x", "y"]))
    >>> row.cardinality, row.distinct_label_sets, row.mean_imbalance
    (1.0, 3, 2.0)
    """

    name: str
    instances: int
    features: int
    nominal_features: int
    numeric_features: int
    labels: int
    cardinality: float
    density: float
    distinct_label_sets: int
    samples_without_label: int
    samples_of_rarest_label: int
    constant_features: int
    mean_imbalance: float
    max_imbalance: float


def describe(dataset: Dataset) -> Description:
    """Count what papers print about a data set; `labelsieve.describe` looks closer.

    Parameters
    ----------
    dataset : Dataset
        Dense, sparse or of DataFrames.

    Returns
    -------
    Description
        A named tuple; ``pandas.DataFrame([describe(a), describe(b)])`` is a table.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve.datasets import Dataset, describe
    >>> describe(Dataset(np.ones((4, 1)), np.eye(4), ["a"], list("wxyz"))).density
    0.25
    """
    dataset = to_arrays(dataset)
    Y = sparse.csr_array(dataset.Y)
    classes = {*dataset.label_names} if dataset.target_types else set()
    if dataset.target_types:  # numbers and classes are no labels
        Y = Y[:, np.flatnonzero(np.array(dataset.target_types) == "label")]
    unknown = np.isnan(Y.data)
    rows = np.repeat(np.arange(Y.shape[0]), np.diff(Y.indptr))
    present = Y.copy()
    present.data[unknown] = 0
    present.eliminate_zeros()
    return count_data(
        dataset.name,
        present,
        n_unknown=np.bincount(rows[unknown], minlength=Y.shape[0]),
        n_features=dataset.X.shape[1],
        n_nominal=len(dataset.categories.keys() - classes),
        n_constant=_count_constant(dataset.X),
    )


def count_data(
    name: str,
    Y: Any,
    *,
    n_unknown: Any,
    n_features: int,
    n_nominal: int,
    n_constant: int,
) -> Description:
    """Return the numbers of data whose rows have the labels that CSR `Y` stores.

    `n_unknown` is how many labels of each row are not known, or 0.
    """
    per_row, bounds = np.diff(Y.indptr), pairwise(Y.indptr.tolist())
    per_label = np.bincount(Y.indices, minlength=Y.shape[1])
    cardinality = float(per_row.mean()) if len(per_row) else 0.0
    occurring = per_label[per_label > 0]
    ratios = per_label.max(initial=0) / occurring
    return Description(
        name=name,
        instances=Y.shape[0],
        features=n_features,
        nominal_features=n_nominal,
        numeric_features=n_features - n_nominal,
        labels=Y.shape[1],
        cardinality=cardinality,
        density=cardinality / Y.shape[1] if Y.shape[1] else 0.0,
        distinct_label_sets=len({Y.indices[a:b].tobytes() for a, b in bounds}),
        samples_without_label=int((per_row + n_unknown == 0).sum())
        if Y.shape[1]
        else 0,
        samples_of_rarest_label=int(per_label.min(initial=Y.shape[0])),
        constant_features=n_constant,
        mean_imbalance=float(ratios.mean()) if len(ratios) else float("nan"),
        max_imbalance=float(ratios.max()) if len(ratios) else float("nan"),
    )


def _count_constant(X: Any) -> int:
    if not sparse.issparse(X):
        first = X[:1]
        same = (first == X) | (np.isnan(X) & np.isnan(first))
        return int(same.all(axis=0).sum())
    # Only columns that occur are looked at: a LibSVM file may have a billion.
    columns, counts = np.unique(X.indices, return_counts=True)
    full = columns[counts == X.shape[0]]
    # Rows are sorted, so the values of full columns form a matrix of their own.
    values = X.data[np.isin(X.indices, full)].reshape(X.shape[0], len(full))
    return X.shape[1] - len(columns) + _count_constant(values)
