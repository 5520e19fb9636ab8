"""What becomes of columns of a table that are no plain numbers."""

import datetime as dt
import warnings
from decimal import Decimal

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from labelsieve import FIMF, PMU, Discretizer, MLkNN, Sieve, describe
from labelsieve.reading.frames import frame_to_numbers
from labelsieve.reading.nominal import MOST_CATEGORIES, RARE
from labelsieve.registry import make_selector
from tests.selectors.registered import representatives

DAYS = [dt.date(2020, 1, 1), None, dt.date(1969, 12, 31)]
MOMENTS = [dt.datetime(2020, 1, 1, 12, 0, 0, 500_000), None, dt.datetime(1969, 12, 31)]
ZONED = [moment and moment.replace(tzinfo=dt.UTC) for moment in MOMENTS]
TIMES = [dt.time(1, 2, 3), None, dt.time(0)]
LENGTHS = [dt.timedelta(days=1), None, dt.timedelta(seconds=-1.5)]
BERLIN = "Europe/Berlin"
SECONDS = {
    "days": [1_577_836_800.0, np.nan, -86_400.0],
    "moments": [1_577_880_000.5, np.nan, -86_400.0],
    "times": [3723.0, np.nan, 0.0],
    "lengths": [86_400.0, np.nan, -1.5],
}
COLUMNS = {
    "pandas": ("moments", pd.Series(MOMENTS)),
    "pandas, milliseconds": ("moments", pd.Series(MOMENTS).astype("datetime64[ms]")),
    "pandas, zoned": ("moments", pd.Series(ZONED).dt.tz_convert(BERLIN)),
    "pandas, days of arrow": ("days", pd.Series(DAYS, dtype="date32[day][pyarrow]")),
    "pandas, arrow": ("moments", pd.Series(MOMENTS, dtype="timestamp[us][pyarrow]")),
    "pandas, times": ("times", pd.Series(TIMES, dtype="time64[us][pyarrow]")),
    "pandas, lengths": ("lengths", pd.Series(LENGTHS)),
    "polars": ("moments", pl.Series(MOMENTS)),
    "polars, zoned": ("moments", pl.Series(ZONED).dt.convert_time_zone(BERLIN)),
    "polars, days": ("days", pl.Series(DAYS)),
    "polars, times": ("times", pl.Series(TIMES)),
    "polars, lengths": ("lengths", pl.Series(LENGTHS)),
    "arrow": ("moments", pa.array(MOMENTS)),
    "arrow, zoned": ("moments", pa.array(ZONED, pa.timestamp("ms", BERLIN))),
    "arrow, days": ("days", pa.array(DAYS)),
    "arrow, times": ("times", pa.array(TIMES)),
    "arrow, lengths": ("lengths", pa.array(LENGTHS)),
    "objects, days": ("days", pd.Series(DAYS, dtype=object)),
    "objects, moments": ("moments", pd.Series(MOMENTS, dtype=object)),
    "objects, zoned": ("moments", pd.Series(ZONED, dtype=object)),
    "objects, times": ("times", pd.Series(TIMES, dtype=object)),
    "objects, lengths": ("lengths", pd.Series(LENGTHS, dtype=object)),
    "objects in polars": ("days", pl.Series(DAYS, dtype=pl.Object)),
    "text": ("moments", pd.Series(["2020-01-01T12:00:00.5", None, "1969-12-31"])),
    "text in polars": ("days", pl.Series(["2020-01-01", None, "1969-12-31"])),
    "text, day first": ("days", pd.Series(["01.01.2020", None, "31.12.1969"])),
    "text, slashes": ("days", pl.Series(["2020/01/01", None, "1969/12/31"])),
    "text, times": ("times", pd.Series(["01:02:03", None, "00:00"])),
    "text, lengths": (
        "lengths",
        pd.Series(["1 days", None, "-1 days +23:59:58.5"]),
    ),
    "text with a zone": (
        "moments",
        pa.array(["2020-01-01 13:00:00.500+01:00", None, "1969-12-31T00:00Z"]),
    ),
}


def table_of(column):
    """A table with one column, of the library that the column is of."""
    if isinstance(column, pa.Array):
        return pa.table({"when": column})
    return (pd if isinstance(column, pd.Series) else pl).DataFrame({"when": column})


@pytest.mark.parametrize("form", COLUMNS)
def test_times_are_seconds(form):
    kind, column = COLUMNS[form]
    numbers, categories = frame_to_numbers(table_of(column))
    np.testing.assert_array_equal(numbers[:, 0], SECONDS[kind])
    assert categories == {}


def test_a_date_that_tells_a_label(random):
    Y = random.integers(0, 2, (80, 2))
    when = pd.Timestamp("2024-02-28") + pd.to_timedelta(200 * Y[:, 0], unit="D")
    noise = random.normal(size=(80, 3))
    frame = pd.DataFrame(noise, columns=["a", "b", "c"]).assign(when=when)
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        assert PMU(1).fit(table, Y).get_feature_names_out().tolist() == ["when"]


NUMBERS = [1.0, np.nan, 0.0]


@pytest.mark.parametrize("library", [pd, pl])
def test_numbers_as_text_are_numbers(library, random):
    Y = random.integers(0, 2, (80, 2))
    amount = np.round(random.normal(size=80) + 3 * Y[:, 0], 2)
    text = [None if i % 9 == 0 else f"{x:.2f}" for i, x in enumerate(amount)]
    frame = library.DataFrame({"noise": random.normal(size=80), "amount": text})
    numbers = np.where(np.arange(80) % 9 == 0, np.nan, amount)
    expected = PMU(1).fit(np.column_stack([frame["noise"], numbers]), Y).scores_
    with pytest.warns(DataConversionWarning, match="'amount' holds numbers as text"):
        np.testing.assert_array_equal(PMU(1).fit(frame, Y).scores_, expected)
    if library is pd:
        codes = frame.assign(amount=frame["amount"].astype("category"))
        assert 1 in frame_to_numbers(codes)[1]
        with pytest.warns(DataConversionWarning, match="'amount' holds numbers"):
            found = PMU(1).fit(
                dd.from_pandas(frame, npartitions=2),
                dd.from_pandas(pd.DataFrame(Y), npartitions=2),
            )
        np.testing.assert_array_equal(found.scores_, expected)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, None, 0], dtype="Int64"),
        pd.Series([True, None, False], dtype="boolean"),
        pd.Series([True, None, False]),
        pd.Series([1, None, 0], dtype="double[pyarrow]"),
        pd.Series([Decimal(1), None, Decimal(0)]),
        pd.Series(pd.arrays.SparseArray([1.0, np.nan, 0.0])),
        pl.Series([1, None, 0]),
        pl.Series([True, None, False]),
        pl.Series([Decimal(1), None, Decimal(0)]),
        pa.array([1, None, 0]),
        pa.array([True, None, False]),
        pa.array([Decimal(1), None, Decimal(0)]),
    ],
)
def test_numbers_of_every_library(column):
    numbers, categories = frame_to_numbers(table_of(column))
    np.testing.assert_array_equal(numbers[:, 0], NUMBERS)
    assert categories == {}


@pytest.mark.parametrize(
    ("column", "order"),
    [
        (pd.Series(["b", None, "a"]), ["a", "b"]),
        (pd.Series(["b", None, 1]), ["1", "b"]),
        (pd.Series(pd.Categorical(["b", None, "a"], ["c", "b", "a"])), ["b", "a"]),
        (pd.Series(pd.Categorical([3, None, 1], [3, 2, 1])), [3, 1]),
        (pl.Series(["b", None, "a"]), ["a", "b"]),
        (pl.Series(["b", None, "a"], dtype=pl.Categorical), ["a", "b"]),
        (pl.Series(["b", None, "a"], dtype=pl.Enum(["c", "b", "a"])), ["b", "a"]),
        (pa.array(["b", None, "a"]), ["a", "b"]),
        (pa.array(["b", None, "a"]).dictionary_encode(), ["b", "a"]),
        (pd.Series(["2020-01-01", None, "soon"]), ["2020-01-01", "soon"]),
        (pd.Series(["2020-01-01", None, "2020-02-31"]), ["2020-01-01", "2020-02-31"]),
    ],
)
def test_categories_come_in_their_order_without_those_that_do_not_occur(column, order):
    numbers, categories = frame_to_numbers(table_of(column))
    assert categories[0].tolist() == order
    cells = [None if np.isnan(code) else order[int(code)] for code in numbers[:, 0]]
    given = column.to_pylist() if isinstance(column, pa.Array) else column.to_list()
    assert cells[1] is None
    assert [str(cells[0]), str(cells[2])] == [str(given[0]), str(given[2])]


@pytest.mark.parametrize(
    ("cells", "kinds"),
    [
        ([[1], [2, 3]], "list"),
        ([{"a": 1}, {}], "dict"),
        ([1.5, "a"], "float and str"),
        ([dt.date(2020, 1, 1), "soon"], "date and str"),
        ([b"a", b"b"], "bytes"),
    ],
)
def test_nested_and_mixed_objects_are_refused_by_name(cells, kinds):
    frame = pd.DataFrame({"number": [1.0, 2.0], "odd": pd.Series(cells, dtype=object)})
    match = f"'odd' holds {kinds} values.*Turn the column.*leave it out"
    with pytest.raises(TypeError, match=match):
        PMU().fit(frame, [0, 1])


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame({"odd": [[1], [2]]}),
        pa.table({"odd": [[1], [2]]}),
        pl.DataFrame({"odd": [{"a": 1}, {"a": 2}]}),
        pa.table({"odd": [b"a", b"b"]}),
        pd.DataFrame({"odd": pd.interval_range(0, 2)}),
    ],
)
def test_columns_of_other_types_are_refused_by_name(table):
    with pytest.raises(ValueError, match=r"'odd' has dtype .*: expected.*leave it out"):
        PMU().fit(table, [0, 1])


def people(random, n_rows=240):
    """Rows with names, of many towns; the town tells the first label, names nothing."""
    Y = random.integers(0, 2, (n_rows, 2))
    towns = [f"t{i}" if i < 150 else "big" for i in range(n_rows)]
    towns = np.where(Y[:, 0] == 1, towns, np.char.add("x", towns))
    return (
        pd.DataFrame(
            {
                "name": [f"n{i}" for i in range(n_rows)],
                "number": random.normal(size=n_rows),
                "town": towns,
                "kind": np.where(Y[:, 1] == 1, "p", "q"),
            }
        ),
        Y,
    )


NAMED = r"column\(s\) 'name' have a value of their own.*ranked last"
MANY = r"column\(s\) 'town' have more than 100 categories: the 99 most frequent"


@pytest.mark.parametrize("method", representatives())
def test_names_of_rows_are_ranked_last(method, random):
    frame, Y = people(random)
    frame = frame.drop(columns="town")
    with pytest.warns(UserWarning, match=NAMED):
        found = make_selector(method, n_features_to_select=2).fit(frame, Y)
    assert found.order_[-1] == 0


def test_rare_categories_are_taken_together(random):
    frame = people(random)[0].drop(columns="name")
    with pytest.warns(UserWarning, match=MANY):
        discretizer = Discretizer().fit(frame)
    categories = discretizer.categories_[1]
    assert discretizer.n_codes_[1] == categories.size == MOST_CATEGORIES
    assert categories[-1] == RARE
    assert {"big", "xbig"} < set(categories)
    codes = discretizer.transform(frame.assign(town="new"))[:, 1]
    assert (codes == MOST_CATEGORIES - 1).all()  # one of the rare ones


def test_few_cells_do_not_name_rows():
    numbers, categories = frame_to_numbers(pd.DataFrame({"a": list("abcdefgh")}))
    assert categories[0].size == 8
    assert numbers[:, 0].tolist() == list(range(8))


def test_a_column_that_held_numbers_in_fit():
    discretizer = Discretizer().fit(pd.DataFrame({"a": [1.0, 2.0]}))
    with pytest.raises(ValueError, match="'a' holds text or categories, and held num"):
        discretizer.transform(pd.DataFrame({"a": ["x", "y"]}))


def test_unused_categories_change_nothing(random):
    frame, Y = people(random)
    used = frame[["number", "kind"]].astype({"kind": "category"})
    kinds = [*"abcdefghijkl", "p", "q"]
    declared = used.astype({"kind": pd.CategoricalDtype(kinds)})
    expected, found = Sieve(2).fit(used, Y), Sieve(2).fit(declared, Y)
    np.testing.assert_array_equal(found.scores_, expected.scores_)


def test_blocks_follow_the_same_rule(random):
    frame, Y = people(random)
    frame["when"] = [f"2024-02-{day:02}" for day in random.integers(1, 29, len(frame))]
    frame["size"] = pd.Categorical(random.choice(list("abc"), len(frame)), list("xcba"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = PMU(3).fit(frame, Y)
    with dask.config.set(scheduler="sync"):
        blocks = dd.from_pandas(frame, npartitions=3)
        labels = dd.from_pandas(pd.DataFrame(Y), npartitions=3)
        with (
            pytest.warns(UserWarning, match=NAMED),
            pytest.warns(UserWarning, match=MANY),
        ):
            found = PMU(3).fit(blocks, labels)
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    np.testing.assert_array_equal(found.order_, expected.order_)


@pytest.mark.parametrize(
    ("X", "way"),
    [
        (["red rose", "blue sky"] * 4, r"texts, such as 'red rose'.*CountVectorizer"),
        (pd.Series(["red rose", "blue sky"] * 4), "texts.*CountVectorizer"),
        ([{"a": 1}, {"a": 0}] * 4, r"dictionaries.*pandas\.DataFrame\(X\)"),
    ],
)
def test_a_list_is_no_table(X, way):
    with pytest.raises(ValueError, match=f"Expected 2D array, got 1D .* {way}"):
        FIMF(1).fit(X, [[1, 0], [0, 1]] * 4)


OTHER_ORDER = r"same index in another order.*pass y\.loc\[X\.index\]"


@pytest.mark.parametrize("call", [FIMF(1).fit, MLkNN(1).fit, describe])
def test_rows_in_another_order_are_told(call):
    X = pd.DataFrame({"a": [0, 1, 0, 1], "b": [1, 2, 3, 4]}, index=list("pqrs"))
    Y = pd.DataFrame({"x": [0, 1, 0, 1], "y": [1, 1, 0, 0]}, index=list("pqrs"))
    call(X, Y)
    call(X, Y.reset_index(drop=True))
    call(X, Y.set_axis(list("pqqs")))
    call(X, Y.to_numpy())
    with pytest.warns(UserWarning, match=OTHER_ORDER) as caught:
        call(X, Y[::-1])
    assert [warning.filename for warning in caught] == [__file__]
