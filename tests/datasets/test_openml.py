"""OpenML without a network: what scikit-learn returns is turned into a data set."""

from __future__ import annotations

from urllib.error import URLError

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets as sklearn_datasets
from sklearn.utils import Bunch

from labelsieve.datasets import FormatError, load


def answer(monkeypatch, bunch):
    calls = []

    def fetch_openml(**arguments):
        calls.append(arguments)
        if isinstance(bunch, Exception):
            raise bunch
        return bunch

    monkeypatch.setattr(sklearn_datasets, "fetch_openml", fetch_openml)
    return calls


def make_bunch(data, target):
    return Bunch(
        data=data,
        target=target,
        feature_names=["a", "b"],
        target_names=["x", "y"],
        categories={"b": ["u", "v"], "x": ["FALSE", "TRUE"]},
        details={"name": "music"},
    )


DATA = np.array([[1.5, 0.0], [np.nan, 1.0]])


@pytest.mark.parametrize(
    ("path", "by"),
    [("openml:yeast", {"name": "yeast"}), ("openml:41", {"data_id": 41})],
)
def test_by_name_and_by_id(monkeypatch, path, by):
    target = np.array([["TRUE", "FALSE"], ["FALSE", "FALSE"]], dtype=object)
    calls = answer(monkeypatch, make_bunch(DATA, target))
    data = load(path)
    assert by.items() <= calls[0].items()
    np.testing.assert_array_equal(data.X, DATA)
    np.testing.assert_array_equal(data.Y, [[1, 0], [0, 0]])
    assert (data.name, data.label_names) == ("music", ("x", "y"))
    assert data.categories == {"b": ("u", "v")}


def test_sparse_data_stay_sparse(monkeypatch):
    target = sparse.csr_array(np.array([[1.0, 0.0], [0.0, 1.0]]))
    answer(monkeypatch, make_bunch(sparse.csr_matrix(DATA), target))
    data = load("openml:9")
    assert sparse.issparse(data.X)
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 0], [0, 1]])


def test_labels_may_be_chosen_among_the_columns(monkeypatch):
    answer(monkeypatch, make_bunch(np.array([[5.0, 1.0], [6.0, 0.0]]), None))
    data = load("openml:9", labels=["b"])
    assert (data.feature_names, data.label_names) == (("a",), ("b",))
    np.testing.assert_array_equal(data.Y, [[1], [0]])


def test_targets_that_are_no_labels(monkeypatch):
    answer(monkeypatch, make_bunch(DATA, np.array([[3.5, 0], [0, 1]])))
    with pytest.raises(FormatError, match=r"label 'x' has the value '3.5'"):
        load("openml:9")
    bunch = make_bunch(DATA, None)
    bunch.target_names = []
    answer(monkeypatch, bunch)
    with pytest.raises(FormatError, match="names no target"):
        load("openml:9")


def test_without_network_the_error_is_clear(monkeypatch):
    answer(monkeypatch, URLError("no route"))
    with pytest.raises(ConnectionError, match="openml:yeast needs the network"):
        load("openml:yeast")
