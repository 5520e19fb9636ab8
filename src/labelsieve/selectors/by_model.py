"""Features by their importance in a model, for each target and without redundancy."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import MetaEstimatorMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from labelsieve._utils.machine import refuse_larger_than_memory
from labelsieve._utils.typing import FloatArray, Matrix
from labelsieve.folds import LabelFolds
from labelsieve.reading import Features, Labels
from labelsieve.selectors._base import LabelSelector, Ranking, rank_by_score
from labelsieve.selectors._capabilities import Capabilities
from labelsieve.selectors._collinear import by_residual_variance, correlated_features
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._forced import FeatureNames, ForcedFeatures
from labelsieve.selectors._importances import importance_matrix
from labelsieve.selectors._models import (
    Fitted,
    ModelTargets,
    fit_models,
    permuted_columns,
    squared_errors,
)
from labelsieve.selectors._rows.scaled_rows import standardized
from labelsieve.selectors._terms import ONLY, Named, Rule, ScoreTerms

PRESETS = ("boosting", "forest", "logistic")
# Trees of the forest, and steps of gradient boosting for each target.
N_TREES, N_STEPS = 100, 50
# How often features are permuted.
REPEATS = 5


class SelectByModel(MetaEstimatorMixin, LabelSelector):
    """Importances in a model of your own, for each target, less redundancy.

    The model is fitted with all features; importances are normalised for each target
    (they add up to 1), and their mean, in which targets count by their variance, ranks
    the features. With ``redundancy="residual"`` features are chosen one after the other
    by

    .. math::

        J(f) = \\bar{I}(f) \\, (1 - R^2(f \\mid S))

    where the last factor is the share of the variance of f (of its ranks) that a linear
    regression on the chosen features S leaves: copies do not share a place.

    Parameters
    ----------
    estimator : classifier, or {"forest", "boosting", "logistic"}, default="forest"
        The model; where it knows one target only, a copy is fitted for each. The names
        stand for a random forest that predicts all targets, and for gradient boosting
        (HistGradientBoostingClassifier) and logistic regression for each target, on
        standardised features.
    importance : {"auto", "permutation"} or callable, default="auto"
        What is asked of the model. "auto": coefficients times the standard deviation
        of the feature, impurity decrease of trees, gains of boosting, SHAP values of
        XGBoost and CatBoost models of several targets; wrappers (MultiOutputClassifier,
        OneVsRestClassifier, ClassifierChain) and pipelines are opened. "permutation":
        how much worse predictions of held-out folds get (squared error of the predicted
        probabilities, for all targets from one prediction) when the feature is permuted
        together with those it correlates with by 0.9 or more, which all get this
        importance. A function of (model, X, Y) returns an array of shape
        (n_targets, n_features); SHAP values go in here.
    redundancy : {"residual"} or None, default="residual"
        Whether importances are discounted by what chosen features explain.
    prefit : bool, default=False
        Whether the model is fitted already; `fit` then gets the samples that
        importances are measured on, for "permutation" best those of no training.
    cv : int, default=5
        The number of folds of "permutation".
    random_state : int, RandomState or None, default=0
        The seed of named models, folds and permutations.

    Attributes
    ----------
    target_importances_ : ndarray of shape (n_targets, n_features)
        The importance of each feature for each target; lines add up to 1, or are 0.
    target_weights_ : ndarray of shape (n_targets,)
        How much each target counts: its share of the variance of all.
    scores_ : ndarray of shape (n_features,)
        The mean importance, times the residual variance when the feature was chosen.

    See Also
    --------
    Sieve : Needs no model.
    TreeImportance : Importances of random trees for all labels together.

    Notes
    -----
    A nominal feature is a column of 0 and 1 for each category, whose importances are
    added up. A target that is not known in all samples is learnt from those in which it
    is, by a copy of the model for each target (links of a chain are then left out).
    Sparse features stay so where the model takes them.

    References
    ----------
    L. Breiman: Random forests. Machine Learning 45(1), 2001. S. Lundberg, S.-I. Lee: A
    unified approach to interpreting model predictions. NIPS 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from labelsieve import SelectByModel
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (200, 2))
    >>> X = np.hstack([rng.normal(size=(200, 3)), Y + 0.3 * rng.normal(size=(200, 2))])
    >>> forest = RandomForestClassifier(20, random_state=0)
    >>> selector = SelectByModel(forest, n_features_to_select=2).fit(X, Y)
    >>> selector.target_importances_.argmax(axis=1)
    array([3, 4])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [StrOptions({*PRESETS}), HasMethods(["fit"])],
        "importance": [StrOptions({"auto", "permutation"}), callable],
        "redundancy": [StrOptions({"residual"}), None],
        "prefit": ["boolean"],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [None, Integral],
    }
    _capabilities: ClassVar[Capabilities] = Capabilities(
        picks_greedily={"redundancy": ("residual",)}, takes_unknown=True
    )
    _takes_numbers: ClassVar[bool] = True

    def __init__(
        self,
        estimator: Any = "forest",
        *,
        importance: str | Callable[..., Any] = "auto",
        n_features_to_select: int | float | str = 0.1,
        redundancy: str | None = "residual",
        prefit: bool = False,
        cv: int = 5,
        include: FeatureNames = None,
        exclude: FeatureNames = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.importance = importance
        self.n_features_to_select = n_features_to_select
        self.redundancy = redundancy
        self.prefit = prefit
        self.cv = cv
        self.include = include
        self.exclude = exclude
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _rank(self, features: Features, labels: Labels) -> Ranking:
        constant, targets = features.constant, ModelTargets.of(labels)
        found = np.zeros((labels.n_values.size, constant.size))
        if not (constant.all() or labels.constant.all()):
            found = np.where(constant, 0.0, self._importances(features, targets))
        total = np.maximum(found.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        self.target_importances_ = found / total
        self.target_weights_ = targets.weights()
        importance = self.target_weights_ @ self.target_importances_
        if self.redundancy is None or not importance.any():
            return Ranking(importance, rank_by_score(importance, last=constant))
        forced = ForcedFeatures.of(self)
        return by_residual_variance(features, importance, forced, self._n_kept())

    def _importances(self, features: Features, targets: ModelTargets) -> FloatArray:
        """(n_targets, n_features) not negative."""
        model = self._model()
        X = self._values(features, model)
        if self.importance == "permutation":
            return np.maximum(self._permuted(model, X, features, targets), 0.0)
        found = self._asked(self._fitted(model, X, targets), X, targets)
        return features.groups.sums(np.abs(found))

    def _model(self) -> Any:
        if not isinstance(self.estimator, str):
            return self.estimator
        return named_model(self.estimator, self.random_state, self.n_jobs)

    def _values(self, features: Features, model: Any) -> Matrix:
        """What the model sees."""
        named = isinstance(self.estimator, str)
        values = standardized(features) if named else features.values
        if not sp.issparse(values) or get_tags(model).input_tags.sparse:
            return values
        refuse_larger_than_memory(
            values.shape,
            f"The dense table that {type(model).__name__} needs",
            "Choose candidates first, for example with FIMF.",
            itemsize=8,
        )
        return values.toarray()

    def _fitted(self, model: Any, X: Matrix, targets: ModelTargets) -> list[Fitted]:
        if not self.prefit:
            return fit_models(model, X, targets, self.n_jobs)
        if isinstance(self.estimator, str):
            raise ValueError(f"prefit=True needs a fitted model, got {model!r}.")
        known = getattr(model, "n_features_in_", X.shape[1])
        if known != X.shape[1]:
            raise ValueError(
                f"the model was fitted with {known} columns, and X has {X.shape[1]} "
                "(nominal features have one for each category): pass X as the model "
                "got it."
            )
        return [(np.arange(targets.codes.shape[1]), model)]

    def _asked(
        self, fitted: list[Fitted], X: Matrix, targets: ModelTargets
    ) -> FloatArray:
        """(n_targets, n_columns) what the models say, or a function of them."""
        found = np.zeros((targets.codes.shape[1], X.shape[1]))
        for which, model in fitted:
            rows = targets.known[:, which].all(axis=1)
            table = X if rows.all() else X[rows]
            if not callable(self.importance):
                found[which] = importance_matrix(model, table, which.size)
                continue
            truth = targets.codes[rows][:, which if which.size > 1 else which[0]]
            said = np.asarray(self.importance(model, table, truth))
            if said.shape not in ((which.size, X.shape[1]), (X.shape[1],)):
                raise ValueError(
                    f"importance(model, X, Y) returned an array of shape {said.shape}; "
                    f"expected (n_targets, n_features), here {which.size, X.shape[1]}."
                )
            if np.isnan(said).any():
                raise ValueError("importance(model, X, Y) returned NaN, not numbers.")
            found[which] = said
        return found

    def _permuted(
        self, model: Any, X: Matrix, features: Features, targets: ModelTargets
    ) -> FloatArray:
        """(n_targets, n_features) the loss of predictions from permuted features."""
        random = check_random_state(self.random_state)
        codes, groups = targets.codes, features.groups
        everything = np.arange(len(codes))
        folds = [(everything, everything)]
        if not self.prefit:
            splitter = LabelFolds(min(self.cv, len(codes)), random_state=random)
            folds = list(splitter.split(codes, codes))
        clusters = correlated_features(features)
        found = np.zeros((codes.shape[1], groups.sizes.size))
        for train, test in folds:
            fitted = self._fitted(model, X[train], targets.take(train))
            held_out, truth = X[test], targets.take(test)
            base = squared_errors(fitted, held_out, truth)[0]
            for cluster in clusters:
                columns = np.concatenate([np.r_[groups.columns(f)] for f in cluster])
                orders = [random.permutation(test.size) for _ in range(REPEATS)]
                copies = [permuted_columns(held_out, columns, o) for o in orders]
                stacked = (sp.vstack if sp.issparse(X) else np.vstack)(copies)
                loss = squared_errors(fitted, stacked, truth, REPEATS).mean(axis=0)
                found[:, cluster] += (loss - base)[:, np.newaxis] / len(folds)
        return found

    def _terms(self, explained: Explained) -> ScoreTerms:
        weighted = self.target_weights_[:, np.newaxis] * self.target_importances_
        parts = weighted[:, explained.chosen].T
        importance = parts.sum(axis=1)
        terms = {"importance": importance}
        if self.redundancy is None:
            return ScoreTerms(terms, ONLY, parts, SUM_OF_TARGETS)
        left = np.zeros_like(importance)
        np.divide(explained.scores, importance, out=left, where=importance > 0)
        terms["residual variance"] = left
        return ScoreTerms(
            terms, DISCOUNTED, parts, f"{SUM_OF_TARGETS} gives the importance"
        )


SUM_OF_TARGETS = "sum over the targets"


def _product(terms: Named) -> FloatArray:
    return terms["importance"] * terms["residual variance"]


DISCOUNTED = Rule("importance * residual variance", _product)


def named_model(name: str, random_state: Any, n_jobs: int | None = None) -> Any:
    """The model that a name stands for."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    if name == "forest":
        return RandomForestClassifier(N_TREES, random_state=random_state, n_jobs=n_jobs)
    if name == "boosting":
        return HistGradientBoostingClassifier(
            max_iter=N_STEPS, early_stopping=False, random_state=random_state
        )
    return LogisticRegression(max_iter=1000)
