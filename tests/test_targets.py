"""Targets that are no classes: amounts are told of or refused, with a way out."""

import warnings

import dask.array as da
import numpy as np
import pandas as pd
import pytest

import labelsieve as ls

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(200, 4))
YEARS = RANDOM.integers(1990, 2020, 200)
MANY = r"target .* has 30 different numbers.*pandas.qcut.*KBinsDiscretizer"


@pytest.mark.parametrize(
    "y",
    [
        YEARS,
        pd.DataFrame({"year": YEARS, "new": YEARS > 2000}),
        np.where(np.arange(200) == 7, np.nan, YEARS),
    ],
    ids=["array", "frame", "unknown"],
)
def test_many_whole_numbers_are_a_number(y):
    with pytest.raises(ValueError, match=r"is a number.*n_target_bins.*astype\(str\)"):
        ls.FIMF(1).fit(X, y)


def test_many_whole_numbers_in_blocks_are_classes_with_a_warning():
    features, y = da.from_array(X, chunks=(50, -1)), da.from_array(YEARS, chunks=50)
    with pytest.warns(UserWarning, match=MANY):
        ls.FIMF(1).fit(features, y)


def test_classifiers_tell_too():
    with pytest.warns(UserWarning, match=MANY):
        ls.MLNB().fit(X, YEARS)


@pytest.mark.parametrize("y", [YEARS % 20, YEARS.astype(str), YEARS > 2000])
def test_classes_are_not_told_of(y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ls.FIMF(1).fit(X, y)


def test_text_beside_a_number_is_not_taken_for_numbers():
    mixture = pd.DataFrame({"year": YEARS.astype(str), "amount": X[:, 0]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ls.Sieve(1).fit(X, mixture)
    assert found.target_types_ == ["class", "number"]


def test_the_way_out_works():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ls.FIMF(1).fit(X, pd.qcut(YEARS, 4, labels=False))


@pytest.mark.parametrize("make", [ls.FIMF, ls.GMBA, ls.MLkNN])
def test_refused_amounts_have_a_way_out(make):
    expected = "Unknown label type: continuous.*(n_target_bins|pandas.qcut)"
    with pytest.raises(ValueError, match=expected):
        make().fit(X, X[:, 0])
