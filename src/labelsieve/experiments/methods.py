"""Selectors and classifiers by name, and the controls of every comparison."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.utils import get_tags

from labelsieve._utils.matrices import as_dense
from labelsieve._utils.messages import unknown
from labelsieve._utils.typing import BoolArray, IntArray, Matrix
from labelsieve.classifiers import per_label
from labelsieve.experiments.data import CODES, with_frequent, with_medians
from labelsieve.registry import make_selector
from labelsieve.selectors import can

RANDOM, ALL = "random", "all"
CONTROLS = (RANDOM, ALL)

# Classes of the classifiers, and what differs from their defaults.
CLASSIFIERS: dict[str, tuple[str, dict[str, Any]]] = {
    "mlnb": ("MLNB", {}),
    "mlknn": ("MLkNN", {}),
    "brknn": ("BRkNN", {}),
    "ccknn": ("CCkNN", {}),
    "lift": ("LIFT", {}),
    "brlr": ("BRLogistic", {}),
    "ranksvm": ("RankSVM", {}),
    "emcfs": ("EMCFS", {}),
    # EMCFS with the threshold that keeps every feature is a linear SVM per label.
    "brsvm": ("EMCFS", {"mode": "threshold"}),
    # As such it is any classifier per label.
    "logistic": ("EMCFS", {"classifier": LogisticRegression(solver="liblinear")}),
    "ridge": ("sklearn.linear_model.RidgeClassifier", {}),
    "forest": (
        "sklearn.ensemble.RandomForestClassifier",
        {"n_estimators": 50, "min_samples_leaf": 2},
    ),
    "boosting": (
        "sklearn.ensemble.HistGradientBoostingClassifier",
        {"max_iter": 30, "max_leaf_nodes": 8, "learning_rate": 0.2},
    ),
    "mlnb-codes": ("MLNB", {"kind": "categorical"}),
}
# Those beside which ridge regression predicts numbers; nearest neighbours do beside
# others, and a forest beside a forest.
LINEAR = ("brlr", "brsvm", "logistic", "ridge")
# Classifiers that see values in a view of their own, whatever the selector sees: the
# penalty of ridge regression depends on the scale.
OWN_VIEWS = {"mlnb-codes": "quantile", "ridge": "standard"}


@dataclass(frozen=True)
class Method:
    """A selector or a classifier: its name and the parameters that are set.

    A name with a colon, "module:function", is a selector of another library: the
    function takes X, Y and a number of features, and returns at least so many feature
    indices, best first.

    Examples
    --------
    >>> from labelsieve.experiments import Method
    >>> Method("gmba", {"step": "constant"}).label
    'gmba(step=constant)'
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What tables call it."""
        short = self.name.rpartition(":")[2].rpartition(".")[2]
        # Long estimators are shown in several lines.
        settings = ", ".join(
            f"{name}={' '.join(str(value).split())}"
            for name, value in sorted(self.parameters.items())
        )
        return f"{short}({settings})" if settings else short

    def identity(self) -> dict[str, Any]:
        """Return what determines it, as what JSON can hold."""
        parameters = json.loads(json.dumps(dict(self.parameters), default=_plain))
        return {"name": self.name, "parameters": parameters}

    @classmethod
    def of(cls, classifier: Any) -> Method:
        """Return a classifier of scikit-learn, or like one of it, as a method.

        Parameters
        ----------
        classifier : classifier
            Of a class that other processes can import.

        Examples
        --------
        >>> from sklearn.linear_model import RidgeClassifier
        >>> Method.of(RidgeClassifier(alpha=2.0)).label
        'RidgeClassifier(alpha=2.0)'
        """
        if isinstance(classifier, type) or not hasattr(classifier, "predict"):
            raise TypeError(
                "a classifier must be an object with fit and predict, such as "
                f"LinearSVC(); got {classifier!r}."
            )
        method = cls(_class_name(classifier), _parameters(classifier))
        method.identity()  # refuses parameters that cannot be kept
        return method

    def __hash__(self) -> int:
        return hash(self.label)


def _class_name(estimator: Any) -> str:
    """The full name by which other processes find the class of an object."""
    kind = type(estimator)
    name = f"{kind.__module__}.{kind.__qualname__}"
    try:
        found = _class_of(name)
    except (ImportError, AttributeError):
        found = None
    if found is not kind or kind.__module__ == "__main__":
        raise TypeError(
            f"a classifier must be of a class that other processes can import; "
            f"{kind.__qualname__} of {kind.__module__} is not. Put it into a module."
        )
    return name


def _class_of(name: str) -> Any:  # or a function
    home, _, kind = name.rpartition(".")
    return getattr(importlib.import_module(home), kind)


def _parameters(estimator: Any) -> dict[str, Any]:
    """The parameters that differ from the defaults of the class."""
    defaults = inspect.signature(type(estimator)).parameters
    return {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name not in defaults or repr(value) != repr(defaults[name].default)
    }


def _plain(value: Any) -> Any:
    """What JSON holds of a parameter that is no number, text, list or None."""
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "get_params") and not isinstance(value, type):
        return {"class": _class_name(value), "parameters": _parameters(value)}
    raise TypeError(
        "the parameters of a classifier must be a number, a text, a list, None or "
        f"another estimator, to be kept with the results; got {value!r}."
    )


def rank_features(
    method: Method,
    X: Matrix,
    Y: Matrix,
    n_features: int,
    view: str,
    seed: list[int],
    kinds: Sequence[str] = (),
) -> IntArray:
    """Return at least the `n_features` best feature indices, best first.

    The view's binning and a random state are given to selectors that take them,
    unless the method sets its own.
    """
    if method.name == ALL:
        return np.arange(X.shape[1])
    if method.name == RANDOM:
        drawn = np.random.default_rng(seed).permutation(X.shape[1])
        # As in every selector: what never varies comes last.
        return drawn[np.argsort(~varying(X)[drawn], kind="stable")]
    with_holes, half_known = takes(method)
    X = X if with_holes else with_medians(X, X[:1])[0]
    Y = Y if half_known or kinds else with_frequent(Y)
    if ":" in method.name:
        return _ranked_elsewhere(method, X, Y, n_features)
    selector = make_selector(method.name, **method.parameters)
    chosen: dict[str, Any] = {
        "n_features_to_select": int(n_features),
        "random_state": state_of(seed),
        **({"target_types": list(kinds)} if kinds else {}),
    }
    if view in CODES and (view != "quantile" or selector._sees_only_codes()):
        chosen["binning"] = view
    free = selector.get_params(deep=False).keys() - method.parameters.keys()
    selector.set_params(**{k: v for k, v in chosen.items() if k in free})
    order: IntArray = selector.fit(X, Y).order_
    return order


def takes(method: Method) -> tuple[bool, bool]:
    """Whether a selector takes missing cells, and unknown labels.

    Others get medians, and the more frequent value of the label. A function of another
    library says with attributes of these names what it takes.
    """
    if method.name in CONTROLS:
        return True, True
    if ":" in method.name:
        found = named_function(method.name)
        said = (getattr(found, f"takes_{w}", False) for w in ("missing", "unknown"))
        return next(said), next(said)
    selector = make_selector(method.name, **method.parameters)
    return get_tags(selector).input_tags.allow_nan, can(selector, "takes_unknown")


def filled_in(method: Method) -> list[str]:
    """What is filled in for a method, where cells or labels are not known."""
    return [w for w, t in zip(("cells", "labels"), takes(method), strict=True) if not t]


def _ranked_elsewhere(method: Method, X: Matrix, Y: Matrix, n: int) -> IntArray:
    """What a function of another library ranks first, then all others."""
    function = named_function(method.name)
    n_features = X.shape[1]
    first = np.asarray(function(X, Y, n, **method.parameters), dtype=np.int64)
    known = first.ndim == 1 and np.isin(first, np.arange(n_features)).all()
    if not known or np.unique(first).size < first.size:
        raise ValueError(
            f"{method.name} must return indices of the {n_features} features, each at "
            f"most once; got {first!r}."
        )
    return np.concatenate([first, np.setdiff1d(np.arange(n_features), first)])


def named_function(name: str) -> Any:
    """The function that "module:function" stands for."""
    try:
        return _class_of(name.replace(":", "."))
    except (ImportError, AttributeError) as error:
        raise ValueError(
            f"{name!r} names no function that can be imported ({error}). Give it as "
            "module:function, and start in the folder of the module."
        ) from error


def classifier_view(method: Method, view: str) -> str:
    """The view in which a classifier sees values where selectors see `view`."""
    return OWN_VIEWS.get(method.name, view)


def varying(X: Matrix) -> BoolArray:
    """Return which features have more than one value."""
    ends = [getattr(X, end)(axis=0) for end in ("min", "max")]
    smallest, largest = (as_dense(e) for e in ends)
    return np.ravel(smallest != largest)


def make_classifier(method: Method, view: str, seed: list[int]) -> Any:
    """Return an unfitted classifier for features in a view.

    Naive Bayes takes codes as categories and other values as normal; classifiers that
    draw random numbers get the seed.
    """
    if "." not in method.name and method.name not in CLASSIFIERS:
        raise ValueError(unknown("classifier", method.name, CLASSIFIERS))
    name, settings = CLASSIFIERS.get(method.name, (method.name, {}))
    full = name if "." in name else f"labelsieve.classifiers.{name}"
    made = per_label(clone(_class_of(full)(**{**settings, **method.parameters})))
    if method.name == "mlnb" and "kind" not in method.parameters:
        made.set_params(kind="categorical" if view in CODES else "gaussian")
    # A seed for all that draw random numbers and have none yet.
    drawing = {
        name: state_of(seed)
        for name, value in made.get_params().items()
        if name.split("__")[-1] == "random_state" and value is None
    }
    return made.set_params(**drawing)


def make_regressor(method: Method, seed: list[int]) -> Any:
    """Return the regressor that predicts numbers beside a classifier of labels."""
    if method.name == "forest":
        settings = CLASSIFIERS["forest"][1]
        return RandomForestRegressor(random_state=state_of(seed), **settings)
    return Ridge() if method.name in LINEAR else KNeighborsRegressor(10)


def state_of(seed: list[int]) -> int:
    """One number for estimators that take a single seed."""
    return int(np.random.SeedSequence(seed).generate_state(1)[0] >> 1)
