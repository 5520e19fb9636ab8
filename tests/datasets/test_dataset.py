"""The data set itself, its description, its frames, and where it is found."""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from scipy import sparse

from labelsieve.datasets import Dataset, FormatError, describe, find_dataset, load, save
from labelsieve.datasets._dataset import NumberedNames
from tests.datasets.helpers import assert_same, dense
from tests.naive import datasets as naive


def make(X, Y, **more):
    names = [f"f{i}" for i in range(np.shape(X)[1])]
    labels = [f"l{i}" for i in range(np.shape(Y)[1])]
    return Dataset(X, Y, names, labels, **more)


def test_it_unpacks_and_is_frozen():
    data = make([[1, 2]], [[True]])
    X, Y = data
    assert (X.dtype, Y.dtype) == (np.float64, np.uint8)
    with pytest.raises(AttributeError):
        data.X = X
    assert_same(pickle.loads(pickle.dumps(data)), data)


def test_sparse_input_becomes_canonical_and_y_follows_x():
    X = sparse.coo_array(([1.0, 2.0, 0.0, 3.0], ([0, 0, 1, 1], [1, 1, 0, 0])))
    data = make(X, [[1, 0], [0, 0]])
    assert data.X.nnz == 2
    np.testing.assert_array_equal(data.X.toarray(), [[0, 3], [3, 0]])
    assert sparse.issparse(data.Y)
    assert not sparse.issparse(make([[1.0]], sparse.csr_array([[1]])).Y)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"X": [[math.inf, 1]]}, "infinity"),
        ({"Y": [[2]]}, "other than 0 and 1"),
        ({"Y": [[1], [0]]}, "X has 1 rows and Y has 2"),
        ({"X": [1.0, 2.0]}, "2 dimensions"),
        ({"feature_names": ["a"]}, "1 names for 2 features"),
        ({"feature_names": ["a", "a"]}, "'a' is used twice"),
        ({"label_names": ["b"]}, "'b' is used twice"),
        ({"categories": {"a": ()}}, "empty or repeat"),
        ({"categories": {"z": ("u",)}}, "not a feature"),
        ({"weights": [1.0, 2.0]}, "1 finite numbers"),
        ({"weights": [math.nan]}, "1 finite numbers"),
    ],
)
def test_what_does_not_fit_is_refused(change, reason):
    right = {
        "X": [[1.0, 2.0]],
        "Y": [[1]],
        "feature_names": ["a", "b"],
        "label_names": ["x"],
    }
    Dataset(**right)
    with pytest.raises(ValueError, match=reason):
        Dataset(**{**right, **change})


def test_numbered_names():
    names = NumberedNames("f", 1, 3)
    assert list(names) == ["f1", "f2", "f3"] == list(names[:])
    assert names == ["f1", "f2", "f3"]
    assert names == NumberedNames("f", 1, 3)
    assert names != NumberedNames("f", 0, 3)
    assert names != "f1f2f3"
    assert hash(names) == hash(NumberedNames("f", 1, 3))
    assert repr(names) == "NumberedNames('f', 1, 3)"
    with pytest.raises(IndexError):
        names[3]


@given(arrays(np.uint8, (5, 3), elements={"min_value": 0, "max_value": 1}))
def test_describe_agrees_with_naive_counting(Y):
    for X in (np.zeros((5, 1)), sparse.csr_array((5, 1))):
        row = describe(make(X, Y))
        assert (
            row.cardinality,
            row.density,
            row.distinct_label_sets,
            row.samples_without_label,
            row.samples_of_rarest_label,
        ) == pytest.approx(naive.describe(Y))
        counts = Y.sum(axis=0)[Y.sum(axis=0) > 0]
        if len(counts):
            assert row.max_imbalance == counts.max() / counts.min()
            assert row.mean_imbalance == pytest.approx((counts.max() / counts).mean())
        else:
            assert math.isnan(row.mean_imbalance)


@given(arrays(np.float64, (4, 3), elements={"min_value": 0, "max_value": 2}))
def test_constant_features_are_counted_alike_dense_and_sparse(X):
    X = np.round(X)
    expected = sum(len(set(column)) == 1 for column in X.T.tolist())
    Y = np.ones((4, 1))
    assert describe(make(X, Y)).constant_features == expected
    assert describe(make(sparse.csr_array(X), Y)).constant_features == expected


def test_frames_and_back(tmp_path):
    pd = pytest.importorskip("pandas")
    data = make(
        [[1.5, 0], [math.nan, math.nan], [2, 1]],
        [[1, 0], [0, 0], [1, 1]],
        categories={"f1": ("u", "v")},
    )
    save(data, tmp_path / "data.csv")
    X, Y = frames = load(tmp_path, as_frame=True)
    assert isinstance(X, pd.DataFrame)
    assert list(X.columns) == ["f0", "f1"]
    assert X["f1"].tolist() == ["u", math.nan, "v"] or pd.isna(X["f1"][1])
    assert list(Y.columns) == ["l0", "l1"]
    assert repr(frames) == "Dataset('data', 3 samples, 2 features, 2 labels, frame)"
    assert describe(frames)[:9] == describe(data)[:9]


def test_sparse_frames_and_back(tmp_path):
    pytest.importorskip("pandas")
    data = make(sparse.csr_array([[0, 1.5], [0, 0]]), [[1], [0]])
    save(data, tmp_path / "data.arff")
    frames = load(tmp_path, as_frame=True)
    assert frames.X.sparse.density == 0.25
    save(frames, tmp_path / "again.libsvm")
    again = load(tmp_path / "again.libsvm")
    np.testing.assert_array_equal(dense(again.X), dense(data.X))
    assert sparse.issparse(again.X)


def test_find_dataset_looks_in_the_listed_folders_and_at_home(tmp_path, monkeypatch):
    one, home = tmp_path / "one", tmp_path / "home"
    (one / "folder").mkdir(parents=True)
    (one / "folder" / "folder-train.csv").touch()
    (home / "labelsieve_data").mkdir(parents=True)
    (home / "labelsieve_data" / "file.arff.gz").touch()
    (home / "labelsieve_data" / "packed.zip").touch()
    monkeypatch.setenv("LABELSIEVE_DATA", f"{tmp_path / 'none'}{os.pathsep}{one}")
    monkeypatch.setenv("HOME", str(home))
    assert find_dataset("folder") == one / "folder"
    assert find_dataset("folder-train").name == "folder-train.csv"
    assert find_dataset("file").name == "file.arff.gz"
    assert find_dataset("packed").name == "packed.zip"
    with pytest.raises(FileNotFoundError, match="did you mean 'folder'") as caught:
        find_dataset("folders")
    assert str(one) in str(caught.value)


def test_find_dataset_looks_in_the_folder_that_is_given_and_nowhere_else(
    tmp_path, monkeypatch
):
    (tmp_path / "listed").mkdir()
    (tmp_path / "listed" / "file.arff").touch()
    (tmp_path / "given" / "other").mkdir(parents=True)
    monkeypatch.setenv("LABELSIEVE_DATA", str(tmp_path / "listed"))
    given = tmp_path / "given"
    assert find_dataset("other", given) == given / "other"
    with pytest.raises(FileNotFoundError, match="give the folder that holds") as caught:
        find_dataset("file", str(given))
    assert "listed" not in str(caught.value)


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a\\b", "C:x", "a\0"])
def test_find_dataset_takes_no_paths(name):
    with pytest.raises(ValueError, match="not the name of a data set"):
        find_dataset(name)


def test_format_error_is_a_value_error_and_can_be_pickled():
    error = FormatError("f.arff", 3, None, "why")
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, ValueError)
    assert str(again) == "f.arff, line 3: why"
    assert str(FormatError("f", None, None, "why")) == "f: why"


def test_importing_and_reading_small_files_stays_light(tmp_path):
    save(make([[1.0]], [[1]]), tmp_path / "data.arff")
    code = (
        "import sys; from labelsieve.datasets import load; "
        f"load({str(tmp_path)!r}); "
        "heavy = {'numba', 'pandas', 'pyarrow', 'sklearn'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
