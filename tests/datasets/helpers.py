"""What the tests of the readers share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from labelsieve.datasets import Dataset

XML = (
    '<?xml version="1.0" encoding="utf-8"?>\n'
    '<labels xmlns="http://mulan.sourceforge.net/labels">\n'
    "{}</labels>\n"
)


def dense(matrix) -> np.ndarray:
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


def assert_same(one: Dataset, two: Dataset) -> None:
    """Both data sets hold the same, in the same layout."""
    assert one.name == two.name
    assert tuple(one.feature_names) == tuple(two.feature_names)
    assert tuple(one.label_names) == tuple(two.label_names)
    assert dict(one.categories) == dict(two.categories)
    assert sparse.issparse(one.X) == sparse.issparse(two.X)
    assert sparse.issparse(one.Y) == sparse.issparse(two.Y)
    np.testing.assert_array_equal(dense(one.X), dense(two.X))
    np.testing.assert_array_equal(dense(one.Y), dense(two.Y))
    assert one.X.dtype == two.X.dtype == np.float64
    unknown = np.isnan(dense(one.Y).astype(np.float64)).any()
    assert one.Y.dtype == two.Y.dtype == (np.float64 if unknown else np.uint8)
    if one.weights is None or two.weights is None:
        assert one.weights is two.weights
    else:
        np.testing.assert_array_equal(one.weights, two.weights)


def write_mulan(folder: Path, arff: str | bytes, labels: list[str]) -> Path:
    """Write data.arff and its XML file; return the path of the first."""
    path = folder / "data.arff"
    path.write_bytes(arff if isinstance(arff, bytes) else arff.encode())
    names = "".join(f'<label name="{label}"></label>\n' for label in labels)
    (folder / "data.xml").write_text(XML.format(names), encoding="utf-8")
    return path
