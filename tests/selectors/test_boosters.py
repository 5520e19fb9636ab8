"""XGBoost, LightGBM and CatBoost say which features count for which target.

Where they are not installed their tests are skipped; a job of the checks installs them.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.multioutput import MultiOutputClassifier

from labelsieve import SelectByModel
from tests.naive.importances import normalized
from tests.selectors.test_by_model import planted

pytestmark = pytest.mark.filterwarnings("ignore:X does not have valid feature names")


def xgboost(**parameters):
    package = pytest.importorskip("xgboost")
    return package.XGBClassifier(n_estimators=20, max_depth=3, **parameters)


def lightgbm():
    package = pytest.importorskip("lightgbm")
    return package.LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1)


def catboost(**parameters):
    package = pytest.importorskip("catboost")
    return package.CatBoostClassifier(
        iterations=30, verbose=0, allow_writing_files=False, random_seed=0, **parameters
    )


MODELS = {
    "XGBoost for each target": lambda: MultiOutputClassifier(xgboost()),
    "XGBoost for all targets": xgboost,
    "LightGBM": lightgbm,
    "LightGBM, wrapped": lambda: MultiOutputClassifier(lightgbm()),
    "CatBoost": catboost,
    "CatBoost for all targets": lambda: catboost(loss_function="MultiLogloss"),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("importance", ["auto", "permutation"])
def test_shared_and_label_specific_features_are_found(random, model, importance):
    X, Y = planted(random, 300, 4)
    selector = SelectByModel(
        model(), importance=importance, n_features_to_select=4, cv=2
    )
    found = selector.fit(X, Y)
    assert set(found.order_[:4]) == {0, 1, 2, 3}
    for label, importances in enumerate(found.target_importances_):
        assert set(np.argsort(-importances)[:2]) == {0, 1 + label}


def test_trees_for_several_outputs_of_xgboost_need_permutation(random):
    X, Y = planted(random, 300, 4)
    model = xgboost(multi_strategy="multi_output_tree")
    with pytest.raises(TypeError, match=r"multi_output_tree.*importance=.permutation"):
        SelectByModel(model).fit(X, Y)
    found = SelectByModel(model, importance="permutation", cv=2).fit(X, Y)
    best = np.argsort(-found.target_importances_, axis=1)[:, :2]
    assert [set(line) for line in best] == [{0, 1}, {0, 2}, {0, 3}]


def test_contributions_of_xgboost_are_of_the_trees_of_their_target(random):
    """A feature that no tree of a target splits contributes nothing to it."""
    X, Y = planted(random, 300, 4)
    model = xgboost()
    found = SelectByModel(model).fit(X, Y).target_importances_
    trees = clone(model).fit(X, Y).get_booster().get_dump(dump_format="json")
    for target in range(3):
        used = {f for tree in trees[target::3] for f in _split_by(json.loads(tree))}
        assert {f"f{i}" for i in np.flatnonzero(found[target])} == used


def _split_by(node):
    if "split" in node:
        yield node["split"]
        for child in node["children"]:
            yield from _split_by(child)


def test_lightgbm_counts_gains_and_not_splits(random):
    X, Y = planted(random, 300, 4)
    found = SelectByModel(lightgbm(), redundancy=None).fit(X, Y).target_importances_
    model = lightgbm().set_params(importance_type="gain")
    gains = [clone(model).fit(X, y).feature_importances_ for y in Y.T]
    np.testing.assert_allclose(found, normalized(np.array(gains)), rtol=1e-6)
