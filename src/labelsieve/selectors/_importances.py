"""Importances of features in a fitted model, for each of its targets."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import xlogy
from sklearn.frozen import FrozenEstimator
from sklearn.multiclass import OneVsRestClassifier, _ConstantPredictor
from sklearn.multioutput import (
    ClassifierChain,
    MultiOutputClassifier,
    MultiOutputRegressor,
)
from sklearn.pipeline import Pipeline
from sklearn.utils.sparsefuncs import mean_variance_axis

from labelsieve._utils.matrices import as_dense
from labelsieve._utils.typing import FloatArray, IntArray, Matrix

# Wrappers that fit a model for each target.
PER_TARGET = (MultiOutputClassifier, MultiOutputRegressor, OneVsRestClassifier)
WAY_OUT = (
    'Use importance="permutation", which needs predictions only, or a function of '
    "(model, X, Y) that returns an array of shape (n_targets, n_features)."
)


def importance_matrix(model: Any, X: Matrix, n_targets: int) -> FloatArray:
    """(n_targets, n_columns) how much each column of X counts for each target.

    Coefficients are absolute, times the standard deviation of their column in X; trees
    count the impurity that they take away from each target, gradient boosting the gain
    of its splits; XGBoost and CatBoost models of several targets the mean absolute
    contribution (SHAP) over X.
    """
    n_columns = X.shape[1]
    found = np.zeros((n_targets, n_columns))
    if isinstance(model, FrozenEstimator):
        return importance_matrix(model.estimator, X, n_targets)
    if isinstance(model, Pipeline):
        *earlier, last = (step for _, step in model.steps)
        inner = model[:-1].transform(X) if earlier else X
        columns = _kept_columns(model, n_columns) if earlier else slice(None)
        found[:, columns] = importance_matrix(last, inner, n_targets)
    elif isinstance(model, ClassifierChain):
        for target, one in zip(model.order_, model.estimators_, strict=True):
            # The targets before it are further columns, behind those of X.
            more = np.zeros((X.shape[0], one.n_features_in_ - n_columns))
            stack = partial(sp.hstack, format="csr") if sp.issparse(X) else np.hstack
            padded = stack([X, more])
            found[target] = importance_matrix(one, padded, 1)[0, :n_columns]
    elif isinstance(model, PER_TARGET):
        if len(model.estimators_) != n_targets:
            raise ValueError(
                f"{_name(model)} was fitted with {len(model.estimators_)} targets, and "
                f"Y has {n_targets}."
            )
        for target, one in enumerate(model.estimators_):
            if not isinstance(one, _ConstantPredictor):
                found[target] = importance_matrix(one, X, 1)[0]
    else:
        found = _own_importances(model, X, n_targets)
    return found


def _kept_columns(pipeline: Pipeline, n_columns: int) -> IntArray:
    """The column of X that each column is which the last step sees."""
    names = getattr(pipeline, "feature_names_in_", None)
    if names is None:
        names = np.array([f"x{i}" for i in range(n_columns)], dtype=object)
    place = {name: column for column, name in enumerate(names)}
    try:
        seen = pipeline[:-1].get_feature_names_out(names)
        return np.array([place[name] for name in seen], dtype=np.int64)
    except (AttributeError, KeyError):
        raise ValueError(
            "The steps of the pipeline before the model make columns other than those "
            "of X, so the importances of the model are not those of X. Select after "
            "these steps, make_pipeline(*steps, SelectByModel(model), model), or use "
            'importance="permutation", which permutes the columns of X.'
        ) from None


def _own_importances(model: Any, X: Matrix, n_targets: int) -> FloatArray:
    """Importances of a model that wraps no others."""
    package = type(model).__module__.partition(".")[0]
    trees = getattr(model, "estimators_", [model])
    if hasattr(model, "coef_"):
        coefficients = np.atleast_2d(np.abs(as_dense(model.coef_)))
        if n_targets == 1:  # a line for each of several classes
            coefficients = coefficients.sum(axis=0, keepdims=True)
        found = coefficients * _deviations(X)
    elif n_targets > 1 and package == "xgboost":
        found = _contributions_in_xgboost(model, X)
    elif n_targets > 1 and package == "catboost":
        pool = __import__("catboost").Pool(X)
        shap = model.get_feature_importance(pool, type="ShapValues")
        found = np.abs(shap[..., :-1]).mean(axis=0)
    elif package == "lightgbm":
        found = model.booster_.feature_importance("gain")
    elif hasattr(model, "_predictors"):
        found = _gains(model, X.shape[1])
    elif n_targets > 1 and all(hasattr(tree, "tree_") for tree in trees):
        found = np.mean([_tree_importances(tree) for tree in trees], axis=0)
    elif n_targets == 1 and hasattr(model, "feature_importances_"):
        found = model.feature_importances_
    else:
        several = " of several targets" if n_targets > 1 else ""
        raise TypeError(
            f"{_name(model)}{several} has no importances of features for each target. "
            f"{WAY_OUT}"
        )
    return np.reshape(found, (n_targets, X.shape[1])).astype(np.float64)


def _deviations(X: Matrix) -> FloatArray:
    if sp.issparse(X):
        return np.sqrt(mean_variance_axis(sp.csr_matrix(X), axis=0)[1])
    return np.asarray(X, dtype=np.float64).std(axis=0)


def _tree_importances(tree: Any) -> FloatArray:
    """(n_targets, n_columns) impurity that the splits of a tree take away.

    With n_s samples in node s, of which the shares v_sc are of class c (or v_s is their
    mean), Gini's impurity is 1 - sum_c v_sc^2, and variance has the same differences;
    that of entropy is -sum_c v_sc log v_sc.
    """
    nodes = tree.tree_
    n, value = nodes.weighted_n_node_samples, nodes.value
    if hasattr(tree, "classes_"):
        value = value / value.sum(axis=2, keepdims=True)
    by_entropy = tree.criterion in ("entropy", "log_loss")
    purity = xlogy(value, value) if by_entropy else value**2
    weighted = n[:, np.newaxis] * purity.sum(axis=2)
    (inner,) = np.nonzero(nodes.children_left >= 0)
    left, right = nodes.children_left[inner], nodes.children_right[inner]
    # n_s G(s) - n_left G(left) - n_right G(right)
    decrease = weighted[left] + weighted[right] - weighted[inner]
    found = np.zeros((tree.n_features_in_, decrease.shape[1]))
    np.add.at(found, nodes.feature[inner], decrease)
    total = found.sum(axis=0)
    return np.divide(found, total, out=np.zeros_like(found), where=total > 0).T


def _gains(model: Any, n_columns: int) -> FloatArray:
    """Gains of the splits of HistGradientBoosting."""
    if getattr(model, "is_categorical_", None) is not None:
        raise TypeError(
            f"{_name(model)} with categorical features moves columns. {WAY_OUT}"
        )
    found = np.zeros(n_columns)
    for predictor in (tree for trees in model._predictors for tree in trees):
        splits = predictor.nodes[predictor.nodes["is_leaf"] == 0]
        np.add.at(found, splits["feature_idx"], splits["gain"])
    return found


def _contributions_in_xgboost(model: Any, X: Matrix) -> FloatArray:
    if getattr(model, "multi_strategy", None) == "multi_output_tree":
        raise TypeError(
            f'{_name(model)} with multi_strategy="multi_output_tree" has no '
            f"importances of features for each target. {WAY_OUT}"
        )
    booster = model.get_booster()
    table = __import__("xgboost").DMatrix(X, feature_names=booster.feature_names)
    shap = booster.predict(table, pred_contribs=True)
    return np.abs(shap[..., :-1]).mean(axis=0)


def _name(model: Any) -> str:
    return type(model).__name__
