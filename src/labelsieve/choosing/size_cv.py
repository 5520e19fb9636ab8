"""SizeCV: how many features serve a classifier best, by cross-validation."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import (
    BaseEstimator,
    MetaEstimatorMixin,
    _fit_context,
    clone,
    is_regressor,
)
from sklearn.model_selection import KFold
from sklearn.utils import ClassifierTags, Tags, _safe_indexing, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from labelsieve import metrics, sentences
from labelsieve._utils.estimators import fits_in_one_step, require_targets
from labelsieve._utils.machine import cached_property, n_threads, run_in_threads
from labelsieve._utils.messages import frame_of, paragraphs, progress
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray
from labelsieve.classifiers import PathPredictor, PathScores, per_label
from labelsieve.discretization import Discretizer
from labelsieve.folds import LabelFolds, group_codes
from labelsieve.metrics import (
    BY_CLASSES,
    BY_NUMBERS,
    BY_PREDICTIONS,
    BY_SCORES,
    OF_CLASSES,
    OF_NUMBERS,
    SMALLER_IS_BETTER,
    TIE,
    best_place,
)
from labelsieve.reading import (
    CLASS,
    LABEL,
    NUMBER,
    ColumnSelector,
    Features,
    fill_masked,
    is_frame,
    open_sparse,
    read_features,
    read_weights,
    strata,
    targets_in,
    without_tags,
)
from labelsieve.selectors import (
    FeatureGroups,
    ForcedFeatures,
    LabelSelector,
    Parameters,
    Sieve,
    check_selector,
    named_model,
    refuse_asked,
    size_limits,
)

if TYPE_CHECKING:
    from labelsieve.plots import SelectionCurveDisplay

Result = TypeVar("Result")
# By default this many sizes are tried, in equal ratios, up to this many features.
N_SIZES = 25
MOST_FEATURES = 200
# Of labels, classes and numbers.
DEFAULT_MEASURES = ("average_precision", "class_accuracy", "r2")
OF_KIND = {
    **dict.fromkeys((*BY_PREDICTIONS, *BY_SCORES), LABEL),
    **dict.fromkeys(BY_CLASSES, CLASS),
    **dict.fromkeys(BY_NUMBERS, NUMBER),
}


class AroundSelector(Parameters, ColumnSelector, MetaEstimatorMixin, BaseEstimator):
    """Base of what fits a selector many times.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None
        The seed.
    n_jobs : int, default=None
        Number of threads; -1 uses all processors. The result does not depend on it.
    verbose : bool, default=False
        Show the progress on the standard error stream.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,)
        Which features are kept.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has names that are all strings.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "selector": [object, None],  # `fit` says more clearly what is wrong
        "random_state": ["random_state"],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
    }
    selector: LabelSelector | None = field(default=None, kw_only=False)
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False
    _takes: ClassVar[tuple[type, ...]] = ()  # beside selectors of this library

    @fits_in_one_step
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit the selector on many parts of the rows.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            The features.
        y : array, sparse matrix or DataFrame of shape (n_samples, n_labels)
            The targets: labels, classes and numbers; NaN where they are not known.
        groups : array-like of shape (n_samples,), optional
            Which rows belong together, such as all visits of a patient: they are drawn
            as a whole, and never in both parts of a split.
        sample_weight : array-like of shape (n_samples,), optional
            How much each sample counts for the selector, where that takes weights. One
            of weight zero is not there; to models and measures all others are alike.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if self.selector is not None:
            check_selector(self.selector, type(self).__name__, *self._takes)
        require_targets(self, y)
        asked = self._asked()
        rows = Rows.of(asked, X, y, groups, sample_weight)
        takes_missing = get_tags(self).input_tags.allow_nan
        features = read_features(self, rows.X, takes_missing=takes_missing)
        rows = rows.read(asked, self, features)
        self._fit(as_in_all_rows(asked, rows), rows)
        return self

    def _fit(self, asked: Any, rows: Rows) -> None:
        """Fit the selector that is asked, which takes parts of rows for all of them."""
        raise NotImplementedError

    def _asked(self) -> LabelSelector:
        return Sieve() if self.selector is None else self.selector

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = get_tags(self._asked()).input_tags.allow_nan
        return tags


class SizeCV(AroundSelector):
    """Choose the number of features by cross-validation, all sizes in one pass.

    In each fold the selector ranks the features once, and a classifier is evaluated at
    every size along that ranking; naive Bayes and nearest neighbours need one pass
    for all sizes. Then the selector is fitted on all rows with the size that won.

    Parameters
    ----------
    selector : selector of this library, default=None
        What ranks the features; None means :class:`~labelsieve.Sieve`.
    classifier : classifier, default=None
        What is evaluated; None means :class:`~labelsieve.MLNB` for sparse features, and
        :class:`~labelsieve.MLkNN` for others, scaled to [0, 1] by the training rows;
        numbers are predicted by the nearest neighbours, or by a regressor given here.
        Nominal features of a table become one column of 0 and 1 per category, and
        missing cells the median of the training rows.
    measure : str, default=None
        By which measure of :mod:`labelsieve.metrics`; None means average precision of
        labels, accuracy of classes and R2 of numbers, and of a mixture their mean over
        all targets.
    sizes : list of int, default=None
        The numbers of features to try; None tries 25 from 1 to 200 in equal ratios.
    rule : {"best", "one_standard_error"}, default="best"
        Take the best size, or the smallest whose mean is within one standard error
        of the best mean.
    cv : int or splitter, default=5
        The number of shuffled folds, or what splits the rows. Folds are stratified
        (:class:`~labelsieve.LabelFolds`) where a label with rows enough for all of
        them would be missing from one, and where `groups` are given to `fit`.

    Attributes
    ----------
    n_features_ : int
        The size that was chosen.
    measure_ : str
        The measure that was used.
    at_limit_ : bool
        Whether that is the largest size tried, though there are more features.
    sizes_ : ndarray of shape (n_sizes,)
        The sizes that were tried, ascending.
    values_ : ndarray of shape (n_folds, n_sizes)
        The measure in each fold at each size.
    classifier_ : object
        The classifier that was evaluated, not fitted.
    selector_ : object
        The selector, fitted on all rows with the chosen size.
    order_, ranking_, scores_, support_ : ndarrays of shape (n_features,)
        Those of `selector_`.

    See Also
    --------
    StabilitySelection : How often each feature is chosen from half of the rows.

    Examples
    --------
    >>> from labelsieve.choosing import SizeCV
    >>> from labelsieve.datasets import make_multilabel
    >>> X, Y, truth = make_multilabel(300, 3, random_state=0)
    >>> search = SizeCV(sizes=[1, 3, 6, 12, 24], random_state=0).fit(X, Y)
    >>> search.n_features_
    12
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "classifier": [HasMethods(["fit", "predict"]), None],
        "measure": [StrOptions(set(OF_KIND)), None],
        "sizes": ["array-like", None],
        "rule": [StrOptions({"best", "one_standard_error"})],
        "cv": [Interval(Integral, 2, None, closed="left"), HasMethods(["split"])],
    }

    classifier: BaseEstimator | None = field(default=None, kw_only=False)
    measure: str | None = field(default=None, kw_only=False)
    sizes: ArrayLike | None = None
    rule: str = "best"
    cv: Any = 5

    def _fit(self, asked: Any, rows: Rows) -> None:
        features, grouped = rows.features, rows.feature_groups
        labels, kinds = rows.targets.dense(), rows.targets.kinds
        limits = size_limits(asked, grouped.names.size)
        self.sizes_ = self._checked_sizes(*limits)
        self._weights = self._measures(kinds)
        folds = self._folds(features.values, labels, kinds, rows.groups)
        rows = replace(rows, groups=None)
        given = self._judge(kinds)
        predictor = self._predictor(features, labels, kinds, grouped.group)
        numbers_only = set(kinds) == {NUMBER}
        usual = predictor.regressor if numbers_only else predictor.classifier
        self.classifier_ = usual if given is None else given

        def measured(fold: int) -> FloatArray:
            train, test = folds[fold]
            most = int(self.sizes_[-1])
            order = grouped.groups_of(rows.fit(sized(asked, most), train).order_)
            path = predictor.path(train, test, order[:most], self.sizes_)
            return self._measure(predictor, test, path)

        name = type(self).__name__
        values = run_rounds(measured, len(folds), name, self.n_jobs, self.verbose)
        self.values_ = np.stack(values)
        self.n_features_ = self._choose()
        self.at_limit_ = bool(self.sizes_[-1] == self.n_features_ < limits[1])
        self.selector_ = fitted = rows.fit(sized(self._asked(), self.n_features_))
        self.order_: IntArray = fitted.order_
        self.ranking_: IntArray = fitted.ranking_
        self.scores_: FloatArray = fitted.scores_
        self.support_: BoolArray = fitted.support_

    def _judge(self, kinds: Sequence[str]) -> Any:
        """What predicts targets of some kinds, None for the usual."""
        return self.classifier

    def _predictor(
        self, features: Features, labels: Any, kinds: Sequence[str], groups: IntArray
    ) -> PathPredictor:
        given, named = self._judge(kinds), getattr(self, "estimator", None)
        pair = (None, None)
        if isinstance(named, str):
            how = named, self.random_state
            pair = per_label(named_model(*how)), named_model(*how, numbers=True)
        elif given is not None:
            pair = model_pair(given, kinds, alone=named is not None)[0]
        # A model that has a name here sees features on one scale.
        scaled = given is None or isinstance(named, str)
        return PathPredictor(
            features, labels, pair[0], scaled, kinds, pair[1], column_groups=groups
        )

    def _checked_sizes(self, least: int, most: int) -> IntArray:
        if self.sizes is None:
            top = max(least, min(MOST_FEATURES, most))
            sizes = np.geomspace(least, top, N_SIZES)
            return np.unique(sizes.round().astype(np.int64))
        sizes = np.unique(np.asarray(self.sizes))
        if sizes.size == 0 or sizes.dtype.kind not in "iu" or sizes[0] < 1:
            raise ValueError(
                f"sizes must be whole numbers of at least 1, got {self.sizes!r}."
            )
        # Sizes beyond the features all mean the same, all of them; and those below the
        # number of features that must be in mean these.
        return np.unique(np.clip(sizes, least, most)).astype(np.int64)

    def _measures(self, kinds: Sequence[str]) -> dict[str, int]:
        """The measures and what each counts: as many targets as it is of."""
        names = DEFAULT_MEASURES if self.measure is None else (self.measure,)
        found = {name: kinds.count(OF_KIND[name]) for name in names}
        found = {name: weight for name, weight in found.items() if weight}
        if not found:
            raise ValueError(
                f"measure={self.measure!r} is for a {OF_KIND[str(self.measure)]}, and "
                f"y holds only {' and '.join(sorted(set(kinds)))} targets. Leave it "
                "out, or choose another."
            )
        self.measure_ = next(iter(found)) if len(found) == 1 else sentences.MIXED
        return found

    def _folds(
        self, X: Any, labels: Any, kinds: Sequence[str], groups: Any
    ) -> list[Any]:
        if isinstance(self.cv, str):  # which has a method split, too
            raise ValueError(f"cv is {self.cv!r}; expected a number or a splitter.")
        if not isinstance(self.cv, Integral):
            return list(self.cv.split(X, labels, groups))
        n_folds, seed = int(self.cv), self.random_state
        shared = strata(labels, kinds).astype(np.uint8)
        stratified = LabelFolds(n_folds, random_state=seed)
        if groups is not None:
            return list(stratified.split(X, shared, groups))
        plain = KFold(n_folds, shuffle=True, random_state=seed)
        folds = list(plain.split(X, labels))
        counts = np.array([shared[test].sum(axis=0) for _, test in folds])
        vanishes = (counts.sum(axis=0) >= n_folds) & (counts == 0).any(axis=0)
        return list(stratified.split(X, shared)) if vanishes.any() else folds

    def _measure(
        self, predictor: PathPredictor, test: IntArray, path: PathScores
    ) -> FloatArray:
        """The measure at each size; of a mixture, the mean over all targets."""
        total = sum(self._weights.values())
        values = np.zeros(path.sizes.size)
        for name, weight in self._weights.items():
            values += weight / total * np.array(_along(name, predictor, test, path))
        return values

    @property
    def _means(self) -> FloatArray:
        """The mean over the folds in which something was known."""
        return np.asarray(np.nanmean(self.values_, axis=0))

    def _choose(self) -> int:
        sign = -1.0 if self.measure_ in SMALLER_IS_BETTER else 1.0
        mean = sign * self._means
        best = best_place(mean, smaller_is_better=False)
        if self.rule == "one_standard_error":
            spread = np.nanstd(self.values_[:, best], ddof=1)
            spread /= np.sqrt(len(self.values_))
            best = int(np.argmax(mean >= mean[best] - spread - TIE))
        return int(self.sizes_[best])

    def curve(self) -> SelectionCurveDisplay:
        """Return the measure against the number of features as a display."""
        from labelsieve.plots import SelectionCurveDisplay

        check_is_fitted(self)
        name = type(self.selector_).__name__
        title = self.measure_.replace("_", " ")
        return SelectionCurveDisplay.from_splits(
            self.sizes_, {name: self.values_}, title, chosen=self.n_features_
        )

    def plot(self, ax: Any = None) -> SelectionCurveDisplay:
        """Draw the measure against the number of features; return the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default into a new figure.
        """
        return self.curve().plot(ax)

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain values: the sizes and their means."""
        check_is_fitted(self)
        n_folds = len(self.values_)
        error = np.nanstd(self.values_, axis=0, ddof=1) / n_folds**0.5
        return {
            "chosen": self.n_features_,
            "at_limit": self.at_limit_,
            "rule": self.rule,
            "measure": self.measure_,
            "classifier": type(self.classifier_).__name__,
            "folds": n_folds,
            "sizes": self.sizes_.tolist(),
            "means": self._means.tolist(),
            "standard_errors": error.tolist(),
        }

    def to_frame(self) -> Any:
        """Return size, mean and standard error as a DataFrame of pandas or polars."""
        found = self.to_dict()
        names = {"size": "sizes", "mean": "means", "standard_error": "standard_errors"}
        return frame_of({name: found[key] for name, key in names.items()})

    def _repr_html_(self) -> str:
        if not hasattr(self, "selector_"):
            return super()._repr_html_()
        return paragraphs([sentences.size_chosen(self.to_dict())]) + (
            super()._repr_html_() or ""
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags()
        return tags


@dataclass(frozen=True)
class Rows:
    """The rows of a table that count, on which copies of a selector are fitted."""

    X: Any
    y: Any
    groups: Any = None
    weight: FloatArray | None = None
    features: Any = None  # what X holds, once it is read
    targets: Any = None
    feature_groups: Any = None

    @property
    def weights(self) -> dict[str, Any]:
        """The weights as a parameter of `fit`, where there are any."""
        return {} if self.weight is None else {"sample_weight": self.weight}

    @classmethod
    def of(cls, selector: Any, X: Any, y: Any, groups: Any, weight: Any) -> Rows:
        """All rows but those of weight zero, where the selector takes weights."""
        if y is None:
            raise ValueError("y is None; expected one 0/1 column per label.")
        if weight is None:
            return cls(X, y, groups)
        inside = selector
        while isinstance(inside, AroundSelector):
            inside = inside._asked()
        refuse_asked(inside, "sample_weight", X, y)
        weight, counted, X, y = read_weights(weight, X, without_tags(y))
        if groups is not None and counted.size < np.size(groups):
            groups = np.asarray(groups)[counted]
        return cls(X, y, groups, weight)

    def read(self, selector: Any, seen: Any, features: Features) -> Rows:
        """The same, with targets and groups of features as the selector takes them."""
        types = parameter_of(selector, "target_types", "auto")
        given = parameter_of(selector, "feature_groups")
        return replace(
            self,
            features=features,
            targets=targets_in(self.y, features.values, types),
            feature_groups=FeatureGroups.of(given, seen, features.values),
        )

    def with_codes(self, n_rows: int) -> tuple[Rows, IntArray]:
        """The same with groups as numbers, and these; each row alone without any."""
        if self.groups is None:
            return self, np.arange(n_rows)
        codes = group_codes(self.groups, n_rows)
        return replace(self, groups=codes), codes

    def fit(
        self, selector: Any, rows: Any = None, label_rows: IntArray | None = None
    ) -> Any:
        """Fit a copy on some rows of the features and, as many, of the labels."""
        given = self.weights
        if self.groups is not None and has_fit_parameter(selector, "groups"):
            given["groups"] = np.asarray(self.groups)
        if rows is None:
            return clone(selector).fit(self.X, self.y, **given)
        which = rows, rows if label_rows is None else label_rows
        parts = map(_safe_indexing, self._tables, which)
        given = {name: values[rows] for name, values in given.items()}
        return clone(selector).fit(*parts, **given)

    @cached_property
    def _tables(self) -> tuple[Any, Any]:
        return indexable(self.X, "X"), indexable(without_tags(self.y), "y")


def parameter_of(selector: Any, name: str, usual: Any = None) -> Any:
    """A parameter of a selector, or of the one that is inside."""
    inside = getattr(selector, "selector", None)
    otherwise = usual if inside is None else parameter_of(inside, name, usual)
    return getattr(selector, name, otherwise)


def model_pair(model: Any, kinds: Any, alone: bool = False) -> tuple[Any, Any]:
    """A classifier and a regressor, one None, and its kinds: if it is alone, all."""
    numbers = is_regressor(model)
    predicts = (NUMBER,) if numbers else (LABEL, CLASS)
    if not (set(kinds) <= set(predicts) if alone else set(kinds) & set(predicts)):
        raise ValueError(
            f"{type(model).__name__} predicts {' and '.join(predicts)} targets, and y "
            f"has {sentences.listed(sorted(set(kinds)))} targets: pass another model, "
            "or say with target_types what they are."
        )
    return ((None, model) if numbers else (per_label(model), None)), predicts


def sized(selector: Any, n_features: int) -> Any:
    """A copy that selects so many features."""
    return clone(selector).set_params(n_features_to_select=int(n_features))


def as_in_all_rows(selector: Any, rows: Rows) -> Any:
    """A copy that takes any part of the rows for what all of them are.

    Targets stay of their kinds, and columns in their groups.
    """
    typed, kinds, groups = clone(selector), rows.targets.kinds, rows.feature_groups
    for name, value in typed.get_params().items():
        if name.endswith("target_types") and set(kinds) != {LABEL}:
            typed.set_params(**{name: list(kinds)})
        elif name.endswith("feature_groups") and value is not None:
            typed.set_params(**{name: groups.names[groups.group]})
    return typed


def _along(
    name: str, predictor: PathPredictor, test: IntArray, path: PathScores
) -> list[float]:
    """One measure at each size, NaN where no cell is known that it could count."""
    for kind, measures, said in (
        (CLASS, OF_CLASSES, path.classes),
        (NUMBER, OF_NUMBERS, path.numbers),
    ):
        if name in measures:
            truth = predictor.truth(kind, test)
            return [measures[name](truth, one) for one in said]
    truth = predictor.truth(LABEL, test)
    if (truth != truth).all():
        return [math.nan] * path.sizes.size
    if name in BY_SCORES:
        return [metrics.by_scores(name, truth, one) for one in path.scores]
    return [metrics.by_predictions(name, truth, one) for one in path.predictions]


def coded_once(selector: Any, rows: Rows) -> tuple[Any, Rows]:
    """Features that selectors would code in every fit, as codes."""
    # A search for the size is no method: what it asks codes for itself.
    coding = selector._binning() if isinstance(selector, LabelSelector) else None
    if coding is None or coding[1] == "none" or not selector._sees_only_codes():
        return selector, rows
    if rows.weight is not None or selector.feature_groups is not None:
        return selector, rows
    missing = "code" if get_tags(selector).input_tags.allow_nan else "error"
    coder = Discretizer(*coding, missing)
    rows = replace(rows, X=coder.fit_transform(rows.X))
    # The codes have no names: features that are forced in or out become indices.
    forced = ForcedFeatures.of(selector, coder)
    selector = clone(selector).set_params(
        binning="none", include=forced.forced_in, exclude=forced.forced_out
    )
    return selector, rows


def indexable(table: Any, name: str) -> Any:
    """The same table in a form of which rows can be taken."""
    if sp.issparse(table):
        return open_sparse(table, name)
    if is_frame(table) or hasattr(table, "iloc"):
        return table
    try:
        return np.asarray(fill_masked(table))
    except ValueError:
        raise ValueError(
            f"{name} is not a table: expected rows with equally many values."
        ) from None


def run_rounds(
    function: Callable[[int], Result],
    n_tasks: int,
    title: str,
    n_jobs: int | None,
    verbose: bool,
) -> list[Result]:
    """Run independent fits on threads, with progress, in the order of the tasks.

    What selectors say about rare labels that a part of the rows lacks is not news.
    """
    width = max(1, n_threads(n_jobs))
    results: list[Result] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for first in progress(range(0, n_tasks, width), title, verbose):
            tasks = range(first, min(first + width, n_tasks))
            results.extend(run_in_threads(function, tasks, n_jobs))
    return results


def seeds(random_state: Any, n_seeds: int) -> list[int]:
    """One seed per task, so that results do not depend on the threads."""
    drawn = random_state.randint(np.iinfo(np.int32).max, size=n_seeds)
    return [int(seed) for seed in drawn]
