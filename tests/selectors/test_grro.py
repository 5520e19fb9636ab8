"""GRRO: golden values, the Sylvester equation, two-valued labels only."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

from labelsieve.selectors.grro import GRRO
from tests.naive import further as naive
from tests.selectors.data import coded_data


def test_golden_toy(toy, toy_data):
    golden = toy["further_selectors"]["grro_alpha100_beta0.1"]
    grro = GRRO(6, binning="uniform").fit(*toy_data)
    assert grro.order_.tolist() == golden["ranking"]
    np.testing.assert_allclose(grro.scores_, golden["score_row_sum"], atol=1e-12)


@given(coded_data())
def test_equals_the_naive_version(data):
    X, Y = data
    if Y.max() > 1:
        with pytest.raises(ValueError, match="GRRO takes no classes"):
            GRRO().fit(X, Y)
        return
    grro = GRRO(binning="none", alpha=2.0, beta=0.5).fit(X, Y)
    np.testing.assert_allclose(grro.scores_, naive.grro(X, Y, 2.0, 0.5), atol=1e-9)


def test_threads_and_sparse_input_change_nothing(random):
    X, Y = random.integers(0, 2, (90, 12)), random.integers(0, 2, (90, 3))
    one = GRRO(n_jobs=1).fit(X, Y)
    for other in (GRRO(n_jobs=2).fit(X, Y), GRRO().fit(sp.csr_matrix(X), Y)):
        np.testing.assert_array_equal(one.scores_, other.scores_)
    sparse_labels = GRRO().fit(X, sp.csr_matrix(Y))
    np.testing.assert_allclose(one.scores_, sparse_labels.scores_, atol=1e-12)
