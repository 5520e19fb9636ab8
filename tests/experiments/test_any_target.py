"""compare on labels, classes and numbers, alone and mixed, partly known."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score

from labelsieve import Sieve
from labelsieve.datasets import Dataset
from labelsieve.experiments import HoldOut, Method, Sizes, compare

TARGETS = {"number": [0], "label": [1], "class": [2]}
MEASURES = {"number": "r2", "label": "micro_f1", "class": "class_accuracy"}
FEW_TREES = Method("forest", {"n_estimators": 10})
PROTOCOL, SIZES = HoldOut(2), Sizes(counts=(1, 2, 3))


@pytest.fixture(scope="module")
def mixed():
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 8))
    Y = [np.exp(X[:, 0]), X[:, 1] > 0, np.digitize(X[:, 2], (-0.5, 0.5))]
    return X, np.column_stack(Y).astype(float)


def compared(X, Y, out, classifiers=("ridge",), **options):
    options = {"protocol": PROTOCOL, "sizes": SIZES, "view": "raw", **options}
    return compare(X, Y, ["sieve"], classifiers=classifiers, out=out, **options)


def curve(results, measure, method="sieve"):
    rows = [row for row in results.content["curves"] if row["method"] == method]
    return np.array(rows[0]["measures"][measure]["mean"])


@pytest.mark.parametrize("kind", TARGETS)
def test_each_type_in_a_mixture_is_measured_as_alone(mixed, kind, tmp_path):
    X, Y = mixed
    alone = compared(X, Y[:, TARGETS[kind]], tmp_path / "one")
    together = compared(X, Y, tmp_path / "two")
    for measure in alone.content["experiment"]["measures"]:
        found, expected = (curve(one, measure, "all") for one in (together, alone))
        np.testing.assert_allclose(found, expected)
    assert MEASURES[kind] in alone.content["experiment"]["measures"]


def test_as_scikit_learn_says(mixed, tmp_path):
    X, y = mixed[0], mixed[1][:, :1]
    expected = []
    for index in range(2):
        split = PROTOCOL.split(y, 0, index)
        order = Sieve(3).fit(X[split.train], y[split.train]).order_
        scale = X[split.train].mean(axis=0), X[split.train].std(axis=0)
        known, unseen = ((X[rows] - scale[0]) / scale[1] for rows in split_rows(split))
        expected.append([])
        for size in (1, 2, 3):
            model = Ridge().fit(known[:, order[:size]], y[split.train])
            said = model.predict(unseen[:, order[:size]])
            expected[-1].append(r2_score(y[split.test], said))
    found = curve(compared(X, y, tmp_path), "r2")
    np.testing.assert_allclose(found, np.mean(expected, axis=0), rtol=1e-6)


def split_rows(split):
    return split.train, split.test


@pytest.mark.parametrize("stratified", [False, True])
def test_partly_known(mixed, tmp_path, stratified):
    X, Y = mixed[0], mixed[1].copy()
    Y[np.random.default_rng(1).random(Y.shape) < 0.3] = np.nan
    data = Dataset(X, Y, list("abcdefgh"), ["n", "l", "k"], target_types=[*TARGETS])
    options = {"protocol": HoldOut(2, stratified), "sizes": SIZES}
    results = compare([data], classifiers=["mlnb", FEW_TREES], out=tmp_path, **options)
    for measure in MEASURES.values():
        assert curve(results, measure)[-1] > curve(results, measure, "random")[0]
    # What cannot take unknown cells is not compared, and the results say why.
    assert "not computed" in str(results) or "could not" in results.to_text()


def test_data_sets_of_different_types_are_refused(mixed, tmp_path):
    X, Y = mixed
    names = list("abcdefgh")
    label = Dataset(X, Y[:, [1]], names, ["l"], name="one")
    number = Dataset(X, Y[:, [0]], names, ["n"], name="two", target_types=["number"])
    with pytest.raises(ValueError, match="targets of different types"):
        compare([label, number], ["sieve"], out=tmp_path)


def test_types_are_part_of_what_is_kept(mixed, tmp_path):
    X, grade = mixed[0], mixed[1][:, [2]]
    names = list("abcdefgh")
    for kind, measure in (("class", "class_accuracy"), ("number", "r2")):
        data = Dataset(X, grade, names, ["grade"], target_types=[kind])
        results = compare(
            [data], ["sieve"], classifiers=["ridge"], sizes=SIZES, out=tmp_path
        )
        assert results.content["experiment"]["measures"][0] == measure


def test_numbers_are_judged_by_ridge_where_nobody_is_named(mixed, tmp_path):
    X, Y = mixed
    usual = compared(X, Y[:, :1], tmp_path / "one", classifiers=None)
    ridge = compared(X, Y[:, :1], tmp_path / "two", classifiers=["ridge"])
    np.testing.assert_array_equal(curve(usual, "r2"), curve(ridge, "r2"))
    labels = compared(X, Y[:, 1:2], tmp_path / "three", classifiers=None)
    judges = {row["contest"] for row in labels.content["curves"]}
    assert all(judge.startswith("mlnb") for judge in judges)
