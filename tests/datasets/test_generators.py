"""The generator plants what it says, and the built-in digits show their segments."""

import numpy as np
import pytest
import scipy.sparse as sp

from labelsieve import FIMF, PMU
from labelsieve.datasets import load_segments, make_multilabel
from tests.naive.information import interaction_information, mutual_information


@pytest.fixture(params=[False, True], ids=["dense", "sparse"])
def planted(request):
    return make_multilabel(
        4000,
        5,
        n_relevant=10,
        n_redundant=4,
        n_interacting=4,
        n_noise=30,
        sparse=request.param,
        random_state=0,
    )


def codes_of(X):
    dense = X.toarray() if sp.issparse(X) else X
    return (dense > 0.5).astype(int)


def test_shapes_and_kinds(planted):
    X, Y, truth = planted
    assert X.shape == (4000, 48)
    assert Y.shape == (4000, 5)
    assert set(np.unique(Y)) == {0, 1}
    kinds, numbers = np.unique(truth.kind, return_counts=True)
    assert dict(zip(kinds.tolist(), numbers.tolist(), strict=True)) == {
        "interacting": 4,
        "noise": 30,
        "redundant": 4,
        "relevant": 10,
    }


def test_each_kind_tells_what_it_should(planted):
    X, Y, truth = planted
    codes = codes_of(X)
    alone = np.array([[mutual_information(f, y) for y in Y.T] for f in codes.T])
    for feature, kind in enumerate(truth.kind):
        own = alone[feature, truth.label[feature]]
        if kind in ("relevant", "redundant"):
            assert own > 0.02
        else:
            assert alone[feature].max() < 0.005
        if kind == "redundant":
            twin = truth.partner[feature]
            assert truth.kind[twin] == "relevant"
            assert mutual_information(codes[:, feature], codes[:, twin]) > 0.1
        if kind == "interacting":
            other = truth.partner[feature]
            assert truth.partner[other] == feature
            label = Y[:, truth.label[feature]]
            together = interaction_information(
                codes[:, feature], codes[:, other], label
            )
            assert together < -0.1


def test_selectors_find_what_was_planted(planted):
    X, Y, truth = planted
    found = truth.kind[FIMF(14).fit(X, Y).get_support()]
    assert set(found) == {"relevant", "redundant"}
    picked = PMU(10).fit(X, Y)
    assert (truth.kind[picked.order_[:5]] == "relevant").sum() >= 3


def test_labels_depend_on_the_one_before():
    _, Y, _ = make_multilabel(5000, 4, label_dependency=0.9, random_state=0)
    _, free, _ = make_multilabel(5000, 4, label_dependency=0.0, random_state=0)
    assert np.corrcoef(Y[:, 0], Y[:, 1])[0, 1] > 0.8
    assert abs(np.corrcoef(free[:, 0], free[:, 1])[0, 1]) < 0.05


def test_seeds_and_order():
    first, again = (make_multilabel(50, sparse=True, random_state=3) for _ in range(2))
    assert (first[0] != again[0]).nnz == 0
    np.testing.assert_array_equal(first[1], again[1])
    _, _, truth = make_multilabel(50, shuffle=False, random_state=0)
    assert truth.kind[:12].tolist() == ["relevant"] * 12
    assert truth.kind[-1] == "noise"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_samples": 1}, "at least 2 rows"),
        ({"n_labels": 0}, "1 label"),
        ({"n_interacting": 3}, "even"),
        ({"n_relevant": 0}, "needs relevant features"),
        ({"noise": 0.5}, "noise must lie"),
    ],
)
def test_impossible_requests_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_multilabel(**parameters)


def test_segments_are_those_of_a_display():
    X, Y = load_segments()
    assert X.shape == (1797, 64)
    lit = {tuple(row) for row in Y.tolist()}
    assert len(lit) == 10  # every digit lights another set of segments
    assert max(sum(row) for row in lit) == 7  # the eight lights all
    assert min(sum(row) for row in lit) == 2  # the one lights two
