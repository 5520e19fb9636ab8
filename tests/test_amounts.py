"""Columns of numbers as people write them: thousands, decimal commas, signs."""

import re

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labelsieve import Sieve, describe
from labelsieve._utils.texts import amounts_in
from labelsieve.datasets import load
from labelsieve.reading.frames import frame_to_numbers


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1,234.50", "99.00", "-3"], [1234.5, 99, -3]),
        (["1.234,50", "99,00", "+3"], [1234.5, 99, 3]),
        (["1,234,567", "999"], [1234567, 999]),
        (["1.234", "5,5"], [1234, 5.5]),
        (["0,125", "1,250"], [0.125, 1.25]),
        (["1 234,5", "7"], [1234.5, 7]),
        (["1\u202f234,5", "7"], [1234.5, 7]),
        (["1'234.5", "7"], [1234.5, 7]),
        (["12.5%", " 4 % "], [12.5, 4]),
        (["$5", "$ 1,000"], [5, 1000]),
        (["5 €", "1.000,25 €"], [5, 1000.25]),
        (["170.5 cm", "99 cm"], [170.5, 99]),
        (["45years", "8 years "], [45, 8]),
        (["-3,5 °C", "20 °C"], [-3.5, 20]),
    ],
)
def test_numbers_as_people_write_them(texts, values):
    assert amounts_in(texts) == dict(zip(texts, values, strict=True))
    for table in (pd.DataFrame, pl.DataFrame, pa.table):
        with pytest.warns(UserWarning, match="'price' .* read as numbers"):
            numbers, categories = frame_to_numbers(table({"price": texts}))
        assert not categories
        assert numbers[:, 0].tolist() == values


@pytest.mark.parametrize(
    "texts",
    [
        ["5", "6.5"],  # plain numbers have a rule of their own
        ["$5", "€6"],
        ["5%", "6"],
        ["5 cm", "2 m"],
        ["1 of 3", "2 of 3"],
        ["3-5", "5-8"],
        ["A1", "A2"],
        ["7am", "8pm"],
        ["1,5", "2.5"],
        ["1,2", "1,2,3"],
        ["0,123,456", "1"],
        ["31.12.2024", "01.02.2024"],
        ["12,34,567", "1"],
        ["a", "1,5"],
        ["1,5", 2],
        ["9" * 60 + ",5", "1"],
        ["%", "1%"],
        ["-", "low", "5"],
        ["-", True, "high"],
        ["+", "-"],
        ["-", "unknown"],
        ["none", "1", "2"],
    ],
)
def test_what_are_no_amounts(texts):
    assert amounts_in(texts) is None


@pytest.mark.parametrize(
    ("texts", "values", "told"),
    [
        (["5", "-", "6.5"], [5, np.nan, 6.5], "'-' is missing"),
        (["", "1,5"], [np.nan, 1.5], "'1,5' is 1.5, '' is missing"),
        (["N/A", "12 %", " \u2013 "], [np.nan, 12, np.nan], "'12 %' is 12, 'N/A' is"),
        (["unknown", "1e3", "?"], [np.nan, 1000, np.nan], "'unknown' is missing"),
    ],
)
def test_what_says_nothing_beside_numbers_is_missing(texts, values, told):
    np.testing.assert_array_equal([*amounts_in(texts).values()], values)
    for table in (pd.DataFrame, pl.DataFrame, pa.table):
        with pytest.warns(UserWarning, match=re.escape(told)):
            numbers, categories = frame_to_numbers(table({"price": texts}))
        assert not categories
        np.testing.assert_array_equal(numbers[:, 0], values)


@pytest.mark.parametrize(
    ("texts", "n_missing"),
    [
        (["2024-02-28", "-", "2024-03-01", "n/a"], 2),
        (["28.02.2024", "?", "01.03.2024"], 1),
        (["2/28/2024", "", "3/1/2024"], 1),
        (["12:30", "...", "8:05"], 1),
    ],
)
def test_what_says_nothing_beside_dates_is_missing(texts, n_missing):
    numbers, categories = frame_to_numbers(pd.DataFrame({"when": texts}))
    assert not categories
    assert np.isnan(numbers).sum() == n_missing


def test_doubtful_dates_are_shown_by_a_date():
    texts = ["-", "2/3/2024", "3/4/2024"]
    with pytest.warns(UserWarning, match="such as '2/3/2024'"):
        _, categories = frame_to_numbers(pd.DataFrame({"when": texts}))
    assert categories


def test_numbers_of_a_spreadsheet_with_dashes_between_them():
    cells = [12.5, "-", 3, "n/a", None, 7]
    with pytest.warns(UserWarning, match="'-' is missing"):
        numbers, _ = frame_to_numbers(
            pd.DataFrame({"x": pd.Series(cells, dtype=object)})
        )
    np.testing.assert_array_equal(numbers[:, 0], [12.5, np.nan, 3, np.nan, np.nan, 7])


def test_blocks_and_new_rows_may_say_nothing_at_all(tmp_path):
    random = np.random.default_rng(0)
    label = random.integers(0, 2, 120)
    x = [f"{v:.2f}" for v in 3 * label + random.normal(size=120)]
    x[40:80] = ["-"] * 40
    table = pd.DataFrame({"x": x, "z": random.normal(size=120)})
    Y = pd.DataFrame({"a": label, "b": random.integers(0, 2, 120)})
    with pytest.warns(UserWarning, match="'-' is missing"):
        whole = Sieve(1).fit(table, Y)
    assert whole.get_feature_names_out().tolist() == ["x"]
    assert whole.transform(table[40:44]).tolist() == [["-"]] * 4
    with pytest.warns(UserWarning, match="'-' is missing"):
        lazy = Sieve(1).fit(
            dd.from_pandas(table, npartitions=3),
            dd.from_pandas(Y, npartitions=3).to_dask_array(lengths=True),
        )
    np.testing.assert_array_equal(lazy.scores_, whole.scores_)
    table.assign(**Y).to_csv(tmp_path / "t.csv", index=False)
    table.assign(**Y).to_parquet(tmp_path / "t.parquet")
    for file in ("t.csv", "t.parquet"):
        with pytest.warns(UserWarning, match="'-' is missing"):
            read = load(tmp_path / file, labels=["a", "b"])
        assert np.isnan(read.X[:, 0]).sum() == 40
        np.testing.assert_array_equal(
            Sieve(1).fit(read.X, read.Y).scores_, whole.scores_
        )


def make_table(n_rows=120):
    random = np.random.default_rng(0)
    label = random.integers(0, 2, n_rows)
    price = 1500.0 * label + random.lognormal(5, 1, n_rows)
    cells = [None if row % 12 == 0 else f"{x:,.2f}" for row, x in enumerate(price)]
    size = [f"{x:.3f}".replace(".", ",") for x in random.normal(size=n_rows)]
    return pd.DataFrame({"size": size, "price": cells, "x": label, "y": 1 - label})


def test_files_and_frames_agree(tmp_path):
    table = make_table()
    table.to_csv(tmp_path / "t.csv", index=False, sep=";")
    pq.write_table(pa.Table.from_pandas(table), tmp_path / "t.parquet")
    with pytest.warns(UserWarning, match="read as numbers"):
        numbers, _ = frame_to_numbers(table)
    for file in ("t.csv", "t.parquet"):
        with pytest.warns(UserWarning, match="read as numbers"):
            read = load(tmp_path / file, labels=["x", "y"])
        np.testing.assert_array_equal(read.X, numbers[:, :2])
        assert not read.categories


def test_amounts_that_tell_a_label_come_first():
    table = make_table()
    X, Y = table[["size", "price"]], table[["x", "y"]]
    with pytest.warns(UserWarning, match=r"'size' .*, 'price' .* read as numbers"):
        sieve = Sieve(1).fit(X, Y)
    assert sieve.get_feature_names_out().tolist() == ["price"]
    with pytest.warns(UserWarning, match="read as numbers"):
        assert "features: 2 numeric" in str(describe(X, Y))


def test_blocks_of_rows_agree_with_all_rows():
    table = make_table()
    X, Y = table[["size", "price"]], table[["x", "y"]]
    with pytest.warns(UserWarning, match="read as numbers"):
        whole = Sieve(1).fit(X, Y)
    with pytest.warns(UserWarning, match="read as numbers"):
        lazy = Sieve(1).fit(
            dd.from_pandas(X, npartitions=3),
            dd.from_pandas(Y, npartitions=3).to_dask_array(lengths=True),
        )
    np.testing.assert_array_equal(lazy.scores_, whole.scores_)


def test_a_block_that_reads_otherwise_is_refused():
    X = pd.DataFrame({"size": ["1,234"] * 20 + ["0,5"] * 20, "z": range(40)})
    Y = pd.DataFrame({"x": [0, 1] * 20, "y": [0, 0, 1, 1] * 10})
    with pytest.raises(ValueError, match=r"'1,234', which is 1234 .* and 1\.234"):
        Sieve(1).fit(
            dd.from_pandas(X, npartitions=2),
            dd.from_pandas(Y, npartitions=2).to_dask_array(lengths=True),
        )
