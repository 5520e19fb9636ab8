"""Recursive feature elimination: the smallest set that a model does well with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone, is_regressor
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve import sentences
from labelsieve._utils.compile import working_seconds
from labelsieve._utils.matrices import as_dense
from labelsieve._utils.typing import IntArray
from labelsieve.choosing import quality
from labelsieve.choosing.size_cv import SizeCV
from labelsieve.classifiers import per_label
from labelsieve.metrics import SMALLER_IS_BETTER
from labelsieve.reading import LABEL, NUMBER, unknown_cells, without_tags
from labelsieve.reading import target_types as kinds_of
from labelsieve.selectors import SelectByModel, fewer, named_model, takes_many


class RecursiveElimination(SizeCV):
    """Recursive feature elimination for models of many targets (RFE, RFECV).

    The model is fitted, the features that matter least to it are left out, and so on:
    :class:`~labelsieve.SelectByModel` with a `step`. In each fold this is done on the
    training samples, and the same model predicts the others at every size on the way.
    Then features are eliminated on all samples down to the size that `rule` chooses.

    Parameters
    ----------
    estimator : estimator, or {"forest", "boosting", "logistic"}, default="forest"
        The model, a regressor for numbers; as in :class:`~labelsieve.SelectByModel`.
    step : int or float, default=0.3
        How many features each step leaves out, or which share of those that are left.
    importance, redundancy, include, exclude, target_types : optional
        As in :class:`~labelsieve.SelectByModel`; by default importances are not
        discounted, as a model without a feature shows what others are worth.
    rule : {"one_standard_error", "best", "equivalent"}, default="one_standard_error"
        Take the smallest size within one standard error of the best mean, the best, or
        the smallest that is equivalent to all features: the loss is below `tolerance`
        by the test of :func:`~labelsieve.evaluate_selection`, for larger sizes as well.
    tolerance : float, default=0.05
        A loss below this share of what all features reach does not matter.
    measure : str, default=None
        As in :class:`~labelsieve.SizeCV`; None means micro-F1 of labels by the rule
        "equivalent".
    random_state : int, RandomState or None, default=0
        The seed of folds, of named models and of permutations.

    Notes
    -----
    The value of the chosen size in `values_` is too good: the size was chosen for it.
    ``evaluate_selection(search, X, y)`` repeats the whole search in each of its splits
    (nested cross-validation), and its model predicts samples that played no part.

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill, V. Vapnik: Gene selection for cancer
    classification using support vector machines. Machine Learning 46, 2002.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from labelsieve import RecursiveElimination
    >>> from labelsieve.datasets import make_multilabel
    >>> X, Y, truth = make_multilabel(300, 3, random_state=0)
    >>> search = RecursiveElimination(LogisticRegression(), step=0.5, random_state=0)
    >>> search.fit(X, Y).sizes_.tolist()
    [1, 3, 6, 12, 25, 50]
    """

    _has_model = True  # which is asked what a selection is worth
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: SelectByModel._parameter_constraints[name]
            for name in ("estimator", "step", "importance", "redundancy")
        },
        "rule": [StrOptions({"best", "one_standard_error", "equivalent"})],
        "tolerance": [Interval(Real, 0, None, closed="left")],
    }
    estimator: Any = field(default="forest", kw_only=False)
    step: int | float = 0.3
    rule: str = "one_standard_error"
    tolerance: float = 0.05
    importance: str | Callable[..., Any] = "auto"
    redundancy: str | None = None
    include: Any = None
    exclude: Any = None
    target_types: Any = "auto"
    random_state: Any = 0
    measure: str | None = None
    # What others are given.
    selector: ClassVar[None] = None  # type: ignore[misc]
    classifier: ClassVar[None] = None  # type: ignore[misc]
    sizes: ClassVar[None] = None  # type: ignore[misc]

    def fit(
        self, X: Any, y: Any, groups: Any = None, **others: Any
    ) -> RecursiveElimination:
        """Eliminate features on many parts of the rows.

        Parameters
        ----------
        **others : object
            Nothing: weights of samples are refused.
        """
        return super().fit(X, y, groups, **others)

    def _asked(self) -> SelectByModel:
        same = ("step", "importance", "redundancy", "include", "exclude")
        given = {name: getattr(self, name) for name in (*same, "target_types")}
        return SelectByModel(self.estimator, random_state=self.random_state, **given)

    def _judge(self, kinds: Sequence[str]) -> Any:
        model = self.estimator
        if isinstance(model, str):
            numbers = set(kinds) == {NUMBER}
            return named_model(model, self.random_state, numbers=numbers)
        if isinstance(model, (MultiOutputClassifier, OneVsRestClassifier)) and not (
            get_tags(model.estimator).classifier_tags.multi_label
        ):
            return model.estimator  # the same where each label has both values
        return model

    def _checked_sizes(self, least: int, most: int) -> IntArray:
        sizes = [most]
        while sizes[-1] > least:
            sizes.append(fewer(sizes[-1], self.step, least))
        return np.array(sizes[::-1])

    def _measures(self, kinds: Sequence[str]) -> dict[str, int]:
        if self.measure is None and self.rule == "equivalent" and set(kinds) == {LABEL}:
            self.measure_ = sentences.MAIN
            return {self.measure_: 1}
        return super()._measures(kinds)

    def _choose(self) -> int:
        if self.rule != "equivalent":
            return super()._choose()
        from labelsieve.experiments import corrected_interval

        known = self.values_[~np.isnan(self.values_).any(axis=1)]
        sign = -1.0 if self.measure_ in SMALLER_IS_BETTER else 1.0
        gains = sign * (known - known[:, -1:])
        margin = self.tolerance * abs(known[:, -1].mean())
        # Tested from the largest down to the first that fails: a fixed sequence of
        # hypotheses needs no correction for their number.
        place = self.sizes_.size - 1
        while place and -corrected_interval(gains[:, place - 1], 1.0).low < margin:
            place -= 1
        return int(self.sizes_[place])


def reduce(
    model: Any,
    X: Any,
    Y: Any,
    *,
    n_splits: int = 10,
    budget: float | None = None,
    groups: Any = None,
    random_state: int = 0,
    **options: Any,
) -> Pipeline:
    """Return the model with the smallest set of features that is equivalent to all.

    :class:`~labelsieve.RecursiveElimination` finds it, by the micro-F1 of labels, the
    accuracy of classes or the R2 of numbers in random splits. What that is worth is
    measured in other splits, in each of which the search is repeated.

    Parameters
    ----------
    model : classifier or regressor
        Not fitted, and not changed; where it knows one target only, the pipeline has
        one of it for each.
    X, Y : as in `fit`
        The data.
    n_splits : int, default=10
        How often samples are divided, 70 to 30: to find the size, and to evaluate it.
    budget : float, optional
        Seconds of computing for the evaluation, as in
        :func:`~labelsieve.evaluate_selection`; by default 10 times the search.
    groups : array-like of shape (n_samples,), optional
        Samples of the same group are never in both parts of a split.
    random_state : int, default=0
        The seed.
    **options
        Other parameters of RecursiveElimination, such as `tolerance` and `importance`.

    Returns
    -------
    pipeline : Pipeline
        Fitted: its steps are "selector", the search, and "model". ``quality_`` of the
        selector is the verdict, and ``write_report(pipeline["selector"], X, Y, path)``
        writes the page.

    Examples
    --------
    >>> import labelsieve
    >>> from sklearn.linear_model import LogisticRegression
    >>> from labelsieve.datasets import make_multilabel
    >>> X, Y, truth = make_multilabel(400, 3, random_state=0)
    >>> small = labelsieve.reduce(LogisticRegression(), X, Y, step=0.5, n_splits=3)
    >>> small.predict(X).shape, small["selector"].quality_.n_features
    ((400, 3), 50)
    """
    if not hasattr(model, "fit"):
        raise TypeError(
            f"reduce got {model!r} as the model; expected a classifier or regressor "
            "that is not fitted, such as RandomForestClassifier()."
        )
    Y = without_tags(Y)
    kinds = set(kinds_of(Y, options.get("target_types", "auto")))
    table = as_dense(Y) if sp.issparse(Y) else np.asarray(Y)
    table = table.ravel() if table.size == len(table) else table
    final: Any = clone(model)
    if kinds == {LABEL} and unknown_cells(table) is not None:
        final = per_label(final, skips_unknown=True)
    elif table.ndim > 1 and not takes_many(model):
        several = OneVsRestClassifier if kinds == {LABEL} else MultiOutputClassifier
        final = (MultiOutputRegressor if is_regressor(model) else several)(final)
    final.fit(X, table)  # what it does not take is said before the search
    asked = groups, n_splits, budget, random_state
    search = smallest_equivalent(model, X, Y, *asked, **options)
    final.fit(search.transform(X), table)
    return Pipeline([("selector", search), ("model", final)])


def smallest_equivalent(
    model: Any,
    X: Any,
    Y: Any,
    groups: Any,
    n_splits: int,
    budget: float | None,
    seed: int,
    **options: Any,
) -> RecursiveElimination:
    """Search for the smallest set of features, and evaluate the search, `quality_`."""
    splitter = ShuffleSplit if groups is None else GroupShuffleSplit
    folds = splitter(n_splits, test_size=0.3, random_state=seed)
    fixed = {"rule": "equivalent", "cv": folds, "random_state": seed}
    search = RecursiveElimination(model, **fixed, **options)
    begin = working_seconds()
    search.fit(X, Y, groups)
    spent = quality.TIMES_SELECTION * (working_seconds() - begin)
    search.quality_ = quality.evaluate_selection(
        *(search, X, Y),
        n_splits=n_splits,
        tolerance=search.tolerance,
        budget=max(quality.LEAST_SECONDS, spent) if budget is None else budget,
        groups=groups,
        seed=seed + 1,
        verbose=search.verbose,
    )
    return search
