"""Sums of information from every engine, against their definitions."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from labelsieve.blocks import task
from labelsieve.engines import BlockEngine, DenseEngine, SparseEngine, terms_of
from tests.engines.data import columns_of, random_codes
from tests.naive import corrections, unknown
from tests.naive.information import entropy

engines = pytest.mark.parametrize(
    "engine", ["dense", "sparse", "threads", "dense blocks", "sparse blocks"]
)
each = pytest.mark.parametrize("correction", [None, "miller-madow", "chi2"])
shapes = pytest.mark.parametrize(
    ("x_levels", "y_levels", "share_unknown"),
    [(2, 2, 0.0), (2, 2, 0.2), (4, 2, 0.0), (4, 2, 0.2), (2, 3, 0.0), (4, 3, 0.2)],
)


def data_of(seed, x_levels, y_levels, share_unknown, n=60):
    rng = np.random.default_rng(seed)
    X = random_codes(rng, n, 7, x_levels, share=0.2)
    X[:, 1] = X[:, 0]
    Y = random_codes(rng, n, 5, y_levels, share=0.25, unknown=share_unknown)
    Y[:, 2] = np.where(np.isnan(Y[:, 2]), np.nan, X[:, 3])  # one that is determined
    return X, Y


def terms_from(engine, X, Y, correction=None):
    dense = engine.startswith("dense")
    x, y = columns_of(X, not dense), columns_of(Y, not dense)
    if engine.endswith("blocks"):
        return terms_of(in_blocks(x, y, dense), correction)
    if dense:
        return terms_of(DenseEngine(x, y), correction)
    return terms_of(SparseEngine(x, y, 2 if engine == "threads" else None), correction)


def in_blocks(x, y, dense):
    """The same samples in three places."""
    tasks = [
        task(
            DenseEngine if dense else SparseEngine,
            *(replace(part, values=part.values[rows]) for part in (x, y)),
        )
        for rows in (slice(0, 7), slice(7, 40), slice(40, None))
    ]
    engine = BlockEngine(tasks, x, y)
    engine.is_dense = dense
    return engine


@cache
def definitions(*case, correction, s):
    """The data of a case, and what its terms are defined to be: slow to compute."""
    X, Y = data_of(*case)
    between = [corrections.mutual_information(f, X[:, s], correction) for f in X.T]
    chosen = [
        sum(unknown.interaction(f, X[:, s], y, correction) for y in Y.T) for f in X.T
    ]
    relevance = unknown.relevance(X, Y, correction)
    return X, Y, relevance, unknown.label_pairs(X, Y, correction), between, chosen


@engines
@each
@shapes
def test_terms_equal_their_definitions(
    engine, correction, x_levels, y_levels, share_unknown
):
    for seed in range(1 if engine.endswith("blocks") else 3):
        case, s = (seed, x_levels, y_levels, share_unknown), 2
        X, Y, *expected = definitions(*case, correction=correction, s=s)
        relevance, label_pairs, between, chosen = expected
        terms = terms_from(engine, X, Y, correction)
        for found, expected in (
            (terms.relevance(), relevance),
            (terms.label_pair_interaction(), label_pairs),
            (terms.shared_with(s), between),
            (terms.feature_pairs(1, X.shape[1])[s - 1], between),
            (terms.interaction_with(s), chosen),
        ):
            np.testing.assert_allclose(found, expected, atol=1e-12)


@engines
@shapes
def test_tables_and_entropies(engine, x_levels, y_levels, share_unknown):
    X, Y = data_of(0, x_levels, y_levels, share_unknown)
    terms = terms_from(engine, X, Y)
    information = [[unknown.mutual_information(f, y) for y in Y.T] for f in X.T]
    for found, expected in (
        (terms.feature_label_information(), information),
        (terms.feature_entropy, [entropy(f) for f in X.T]),
        (terms.label_entropy, unknown.label_entropies(Y)),
    ):
        np.testing.assert_allclose(found, expected, atol=1e-12)


@engines
@each
def test_some_of_the_labels(engine, correction):
    X, Y = data_of(1, 3, 3, 0.1)
    labels = np.array([3, 0, 2])
    terms = terms_from(engine, X, Y).with_labels(labels).corrected(correction)
    for found, expected in (
        (terms.relevance(), unknown.relevance(X, Y[:, labels], correction)),
        (
            terms.label_pair_interaction(),
            unknown.label_pairs(X, Y[:, labels], correction),
        ),
    ):
        np.testing.assert_allclose(found, expected, atol=1e-12)


@engines
def test_one_label_has_no_pairs(engine):
    X, Y = data_of(0, 2, 2, 0.0)
    terms = terms_from(engine, X, Y[:, :1])
    assert not terms.label_pair_interaction().any()


def test_threads_change_nothing():
    rng = np.random.default_rng(0)
    X = random_codes(rng, 300, 40, 2, share=0.1)
    for n_labels, share in ((30, 0.05), (150, 0.2)):
        Y = random_codes(rng, 300, n_labels, 2, share)
        found = [terms_from(engine, X, Y) for engine in ("dense", "sparse", "threads")]
        for name, arguments in (
            ("relevance", ()),
            ("label_pair_interaction", ()),
            ("interaction_with", (5,)),
        ):
            dense, one, two = (getattr(terms, name)(*arguments) for terms in found)
            assert (one == two).all()
            np.testing.assert_allclose(one, dense, atol=1e-11)
