"""Whole numbers beyond 2**53, of which float64 takes some for others."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from labelsieve import FIMF, Discretizer, MLkNN

LARGE = 2**53
Y = np.tile([[0, 1], [1, 0]], (10, 1))
PARITY = np.tile([0, 1], 10)
WORDS = np.random.default_rng(0).integers(0, 2, 20)


def table(dtype=np.int64, base=LARGE):
    """Columns 0 and 2 are as they seem; of column 1, float64 makes a constant."""
    return np.column_stack([WORDS, PARITY, WORDS]).astype(dtype) + np.array(
        [0, base, base], dtype=dtype
    ) * np.array([1, 1, 0], dtype=dtype)


CONTAINERS = {
    "int64": table(),
    "negative": -table(),
    "uint64": table(np.uint64, 2**63),
    "C order": np.asfortranarray(table()),
    "objects": table().astype(object),
    "huge objects": table(object, 2**70),
    "lists": table().tolist(),
    "csr": sp.csr_array(table()),
    "coo": sp.coo_matrix(table()),
}
FRAMES = {
    "pandas": pd.DataFrame(table(), columns=list("abc")),
    "pandas nullable": pd.DataFrame(table(), columns=list("abc")).astype("Int64"),
    "pandas mixed": pd.DataFrame(table(), columns=list("abc")).assign(c="x"),
    "pandas objects": pd.DataFrame(table(object, 2**70), columns=list("abc")),
    "polars": pl.DataFrame(table(), schema=list("abc")),
}


@pytest.mark.parametrize("X", CONTAINERS.values(), ids=CONTAINERS)
def test_columns_are_named(X):
    for estimator in (FIMF(1), MLkNN(3)):
        with pytest.warns(UserWarning, match=r"beyond 2\*\*53 .* in column\(s\) 1\. "):
            estimator.fit(X, Y)


@pytest.mark.parametrize("X", FRAMES.values(), ids=FRAMES)
def test_columns_of_frames_are_named(X):
    with pytest.warns(UserWarning, match=r"beyond 2\*\*53 .* in column\(s\) 'b'\. "):
        Discretizer().fit(X)


def test_large_numbers_that_stay_apart_pass_in_silence():
    X = table()
    X[:, 1] = LARGE + 4 * PARITY
    assert FIMF(1).fit(X, Y).order_[0] == 1
    assert FIMF(1).fit(pd.DataFrame(X), Y).order_[0] == 1


def test_the_way_out_that_the_warning_names():
    X = table()
    assert FIMF(1).fit(X - X.min(axis=0), Y).order_[0] == 1


@pytest.mark.parametrize("as_objects", [False, True])
def test_large_labels_are_kept_apart(as_objects):
    large = Y + LARGE
    X = np.column_stack([WORDS, PARITY])
    fitted = FIMF(1).fit(X, large.astype(object) if as_objects else large)
    np.testing.assert_array_equal(fitted.scores_, FIMF(1).fit(X, Y).scores_)


@pytest.mark.filterwarnings("ignore:1 of 2 labels")
def test_labels_of_frames_of_two_types():
    labels = pd.DataFrame({"large": PARITY + LARGE, "small": PARITY.astype(float)})
    with pytest.warns(UserWarning, match=r"y holds whole numbers .*'large'"):
        FIMF(1).fit(WORDS[:, None], labels)
