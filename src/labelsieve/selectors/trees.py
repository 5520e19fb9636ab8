"""Feature importance of tree ensembles that predict all labels at once."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve._utils.matrices import as_dense
from labelsieve._utils.typing import FloatArray, Matrix
from labelsieve.reading import Features
from labelsieve.selectors._indicator import WeightedRegressionSelector
from labelsieve.selectors.regression.rfs import standardized_table


class TreeImportance(WeightedRegressionSelector):
    """Feature importance of a multi-output tree ensemble (mean decrease in impurity).

    Every tree predicts all labels. The importance of a feature is the decrease of Gini
    impurity by its splits, summed over the labels, normalised per tree and averaged
    over the trees: `feature_importances_` of scikit-learn.

    Parameters
    ----------
    kind : {"extra", "forest"}, default="extra"
        Extremely randomised trees (`ExtraTreesClassifier`), or a random forest
        (`RandomForestClassifier`).
    n_estimators : int, default=100
        The number of trees.
    random_state : int, RandomState or None, default=0
        The seed of the trees.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The importance of each feature; they sum to 1.

    Notes
    -----
    Features become dense; a nominal one is one-hot encoded, and the importances of its
    columns are summed. Every node stores the frequencies of all labels: with hundreds
    of labels trees take much memory. A random forest draws samples, so that one of
    weight 2 is not exactly the same there as two samples. Where a target is a number,
    leaves have at least five samples.

    References
    ----------
    P. Geurts, D. Ernst, L. Wehenkel: Extremely randomized trees. Machine Learning
    63(1), 2006. L. Breiman: Random forests. Machine Learning 45(1), 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import TreeImportance
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (60, 2))
    >>> X = np.hstack([rng.normal(size=(60, 3)), Y + 0.3 * rng.normal(size=(60, 2))])
    >>> sorted(TreeImportance(2, n_estimators=20).fit(X, Y).order_[:2].tolist())
    [3, 4]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kind": [StrOptions({"extra", "forest"})],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
    }

    kind: str = "extra"
    n_estimators: int = 100
    random_state: Any = 0
    n_jobs: int | None = None

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        from sklearn import ensemble

        names = {"extra": "ExtraTrees", "forest": "RandomForest"}
        Y = as_dense(indicator)
        # Only numbers make the table one of floats.
        task = "Regressor" if Y.dtype.kind == "f" else "Classifier"
        kind = getattr(ensemble, names[self.kind] + task)
        varying = Y[:, Y.min(axis=0) < Y.max(axis=0)]
        if not varying.shape[1]:
            return np.zeros(features.constant.size)
        trees = kind(
            self.n_estimators, random_state=self.random_state, n_jobs=self.n_jobs
        )
        if task == "Regressor":  # as in Breiman's forests; pure leaves tell no more
            n_rows = len(Y) if features.weight is None else features.weight.sum()
            trees.min_weight_fraction_leaf = min(0.5, 4.5 / n_rows)
        target = varying[:, 0] if varying.shape[1] == 1 else varying
        table = standardized_table(features.values, features.weight)
        trees.fit(table, target, sample_weight=features.weight)
        importances = np.asarray(trees.feature_importances_, dtype=np.float64)
        return features.groups.sums(importances)
