"""Labels as tags: a list, set or tuple for each row, or text to split."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import MultiLabelBinarizer

import labelsieve as ls
from labelsieve.choosing import measure_quality
from labelsieve.reading import read_labels, read_tags

ROWS = [["p", "q"], ["q"], [], ["r", "p", "p"]]
TABLE = [[1, 1, 0], [0, 1, 0], [0, 0, 0], [1, 0, 1]]
FORMS = {
    "lists": ROWS,
    "sets": [set(row) for row in ROWS],
    "tuples": [tuple(row) for row in ROWS],
    "arrays": [np.array(row) for row in ROWS],
    "array of lists": np.array(ROWS, dtype=object),
    "pandas": pd.Series(ROWS),
    "pandas of arrow": pd.Series(ROWS, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
    "pandas frame": pd.DataFrame({"tags": ROWS}),
    "polars": pl.Series(ROWS),
    "polars frame": pl.DataFrame({"tags": ROWS}),
    "arrow": pa.chunked_array([ROWS]),
    "arrow table": pa.table({"tags": ROWS}),
}


def tagged(random, n_rows=60):
    """Features of which the first tells 'red' and the second 'green'."""
    X = random.integers(0, 2, (n_rows, 4)).astype(float)
    colours = ("red", "green")
    tags = [[c for c, has in zip(colours, row, strict=False) if has] for row in X]
    return X, tags


@pytest.mark.parametrize("form", FORMS)
def test_tags_of_every_container(form):
    found = read_tags(FORMS[form])
    assert found.names == ["p", "q", "r"]
    assert found.table.toarray().tolist() == TABLE


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.integers(0, 9).map(str)), min_size=1))
def test_tags_are_those_of_sklearn(rows):
    known = MultiLabelBinarizer()
    expected = known.fit_transform(rows)
    found = read_tags([set(row) for row in rows])
    assert found.names == known.classes_.tolist()
    np.testing.assert_array_equal(found.table.toarray(), expected)


def test_whole_numbers_and_mixed_tags():
    labels = read_labels([[3], [1, 2]], [0, 0])
    assert labels.names == [1, 2, 3]
    assert read_tags([{1, "a"}, {"b"}]).names == [1, "a", "b"]


@pytest.mark.parametrize(
    "y",
    [
        [[0, 1], [1, 0]],
        [[1], [2]],
        np.array([[0, 1], [1, 2]]),
        [["yes", "no"], ["no", "yes"]],
        [["bad", "good"], ["good", "good"]],  # no row has a tag twice
        [["red", "small"], ["blue", "large"]],
        ["red", "green"],
        pd.Series([1, 2]),
        pd.DataFrame({"a": ["p", "q"], "b": ["q", "p"]}),
    ],
)
def test_tables_are_no_tags(y):
    assert read_tags(y) is None


@pytest.mark.parametrize("make", [list, np.array])
def test_text_of_equal_length_is_tags_with_a_warning(make):
    rows = [["p", "q"], ["q", "p"], ["q", "r"]]
    with pytest.warns(UserWarning, match=r"read as 2 tags.*pass a DataFrame.*sets"):
        labels = read_labels(make(rows), rows)
    assert labels.names == ["p", "q", "r"]
    assert labels.codes.toarray().tolist() == [[1, 1, 0], [1, 1, 0], [0, 1, 1]]


@pytest.mark.parametrize("separator", [";", "|", ","])
def test_joined_tags_are_one_class_each_with_a_warning(separator):
    joined = [f"red{separator} green", "green", "red"]
    with pytest.warns(UserWarning, match=r"one class.*split_tags\(y, '.'\)") as told:
        labels = read_labels(joined, joined)
    assert labels.n_values.tolist() == [3]
    assert f"split_tags(y, {separator!r})" in str(told[0].message)


@pytest.mark.parametrize("y", [["Paris, France", "Bonn"], ["a;b", "c"], ["a", "b"]])
def test_separators_within_names_are_no_tags(y):
    assert read_labels(y, y).n_values.tolist() == [2]


def test_splitting():
    column = pd.Series(["red; green", None, "", "green;;blue", ["red"]])
    split = ls.split_tags(column, missing="unknown")
    assert split == [["red", "green"], None, [], ["green", "blue"], ["red"]]
    with pytest.warns(UserWarning, match=r"1 of 5 rows .* not known.*missing=\"none\""):
        assert ls.split_tags(column) == split
    none = ls.split_tags(column, missing="none")
    assert none == [["red", "green"], [], [], ["green", "blue"], ["red"]]
    often = ls.split_tags(column, min_count=2, missing="unknown")
    assert often == [["red", "green"], None, [], ["green"], ["red"]]
    assert ls.split_tags(["a|b"], "|") == [["a", "b"]]
    with pytest.raises(TypeError, match="got a float among its rows"):
        ls.split_tags([0.5])
    with pytest.raises(ValueError, match="separator is empty"):
        ls.split_tags(["a"], "")
    with pytest.raises(ValueError, match="missing is 'no'; expected one of"):
        ls.split_tags(["a"], missing="no")


def test_a_row_that_is_missing_is_not_known():
    found = read_tags([["a"], None, []])
    np.testing.assert_array_equal(found.table.toarray(), [[1], [np.nan], [0]])


def test_selectors_know_the_tags(random):
    X, tags = tagged(random)
    sieve = ls.Sieve(2).fit(X, tags)
    assert set(sieve.order_[:2]) == {0, 1}
    told = {reason["labels"][0]["label"] for reason in sieve.explain(X, tags).to_dict()}
    assert told == {"red", "green"}


def test_tags_everywhere_give_what_columns_give(random):
    X, tags = tagged(random)
    Y = MultiLabelBinarizer().fit_transform(tags)
    for y in (tags, pl.Series(tags)):
        for chooser in (ls.SizeCV(ls.FIMF(3)), ls.StabilitySelection(n_subsamples=3)):
            chooser.set_params(random_state=0)
            expected = chooser.fit(X, Y).get_support()
            np.testing.assert_array_equal(chooser.fit(X, y).get_support(), expected)
    predicted = ls.MLkNN(3).fit(X, tags).predict(X)
    np.testing.assert_array_equal(predicted, ls.MLkNN(3).fit(X, Y).predict(X))
    quality = [measure_quality(ls.FIMF(2), X, y, n_splits=1) for y in (tags, Y)]
    assert quality[0].values["hamming_loss"].keys()
    for name, values in quality[1].values["hamming_loss"].items():
        np.testing.assert_array_equal(quality[0].values["hamming_loss"][name], values)


def test_tags_on_dask(random):
    X, tags = tagged(random)
    expected = ls.FIMF(2).fit(X, tags)
    column = pd.Series(tags)
    with dask.config.set({"dataframe.convert-string": False, "scheduler": "sync"}):
        lazy = dd.from_pandas(column, npartitions=3)
        blocks = dd.from_pandas(pd.DataFrame(X), npartitions=3)
        for x, y in ((blocks, lazy), (da.from_array(X, chunks=25), tags)):
            found = ls.FIMF(2).fit(x, y)
            np.testing.assert_array_equal(found.scores_, expected.scores_)
        blocks = dd.from_pandas(pd.DataFrame(X), npartitions=3)
        frame = dd.from_pandas(column.to_frame("tags"), npartitions=3)
        np.testing.assert_array_equal(
            ls.FIMF(2).fit(blocks, frame).order_, expected.order_
        )
