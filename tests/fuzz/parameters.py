"""Random parameters of estimators, from what their constraints allow and refuse."""

from __future__ import annotations

import random
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import f_classif
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils._param_validation import Interval, Options

import labelsieve
from labelsieve.registry import make_selector, selector_names

HUGE = 10**9
WRONG: list[Any] = [
    *(-1, 0, 2, 1.5, 0.5, HUGE, np.nan, np.inf, -np.inf, True, "", "nonsense", None),
    *([], {}, np.array([1, 2]), object(), np.float32(0.5), np.int8(3), 1 + 2j, b"x"),
]
CLASSIFIERS = (
    *("BRLogistic", "BRkNN", "CCkNN", "EMCFS", "LIFT", "MLNB", "MLkNN", "RankSVM"),
)
TRANSFORMATIONS = (
    "BinaryRelevance",
    "EntropyLabelAssignment",
    "LabelPowerset",
    "PrunedTransformation",
)
# Parameters that mean time: any number is right, and small ones are enough here.
SHORT = {
    "n_iterations": 30,
    "max_iter": 50,
    "n_estimators": 20,
    "n_subsamples": 4,
    "n_permutations": 3,
}


def selector(rng: random.Random) -> BaseEstimator:
    """One of the registry, with random parameters."""
    return with_parameters(rng, make_selector(rng.choice(selector_names())))


def classifier(rng: random.Random) -> BaseEstimator:
    """One of ours, with random parameters."""
    return with_parameters(rng, getattr(labelsieve, rng.choice(CLASSIFIERS))())


def with_parameters(rng: random.Random, estimator: BaseEstimator) -> BaseEstimator:
    """Set some parameters, now and then to something wrong."""
    for name, constraints in type(estimator)._parameter_constraints.items():
        if name in SHORT:
            estimator.set_params(**{name: rng.randint(2, SHORT[name])})
        if rng.random() < 0.3:
            estimator.set_params(**{name: _allowed(rng, name, rng.choice(constraints))})
        if rng.random() < 0.01:
            wrong = [w for w in WRONG if w is not HUGE or name not in SHORT]
            estimator.set_params(**{name: rng.choice(wrong)})
    return estimator


def _allowed(rng: random.Random, name: str, constraint: Any) -> Any:
    if name in ("selector", "classifier", "estimator", "transformation", "similarity"):
        return _inner(rng, name)
    if isinstance(constraint, Interval):
        return _within(rng, name, constraint)
    if isinstance(constraint, Options):
        return rng.choice(sorted(constraint.options))
    if name == "cv":
        return rng.choice([KFold(2), ShuffleSplit(2, random_state=0), KFold(3)])
    if constraint == "array-like":
        return rng.choice([[0, 1], [1, 0, 2], [0], [5, 3], np.array([1, 2]), [1.5]])
    if constraint == "random_state":
        return rng.choice([0, 7, None, np.random.RandomState(3)])
    if constraint in ("boolean", "verbose"):
        return False if name == "verbose" else rng.random() < 0.5
    if constraint is Integral:
        return rng.choice([1, 2, -1])
    if constraint is callable and name == "importance":
        shapes = [lambda X: X.shape[1], lambda X: 1, lambda X: (2, X.shape[1])]
        shape, value = rng.choice(shapes), rng.choice([1.0, np.nan])
        return lambda model, X, Y: np.full(shape(X), value)
    if constraint is callable:
        return rng.choice(
            [
                f_classif,
                lambda X, y: np.arange(X.shape[1]),
                lambda X, y: np.zeros(1),
                lambda X, y: np.full(X.shape[1], np.nan),
            ]
        )
    return None


def _within(rng: random.Random, name: str, interval: Interval) -> Any:
    """A number of the interval, often one of its ends."""
    low = 0.0 if interval.left is None else float(interval.left)
    if interval.type is Integral:
        choice = int(low) + rng.choice((0, 0, 1, 2, 3, 5, 20))
        return min(choice, SHORT.get(name, choice))
    high = low + 10.0 if interval.right is None else float(interval.right)
    high = min(high, low + 10.0)
    value = rng.choice((low, high, low + 1e-9, rng.uniform(low, high)))
    return value if value in interval else rng.uniform(low, high)


def _inner(rng: random.Random, name: str) -> Any:
    """What an estimator of estimators may hold."""
    if name == "selector":
        return selector(rng) if rng.random() < 0.9 else BernoulliNB()
    if name == "transformation":
        name = rng.choice(TRANSFORMATIONS)
        pruned = name == "PrunedTransformation"
        return getattr(labelsieve, name)(*(rng.choices((1, 2, 9)) if pruned else ()))
    if name == "similarity":
        return rng.choice(
            [np.abs, lambda d: 1 / (1 + d), lambda d: -d, np.sum, "inverse"]
        )
    others = [KNeighborsClassifier(1), DecisionTreeClassifier(), BernoulliNB()]
    if name == "classifier" and rng.random() < 0.5:
        return classifier(rng)
    return rng.choice(others)
