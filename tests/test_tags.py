"""Labels as tags: a list, set or tuple for each row, or text to split."""

import warnings

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
from labelsieve import FIMF, LabelSpecificSelector, describe, evaluate
from labelsieve.choosing import evaluate_selection
from labelsieve.reading import read_labels, read_tags
from tests.exploring import draws

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


@settings(max_examples=draws(50), deadline=None)
@given(st.lists(st.lists(st.integers(0, 9).map(str)), min_size=1))
def test_tags_are_those_of_sklearn(rows):
    known = MultiLabelBinarizer()
    expected = known.fit_transform(rows)
    found = read_tags([set(row) for row in rows])
    assert found.names == known.classes_.tolist()
    np.testing.assert_array_equal(found.table.toarray(), expected)


def test_whole_numbers_and_mixed_tags():
    labels = read_labels([[3], [1, 2]], [0, 0])
    assert labels.names == ["1", "2", "3"]
    assert read_tags([{1, "a"}, {"b"}]).names == ["1", "a", "b"]


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
    quality = [evaluate_selection(ls.FIMF(2), X, y, n_splits=1) for y in (tags, Y)]
    assert quality[0].values.keys() == quality[1].values.keys()
    for which, measured in quality[1].values.items():
        for name, values in measured.items():
            np.testing.assert_array_equal(quality[0].values[which][name], values)


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


def test_numbers_as_tags_are_names(random):
    X = random.normal(size=(40, 3))
    tags = [[2019] if i % 3 else [2020, 2021] for i in range(40)]
    found = FIMF(1).fit(X, tags)
    assert found.label_names_in_.tolist() == ["2019", "2020", "2021"]
    assert describe(X, tags).label_rows == {"2019": 26, "2020": 14, "2021": 14}


def test_missing_cells_in_a_table_of_text_are_no_tags(random):
    X = random.normal(size=(30, 2))
    rows = [["p", "q"], ["q", None], [None, "p"]] * 10
    with pytest.warns(UserWarning, match="read as up to 2 tags for each row"):
        found = FIMF(1).fit(X, rows)
    assert found.label_names_in_.tolist() == ["p", "q"]
    expected = FIMF(1).fit(X, [{"p", "q"}, {"q"}, {"p"}] * 10)
    np.testing.assert_array_equal(found.scores_, expected.scores_)


def test_text_whose_rows_repeat_a_value_is_columns_and_says_so(random):
    X = random.normal(size=(30, 2))
    rows = [["low", "high"], ["high", "high"], ["mid", "low"]] * 10
    with pytest.warns(UserWarning, match="each column is read as a label of its own"):
        found = FIMF(1).fit(X, rows)
    expected = FIMF(1).fit(X, pd.DataFrame(rows))
    np.testing.assert_array_equal(found.scores_, expected.scores_)


def test_lists_that_became_text_are_told(random):
    X = random.normal(size=(40, 2))
    tags = pd.Series([["c"], ["a", "b"]] * 20)
    with pytest.warns(UserWarning, match="ast.literal_eval"):
        FIMF(1).fit(X, tags.astype(str))
    blocks = dd.from_pandas(tags, npartitions=2)  # Dask makes text of lists
    with pytest.warns(UserWarning, match="convert-string"):
        FIMF(1).fit(da.from_array(X, chunks=(20, 2)), blocks)
    with dask.config.set({"dataframe.convert-string": False}):
        blocks = dd.from_pandas(tags, npartitions=2)
        found = FIMF(1).fit(da.from_array(X, chunks=(20, 2)), blocks)
    np.testing.assert_array_equal(found.scores_, FIMF(1).fit(X, tags).scores_)


def test_joined_tags_are_told_on_dask_too(random):
    text = pd.DataFrame({"tags": ["a", "a;b"] * 20})
    X = da.from_array(random.normal(size=(40, 2)), chunks=(20, 2))
    with pytest.warns(UserWarning, match=r"split_tags\(y, ';'\)"):
        FIMF(1).fit(X, dd.from_pandas(text, npartitions=2))


def test_what_holds_no_tags_is_refused():
    with pytest.raises(ValueError, match="y holds dictionaries"):
        FIMF(1).fit(np.eye(3), [{"a": 1}, {"b": 1}, {}])
    for tags in ([["a"], ["a", "b"]], [{"a"}, {"b"}]):
        with pytest.raises(ValueError, match="Y holds tags; measures compare tables"):
            evaluate(tags, np.eye(2))
        with pytest.raises(ValueError, match="predictions holds tags"):
            evaluate(np.eye(2), tags)


@pytest.mark.parametrize("form", ["tags", "pyarrow"])
def test_labels_with_features_of_their_own_keep_their_names(form, random):
    Y = random.integers(0, 2, (120, 2))
    X = pd.DataFrame(random.normal(size=(120, 4)), columns=[*"wxyz"])
    X[["w", "x"]] += 2 * Y
    tags = [[name for name, has in zip("pq", row, strict=True) if has] for row in Y]
    y = tags
    if form == "pyarrow":
        X = pa.Table.from_pandas(X)
        y = pa.table({"p": Y[:, 0], "q": Y[:, 1]})
    found = LabelSpecificSelector().fit(X, y)
    assert found.label_names_.tolist() == ["p", "q"]
    assert "w" in found.label_feature_names("p")
    assert found.transform_label(X, "p").shape[0] == 120
    assert found.explain_label(X, y, "p").label_names == ["p"]


def test_empty_text_is_no_tag():
    X = np.random.default_rng(0).normal(size=(12, 3))
    tags = [["a"], [""], ["b", "a", " "], []] * 3
    clean = [["a"], [], ["b", "a"], []] * 3
    expected = ls.FIMF(1).fit(X, clean)
    padded = np.array([["a", ""], ["", ""], ["b", "a"], ["", ""]] * 3)
    with dask.config.set({"dataframe.convert-string": False}):
        lazily = dd.from_pandas(pd.Series(tags), npartitions=2)
    forms = {
        "lists": (X, tags),
        "column of lists": (X, pd.Series(tags)),
        "polars": (X, pl.Series(tags)),
        "table with empty cells": (X, padded),
        "split text": (X, ls.split_tags(["a", "", "b;a; ", ";"] * 3)),
        "blocks": (da.from_array(X, chunks=(6, -1)), lazily),
    }
    for form, (features, labels) in forms.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ls.FIMF(1).fit(features, labels)
        assert found.label_names_in_.tolist() == ["a", "b"], form
        np.testing.assert_array_equal(found.scores_, expected.scores_, form)


def test_the_command_line_and_split_tags_read_empty_cells_alike(tmp_path):
    """No tags where the cell is empty; not known where there is no cell."""
    cells = ["a;b", "", " ", ";", "b"]
    rows = ls.split_tags(cells)
    assert rows == [["a", "b"], [], [], [], ["b"]]
    file = tmp_path / "tags.csv"
    file.write_text("x,tags\n" + "".join(f"{i},{c}\n" for i, c in enumerate(cells)))
    loaded = ls.load(file, labels="tags", separator=";")
    assert loaded.label_names == ("a", "b")
    np.testing.assert_array_equal(loaded.Y, read_labels(rows, rows).codes.toarray())
    pd.DataFrame({"x": range(5), "tags": ["a;b", "", None, ";", "b"]}).to_parquet(
        tmp_path / "tags.parquet"
    )
    loaded = ls.load(tmp_path / "tags.parquet", labels="tags", separator=";")
    known = ls.split_tags(["a;b", "", None, ";", "b"], missing="unknown")
    assert known == [["a", "b"], [], None, [], ["b"]]
    np.testing.assert_array_equal(np.isnan(loaded.Y).all(axis=1), np.arange(5) == 2)
