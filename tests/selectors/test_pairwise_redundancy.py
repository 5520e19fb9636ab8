"""D2F, MDMR, SCLS and LRFS, which weigh picks pair by pair: values, naive oracle."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from labelsieve.selectors.d2f import D2F
from labelsieve.selectors.lrfs import LRFS
from labelsieve.selectors.mdmr import MDMR
from labelsieve.selectors.scls import SCLS
from tests.naive import further as naive
from tests.selectors.data import coded_data

METHODS = [(D2F, naive.d2f), (MDMR, naive.mdmr), (SCLS, naive.scls), (LRFS, naive.lrfs)]
each = pytest.mark.parametrize(
    ("method", "criterion"), METHODS, ids=[m.__name__ for m, _ in METHODS]
)


@each
def test_golden_toy(method, criterion, toy, toy_data):
    golden = toy["further_selectors"][method.__name__.lower()]
    fitted = method(6, binning="uniform").fit(*toy_data)
    # The constant feature 4 is last here, whatever its criterion says.
    order = [f for f in golden["order"] if f != 4]
    values = [
        value
        for f, value in zip(golden["order"], golden["J_of_selected"], strict=True)
        if f != 4
    ]
    assert fitted.order_.tolist() == [*order, 4]
    np.testing.assert_allclose(fitted.scores_[order], values, atol=1e-9)


@each
@given(data=coded_data(min_labels=2), sparse=st.booleans())
def test_equals_the_naive_version(method, criterion, data, sparse):
    X, Y = data
    n_picks = X.shape[1] // 2 + 1
    picks, values = naive.greedy(criterion, X, Y, n_picks)
    given_X = sp.csr_matrix(X.astype(float)) if sparse else X
    fitted = method(n_picks, binning="none").fit(given_X, Y)
    np.testing.assert_allclose(
        fitted.scores_[fitted.order_[:n_picks]], values, atol=1e-9
    )
    if fitted.order_[:n_picks].tolist() == picks:  # else a tie up to rounding
        for f in np.setdiff1d(np.arange(X.shape[1]), picks):
            assert fitted.scores_[f] == pytest.approx(
                criterion(X, Y, f, picks), abs=1e-9
            )


def test_lrfs_with_one_label_starts_from_its_information(random):
    X, y = random.integers(0, 2, (80, 6)), random.integers(0, 2, 80)
    assert LRFS(1).fit(X, y).order_[0] == D2F(1).fit(X, y).order_[0]


@each
def test_verbose_reports_on_standard_error(method, criterion, random, capsys):
    X, Y = random.integers(0, 2, (50, 8)), random.integers(0, 2, (50, 2))
    method(3, verbose=True).fit(X, Y)
    assert f"{method.__name__}: 3 of 3" in capsys.readouterr().err
