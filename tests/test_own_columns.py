"""Columns as people have them: dates with slashes, indices, odd types, own unknowns."""

import datetime as dt
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labelsieve import FIMF, describe
from labelsieve.cli import main
from labelsieve.datasets import FormatError, load
from labelsieve.reading.features import read_values
from labelsieve.reading.frames import frame_to_numbers

MONTH_FIRST = ["2/28/2020", "3/4/2021", "12/25/1969 8:30"]
DAY_FIRST = ["28/2/2020", "4/3/2021", "25/12/1969 08:30"]
SECONDS = [
    (dt.datetime(*moment) - dt.datetime(1970, 1, 1)).total_seconds()
    for moment in ((2020, 2, 28), (2021, 3, 4), (1969, 12, 25, 8, 30))
]
DOUBTFUL = ["2/8/2020", "3/4/2021", "12/5/1969"]
LABELS = [[0, 1], [1, 0], [1, 1]]


def tables(cells):
    yield pd.DataFrame({"when": cells})
    yield pl.DataFrame({"when": cells})
    yield pa.table({"when": cells})


@pytest.mark.parametrize("cells", [MONTH_FIRST, DAY_FIRST])
def test_dates_in_one_order_are_dates(cells):
    for table in tables(cells):
        numbers, categories = frame_to_numbers(table)
        assert not categories
        np.testing.assert_array_equal(numbers[:, 0], SECONDS)


def test_dates_with_a_missing_cell_and_with_dashes():
    table = pd.DataFrame({"when": ["28-2-2020", None, "4-3-2021"]})
    numbers, categories = frame_to_numbers(table)
    assert not categories
    np.testing.assert_array_equal(numbers[:, 0], [SECONDS[0], np.nan, SECONDS[1]])


def test_the_same_day_in_both_orders_is_a_date():
    numbers, categories = frame_to_numbers(pd.DataFrame({"when": ["1/1/1970"] * 2}))
    assert not categories
    assert numbers.tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize("cells", [["13/13/2020"], ["2/28/2020", "28/2/2020"], ["1/2"]])
def test_what_is_a_date_in_no_order_stays_text(cells, recwarn):
    _, categories = frame_to_numbers(pd.DataFrame({"when": cells}))
    assert len(categories[0]) == len(cells)
    assert not recwarn.list


def test_doubtful_dates_are_told(tmp_path):
    for table in tables(DOUBTFUL):
        with pytest.warns(UserWarning, match=r"'when' holds dates such as '2/8/2020'"):
            _, categories = frame_to_numbers(table)
        assert len(categories[0]) == 3
    rows = zip(DOUBTFUL, LABELS, strict=True)
    text = "".join(f"{when},{a},{b}\n" for when, (a, b) in rows)
    (tmp_path / "days.csv").write_text("when,a,b\n" + text)
    frame = pd.read_csv(tmp_path / "days.csv")
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "days.parquet")
    for name in ("days.csv", "days.parquet"):
        with pytest.warns(UserWarning, match=r"to_datetime"):
            data = load(tmp_path / name, labels=["a", "b"])
        assert data.categories == {"when": tuple(DOUBTFUL)}


def test_doubtful_dates_after_dates():
    """Day and month that `fit` could tell apart, and a later table could not."""
    from labelsieve import Discretizer

    known = Discretizer().fit(pd.DataFrame({"when": MONTH_FIRST}))
    with pytest.raises(ValueError, match=r"'when' holds dates .* cannot be told apart"):
        known.transform(pd.DataFrame({"when": DOUBTFUL}))


@pytest.mark.parametrize("name", ["days.csv", "days.parquet"])
def test_dates_of_files(name, tmp_path):
    table = pd.DataFrame({"when": MONTH_FIRST, "size": [1.0, 2.0, 3.0]})
    table[["a", "b"]] = LABELS
    if name.endswith("csv"):
        table.to_csv(tmp_path / name, index=False)
    else:
        table.to_parquet(tmp_path / name)
    data = load(tmp_path / name, labels=["a", "b"])
    np.testing.assert_array_equal(data.X[:, 0], SECONDS)
    assert list(data.dates) == ["when"]
    assert describe(data).types == {"numeric": 1, "date or time": 1}
    assert describe(table[["when", "size"]], LABELS).types == describe(data).types


def test_an_index_of_pandas_is_no_feature_in_pyarrow():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.random((30, 2)), columns=["x", "z"])
    Y = pd.DataFrame(random.random((30, 2)) < 0.5, columns=["a", "b"]).astype(int)
    frame.index = Y.index = pd.Index(random.permutation(30), name="row")
    table, labels = pa.Table.from_pandas(frame), pa.Table.from_pandas(Y)
    assert "row" in table.column_names
    selector = FIMF(1).fit(table, labels)
    assert selector.feature_names_in_.tolist() == ["x", "z"]
    assert selector.transform(table).shape == (30, 1)
    assert describe(table, labels).types == {"numeric": 2}
    np.testing.assert_array_equal(selector.scores_, FIMF(1).fit(frame, Y).scores_)
    unnamed = pa.Table.from_pandas(frame.rename_axis(None))
    assert FIMF(1).fit(unnamed, labels).n_features_in_ == 2


def test_types_of_pyarrow_are_refused_by_name():
    interval = pa.month_day_nano_interval()
    table = pa.table({"x": [1.0], "gap": pa.array([(1, 2, 3)], interval)})
    with pytest.raises(ValueError, match=r"'gap' has dtype month_day_nano_interval"):
        read_values("test", table, min_rows=1)


@pytest.mark.parametrize(
    "cells",
    [pa.array([[1], [2]]), pa.array([{"u": 1}, {"u": 2}]), pa.array([b"u"] * 2)],
)
def test_types_of_parquet_are_refused_by_name(cells, tmp_path):
    table = pa.table({"odd": cells, "a": [0, 1]})
    pq.write_table(table, tmp_path / "odd.parquet")
    with pytest.raises(FormatError, match=r"'odd' has the type .*without it"):
        load(tmp_path / "odd.parquet", labels=["a"])


@pytest.mark.parametrize("kind", [object, str])
def test_text_in_an_array_is_refused_with_its_column(kind):
    X = np.array([[1, "u"], [2, "v"], [3, "w"]], dtype=kind)
    with pytest.raises(ValueError, match=r"column 1 of X .* as 'u'.*DataFrame"):
        FIMF(1).fit(X, LABELS)


def test_numbers_as_text_in_an_array_are_numbers():
    with pytest.warns(UserWarning, match="numbers as text"):
        values = read_values("test", np.array([["1e3", "2"]]), min_rows=1).values
    np.testing.assert_array_equal(values, [[1000.0, 2.0]])


UNKNOWN = "x,a,b\n1,0,1\n2,-1,1\n3,1,-1.0\n4,1,\n"
EXPECTED = [[0, 1], [np.nan, 1], [1, np.nan], [1, np.nan]]


@pytest.mark.parametrize("unknown", [-1, "-1", -1.0])
def test_what_stands_for_unknown_in_a_file(unknown, tmp_path):
    path = tmp_path / "own.csv"
    path.write_text(UNKNOWN)
    data = load(path, labels=["a", "b"], unknown=unknown)
    np.testing.assert_array_equal(data.Y, EXPECTED)
    pd.read_csv(path).to_parquet(tmp_path / "own.parquet")
    again = load(tmp_path / "own.parquet", labels=["a", "b"], unknown=unknown)
    np.testing.assert_array_equal(again.Y, EXPECTED)
    with pytest.raises(FormatError, match=r"unknown= \(--unknown\)"):
        load(path, labels=["a", "b"])


def test_words_that_stand_for_unknown(tmp_path):
    (tmp_path / "own.csv").write_text("x,a\n1,yes\n2,perhaps\n3,no\n")
    data = load(tmp_path / "own.csv", labels=["a"], unknown="perhaps")
    np.testing.assert_array_equal(data.Y, [[1], [np.nan], [0]])


def test_what_stands_for_unknown_in_arff(tmp_path):
    head = "@relation t\n@attribute x numeric\n@attribute a {-1,0,1}\n@data\n"
    (tmp_path / "own.arff").write_text(head + "1,0\n2,-1\n3,1\n4,?\n")
    data = load(tmp_path / "own.arff", labels=["a"], unknown=-1)
    np.testing.assert_array_equal(data.Y, [[0], [np.nan], [1], [np.nan]])


def test_large_files_with_unknown_labels(tmp_path):
    """Above the size from which a kernel reads."""
    Y = np.resize([0, 1, -1], 40_000)
    frame = pd.DataFrame({"x": np.arange(40_000), "a": Y})
    frame.to_csv(tmp_path / "own.csv", index=False)
    data = load(tmp_path / "own.csv", labels=["a"], unknown=-1)
    np.testing.assert_array_equal(data.Y[:, 0], np.where(Y < 0, np.nan, Y))


def test_unknown_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "own.csv"
    path.write_text(UNKNOWN)
    options = [str(path), "--labels", "a,b", "--unknown=-1"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert main(["describe", *options]) == 0
        assert "unknown labels: 2 of 2" in capsys.readouterr().out
        assert main(["select", *options, "--method", "fimf", "-k", "1"]) == 0
    capsys.readouterr()
    assert main(["compare", *options, "--methods", "fimf"]) == 0
