"""FIMF: golden values, the naive oracle and its identities."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from labelsieve import FIMF
from tests.naive import information as naive
from tests.selectors.data import coded_data


@pytest.mark.parametrize("q", [0, 1, 2, 3, 4])
def test_golden_toy(q, toy, toy_data):
    golden = toy[f"fimf_q{q}"]
    fimf = FIMF(6, n_labels=q, binning="uniform").fit(*toy_data)
    np.testing.assert_allclose(fimf.scores_, golden["score_full_M2"], atol=1e-9)
    assert fimf.order_.tolist() == golden["ranking"]


def test_golden_emotions_and_yeast(real_case):
    X, Y, golden = real_case
    for key in (key for key in golden if key.startswith("fimf_q")):
        fimf = FIMF(n_labels=int(key.removeprefix("fimf_q")), binning="uniform")
        fimf.fit(X, Y)
        assert fimf.order_.tolist() == golden[key]["ranking"]
        np.testing.assert_allclose(fimf.scores_, golden[key]["score_full"], atol=1e-9)
    quantile = golden["equal_frequency_2_bins"]
    (key,) = (key for key in quantile if key.endswith("_ranking"))
    assert FIMF().fit(X, Y).order_.tolist() == quantile[key]


@given(coded_data(), st.integers(0, 5), st.booleans())
def test_equals_the_naive_version(data, n_labels, sparse):
    X, Y = data
    given_X = sp.csc_matrix(X.astype(float)) if sparse else X
    fimf = FIMF(n_labels=n_labels, binning="none").fit(given_X, Y)
    np.testing.assert_allclose(fimf.scores_, naive.fimf(X, Y, n_labels), atol=1e-9)


def test_one_promising_label_ranks_by_mutual_information(toy, toy_data):
    fimf = FIMF(n_labels=1, binning="uniform").fit(*toy_data)
    np.testing.assert_allclose(fimf.scores_, toy["mlqpfs"]["c_nat"], atol=1e-9)


def test_promising_labels_have_the_largest_entropy(random):
    Y = np.zeros((100, 4), dtype=int)
    for label, share in enumerate([0.01, 0.3, 0.5, 0.1]):
        Y[: int(100 * share), label] = 1
    fimf = FIMF(n_labels=2).fit(random.normal(size=(100, 3)), Y)
    assert fimf.promising_labels_.tolist() == [2, 1]


def test_candidates_have_the_largest_entropy():
    X = np.zeros((100, 3))
    for column, share in enumerate([0.05, 0.5, 0.2]):
        X[: int(100 * share), column] = 1
    Y = np.zeros((100, 1), dtype=int)
    Y[:5] = 1
    fimf = FIMF(3, n_candidates=2).fit(X, Y)
    assert fimf.scores_[0] == -np.inf
    assert fimf.order_.tolist() == [2, 1, 0]


def test_many_distinct_values_without_binning():
    n = 66_000
    identifiers = np.arange(float(n)).reshape(-1, 1)
    half = (np.arange(n) % 2).astype(float).reshape(-1, 1)
    result = FIMF(binning="none").fit(np.hstack([identifiers, half]), np.arange(n) % 2)
    assert result.scores_ == pytest.approx([np.log(2), np.log(2)])
