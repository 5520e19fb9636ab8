"""ReliefF with a label distance equals its probabilities counted one by one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from labelsieve.neighbors import search
from labelsieve.selectors.relief.relieff_ml import ReliefFML
from tests.naive import relief as naive

FORMATS = [np.asarray, sp.csr_matrix]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("decimals", [0, 16])
def test_equals_the_definition(random, monkeypatch, decimals, make, n_jobs):
    monkeypatch.setattr(search, "MOST_ROWS", 7)
    Y = random.integers(0, 2, (40, 3))
    X = random.normal(size=(40, 5)).round(decimals)
    fitted = ReliefFML(n_neighbors=4, n_jobs=n_jobs).fit(make(X), make(Y))
    np.testing.assert_allclose(fitted.scores_, naive.relieff_ml(X, Y, 4), atol=1e-12)


def test_scores_are_differences_of_shares(random):
    Y = random.integers(0, 2, (30, 3))
    X = np.column_stack([random.normal(size=(30, 3)), np.full(30, 2.0)])
    fitted = ReliefFML(n_neighbors=100).fit(X, Y)
    assert (np.abs(fitted.scores_) <= 1).all()
    assert fitted.scores_[3] == 0
    assert fitted.order_[-1] == 3


def test_labels_that_never_or_always_differ():
    X = np.random.default_rng(0).normal(size=(4, 2))
    with pytest.warns(UserWarning, match="No label is left"):
        same = ReliefFML().fit(X, np.zeros((4, 2), dtype=int))
    assert np.isfinite(same.scores_).all()
    opposite = ReliefFML(n_neighbors=1).fit([[0.0, 5], [1, 5]], [[0, 1], [1, 0]])
    assert opposite.scores_.tolist() == [1, 0]
