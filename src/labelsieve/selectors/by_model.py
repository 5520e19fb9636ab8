"""Features by their importance in a model, for each target and without redundancy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_regressor
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted

from labelsieve._utils.estimators import as_accepted
from labelsieve._utils.typing import FloatArray, IntArray, Matrix
from labelsieve.folds import LabelFolds
from labelsieve.reading import Features, Groups, Labels
from labelsieve.selectors._base import (
    LabelSelector,
    NumericTargets,
    Ranking,
    rank_by_score,
)
from labelsieve.selectors._capabilities import Capabilities
from labelsieve.selectors._collinear import by_residual_variance, correlated_features
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._forced import ForcedFeatures
from labelsieve.selectors._importances import importance_matrix
from labelsieve.selectors._models import (
    Fitted,
    ModelTargets,
    fit_models,
    permuted_columns,
    squared_errors,
)
from labelsieve.selectors._models import takes_many as takes_many
from labelsieve.selectors._rows.scaled_rows import standardized
from labelsieve.selectors._terms import ONLY, Rule, ScoreTerms

PRESETS = ("boosting", "forest", "logistic")
# Trees of the forest, and steps of gradient boosting for each target.
N_TREES, N_STEPS = 100, 50
# How often features are permuted.
REPEATS = 5
# Importances for each target, and what they rank.
Ranked = tuple[FloatArray, Ranking]


class SelectByModel(MetaEstimatorMixin, NumericTargets, LabelSelector):
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
    estimator : estimator, or {"forest", "boosting", "logistic"}, default="forest"
        The model, a regressor where a target is a number; where it knows one target
        only, a copy is fitted for each. The names stand for a random forest that
        predicts all targets, and for gradient boosting (HistGradientBoostingClassifier)
        and logistic (for numbers: ridge) regression for each target, on standardised
        features.
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
    step : int, float or None, default=None
        Recursive feature elimination: after each fit as many features of the lowest
        rank, or this share of those that are left (at least one), are left out of the
        next, until one is left. None ranks all by one fit.
    prefit : bool, default=False
        Whether the model is fitted already; `fit` then gets the samples that
        importances are measured on, for "permutation" best those of no training.
    cv : int, default=5
        The number of folds of "permutation".
    target_scores : {"value", "rank"}, default="value"
        Whether the model learns numbers in y, or normal scores of their ranks.
    random_state : int, RandomState or None, default=0
        The seed of named models, folds and permutations.

    Attributes
    ----------
    target_importances_ : ndarray of shape (n_targets, n_features)
        The importance of each feature for each target; lines add up to 1, or are 0.
        With `step` those in a model of the selected features; for others 0.
    target_weights_ : ndarray of shape (n_targets,)
        How much each target counts: its share of the variance of all.
    scores_ : ndarray of shape (n_features,)
        The mean importance, times the residual variance when the feature was chosen.

    See Also
    --------
    Sieve : Needs no model.
    RecursiveElimination : Finds the number of features, too.
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
        "step": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="neither"),
            None,
        ],
        "prefit": ["boolean"],
        "cv": [Interval(Integral, 2, None, closed="left")],
    }
    _capabilities: ClassVar[Capabilities] = Capabilities(
        picks_greedily={"redundancy": ("residual",), "step": (None,)},
        takes_unknown=True,
        takes_numbers=True,
    )
    _takes_numbers: ClassVar[bool] = True

    estimator: Any = field(default="forest", kw_only=False)
    n_features_to_select: int | float | str = 0.1
    importance: str | Callable[..., Any] = "auto"
    redundancy: str | None = "residual"
    step: int | float | None = None
    prefit: bool = False
    cv: int = 5
    target_scores: str = "value"
    random_state: Any = 0
    n_jobs: int | None = None

    def _rank(self, features: Features, labels: Labels) -> Ranking:
        model, targets = self._model(labels), ModelTargets.of(labels)
        self.target_weights_ = targets.weights()
        forced, n = ForcedFeatures.of(self), self._n_kept()

        def ranked(some: Features, forced: ForcedFeatures, n: int) -> Ranked:
            """(n_targets, n_features) importances in a model, and the order by them."""
            constant = some.constant
            found = np.zeros((self.target_weights_.size, constant.size))
            if not constant.all() and self.target_weights_.any():
                found = np.where(constant, 0.0, self._importances(model, some, targets))
            total = found.sum(axis=1, keepdims=True)
            found = found / np.maximum(total, np.finfo(np.float64).tiny)
            score = self.target_weights_ @ found
            if self.redundancy is None or not score.any():
                return found, Ranking(score, rank_by_score(score, last=constant))
            return found, by_residual_variance(some, score, forced, n)

        if self.step is None:
            found = ranked(features, forced, n)
        elif self.prefit:
            raise ValueError("prefit=True does not go with step, which fits models.")
        else:
            found = eliminate(features, ranked, forced, self.step, n)
        self.target_importances_, ranking = found
        return ranking

    def _importances(
        self, model: Any, features: Features, targets: ModelTargets
    ) -> FloatArray:
        """(n_targets, n_features) not negative."""
        X = self._values(features, model)
        if self.importance == "permutation":
            return np.maximum(self._permuted(model, X, features, targets), 0.0)
        found = self._asked(self._fitted(model, X, targets), X, targets)
        return features.groups.sums(np.abs(found))

    def _model(self, labels: Labels) -> Any:
        model, numbers = self.estimator, bool(labels.scores)
        if isinstance(model, str):
            model = named_model(model, self.random_state, self.n_jobs, numbers)
        if is_regressor(model):
            labels.refuse_several_values(type(model).__name__)
        elif numbers:
            raise ValueError(
                f"{type(model).__name__} is no regressor, and target "
                f"{labels.names[min(labels.scores)]!r} is a number: pass a regressor, "
                "or make names of classes text, y.astype(str)."
            )
        return model

    def _values(self, features: Features, model: Any) -> Matrix:
        named = isinstance(self.estimator, str)
        values = standardized(features) if named else features.values
        return as_accepted(values, model)

    def _fitted(self, model: Any, X: Matrix, targets: ModelTargets) -> list[Fitted]:
        if not self.prefit:
            return fit_models(model, X, targets, self.n_jobs)
        if isinstance(model, BaseEstimator):
            fitted = "prefit=True needs a fitted model, got %(name)s that is not: "
            check_is_fitted(model, msg=f"{fitted}fit it first, or leave prefit out.")
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


DISCOUNTED = Rule("importance * residual variance", lambda t: np.prod([*t.values()], 0))


def named_model(
    name: str, random_state: Any, n_jobs: int | None = None, numbers: bool = False
) -> Any:
    """The model that a name stands for."""
    from sklearn import ensemble, linear_model

    kind = "Regressor" if numbers else "Classifier"
    if name == "forest":
        forest = getattr(ensemble, f"RandomForest{kind}")
        return forest(N_TREES, random_state=random_state, n_jobs=n_jobs)
    if name == "boosting":
        return getattr(ensemble, f"HistGradientBoosting{kind}")(
            max_iter=N_STEPS, early_stopping=False, random_state=random_state
        )
    if numbers:
        return linear_model.Ridge()
    return linear_model.LogisticRegression(max_iter=1000)


def fewer(n_features: int, step: float, fewest: int) -> int:
    """How many of so many features a step of elimination leaves."""
    left = n_features - step if step >= 1 else n_features * (1 - step)
    return max(fewest, min(int(left), n_features - 1))


def eliminate(
    features: Features,
    ranked: Callable[[Features, ForcedFeatures, int], Ranked],
    forced: ForcedFeatures,
    step: float,
    n_kept: int,
) -> Ranked:
    """Features by how long they stay in ever smaller models, until one is left.

    Importances and scores are those in a model of the `n_kept` first, 0 of others.
    """
    never = features.constant.copy()
    never[forced.forced_out] = True
    never[forced.forced_in] = False
    found: dict[int, Ranked] = {}

    def ordered(left: IntArray) -> IntArray:
        """The features that are left in the order by a model of them."""
        known, groups = forced.among(left), features.groups
        columns = [np.r_[groups.columns(int(f))] for f in left]
        table = features.take_columns(np.concatenate(columns))
        table = replace(table, grouped=Groups(groups.sizes[left]))
        found[left.size] = ranked(table, known, left.size)
        return left[known.arrange(found[left.size][1]).order]

    (left,), later = np.nonzero(~never), [np.flatnonzero(never)]
    if not left.size:
        return ranked(features, forced, n_kept)
    order, fewest = ordered(left), max(1, forced.forced_in.size)
    while left.size > fewest:
        n_left = fewer(left.size, step, fewest)
        later.insert(0, order[n_left:])
        left = np.sort(order[:n_left])
        order = ordered(left)
    order = np.concatenate([order, *later])
    kept = np.sort(order[: min(n_kept, order.size - later[-1].size)])
    if kept.size not in found:
        ordered(kept)
    of_kept, ranking = found[kept.size]
    importances, scores = np.zeros((len(of_kept), never.size)), np.zeros(never.size)
    importances[:, kept], scores[kept] = of_kept, ranking.scores
    return importances, Ranking(scores, order)
