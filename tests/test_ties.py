"""Distances that are equal in exact arithmetic tie, whatever the rounding."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from labelsieve import (
    GMBA,
    MLRF,
    BinaryRelevance,
    LabelPowerset,
    PrunedTransformation,
    ReliefFML,
    TransformationSelector,
)
from labelsieve.classifiers import BRkNN, CCkNN, MLkNN, path_scores
from labelsieve.neighbors import nearest
from tests.exploring import draws

N_ROWS = 60


def relieff(transformation):
    return TransformationSelector(transformation=transformation, score_func="relieff")


SELECTORS = {
    "ReliefFML": ReliefFML(),
    "MLRF": MLRF(),
    "MLRF of anchors": MLRF(n_anchors=20, random_state=0),
    "GMBA": GMBA(random_state=0),
    "GMBA of all rows": GMBA(solver="batch", similarity_threshold=0.5),
    "GMBA of the authors": GMBA(variant="authors", random_state=0),
    "GMBA with weights": GMBA(weighted_distances=True, n_iterations=5, random_state=0),
    "LP+RF": relieff(LabelPowerset()),
    "PPT+RF": relieff(PrunedTransformation(tau=2)),
    "BR+RF": relieff(BinaryRelevance()),
}
CLASSIFIERS = [MLkNN(), BRkNN(), CCkNN(random_state=0)]


@st.composite
def integers_and_labels(draw):
    """Features with 4 to 13 levels and three labels; equal rows, equal deviations."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_levels = rng.integers(4, 14, draw(st.integers(3, 7)))
    X = rng.integers(0, n_levels, (N_ROWS, n_levels.size)).astype(float)
    kind = draw(st.sampled_from(["any", "few rows", "shuffled"]))
    if kind == "few rows":
        X = X[rng.integers(0, 12, N_ROWS)]
    elif kind == "shuffled":
        X = rng.permuted(np.repeat(X[:, :1], n_levels.size, axis=1), axis=0)
    Y = rng.integers(0, 2, (N_ROWS, 3))
    return X + draw(st.sampled_from([0, 1, 1000])), Y, rng.permutation(n_levels.size)


@pytest.mark.filterwarnings("ignore:nothing could be learned:UserWarning")
@pytest.mark.filterwarnings("ignore:.*label sets occur at least:UserWarning")
@pytest.mark.parametrize("name", SELECTORS)
@given(problem=integers_and_labels())
@settings(max_examples=draws(25), deadline=None)
def test_scores_do_not_depend_on_the_order_of_columns(name, problem):
    X, Y, order = problem
    scores = clone(SELECTORS[name]).fit(X, Y).scores_[order]
    again = clone(SELECTORS[name]).fit(X[:, order], Y).scores_
    np.testing.assert_allclose(again, scores, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=str)
@given(problem=integers_and_labels())
@settings(max_examples=draws(15), deadline=None)
def test_predictions_do_not_depend_on_the_order_of_columns(classifier, problem):
    X, Y, order = problem
    X = X / 10  # halves of ten are no floats: sums of squares fall by rounding
    train, test = slice(0, 40), slice(40, None)
    expected = clone(classifier).fit(X[train], Y[train]).predict(X[test])
    X = X[:, order]
    found = clone(classifier).fit(X[train], Y[train]).predict(X[test])
    np.testing.assert_array_equal(found, expected)
    sizes = np.unique([1, X.shape[1] // 2, X.shape[1]])
    path = path_scores(
        classifier, X[train], Y[train], X[test], np.arange(X.shape[1]), sizes
    )
    np.testing.assert_array_equal(path.predictions[-1], expected)
    for size, predicted in zip(sizes, path.predictions, strict=True):
        part = clone(classifier).fit(X[train, :size], Y[train])
        np.testing.assert_array_equal(part.predict(X[test, :size]), predicted)


@given(problem=integers_and_labels(), k=st.integers(1, 8))
@settings(max_examples=draws(30), deadline=None)
def test_neighbours_are_those_of_exact_fractions(problem, k):
    X, _, _ = problem
    X = X[:25]
    spans = np.ptp(X, axis=0)
    X, spans = X[:, spans > 0], spans[spans > 0]
    found, _ = nearest(X / spans, k=k, metric="manhattan")
    whole = X.astype(int).tolist()
    for i, near in enumerate(found.tolist()):
        distances = [
            sum(Fraction(abs(a - b), int(s)) for a, b, s in zip(*rows, strict=True))
            for rows in ((whole[i], other, spans) for other in whole)
        ]
        others = sorted((d, j) for j, d in enumerate(distances) if j != i)
        assert near == [j for _, j in others[:k]]


def test_ties_are_those_of_many_features_too():
    # Ten thousand tenths, in ascending and in descending order of their sizes.
    rng = np.random.default_rng(0)
    steps = np.sort(rng.integers(1, 1000, 10_000)) / 10
    X = np.vstack([np.zeros(10_000), steps[::-1], steps])
    for metric in ("sqeuclidean", "manhattan"):
        indices, _ = nearest(X[:1], X, k=3, metric=metric)
        assert indices.tolist() == [[0, 1, 2]]


def test_far_steps_do_not_depend_on_the_order_of_columns():
    # Rows of twelve kinds; a step of nearly no length has few digits to lose.
    kinds = [
        "102",
        "106",
        "120",
        "333",
        "339",
        "533",
        "611",
        "729",
        "733",
        "831",
        "836",
        "917",
    ]
    rows = [
        int(kind, 16)
        for kind in "4a398494a7836b563233b103887bab13173b303a46554750322770b8418a"
    ]
    X = np.array([[int(cell) for cell in kinds[row]] for row in rows], dtype=float)
    labels = "656323240406570325723202067736144620200105237427610321465352"
    Y = np.array([[int(bit) for bit in f"{int(code):03b}"] for code in labels])
    found = GMBA(random_state=0).fit(X, Y).scores_[[1, 0, 2]]
    again = GMBA(random_state=0).fit(X[:, [1, 0, 2]], Y).scores_
    np.testing.assert_allclose(again, found, rtol=0, atol=1e-9)
