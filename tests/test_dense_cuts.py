"""Cuts of dense numbers: those of sorted columns, in any float type."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import labelsieve
from labelsieve.blocks import dense
from labelsieve.discretization import (
    cut_into_ranks,
    find_cuts,
)
from labelsieve.reading import Features
from tests.exploring import draws
from tests.naive.discretization import code_column
from tests.naive.sieve import columns_of


@st.composite
def numbers(draw):
    """Columns of many rows: spread out, close together, repeated, with zeros."""
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    n = draw(st.integers(2, 700))
    shift = draw(st.sampled_from([0.0, -3.0, 1e6, -1e-300]))
    X = random.standard_normal((n, 18)) * draw(st.sampled_from([1.0, 1e-3, 1e30]))
    X = X + shift
    X[:, 5:10] = np.round(X[:, 5:10], 1)
    X[:, 10:13] = np.exp(5.0 * random.standard_normal((n, 3)))
    X[:2, 13] = draw(st.sampled_from([1.0, 1e35, 3e38])), -3e38
    X[random.random(X.shape) < draw(st.sampled_from([0.0, 0.6]))] = 0.0
    X[:, 0] *= -0.0
    return X.astype(draw(st.sampled_from([np.float32, np.float64])))


@pytest.fixture(params=["sorted", "in bins"])
def kind(request, monkeypatch):
    """Long columns are not sorted: any is long here."""
    if request.param == "in bins":
        monkeypatch.setattr(dense, "LONG", 0)


# The fixture is the same for all examples.
same_kind = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@settings(same_kind, max_examples=draws(40))
@given(numbers(), st.integers(2, 12), st.sampled_from(["quantile", "uniform"]))
def test_cuts_are_those_of_the_sorted_column(kind, X, n_bins, binning):
    cuts = find_cuts(Features(X), n_bins, binning)
    assert cuts.points.dtype == np.float64
    for column, values in enumerate(X.astype(np.float64).T):
        codes = cuts.codes_of(values, column)
        np.testing.assert_array_equal(codes, code_column(values, n_bins, binning))


@settings(max_examples=draws(30))
@given(numbers(), st.integers(2, 5))
def test_layout_type_and_threads_change_nothing(X, n_bins):
    expected = find_cuts(Features(X.astype(np.float64)), n_bins, "quantile")
    for form in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        found = find_cuts(Features(form, n_jobs=3), n_bins, "quantile")
        np.testing.assert_array_equal(found.points, expected.points)
        np.testing.assert_array_equal(found.start, expected.start)


@settings(same_kind, max_examples=draws(40))
@given(numbers(), st.booleans())
def test_scores_are_those_of_the_sorted_column(kind, X, missing):
    if missing:
        X[:: max(2, len(X) // 3), 1::3] = np.inf
    _compare_scores(X)


def test_scores_of_many_rows_with_a_few_far_away(random):
    X = random.standard_cauchy((70_000, 2)) ** 5
    X[random.random(len(X)) < 0.2, 1] = np.inf
    _compare_scores(X)


def _compare_scores(X):
    _, cuts = cut_into_ranks(Features(X))
    for column in cuts.columns:
        there = X[:, column] < np.inf
        expected = columns_of(X[there, column].astype(np.float64), True)[:, 0]
        np.testing.assert_array_equal(cuts.table[there, column], expected)
        assert (cuts.table[~there, column] == 126).all()


@pytest.mark.parametrize("name", ["FIMF", "SCLS"])
def test_float32_is_read_as_it_is(name, random):
    X = random.standard_normal((80, 6)).astype(np.float32)
    Y = (X[:, :3] > 0.3).astype(int)
    one, other = (
        getattr(labelsieve, name)(3).fit(form, Y) for form in (X, X.astype(float))
    )
    np.testing.assert_array_equal(one.scores_, other.scores_)
    assert one._read(X).values.dtype == np.float32
    assert one._read(X).values is X
