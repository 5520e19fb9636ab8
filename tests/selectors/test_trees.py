"""TreeImportance is what scikit-learn's trees say of all labels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
)

from labelsieve import TreeImportance
from tests.naive.manifold import standardized

TREES = {"extra": ExtraTreesClassifier, "forest": RandomForestClassifier}


@pytest.mark.parametrize("kind", TREES)
def test_is_the_importance_of_scikit_learn(random, kind):
    Y = random.integers(0, 2, (80, 3))
    X = random.normal(size=(80, 6))
    X[:, 2:5] += Y
    found = TreeImportance(kind=kind, n_estimators=10, random_state=3).fit(X, Y)
    trees = TREES[kind](10, random_state=3).fit(standardized(X), Y)
    np.testing.assert_allclose(found.scores_, trees.feature_importances_)
    assert found.scores_.sum() == pytest.approx(1.0)


def test_labels_that_never_vary_count_for_nothing(random):
    Y = np.column_stack([random.integers(0, 2, 60), np.ones(60, dtype=int)])
    X = random.normal(size=(60, 4))
    with pytest.warns(UserWarning, match="carry no information"):
        both = TreeImportance(n_estimators=10).fit(X, Y).scores_
    alone = TreeImportance(n_estimators=10).fit(X, Y[:, 0]).scores_
    np.testing.assert_array_equal(both, alone)


def test_leaves_of_numbers_have_five_samples(random):
    X = standardized(random.normal(size=(80, 6)))
    Y = X[:, 2:4] + 0.5 * random.normal(size=(80, 2))
    found = TreeImportance(n_estimators=10, target_scores="value").fit(X, Y)
    trees = ExtraTreesRegressor(10, min_weight_fraction_leaf=4.5 / 80, random_state=0)
    trees.fit(X, standardized(Y))
    np.testing.assert_allclose(found.scores_, trees.feature_importances_, rtol=1e-4)
    leaves = [tree.apply(X.astype(np.float32)) for tree in trees.estimators_]
    assert min(np.bincount(leaf)[leaf].min() for leaf in leaves) == 5
