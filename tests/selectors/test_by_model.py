"""SelectByModel: importances for each target are those of the naive versions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import rankdata
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from labelsieve import LabelFolds, SelectByModel
from labelsieve.reading import Features
from labelsieve.selectors._collinear import correlated_features
from labelsieve.selectors.by_model import REPEATS
from tests.naive.importances import (
    entropy,
    gini,
    normalized,
    permutation_importances,
    residual_order,
    tree_importances,
)


def planted(random, n=400, n_noise=8):
    """Feature 0 is of all three labels, features 1 to 3 of one each, others of none."""
    X = random.normal(size=(n, 4 + n_noise))
    noise = random.normal(size=(n, 3))
    Y = (1.5 * X[:, [0]] + 2 * X[:, 1:4] + 0.5 * noise > 0).astype(int)
    return X, Y


FOREST = RandomForestClassifier(60, random_state=0)
MODELS = {
    "forest": FOREST,
    "logistic": MultiOutputClassifier(LogisticRegression()),
    "one per label": LogisticRegression(),
    "pipeline": make_pipeline(
        StandardScaler(), OneVsRestClassifier(LogisticRegression())
    ),
    "chain": ClassifierChain(LogisticRegression(), order=[2, 0, 1]),
    "ridge": RidgeClassifier(),
    "boosting": HistGradientBoostingClassifier(max_iter=30),
    "named": "forest",
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("importance", ["auto", "permutation"])
def test_shared_and_label_specific_features_are_found_for_their_labels(
    random, model, importance
):
    if importance == "permutation" and model in ("forest", FOREST):
        model = RandomForestClassifier(20, random_state=0)
    X, Y = planted(random, 300, 4)
    found = SelectByModel(model, importance=importance, n_features_to_select=4, cv=2)
    found.fit(X, Y)
    assert set(found.order_[:4]) == {0, 1, 2, 3}
    for label, importances in enumerate(found.target_importances_):
        assert set(np.argsort(-importances)[:2]) == {0, 1 + label}
        assert importances.sum() == pytest.approx(1)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_importances_of_trees_are_those_of_each_target(random, criterion):
    X, Y = planted(random, 120)
    forest = ExtraTreesClassifier(8, criterion=criterion, random_state=1, max_depth=5)
    found = SelectByModel(forest, redundancy=None).fit(X, Y).target_importances_
    impurity = {"gini": gini, "entropy": entropy}[criterion]
    trees = forest.fit(X, Y).estimators_
    expected = np.mean([tree_importances(t, X, Y, impurity) for t in trees], axis=0)
    np.testing.assert_allclose(found, normalized(expected), atol=1e-10)


def test_importances_of_one_target_are_those_of_scikit_learn(random):
    X, Y = planted(random, 120)
    found = SelectByModel(FOREST, redundancy=None).fit(X, Y[:, 0])
    np.testing.assert_allclose(
        found.scores_, FOREST.fit(X, Y[:, 0]).feature_importances_
    )


def test_trees_of_regression_count_variance(random):
    X, Y = planted(random, 120)
    model = RandomForestRegressor(5, bootstrap=False, random_state=0, max_features=3)
    classes = ExtraTreesClassifier(5, random_state=0)
    found = SelectByModel(model, redundancy=None).fit(X, Y).target_importances_
    trees = model.fit(X, Y).estimators_
    expected = np.mean([tree_importances(t, X, Y, gini) for t in trees], axis=0)
    np.testing.assert_allclose(found, normalized(expected), atol=1e-10)
    assert not np.allclose(
        SelectByModel(classes, redundancy=None).fit(X, Y).target_importances_, found
    )


def test_coefficients_count_by_the_standard_deviation_of_their_feature(random):
    X, Y = planted(random, 200)
    X[:, 5:] *= 4
    X[:, 1] /= 4
    model = OneVsRestClassifier(LogisticRegression(max_iter=5000))
    found = SelectByModel(model, redundancy=None).fit(X, Y)
    fitted = model.fit(X, Y).estimators_
    expected = [np.abs(one.coef_[0]) * X.std(axis=0) for one in fitted]
    np.testing.assert_allclose(
        found.target_importances_, normalized(np.array(expected))
    )


def test_permutation_is_that_of_the_naive_version(random):
    X, Y = planted(random, 90, 2)
    X[:, 5] = X[:, 0] + 0.01 * random.normal(size=90)
    clusters = correlated_features(Features(X))
    assert sorted(map(sorted, clusters)) == [[0, 5], [1], [2], [3], [4]]
    model = LogisticRegression()
    selector = SelectByModel(
        model, importance="permutation", redundancy=None, cv=3, random_state=7
    )
    found = selector.fit(X, Y).target_importances_

    def models(X, Y):
        return [LogisticRegression().fit(X, y) for y in Y.T]

    state = np.random.RandomState(7)
    folds = list(LabelFolds(3, random_state=state).split(X, Y))
    # Folds are drawn before the permutations.
    expected = permutation_importances(models, X, Y, folds, clusters, REPEATS, state)
    np.testing.assert_allclose(found, expected, atol=1e-10)
    assert found[:, 0].tolist() == found[:, 5].tolist()


def test_permutation_needs_one_prediction_for_all_targets(random):
    class Counting(KNeighborsClassifier):
        calls = 0

        def predict_proba(self, X):
            Counting.calls += 1
            return super().predict_proba(X)

    X, Y = planted(random, 60, 2)
    SelectByModel(Counting(), importance="permutation", cv=2).fit(X, Y)
    assert Counting.calls == 2 * (1 + X.shape[1])  # all repeats at once


def test_permutation_of_sparse_features_is_that_of_dense_ones(random):
    X, Y = planted(random, 80, 3)
    X *= random.random(X.shape) < 0.5
    selector = SelectByModel(FOREST, importance="permutation", cv=2)
    dense = selector.fit(X, Y).target_importances_
    sparse = selector.fit(sp.csr_matrix(X), Y).target_importances_
    np.testing.assert_allclose(sparse, dense, atol=1e-12)


def test_models_without_probabilities_are_permuted_by_their_decisions(random):
    X, Y = planted(random, 200, 2)
    found = SelectByModel(RidgeClassifier(), importance="permutation", cv=2).fit(X, Y)
    assert {int(i) for i in found.target_importances_.argmax(axis=1)} <= {0, 1, 2, 3}


@pytest.mark.parametrize("sparse", [False, True])
def test_the_order_discounts_what_chosen_features_explain(random, sparse):
    X, Y = planted(random, 150, 4)
    X[:, 4] = X[:, 0] + X[:, 1] + 0.5 * random.normal(size=150)
    X[:, 5] = X[:, 2] ** 3
    if sparse:
        X *= random.random(X.shape) < 0.6
    table = sp.csr_matrix(X) if sparse else X
    found = SelectByModel(FOREST, n_features_to_select=6).fit(table, Y)
    weights = Y.mean(axis=0) * (1 - Y.mean(axis=0))
    importance = weights / weights.sum() @ found.target_importances_
    chosen, scores = residual_order(rankdata(X, axis=0), importance, 6)
    assert found.order_[:6].tolist() == chosen
    np.testing.assert_allclose(found.scores_[chosen], scores, atol=1e-9)


@pytest.mark.parametrize("noise", [0.0, 0.02])
@pytest.mark.parametrize("model", [FOREST, LogisticRegression()], ids=["forest", "lr"])
def test_copies_and_near_copies_do_not_share_a_place(random, noise, model):
    X, Y = planted(random, 400, 4)
    copies = X[:, [0, 0, 1]] + noise * random.normal(size=(400, 3))
    X = np.hstack([X, copies])
    same = [{0, 8, 9}, {1, 10}, {2}, {3}]
    found = SelectByModel(model, n_features_to_select=4).fit(X, Y)
    assert all(len(set(found.order_[:4]) & group) == 1 for group in same)
    plain = SelectByModel(model, n_features_to_select=4, redundancy=None).fit(X, Y)
    assert max(len(set(plain.order_[:5]) & group) for group in same) > 1


def test_features_that_must_be_in_count_as_chosen(random):
    X, Y = planted(random, 300, 4)
    X = np.hstack([X, X[:, [0]] ** 3])
    found = SelectByModel(FOREST, n_features_to_select=5, include=[8], exclude=[1])
    found.fit(X, Y)
    assert found.order_[0] == 8
    assert {2, 3} <= set(found.order_[:5])
    assert not {0, 1} & set(found.order_[:5])


def test_a_function_gives_the_importances(random):
    X, Y = planted(random, 100)
    seen = []

    def importance(model, X, Y):
        seen.append((type(model).__name__, X.shape, Y.shape))
        return np.tile(np.arange(12.0), (3, 1))

    found = SelectByModel(FOREST, importance=importance, redundancy=None).fit(X, Y)
    assert found.order_[:3].tolist() == [11, 10, 9]
    assert seen == [("RandomForestClassifier", (100, 12), (100, 3))]
    wrong = SelectByModel(FOREST, importance=lambda model, X, Y: np.ones((12, 3)))
    with pytest.raises(ValueError, match=r"shape \(12, 3\); expected .* \(3, 12\)"):
        wrong.fit(X, Y)


def test_a_fitted_model_is_not_fitted_again(random):
    X, Y = planted(random, 200)
    held_out, truth = planted(random, 100)
    model = RandomForestClassifier(10, random_state=0).fit(X, Y)
    expected = SelectByModel(clone_of(model)).fit(X, Y).target_importances_
    for prefit in (True, False):
        fitted = model if prefit else FrozenEstimator(model)
        found = SelectByModel(fitted, prefit=prefit).fit(held_out, truth)
        np.testing.assert_allclose(found.target_importances_, expected)
    found = SelectByModel(model, prefit=True, importance="permutation")
    assert set(found.fit(held_out, truth).order_[:1]) <= {0, 1, 2, 3}
    with pytest.raises(ValueError, match="fitted with 12 columns, and X has 5"):
        SelectByModel(model, prefit=True).fit(held_out[:, :5], truth)
    with pytest.raises(ValueError, match="needs a fitted model, got RandomForest"):
        SelectByModel(prefit=True).fit(X, Y)
    with pytest.raises(NotFittedError, match=r"fitted model.*leave prefit out"):
        SelectByModel(RandomForestClassifier(), prefit=True).fit(X, Y)


def clone_of(model):
    return type(model)(**model.get_params())


def test_names_of_features_do_not_disturb_fitted_models(random):
    X, Y = planted(random, 100)
    frame = pd.DataFrame(X).add_prefix("f")
    model = FOREST.fit(frame, Y)
    selector = SelectByModel(model, prefit=True, importance="permutation")
    assert selector.fit(frame, Y).get_feature_names_out().size == 1


def test_pipelines_are_opened_where_columns_stay(random):
    X, Y = planted(random, 200)
    kept = make_pipeline(StandardScaler(), SelectKBest(k=6), LogisticRegression())
    found = SelectByModel(kept, redundancy=None).fit(X, Y)
    assert ((found.target_importances_ > 0).sum(axis=1) == 6).all()
    mixed = make_pipeline(PCA(5), LogisticRegression())
    with pytest.raises(ValueError, match=r"columns other .*SelectByModel\(model\)"):
        SelectByModel(mixed).fit(X, Y)
    found = SelectByModel(mixed, importance="permutation", cv=2).fit(X, Y)
    assert found.target_importances_.sum() == pytest.approx(3)


def test_models_without_importances_are_named(random):
    X, Y = planted(random, 60)
    with pytest.raises(TypeError, match=r"KNeighborsClassifier of several .*permutat"):
        SelectByModel(KNeighborsClassifier()).fit(X, Y)
    with pytest.raises(TypeError, match=r"MLPClassifier of several targets has no"):
        SelectByModel(MLPClassifier((), solver="lbfgs")).fit(X, Y)


@pytest.mark.parametrize("model", ["forest", "logistic", MODELS["pipeline"]])
def test_unknown_labels_are_learnt_from_known_samples(random, model):
    X, Y = planted(random, 200)
    unknown = random.random(Y.shape) < 0.3
    partly = np.where(unknown, np.nan, Y)
    found = SelectByModel(model, redundancy=None).fit(X, partly)
    for label, known in enumerate(~unknown.T):
        alone = SelectByModel(model, redundancy=None).fit(X[known], Y[known, label])
        expected = alone.target_importances_[0]
        # Named models see features that are standardised by all samples.
        atol = 0.03 if isinstance(model, str) else 1e-12
        np.testing.assert_allclose(
            found.target_importances_[label], expected, atol=atol
        )


def test_labels_that_never_vary_have_no_importances(random):
    X, Y = planted(random, 100)
    with pytest.warns(UserWarning, match="carry no information"):
        found = SelectByModel(FOREST).fit(X, np.column_stack([Y[:, 0], Y[:, 0] * 0]))
    assert found.target_importances_[1].tolist() == [0] * 12
    expected = SelectByModel(FOREST).fit(X, Y[:, 0]).scores_
    np.testing.assert_allclose(found.scores_, expected)


def test_categories_are_one_feature(random):
    X, Y = planted(random, 300, 2)
    kind = np.array(list("abcd"))[np.digitize(X[:, 1], [-1, 0, 1])]
    frame = pd.DataFrame(X).add_prefix("f").assign(kind=kind)
    for importance in ("auto", "permutation"):
        selector = SelectByModel(FOREST, importance=importance, cv=2, redundancy=None)
        found = selector.fit(frame, Y).target_importances_
        assert found.shape == (3, 7)
        assert found[0, 6] > found[1, 6]


def test_explains_scores_by_targets(random):
    X, Y = planted(random, 200)
    selector = SelectByModel(FOREST, n_features_to_select=4).fit(X, Y)
    found = selector.explain(X, Y)
    assert found.rule == "importance * residual variance"
    product = found.terms["importance"] * found.terms["residual variance"]
    np.testing.assert_allclose(product, found.scores)
    np.testing.assert_allclose(found.label_terms.sum(axis=1), found.terms["importance"])
    best = found.label_terms.argmax(axis=0)
    assert set(found.features[best]) <= {0, 1, 2, 3}


def test_chains_leave_out_the_labels_before(random):
    X, Y = planted(random, 200)
    chain = ClassifierChain(DecisionTreeClassifier(max_depth=3, random_state=0))
    found = SelectByModel(chain, redundancy=None).fit(X, Y).target_importances_
    last = chain.fit(X, Y).estimators_[2].feature_importances_[:12]
    np.testing.assert_allclose(found[2], last / last.sum())


def test_categories_of_boosting_are_refused(random):
    X, Y = planted(random, 100)
    X[:, 0] = np.digitize(X[:, 0], [-1, 0, 1])
    model = HistGradientBoostingClassifier(categorical_features=[0], max_iter=3)
    with pytest.raises(TypeError, match=r"moves columns.*permutation"):
        SelectByModel(model).fit(X, Y)
