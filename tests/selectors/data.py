"""Random data for the tests of selectors."""

from functools import cache

import numpy as np
from hypothesis import strategies as st
from sklearn.datasets import make_multilabel_classification


@cache
def data():
    """Counts that tell something about four labels; the same in every test."""
    return make_multilabel_classification(
        90, 12, n_classes=4, allow_unlabeled=True, random_state=0
    )


def random_data(random, n=70, d=8, n_labels=4):
    """Features without ties that tell nothing about the labels."""
    return random.normal(size=(n, d)), (random.random((n, n_labels)) < 0.4).astype(int)


@st.composite
def coded_data(draw, max_codes=5, max_labels=4, min_labels=1):
    """Feature codes and labels; every column has at least two values."""
    n = draw(st.integers(6, 80))
    random = np.random.default_rng(draw(st.integers(0, 100_000)))
    n_codes = draw(st.integers(2, max_codes))
    n_values = draw(st.sampled_from([2, 2, 3]))
    X = random.integers(0, n_codes, (n, draw(st.integers(1, 6))))
    Y = random.integers(0, n_values, (n, draw(st.integers(min_labels, max_labels))))
    if draw(st.booleans()):
        X[random.random(X.shape) < 0.7] = 0
        Y[random.random(Y.shape) < 0.7] = 0
    X[0], X[1] = 0, 1
    Y[0], Y[1] = 0, 1
    return X, Y
