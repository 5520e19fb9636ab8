"""One data set in many forms of blocks, and the selectors that take them."""

import dask.array as da
import numpy as np
import scipy.sparse as sp

from labelsieve import D2F, FIMF, LRFS, MDMR, MLQPFS, PMU, SCLS, Sieve
from labelsieve.registry import make_selector, selector_names
from labelsieve.selectors.transformations import (
    BinaryRelevance,
    EntropyLabelAssignment,
    LabelPowerset,
    PrunedTransformation,
    TransformationSelector,
)
from tests.selectors.registered import takes_blocks

N_ROWS, N_FEATURES, N_LABELS = 400, 16, 5


def transformed(transformation, score_func):
    return TransformationSelector(
        4, transformation=transformation, score_func=score_func
    )


# Selectors that take blocks, with settings of their own.
SELECTORS = {
    "PMU": PMU(4),
    "PMU, 3 bins": PMU(3, n_bins=3),
    "FIMF": FIMF(4, n_labels=3),
    "MLQPFS": MLQPFS(4, binning="uniform", n_bins=4),
    "D2F": D2F(4),
    "MDMR": MDMR(4),
    "SCLS": SCLS(4, n_bins=3),
    "LRFS": LRFS(4),
    "Sieve": Sieve(4),
    "Sieve, auto": Sieve("auto"),
    "LP": transformed(LabelPowerset(), "chi2"),
    "PPT": transformed(PrunedTransformation(20), "mutual_information"),
    "ELA": transformed(EntropyLabelAssignment(), "chi2"),
    "BR": transformed(BinaryRelevance(), "mutual_information"),
}
# A method that is registered and takes blocks needs no entry above.
_KNOWN = {type(selector) for selector in SELECTORS.values()}
for _name in selector_names():
    _selector = make_selector(_name, n_features_to_select=4)
    if takes_blocks(_selector) and type(_selector) not in _KNOWN:
        SELECTORS[_name] = _selector


def pairwise(first, *others):
    """Cases in which each value of `first` meets each of the second list.

    Further lists take turns, shifted by one from value to value of `first`: their
    values meet all of the others, and not all combinations of them.
    """
    second, *rest = others
    return [
        (one, two, *(values[(i + j) % len(values)] for values in rest))
        for i, one in enumerate(first)
        for j, two in enumerate(second)
    ]


def in_turn(first, *others):
    """Each value of `first` once, with those of the other lists in turn."""
    return [
        (one, *(values[i % len(values)] for values in others))
        for i, one in enumerate(first)
    ]


def table(seed=0):
    """Features of all kinds: skewed, few-valued, mostly zero, constant, negative."""
    rng = np.random.default_rng(seed)
    share = rng.uniform(0.1, 0.7, N_LABELS)
    Y = (rng.random((N_ROWS, N_LABELS)) < share).astype(int)
    X = rng.normal(size=(N_ROWS, N_FEATURES))
    X[:, :N_LABELS] += Y
    X[:, 5] = 3.0
    X[:, 6] = rng.integers(0, 2, N_ROWS)
    X[:, 7] = rng.integers(-1, 2, N_ROWS)
    X[:, 8:12] *= rng.random((N_ROWS, 4)) < 0.2
    X[:, 12] = -np.exp(X[:, 12])
    return X, Y


def equal_blocks(n_blocks):
    edges = np.linspace(0, N_ROWS, n_blocks + 1).astype(int)
    return tuple(np.diff(edges).tolist())


def in_blocks(X, lengths, sparse=False):
    """A dask array with the given numbers of rows in its blocks."""
    blocks = da.from_array(X, chunks=(lengths, X.shape[1]))
    return blocks.map_blocks(sp.csr_matrix) if sparse else blocks


def of_unknown_length(X, lengths, sparse=False):
    """Such blocks once rows have been filtered: nobody knows how many are left."""
    kept = da.from_array(np.arange(len(X)) >= 0, chunks=(lengths,))
    blocks = in_blocks(X, lengths)[kept]
    assert np.isnan(blocks.shape[0])
    return blocks.map_blocks(sp.csr_matrix) if sparse else blocks
