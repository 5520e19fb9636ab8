"""CSV and TSV: types are found, labels are chosen, faults are located."""

from __future__ import annotations

import math

import numpy as np
import pytest

from labelsieve.datasets import FormatError, load
from tests.datasets.helpers import assert_same

TEXT = '''name,size,tag_a,tag_b
apple,1.5,0,1
"pear, ""green""",,1,0

apple,NA,1,1
?, -2e3 ,0,0
'''


def read(folder, text, labels="tag_", name="data.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(path, labels=labels)


def test_numbers_text_and_missing_values(tmp_path, each_way):
    data = read(tmp_path, TEXT)
    nan = math.nan
    expected = [[0, 1.5], [1, nan], [0, nan], [nan, -2000]]
    np.testing.assert_array_equal(data.X, expected)
    np.testing.assert_array_equal(data.Y, [[0, 1], [1, 0], [1, 1], [0, 0]])
    assert data.categories == {"name": ("apple", 'pear, "green"')}


@pytest.mark.parametrize("labels", ["tag_", ["tag_b", "tag_a"], -2])
def test_labels_by_prefix_name_and_count(tmp_path, labels):
    assert read(tmp_path, TEXT, labels).label_names == ("tag_a", "tag_b")


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_delimiters_windows_lines_and_byte_order_mark(tmp_path, delimiter, each_way):
    text = "a,b,x\r\n1, 2.5 ,1\r\n,?,0\r\n   \r\n3,4,1".replace(",", delimiter)
    data = read(tmp_path, b"\xef\xbb\xbf" + text.encode(), ["x"])
    nan = math.nan
    np.testing.assert_array_equal(data.X, [[1, 2.5], [nan, nan], [3, 4]])
    np.testing.assert_array_equal(data.Y, [[1], [0], [1]])


def test_labels_as_words(tmp_path):
    data = read(tmp_path, "a,x,y\n1,True,no\n2,False,yes\n", -2)
    np.testing.assert_array_equal(data.Y, [[1, 0], [0, 1]])


def test_rows_at_once_agree_with_rows_by_themselves(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    rows = [",".join([*map(repr, rng.normal(size=3).tolist()), "1"]) for _ in range(99)]
    text = "a,b,c,x\n" + "\n".join(rows)
    answers = []
    for size in (1 << 16, 0):
        monkeypatch.setattr("labelsieve.datasets._tables.AT_ONCE", size)
        answers.append(read(tmp_path, text, ["x"]))
    assert_same(*answers)


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("\n", 1, 1, "empty"),
        ("a,x\n", 2, None, "no row"),
        ("a,a,x\n1,2,1\n", 1, None, "'a' occurs twice"),
        ("a,x\n1,1\n1\n", 3, None, "1 cells, expected 2"),
        ("a,x\n1,1\n1,1,1\n", 3, None, "3 cells, expected 2"),
        ("a,x\n1,1\n2,2\n", 3, 2, "'2' in column 'x'"),
        ("a,x\n1,1\n2,blue\n", None, None, "has the value 'blue'"),
        ('a,x\n"1,1\n', 2, None, "unexpected end"),
        ('a,x\n"1"1,1\n', 2, None, "expected after"),
    ],
)
def test_faults_are_located(tmp_path, text, line, column, reason, each_way):
    with pytest.raises(FormatError) as caught:
        read(tmp_path, text, ["x"])
    assert reason in caught.value.reason
    assert (caught.value.line, caught.value.column) == (line, column)


def test_without_labels_the_user_is_asked(tmp_path):
    with pytest.raises(FormatError, match="pass labels="):
        read(tmp_path, TEXT, None)


def test_an_xml_path_is_not_for_csv(tmp_path):
    with pytest.raises(ValueError, match="ARFF files only"):
        read(tmp_path, TEXT, tmp_path / "labels.xml")


@pytest.mark.parametrize("values", [("-1", "1"), ("-1.0", "+1"), ("-1", "1.0")])
def test_labels_with_signs(tmp_path, values):
    lines = [f"{row},{values[row % 2]},{row % 2}" for row in range(6)]
    data = read(tmp_path, "\n".join(["a,x,y", *lines]), ["x", "y"])
    np.testing.assert_array_equal(data.Y, [[0, 0], [1, 1]] * 3)


def test_a_sign_beside_zero_is_no_label(tmp_path):
    with pytest.raises(FormatError, match=r"'-1' in column 'x': not a label.*unknown="):
        read(tmp_path, "a,x\n1,0\n2,1\n3,-1\n", ["x"])


@pytest.mark.parametrize("cell", ["N/A", "n/a", "NULL", "None", "#N/A", "<NA>"])
def test_missing_cells_as_other_programs_write_them(tmp_path, cell):
    data = read(tmp_path, f"a,b,x\n1,u,0\n{cell},{cell},1\n3,v,1\n", ["x"])
    np.testing.assert_array_equal(np.isnan(data.X), [[0, 0], [1, 1], [0, 0]])


@pytest.mark.parametrize(
    "description",
    [
        b"",
        b"[]",
        b"1e999",
        b'{"labelsieve": 2}',
        b'{"labelsieve": 1}',
        b"[" * 100_000,
        b'{"labelsieve": 1, "name": "n", "features": ["b"], "labels": ["x"], '
        b'"categories": {}, "sparse": false, "weights": null, "missing": ""}',
        b'{"labelsieve": 1, "name": "n", "features": ["a"], "labels": ["x"], '
        b'"categories": {}, "sparse": false, "weights": [1, 2], "missing": ""}',
        b'{"labelsieve": 1, "name": "n", "features": ["a"], "labels": ["x"], '
        b'"categories": {"x": ["0"]}, "sparse": 0, "weights": null, "missing": ""}',
        b'{"labelsieve": 1, "name": "\\ud800", "features": ["a"], "labels": ["x"], '
        b'"categories": {}, "sparse": false, "weights": null, "missing": ""}',
    ],
)
def test_descriptions_that_are_none(tmp_path, description):
    (tmp_path / "data.json").write_bytes(description)
    with pytest.raises(FormatError):
        read(tmp_path, "a,x\n1,1\n", None)
