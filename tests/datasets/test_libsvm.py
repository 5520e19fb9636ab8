"""LibSVM files, with and without a line of counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from labelsieve.datasets import FormatError, _places, load, load_splits
from tests.datasets.helpers import assert_same


def read(folder, text, labels=None):
    path = folder / "data.svm"
    path.write_text(text)
    return load(path, labels=labels)


TEXT = """# a comment
3,7 1:0.5 4:-2
7 2:1e-3 # more

 4:nan
3 3:0
"""


def test_labels_are_called_by_their_numbers(tmp_path, each_way):
    data = read(tmp_path, TEXT)
    nan = math.nan
    expected = [[0.5, 0, 0, -2], [0, 0.001, 0, 0], [0, 0, 0, nan], [0, 0, 0, 0]]
    np.testing.assert_array_equal(data.X.toarray(), expected)
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 1], [0, 1], [0, 0], [1, 0]])
    assert data.label_names == ("label3", "label7")
    assert data.feature_names == ("f1", "f2", "f3", "f4")
    assert data.X.nnz == 4


def test_features_count_from_zero_where_a_zero_occurs(tmp_path, each_way):
    data = read(tmp_path, "1 0:5 2:7\n")
    assert list(data.feature_names) == ["f0", "f1", "f2"]
    np.testing.assert_array_equal(data.X.toarray(), [[5, 0, 7]])


def test_a_number_of_labels_keeps_parts_of_a_split_alike(tmp_path, each_way):
    data = read(tmp_path, "1 1:5\n", labels=4)
    assert list(data.label_names) == ["label0", "label1", "label2", "label3"]
    np.testing.assert_array_equal(data.Y.toarray(), [[0, 1, 0, 0]])
    with pytest.raises(FormatError, match="labels 4 to 4, but there are 4"):
        read(tmp_path, "4 1:5\n", labels=4)


def test_a_line_of_counts(tmp_path, each_way):
    data = read(tmp_path, "2 5 3\n0,2 0:1 4:2\n1 3:1\n")
    assert data.X.shape == (2, 5)
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 0, 1], [0, 1, 0]])
    for text in ("3 5 3\n1 1:1\n", "1 5 3\n3 1:1\n", "1 5 3\n1 5:1\n", "1 5 0\n1:1\n"):
        with pytest.raises(FormatError):
            read(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("1 999999999:1\n", "features"),
        ("1 999999999 2\n1 1:1\n", "features"),
        ("1 3 999999999\n1 1:1\n", "labels"),
    ],
)
def test_a_billion_columns_in_a_few_bytes_are_not_believed(
    tmp_path, each_way, text, what
):
    with pytest.raises(FormatError, match=rf"999,999,999 {what} in \d+ bytes"):
        read(tmp_path, text)


def test_more_columns_than_the_memory_has_room_for(tmp_path, monkeypatch):
    monkeypatch.setattr(_places, "available_memory", lambda: 2**20)
    assert read(tmp_path, "1 16384:1\n").X.shape == (1, 16384)
    with pytest.raises(FormatError, match="16,385 features are more than this machine"):
        read(tmp_path, "1 16385:1\n")


def test_many_features_take_no_memory(tmp_path, each_way):
    data = read(tmp_path, "1 9999999:1\n")
    assert data.X.shape == (1, 9_999_999)
    assert data.feature_names[-1] == "f9999999"
    assert data.feature_names[:2] == ("f1", "f2")
    assert data.feature_names == data.feature_names
    # Beside a list all of them are made.
    few = read(tmp_path, "1 9999:1\n").feature_names
    assert few != ["f1"]
    assert few == [f"f{f}" for f in range(1, 10_000)]


def test_rows_at_once_agree_with_rows_by_themselves(tmp_path, monkeypatch):
    rng = np.random.default_rng(2)
    lines = []
    for _ in range(200):
        labels = ",".join(map(str, rng.permutation(9)[: rng.integers(0, 4)]))
        columns = rng.permutation(30)[: rng.integers(0, 6)] + 1
        cells = [f"{c}:{rng.normal()!r}" for c in columns.tolist()]
        lines.append(" ".join([labels, *cells]))
    answers = []
    for size in (1 << 16, 0):
        monkeypatch.setattr("labelsieve.datasets._tables.AT_ONCE", size)
        answers.append(read(tmp_path, "\n".join(lines).replace("np.float64", "")))
    assert_same(*answers)


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("1 1:1\nx 1:1\n", 2, None, "'x' is no integer"),
        ("1,1 1:1\n", 1, None, "occurs twice"),
        ("1, 1:1\n", 1, None, "'' is no integer"),
        ("1 1:1\n1 1:1 1:2\n", 2, 7, "feature 1 occurs twice"),
        ("1 -1:1\n", 1, 3, "expected feature:value"),
        ("1 1:x\n", 1, 3, "'x' is not a number"),
        ("1 1:inf\n", 1, 3, "not a number"),
        ("1 1:1e999\n", 1, 3, "too large"),
        ("1 1:\n", 1, 3, "'' is not a number"),
        ("1 qid:3 1:1\n", 1, 3, "expected feature:value"),
        ("1 1:1 2\n", 1, 7, "expected feature:value"),
        ("1 9999999999:1\n", 1, 3, "expected feature:value"),
        ("1:1\n", None, None, "no row carries a label"),
        ("1,2\n", None, None, "no row has a feature"),
    ],
)
def test_faults_are_located(tmp_path, text, line, column, reason, each_way):
    with pytest.raises(FormatError) as caught:
        read(tmp_path, text)
    assert reason in caught.value.reason
    assert (caught.value.line, caught.value.column) == (line, column)


def test_labels_of_libsvm_are_a_number(tmp_path):
    with pytest.raises(ValueError, match="is their number"):
        read(tmp_path, TEXT, labels=["a"])


def test_names_of_the_extreme_classification_repository(tmp_path):
    (tmp_path / "tiny_train.txt").write_text("2 3 4\n0,3 0:1 2:0.5\n 1:1\n")
    (tmp_path / "tiny_test.txt").write_text("1 3 4\n2 1:2\n")
    (tmp_path / "readme.txt").write_text("about this\n")
    data = load(tmp_path)
    assert data.name == "tiny"
    np.testing.assert_array_equal(data.X.toarray(), [[1, 0, 0.5], [0, 1, 0], [0, 2, 0]])
    np.testing.assert_array_equal(np.diff(data.Y.tocsr().indptr), [2, 0, 1])
    assert data.Y.shape == (3, 4)


def test_split_files(tmp_path):
    train, test = tmp_path / "trSplit.txt", tmp_path / "tstSplit.txt"
    train.write_text("1 3\n4 2\n")
    test.write_text("2 1\n3 4\n")
    splits = load_splits(train, test)
    assert [[part.tolist() for part in pair] for pair in splits] == [
        [[0, 3], [1, 2]],
        [[2, 1], [0, 3]],
    ]
    for text, message in {
        "2\n": "1 splits, but 2 in",
        "2 1\n3\n": "line 2: expected 2 row numbers",
        "2 x\n": "expected 2 row numbers",
        "4 1\n": "in split 1 a row is below 1 or occurs twice",
        "0 1\n": "in split 1 a row is below 1 or occurs twice",
        "": "the file is empty",
    }.items():
        test.write_text(text)
        with pytest.raises(FormatError, match=message):
            load_splits(train, test)
