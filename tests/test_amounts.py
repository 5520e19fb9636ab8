"""Columns of numbers as people write them: thousands, decimal commas, signs."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labelsieve import Sieve, describe
from labelsieve._plumbing.amounts import amounts_in
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
        ["", "1,5"],
        ["%", "1%"],
    ],
)
def test_what_are_no_amounts(texts):
    assert amounts_in(texts) is None


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
        assert "2 numbers" in str(describe(X, Y))


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
