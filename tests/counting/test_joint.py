"""Listed cells of n(f, l): the same answers as tables, bit for bit where sums agree."""

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from labelsieve import datasets
from labelsieve.counting import Counts, SparseSource, joint, label_pairs, pairs
from labelsieve.discretization._codes import from_dense
from labelsieve.registry import make_selector
from tests.naive import transformations
from tests.naive.information import entropy, mutual_information
from tests.naive.transformations import chi2

METHODS = ["fimf", "scls", "d2f", "mdmr", "pmu", "lrfs", "mlqpfs", "br+chi", "br+mi"]
PLACES = [
    "bibtex",
    "birds",
    "chd49",
    "corel16k001",
    "delicious",
    "emotions",
    "enron",
    "flags",
    "foodtruck",
    "genbase",
    "gnegative-go",
    "mediamill-reduced",
    "mediamill-small",
    "medical",
    "ohsumed",
    "reuters-k500",
    "scene",
    "slashdot",
    "stackex-chess",
    "virus-go",
    "yeast",
]


@st.composite
def sparse_pairs(draw):
    """Binary features and labels, mostly zero, that vary."""
    n, share = draw(st.integers(2, 200)), draw(st.sampled_from([0.02, 0.1, 0.4]))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    X = (random.random((n, draw(st.integers(1, 8)))) < share).astype(int)
    Y = (random.random((n, draw(st.integers(1, 150)))) < share).astype(int)
    for table in (X, Y):
        table[random.integers(n, size=table.shape[1]), np.arange(table.shape[1])] = 1
        table[:, table.all(axis=0)] = np.arange(n)[:, np.newaxis] > 0
    two = np.full(X.shape[1], 2), np.full(Y.shape[1], 2)
    return from_dense(X, two[0]), from_dense(Y, two[1])


def both_ways(pair):
    """Counts from a table and from listed cells."""
    made = [Counts(*pair, SparseSource.build(*pair)) for _ in range(2)]
    for found, listed in zip(made, (False, True), strict=True):
        found.lists_cells = listed
    return made


@given(sparse_pairs())
def test_listed_cells_are_those_of_the_table(pair):
    table, listed = both_ways(pair)
    found = np.zeros_like(table.feature_label_counts.T)
    for part in listed.joint_cells:
        for line, (low, high) in enumerate(
            zip(part.start[:-1], part.start[1:], strict=True)
        ):
            met = part.labels[low:high]
            assert (np.diff(met.astype(int)) > 0).all()
            assert part.counts[low:high].all()
            found[part.low + line, met] = part.counts[low:high]
    np.testing.assert_array_equal(found.T, table.feature_label_counts)


@given(sparse_pairs())
def test_sums_over_labels_agree(pair):
    table, listed = both_ways(pair)
    np.testing.assert_array_equal(table.feature_totals, listed.feature_totals)
    np.testing.assert_array_equal(table.shared_totals, listed.shared_totals)
    X, Y, n = pair[0].dense().T, pair[1].dense().T, pair[0].n_rows
    naive = [n * sum(mutual_information(f, y) for y in Y) for f in X]
    np.testing.assert_allclose(listed.shared_totals, naive, atol=1e-9)
    naive = [-n * sum(entropy(f, y) for y in Y) for f in X]
    np.testing.assert_allclose(listed.feature_totals, naive, rtol=1e-12, atol=1e-9)


@given(sparse_pairs())
def test_chi_square_agrees(pair):
    table, listed = both_ways(pair)
    np.testing.assert_array_equal(table.chi2_totals(), listed.chi2_totals())
    X, Y = pair[0].dense().T, pair[1].dense().T
    naive = [sum(chi2(f, transformations.binary(y)) for y in Y) for f in X]
    np.testing.assert_allclose(listed.chi2_totals(), naive, rtol=1e-11, atol=1e-11)


@given(sparse_pairs())
def test_sums_with_a_chosen_feature_agree(pair):
    table, listed = both_ways(pair)
    for chosen in {0, table.n_features - 1}:
        shared, told = table.chosen_sums(chosen)
        others, found = listed.chosen_sums(chosen)
        np.testing.assert_array_equal(shared, others)
        np.testing.assert_allclose(found, told, rtol=1e-13, atol=1e-10)


def test_ranges_and_threads_change_nothing(random, monkeypatch):
    X, Y = (random.random((2, 400, 90)) < 0.03).astype(int)
    two = np.full(90, 2)
    pair = from_dense(X, two), from_dense(Y, two)
    expected, other = both_ways(pair)[1], both_ways(pair)[1]
    expected = [*expected._totals, *expected.chosen_sums(4), expected.chi2_totals()]
    monkeypatch.setattr(joint, "CELLS_PER_LIST", 50)
    monkeypatch.setattr(pairs, "CELLS_WORTH_THREADS", 0)
    other.n_jobs = 3
    found = [*other._totals, *other.chosen_sums(4), other.chi2_totals()]
    assert len(other.joint_cells) > 10
    np.testing.assert_array_equal(expected, found)


def test_cells_are_listed_where_few_meet():
    rows = sp.csr_matrix(np.eye(1200, dtype=int))
    two = np.full(1200, 2)
    pair = from_dense(rows.toarray(), two), from_dense(rows.toarray(), two)
    assert Counts(*pair, SparseSource.build(*pair)).lists_cells
    some = pair[0].take(np.arange(100))
    assert not Counts(some, pair[1], SparseSource.build(some, pair[1])).lists_cells


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("place", ["words", *PLACES])
def test_selectors_choose_alike(place, name, monkeypatch):
    if place == "words":
        random = np.random.default_rng(0)
        words = sp.csr_matrix(random.random((300, 90)) < 0.06, dtype=float)
        X, Y = words[:, :60], words[:, 60:]
    elif os.environ.get("LABELSIEVE_DATA"):
        X, Y = datasets.load(Path(os.environ["LABELSIEVE_DATA"]) / place)
        X, Y = sp.csr_matrix(X)[:400], sp.csr_matrix(Y)[:400]
        n_ones = np.asarray(Y.sum(axis=0)).ravel()
        Y = Y[:, np.flatnonzero((n_ones > 0) & (n_ones < 400))[:60]]
    else:
        pytest.skip("set LABELSIEVE_DATA to a folder of data sets")
    selector = make_selector(name, n_features_to_select=8)
    expected = selector.fit(X, Y).scores_, selector.order_
    monkeypatch.setattr(joint, "LISTED_FROM", 0)
    monkeypatch.setattr(joint, "LISTED_SHARE", np.inf)
    monkeypatch.setattr(label_pairs, "PAIRS_LISTED_FROM", 0)
    monkeypatch.setattr(label_pairs, "COST_OF_PAIR", 0)
    selector.fit(X, Y)
    np.testing.assert_allclose(selector.scores_, expected[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(selector.order_, expected[1])
