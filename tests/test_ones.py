"""Dense labels are listed in one pass, whatever their type and layout."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from labelsieve import FIMF, PMU
from labelsieve.reading import labels as reading
from labelsieve.reading import read_labels

TYPES = ["?", "i1", "u1", "i4", ">i4", "i8", "u8", "f2", "f4", "f8", ">f8"]


@pytest.fixture
def always_listed(monkeypatch):
    monkeypatch.setattr(reading, "LISTED_FROM", 1)


@st.composite
def tables(draw):
    """Mostly zeros; rows shorter and longer than what is looked at at once."""
    shape = draw(st.integers(1, 30)), draw(st.integers(1, 70))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    table = (random.random(shape) < draw(st.sampled_from([0, 0.02, 0.1]))).astype(
        draw(st.sampled_from(TYPES))
    )
    layout = draw(st.sampled_from(["C", "F", "gaps", "backwards"]))
    if layout == "gaps":
        table = np.repeat(np.repeat(table, 2, axis=0), 2, axis=1)[::2, ::2]
    if layout == "backwards":
        table = table[::-1, ::-1]
    return np.asfortranarray(table) if layout == "F" else table


@given(tables())
def test_lists_are_those_of_the_table(table):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "LISTED_FROM", 1)
        patch.setattr(reading, "LISTED_SHARE", 1.0)
        found = reading.list_codes(table)
    assert found.has_canonical_format
    assert found.data.dtype == np.uint8
    np.testing.assert_array_equal(found.toarray(), table.astype(np.uint8))
    assert (found.data == 1).all()


@pytest.mark.parametrize("place", [(0, 0), (3, 17), (11, 39)])
@pytest.mark.parametrize("value", [2, -1, 0.5, np.inf])
def test_anything_else_is_no_list(value, place, always_listed):
    table = np.zeros((12, 40))
    table[place] = value
    assert reading.list_codes(table) is None
    assert reading.list_codes(np.asfortranarray(table)) is None


def test_full_tables_stay_tables(always_listed):
    assert reading.list_codes(np.ones((40, 40))) is None
    assert reading.list_codes(np.eye(40)) is not None
    assert reading.list_codes(np.zeros((5, 0))) is None
    assert reading.list_codes(np.array([["a"]])) is None


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["?", "i8", "f4"])
def test_labels_are_what_they_were(kind, order, random, monkeypatch):
    table = (random.random((60, 50)) < 0.05).astype(kind, order=order)
    table[:, 3], table[:, 4] = 0, 1
    expected = read_labels(table, table)
    assert not expected.came_dense
    monkeypatch.setattr(reading, "LISTED_FROM", 1)
    labels = read_labels(table, table)
    assert labels.came_dense
    np.testing.assert_array_equal(labels.codes, expected.codes)
    assert labels.codes.dtype == expected.codes.dtype
    np.testing.assert_array_equal(labels.n_values, expected.n_values)
    assert list(labels.names) == list(expected.names)


@pytest.mark.parametrize("selector", [FIMF(5), PMU(5)])
def test_scores_are_what_they_were(selector, random, monkeypatch):
    X, Y = random.random((80, 12)), (random.random((80, 40)) < 0.1).astype(int)
    expected = selector.fit(X, Y).scores_
    monkeypatch.setattr(reading, "LISTED_FROM", 1)
    for form in (Y, np.asfortranarray(Y), Y.astype(float), sp.csc_matrix(Y)):
        np.testing.assert_array_equal(selector.fit(X, form).scores_, expected)


@given(tables(), st.sampled_from(["f4", "f8"]), st.integers(0, 10_000))
def test_lists_with_unknown_cells(table, kind, seed):
    table = table.astype(kind)
    unknown = np.random.default_rng(seed).random(table.shape) < 0.1
    table[unknown] = -np.nan if seed % 2 else np.nan
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "LISTED_FROM", 1)
        patch.setattr(reading, "LISTED_SHARE", 1.0)
        found = reading.list_codes(table)
    assert found.has_canonical_format
    expected = np.where(np.isnan(table), 2, table)
    np.testing.assert_array_equal(found.toarray(), expected)


@pytest.mark.parametrize("place", [(0, 0), (3, 17), (11, 99)])
@pytest.mark.parametrize("value", [2, -1, 0.5, np.inf, -np.inf, 1e-310])
def test_anything_else_is_no_list_with_unknown_cells(value, place, always_listed):
    table = np.zeros((12, 100))
    table[5, 5] = np.nan
    assert reading.list_codes(table) is not None
    table[place] = value
    assert reading.list_codes(table) is None
