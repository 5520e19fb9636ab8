"""EMCFS densities equal sums over all pairs, by values and by exponentials."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from labelsieve.reading import Groups
from labelsieve.selectors import density as _density
from labelsieve.selectors.density import EMCFSDensity
from tests.naive import density as naive

FORMATS = [np.asarray, sp.csr_matrix]


@pytest.fixture
def data(random):
    Y = (random.random((60, 5)) < [0.5, 0.1, 0.9, 0.05, 0.97]).astype(int)
    Y[:2] = [[0, 1, 0, 1, 0], [1, 0, 1, 0, 1]]
    X = random.normal(size=(60, 6)) * (random.random((60, 6)) < 0.8)
    X[:, 1] = X[:, 1].round(1)
    X[:, 2] = X[:, 2] > 0
    X[:, 3] = 4.0
    return X, Y


@pytest.mark.parametrize("make", FORMATS)
def test_golden_densities(toy, toy_data, make):
    X, Y = toy_data
    fitted = EMCFSDensity().fit(make(X), Y)
    for golden in toy["emcfs"]["per_label"]:
        label = golden["label"]
        for found, expected in (
            (fitted.positive_density_[label], golden["rho_pos"]),
            (fitted.negative_density_[label], golden["rho_neg"]),
        ):
            np.testing.assert_allclose(found, expected, atol=1e-9)


def test_golden_density_of_all_rows(toy, toy_data):
    X, _ = toy_data
    with pytest.warns(UserWarning, match="No label is left"):
        fitted = EMCFSDensity().fit(X, np.ones((8, 1)))
    np.testing.assert_allclose(
        fitted.positive_density_[0], toy["emcfs"]["rho_all"], atol=1e-9
    )
    assert not fitted.negative_density_.any()
    assert not fitted.label_support_.any()


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("exact_up_to", [1, 700])
def test_equals_all_pairs(data, monkeypatch, exact_up_to, make, n_jobs):
    monkeypatch.setattr(_density, "EXACT_UP_TO", exact_up_to)
    monkeypatch.setattr(_density, "BLOCK_CELLS", 100)
    X, Y = data
    fitted = EMCFSDensity(n_jobs=n_jobs).fit(make(X), make(Y))
    positive, negative = naive.densities(X, Y)
    np.testing.assert_allclose(fitted.positive_density_, positive, rtol=1e-11)
    np.testing.assert_allclose(fitted.negative_density_, negative, rtol=1e-11)


@pytest.mark.parametrize("exact_up_to", [1, 700])
def test_a_side_without_rows_has_density_zero(random, monkeypatch, exact_up_to):
    monkeypatch.setattr(_density, "EXACT_UP_TO", exact_up_to)
    X = random.normal(size=(30, 3))
    Y = np.column_stack([np.zeros(30), np.ones(30), random.random(30) < 0.5])
    with pytest.warns(UserWarning, match="2 of 3 labels"):
        fitted = EMCFSDensity().fit(X, Y.astype(int))
    positive, negative = naive.densities(X, Y)
    np.testing.assert_allclose(fitted.positive_density_, positive, rtol=1e-11)
    np.testing.assert_allclose(fitted.negative_density_, negative, rtol=1e-11)


def test_a_similarity_of_ones_own(data):
    X, Y = data

    def gaussian(distance):
        return np.exp(-2 * distance**2)

    fitted = EMCFSDensity(similarity=gaussian).fit(X, Y)
    positive, negative = naive.densities(X, Y, gaussian)
    np.testing.assert_allclose(fitted.positive_density_, positive, rtol=1e-11)
    np.testing.assert_allclose(fitted.negative_density_, negative, rtol=1e-11)


@pytest.mark.parametrize(
    "similarity", [lambda d: d, lambda d: -d, lambda d: 1 / (d - d[0]), lambda d: 0.5]
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_is_no_similarity_is_refused(data, similarity):
    with pytest.raises(ValueError, match="must return a positive number"):
        EMCFSDensity(similarity=similarity).fit(*data)


def test_the_sum_of_exponentials_keeps_its_bound():
    distance = np.linspace(0, 1, 100_001)
    nodes, weights = _density.exponential_sum()
    approximation = np.exp(-np.outer(distance, nodes)) @ weights
    assert np.abs(approximation * (1 + distance) - 1).max() < _density.WORST_ERROR


@given(
    values=st.lists(st.integers(-5, 5), min_size=4, max_size=30),
    seed=st.integers(0, 1000),
)
def test_densities_lie_between_n_and_2n(values, seed):
    random = np.random.default_rng(seed)
    X = np.array(values, dtype=float)[:, None]
    y = random.integers(0, 2, len(values))
    y[:2] = [0, 1]
    indicator = y[:, None].astype(np.uint8)
    one = Groups(np.ones(1, dtype=np.int64))
    found = _density.densities(X, indicator, _density.inverse_distance, 1, one)
    for density, size in zip(found.rho, found.n_rows, strict=True):
        assert size - 1e-9 <= density[0, 0] <= 2 * size + 1e-9


def test_every_label_selects_as_many_as_its_smaller_side_says(data):
    X, Y = data
    fitted = EMCFSDensity(ratio=0.1).fit(X, Y)
    for label, support in enumerate(fitted.label_support_):
        smaller = min(Y[:, label].sum(), (1 - Y[:, label]).sum())
        wanted = max(1, int(np.ceil(round(0.1 * smaller, 9))))
        assert wanted <= support.sum() <= 2 * wanted
        assert not support[3]
        best = np.argsort(-fitted.positive_density_[label])[:wanted]
        if Y[:, label].sum() > 1:
            assert support[best].all()
    assert (np.floor(fitted.scores_) == fitted.label_support_.sum(axis=0)).all()


def test_the_threshold_of_the_paper_selects_everything(data):
    X, Y = data
    with pytest.warns(UserWarning, match="selects every feature"):
        fitted = EMCFSDensity(mode="threshold").fit(X, Y)
    assert fitted.label_support_.all()


def test_constant_features_come_last(data):
    X, Y = data
    fitted = EMCFSDensity(ratio=1.0).fit(X, Y)
    assert fitted.order_[-1] == 3
    assert fitted.scores_[3] == 0
