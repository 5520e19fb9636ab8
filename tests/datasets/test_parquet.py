"""Parquet files of other programs, and damaged ones."""

from __future__ import annotations

import datetime
import math
import sys

import numpy as np
import pytest

from labelsieve.datasets import FormatError, load

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def write(folder, **columns):
    path = folder / "data.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def test_types_of_other_programs(tmp_path):
    path = write(
        tmp_path,
        whole=pa.array([1, None, 3]),
        real=pa.array([0.5, 1.5, None], pa.float32()),
        flag=pa.array([True, False, None]),
        word=pa.array(["b", "a", None]),
        kind=pa.array(["u", "v", "u"]).dictionary_encode(),
        day=pa.array([datetime.date(1970, 1, 2), None, datetime.date(1970, 1, 3)]),
        tag_x=pa.array([True, False, True]),
        tag_y=pa.array([0, 1, 1], pa.int8()),
    )
    data = load(path, labels="tag_")
    nan = math.nan
    expected = [
        [1, 0.5, 1, 0, 0, 86400],
        [nan, 1.5, 0, 1, 1, nan],
        [3, nan, nan, nan, 0, 2 * 86400],
    ]
    np.testing.assert_array_equal(data.X, expected)
    np.testing.assert_array_equal(data.Y, [[1, 0], [0, 1], [1, 1]])
    assert data.categories == {"word": ("b", "a"), "kind": ("u", "v")}


def test_files_of_polars(tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "data.parquet"
    frame = polars.DataFrame({"a": [1.0, None], "b": ["x", "y"], "l": [0, 1]})
    frame.write_parquet(path)
    data = load(path, labels=["l"])
    np.testing.assert_array_equal(data.X, [[1, 0], [math.nan, 1]])


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (["a", "b"], "label 'l' has the value 'a'; a label is 0 or 1"),
        ([0, 2], "2 in column 'l': not a label"),
        ([-1, 0], "-1 in column 'l': not a label.*--unknown"),
    ],
)
def test_labels_that_are_none(tmp_path, column, reason):
    with pytest.raises(FormatError, match=reason):
        load(write(tmp_path, a=[1, 2], l=column), labels=["l"])


@pytest.mark.parametrize(
    "column",
    [
        [1, -1, None],
        [1.0, -1.0, None],
        ["yes", "no", None],
        ["True", "False", None],
        ["1", "0", "-"],
    ],
)
@pytest.mark.filterwarnings("ignore:.* read as numbers")
def test_what_labels_are_called(tmp_path, column):
    data = load(write(tmp_path, a=[1, 2, 3], l=column), labels=["l"])
    np.testing.assert_array_equal(data.Y, [[1], [0], [math.nan]])


def test_text_that_stands_for_labels_that_are_not_known(tmp_path):
    path = write(tmp_path, a=[1, 2, 3], l=["yes", "no", "not asked"])
    data = load(path, labels=["l"], unknown="not asked")
    np.testing.assert_array_equal(data.Y, [[1], [0], [math.nan]])


def test_columns_that_cannot_be_numbers(tmp_path):
    with pytest.raises(FormatError, match="column 'a' has the type list"):
        load(write(tmp_path, a=[[1], [2]], l=[0, 1]), labels=["l"])
    with pytest.raises(FormatError, match="infinity"):
        load(write(tmp_path, a=[1, math.inf], l=[0, 1]), labels=["l"])


def test_without_labels_the_user_is_asked(tmp_path):
    with pytest.raises(FormatError, match="pass labels="):
        load(write(tmp_path, a=[1], l=[1]))


def test_few_bytes_that_stand_for_many_rows(tmp_path):
    path = write(tmp_path, a=np.zeros(1_000_000), l=np.zeros(1_000_000, np.uint8))
    assert path.stat().st_size < 100_000
    with pytest.raises(FormatError, match="exceeds max_bytes=1000000"):
        load(path, labels=["l"], max_bytes=1_000_000)


def test_damaged_files(tmp_path):
    path = write(tmp_path, a=[1], l=[1])
    content = path.read_bytes()
    for damaged in (content[:-10], content[:4], content[:-12] + bytes(12)):
        path.write_bytes(damaged)
        with pytest.raises(FormatError, match="damaged Parquet"):
            load(path, labels=["l"])


def test_without_pyarrow_the_way_out_is_named(tmp_path, monkeypatch):
    path = write(tmp_path, a=[1], l=[1])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"labelsieve\[tables\]"):
        load(path, labels=["l"])
