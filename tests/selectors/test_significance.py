"""At which level "auto" takes a feature for significant: the p-value of a slow look."""

import warnings

import numpy as np
import pytest

from labelsieve import Sieve
from tests.naive.significance import has_square, p_value


def is_kept(x, y, alpha):
    """Whether the only feature is significant at a level."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Sieve("auto", alpha=alpha).fit(x, y)
    return not any("no feature is significant" in str(w.message) for w in caught)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", ["indicator", "number"])
def test_level_at_which_a_feature_passes(kind, seed):
    random = np.random.default_rng(seed)
    while True:
        n = int(random.integers(20, 60))
        x = random.exponential(size=(n, 1))
        y = (x + random.normal(size=x.shape) > 1.5).astype(float)
        if kind == "indicator":
            x = (x > np.quantile(x, 0.6)).astype(float)
        if kind == "number" and has_square(x[:, 0], y, 1):
            continue
        p = p_value(x, y[:, 0], 0, (), range(kind == "number"))
        # Of numbers a tenth of the errors is for squares.
        p /= 0.9 if kind == "number" else 1.0
        if 1e-6 < p < 0.1:
            break
    assert is_kept(x, y, p * (1 + 1e-9))
    assert not is_kept(x, y, p * (1 - 1e-6))
