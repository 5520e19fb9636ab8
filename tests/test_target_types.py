"""What each column of Y is: a label, a class or a number."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from labelsieve.reading import target_types

N = 60
RANDOM = np.random.default_rng(0)
COLUMNS = {
    "ill": RANDOM.integers(0, 2, N),
    "sex": RANDOM.choice(["f", "m"], N),
    "flag": RANDOM.integers(0, 2, N).astype(bool),
    "grade": RANDOM.integers(1, 6, N),
    "town": RANDOM.choice(["Bern", "Chur", "Thun"], N),
    "price": RANDOM.normal(size=N),
    "halves": RANDOM.choice([0.5, 1.0, 1.5], N),
    "age": RANDOM.permutation(N) + 18,
    "code": (RANDOM.permutation(N) + 18).astype(str),
}
KINDS = ["label", "label", "label", "class", "class", *["number"] * 3, "class"]


def with_gaps(frame):
    return frame.mask(np.random.default_rng(1).random(frame.shape) < 0.2)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize(
    "container",
    [
        lambda frame: frame,
        pl.from_pandas,
        lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
        lambda frame: frame.to_numpy(dtype=object),
        lambda frame: frame.convert_dtypes(),
    ],
    ids=["pandas", "polars", "pyarrow", "objects", "nullable"],
)
def test_any_table(container, gaps):
    frame = pd.DataFrame(COLUMNS)
    if gaps:
        frame = with_gaps(frame).infer_objects()
    assert target_types(container(frame)) == KINDS


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_alone_is_what_it_is_in_a_table(name):
    expected = [KINDS[list(COLUMNS).index(name)]]
    assert target_types(COLUMNS[name]) == expected
    assert target_types(pd.Series(COLUMNS[name])) == expected
    assert target_types(COLUMNS[name].tolist()) == expected


def test_categories_are_classes_whatever_they_are_called():
    years = pd.Series(COLUMNS["age"]).astype("category").to_frame("year")
    assert target_types(years) == ["class"]


@pytest.mark.parametrize(
    ("n_values", "kind"), [(1, "label"), (2, "label"), (20, "class"), (21, "number")]
)
def test_whole_numbers_by_how_many_there_are(n_values, kind):
    column = np.arange(100) % n_values
    assert target_types(column) == [kind]
    assert target_types(column.astype(float)) == [kind]
    assert target_types(np.where(column == -1, np.nan, column)) == [kind]


def test_indicator_matrices_and_tags_are_labels():
    Y = RANDOM.integers(0, 2, (N, 3))
    assert target_types(Y) == target_types(sp.csr_matrix(Y)) == ["label"] * 3
    assert target_types(np.where(Y == 0, np.nan, Y)) == ["label"] * 3
    assert target_types(np.ma.array(Y * 7, mask=Y == 0)) == ["label"] * 3
    assert target_types([["a"], ["b", "c"], []]) == ["label"] * 3


def test_a_sparse_column_may_hold_numbers():
    assert target_types(sp.csc_array(RANDOM.normal(size=(N, 1)))) == ["number"]


def test_types_may_be_given():
    frame = pd.DataFrame(COLUMNS)[["ill", "grade", "age"]]
    assert target_types(frame, "number") == ["number"] * 3
    assert target_types(frame, {"grade": "number"}) == ["label", "number", "number"]
    assert target_types(frame, ["class", "auto", "class"]) == ["class"] * 3
    assert target_types(frame.to_numpy(), {1: "number"})[1] == "number"
    assert target_types(frame[["ill"]].to_numpy(), "number") == ["number"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nobody": "class"}, "'nobody', which is no target; these are 'ill'"),
        (["label"], "1 entries for 9 columns"),
        ("amount", "'amount'; expected 'label', 'class', 'number' or 'auto'"),
        ({"grade": "label"}, "'grade' has 5 values, and a label has two"),
        ({"town": "number"}, "'town' holds text or categories"),
    ],
)
def test_what_cannot_be_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        target_types(pd.DataFrame(COLUMNS), given)


def test_infinity_is_refused():
    with pytest.raises(ValueError, match="infinity in column 0"):
        target_types(np.array([1.0, np.inf, 0.5]))
