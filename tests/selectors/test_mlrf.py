"""MLRF in one pass over distances equals ReliefF pair by pair."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from labelsieve.neighbors import search
from labelsieve.selectors.relief.mlrf import MLRF
from tests.naive import relief as naive

FORMATS = [np.asarray, sp.csr_matrix]


@pytest.mark.parametrize("make", FORMATS)
def test_golden_weights(toy, toy_data, make):
    X, Y = toy_data
    golden = toy["further_selectors"]["mlrf_recommended_pairwise_k3"]
    fitted = MLRF().fit(make(X), Y)
    np.testing.assert_allclose(fitted.scores_, golden["weights"], atol=1e-9)
    assert fitted.n_pairs_ == len(golden["pairs_used"])


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("decimals", [0, 1, 16])
def test_equals_pair_by_pair(random, monkeypatch, decimals, make, n_jobs):
    monkeypatch.setattr(search, "MOST_ROWS", 7)
    Y = (random.random((45, 4)) < [0.5, 0.4, 0.3, 0.15]).astype(int)
    X = random.normal(size=(45, 5)).round(decimals) * (random.random((45, 5)) < 0.7)
    fitted = MLRF(n_neighbors=2, n_jobs=n_jobs).fit(make(X), make(Y))
    np.testing.assert_allclose(fitted.scores_, naive.mlrf(X, Y, 2), atol=1e-12)
    mean = MLRF(n_neighbors=2, aggregate="mean").fit(X, Y)
    np.testing.assert_allclose(mean.scores_ * fitted.n_pairs_, fitted.scores_)


@pytest.mark.parametrize("make", FORMATS)
def test_two_valued_features_use_products(random, make):
    X = (random.random((40, 30)) < 0.3).astype(float)
    Y = random.integers(0, 2, (40, 3))
    fitted = MLRF().fit(make(X), Y)
    np.testing.assert_allclose(fitted.scores_, naive.mlrf(X, Y, 3), atol=1e-12)


def test_a_single_label_is_compared_with_its_complement(random):
    y = random.integers(0, 2, 40)
    X = random.normal(size=(40, 4))
    expected = naive.mlrf(X, np.column_stack([1 - y, y]), 3)
    np.testing.assert_allclose(MLRF().fit(X, y).scores_, expected, atol=1e-12)


def test_categories_differ_by_one_whatever_their_codes(random):
    kinds = random.choice(["a", "b", "c", "d"], 40)
    numbers = random.normal(size=(40, 2))
    Y = np.column_stack([kinds == "a", kinds == "d", random.random(40) < 0.5])
    frame = pd.DataFrame({"x": numbers[:, 0], "kind": kinds, "z": numbers[:, 1]})
    one_hot = 0.5 * (kinds[:, None] == ["a", "b", "c", "d"])
    X = np.column_stack([naive.scale(numbers), one_hot])
    expected = naive.mlrf_of_scaled(X, Y, 3)
    found = MLRF().fit(frame, Y).scores_
    np.testing.assert_allclose(
        found, [expected[0], expected[2:].sum(), expected[1]], atol=1e-12
    )
    renamed = frame.assign(
        kind=frame["kind"].map(dict(zip("abcd", "dacb", strict=True)))
    )
    np.testing.assert_allclose(MLRF().fit(renamed, Y).scores_, found, atol=1e-12)


def test_no_two_sided_pair_gives_zero():
    X = np.random.default_rng(0).normal(size=(6, 3))
    Y = np.column_stack([[1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0]])
    fitted = MLRF().fit(X, Y)
    assert fitted.n_pairs_ == 0
    assert not fitted.scores_.any()
