"""The scikit-learn contract that every selector keeps, written once."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted

from labelsieve._utils.estimators import fits_in_one_step, refuse_bools, require_targets
from labelsieve._utils.messages import status, warn
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray
from labelsieve.blocks import (
    SurveyedRows,
    is_lazy,
    leave_unlabelled_rows,
    open_rows,
    remember_columns,
    select_columns,
    survey,
)
from labelsieve.reading import (
    KINDS,
    ColumnSelector,
    Features,
    Labels,
    leave_unlabelled,
    read_features,
    read_scored_targets,
    read_weights,
    scaled_weights,
    warn_constant_features,
    warn_other_order,
)
from labelsieve.selectors._capabilities import (
    Capabilities,
    holds,
    refuse_asked,
    refuse_blocks,
    refuse_classes,
    refuse_missing_cells,
    refuse_numeric_targets,
    refuse_unknown_labels,
)
from labelsieve.selectors._feature_groups import FeatureGroups
from labelsieve.selectors._forced import FeatureNames, ForcedFeatures, size_limits
from labelsieve.selectors._terms import ScoreTerms

if TYPE_CHECKING:
    from labelsieve.discretization import CodedColumns, Cuts
    from labelsieve.selectors._explain import Explained
    from labelsieve.selectors._explanation import Explanation

# Scores that differ by less, relatively or absolutely, are equal: their order would
# otherwise be decided by the order in which floating-point terms were added.
TIE = 1e-12


@dataclass(frozen=True)
class Ranking:
    """What a method found: a score for each feature, and all features best first."""

    scores: FloatArray
    order: IntArray
    n_exact: int | None = None
    """How much of `order` does not depend on `n_features_to_select`; None: all."""
    n_found: int | None = None
    """How many the method itself keeps with ``n_features_to_select="auto"``."""


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
class Parameters:
    """Annotated attributes of subclasses are their parameters, as in a dataclass."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        dataclass(kw_only=True, repr=False, eq=False)(cls)
        super().__init_subclass__(**kwargs)


class NumericTargets(Parameters):
    """What the selectors share that take numbers as targets.

    Parameters
    ----------
    target_types : "auto", str, list of str or dict, default="auto"
        What the columns of y are: ``"label"`` (two values), ``"class"`` or
        ``"number"``; one word for all, one for each, or a dict of some by name.
        ``"auto"``: text, categories and at most 20 whole numbers are classes.
    target_scores : {"rank", "value"}, default="rank"
        Whether numbers in y count by normal scores of their ranks, or by their values.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "target_types": [StrOptions({*KINDS, "auto"}), "array-like", dict],
        "target_scores": [StrOptions({"rank", "value"})],
    }

    target_types: Any = "auto"
    target_scores: str = "rank"

    def _read_targets(self, y: Any, X: Any, weight: FloatArray | None) -> Labels:
        n_bins = getattr(self, "n_target_bins", None)
        how = self.target_types, self.target_scores, n_bins, weight
        return read_scored_targets(y, X, *how)


class LabelSelector(Parameters, ColumnSelector, BaseEstimator):
    """Base of all selectors: subclasses implement `_rank`, and `_terms` if they can.

    A subclass declares its parameters as annotated attributes with defaults, checked
    by `_parameter_constraints`. Its ``_rank(features, labels)`` returns a `Ranking`;
    `_terms` says what the scores are made of, by the same functions. What it can do
    and needs is in `_capabilities`; where that is row blocks, it implements
    `_rank_blocks`. All else comes from here, and so does what docstrings of subclasses
    leave out:

    Parameters
    ----------
    n_features_to_select : int or float, default=0.1
        How many features to select, or which fraction of them (at least one).
    include, exclude : list of str or int, default=None
        Names or indices of features that are forced in, and of features that are forced
        out.
    random_state : int, RandomState instance or None, default=None
        The seed of the anchors.
    n_jobs : int, default=None
        Number of threads; -1 uses all processors. The result does not depend on it.

    Attributes
    ----------
    order_ : ndarray of shape (n_features,)
        All feature indices, best first; constant features are last.
    ranking_ : ndarray of shape (n_features,)
        The rank of each feature; 1 is best.
    scores_ : ndarray of shape (n_features,)
        The score of each feature.
    support_ : ndarray of shape (n_features,)
        Which features are selected.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has names that are all strings.
    label_names_in_ : ndarray of shape (n_labels,)
        The names of the labels, where y has names that are all strings.
    target_types_ : list of str
        What each column of y is: ``"label"``, ``"class"`` or ``"number"``.
    """

    _capabilities: ClassVar[Capabilities] = Capabilities()
    _slow_terms: ClassVar[bool] = False
    # Whether it knows numbers only: a nominal feature is then several columns of 0 and
    # 1, as `features.groups` says, and gets one score.
    _takes_numbers: ClassVar[bool] = False
    # Whether values are compared and nothing else: float32 is then read as it is.
    _only_compares: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
        ],
        "include": ["array-like", None],
        "exclude": ["array-like", None],
        # Of those that have them:
        "n_anchors": [None, Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
    }

    n_features_to_select: int | float | str = field(default=0.1, kw_only=False)
    include: FeatureNames = None
    exclude: FeatureNames = None
    feature_groups = None  # a parameter of those that take groups

    def _validate_params(self) -> None:
        super()._validate_params()
        refuse_bools(self)

    @fits_in_one_step
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, **others: Any) -> LabelSelector:
        """Rank the features of X by their relevance to the labels y.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            The features: numbers, in a DataFrame also categories and text.
            Information-theoretic selectors also take Dask arrays and DataFrames, larger
            than memory, and those with a parameter `missing` also missing values.
        y : array, sparse matrix or DataFrame of shape (n_samples, n_labels)
            The labels: a 0/1 indicator matrix, as `MultiLabelBinarizer` makes it. A 1-D
            array is one label; a list, set or tuple of tags per sample is one label for
            each tag. Columns of text or other whole numbers are classes; selectors with
            a parameter `target_types` also take numbers. NaN is what is not known.
        **others : object
            Nothing: this selector takes no `sample_weight`, and says which ones do.

        Returns
        -------
        self : object
            The fitted selector.
        """
        weight = others.pop("sample_weight", None)
        if others:
            raise TypeError(
                f"{type(self).__name__}.fit() got an unexpected keyword argument "
                f"{min(others)!r}"
            )
        return self._fit(X, y, weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> LabelSelector:
        require_targets(self, y)
        given = {"sample_weight": sample_weight, "feature_groups": self.feature_groups}
        for what in (what for what, value in given.items() if value is not None):
            refuse_asked(self, what, X, y)
        with status(type(self).__name__, getattr(self, "verbose", False)):
            if is_lazy(X) or is_lazy(y):
                ranking = self._rank_blocks(self._survey(X, y))
            else:
                features, labels = self._read_both(X, y, sample_weight)
                seen = self._enter_groups()
                self._look_before_ranking(labels, features.constant)
                if self._takes_numbers:
                    features = features.as_numbers()
                ranking = self._rank(features, labels)
            self._set_ranking(ranking)
            if self.feature_groups is not None:
                self._leave_groups(seen)
        return self

    def _chosen_of_table(self, X: Any) -> Any:
        if not is_lazy(X):
            return super()._chosen_of_table(X)
        check_is_fitted(self)
        remember_columns(self, X, reset=False)
        return select_columns(X, np.flatnonzero(self._get_support_mask()))

    def _read(self, X: Any, *, reset: bool = True) -> Features:
        """The features of X; missing cells are refused where values are needed."""
        features = read_features(
            *(self, X),
            reset=reset,
            takes_missing=True,
            keeps_float32=self._only_compares,
        )
        refuse_missing_cells(self, features.n_missing)
        return features

    def _read_both(
        self, X: Any, y: Any, sample_weight: Any = None, *, reset: bool = True
    ) -> tuple[Features, Labels]:
        """The features and labels of the rows that count, where a label is known."""
        weight, counted = None, None
        if sample_weight is not None:
            weight, counted, X, y = read_weights(sample_weight, X, y)
        features = self._read(X, reset=reset)
        warn_other_order(X, y)
        scaled = None if weight is None else scaled_weights(weight)
        labels = self._read_targets(y, features.values, scaled)
        refuse_numeric_targets(self, labels)
        refuse_classes(self, labels)
        refuse_unknown_labels(self, labels)
        features, labels, samples = leave_unlabelled(features, labels)
        self._samples: Any = samples
        if weight is not None and counted is not None:
            weight, self._samples = scaled_weights(weight[samples]), counted[samples]
            features = replace(features, weight=weight)
            labels = replace(labels, weight=weight)
        if self.feature_groups is not None:
            features = self._group(features, reset)
        return features, labels

    def _group(self, features: Features, reset: bool) -> Features:
        """The features as groups, which are found out with `reset`."""
        if reset:
            found = FeatureGroups.of(self.feature_groups, self, features.values)
            self.group_names_, self.column_groups_ = found.names, found.group
        groups = FeatureGroups(self.group_names_, self.column_groups_)
        return groups.combine(features, *(self._binning() or (2, "quantile")))

    def _read_targets(self, y: Any, X: Any, weight: FloatArray | None) -> Labels:
        return read_scored_targets(y, X, weight=weight)

    def _survey(self, X: Any, y: Any) -> SurveyedRows:
        """One look at the rows of Dask collections, before they are ranked."""
        refuse_blocks(self)
        binning = self._binning()
        assert binning is not None, "row blocks are for methods made of codes"
        name, opened = type(self).__name__, open_rows(self, X, y)
        rows = survey(opened, name, *binning)
        refuse_classes(self, rows.labels)
        refuse_unknown_labels(self, rows.labels)
        if not rows.labels.labelled.all():
            rows = survey(leave_unlabelled_rows(opened), name, *binning)
        refuse_missing_cells(self, rows.columns.n_missing)
        self._look_before_ranking(rows.labels, rows.columns.constant)
        return rows

    def _look_before_ranking(self, labels: Labels, constant: BoolArray) -> None:
        """Warn of what carries no information, and of what is asked for."""
        self._remember_labels(labels.names)
        self.target_types_ = labels.types
        labels.warn_many_numbers()
        labels.warn_constant()
        warn_constant_features(constant)
        self._check_wanted()

    def _remember_labels(self, names: Sequence[Any]) -> None:
        """Keep the names of the labels where they are text, as those of X are kept."""
        if all(isinstance(name, str) for name in names):
            self.label_names_in_ = np.array(names, dtype=object)
        else:
            self.__dict__.pop("label_names_in_", None)

    def _rank(self, features: Features, labels: Labels) -> Ranking:
        raise NotImplementedError

    def _rank_blocks(self, rows: SurveyedRows) -> Ranking:
        """Rank rows in blocks, where `_capabilities` say so."""
        raise NotImplementedError

    def _terms(self, explained: Explained) -> ScoreTerms:
        """What the scores of the selected features are made of; some of them vary."""
        return explained.only_term()

    def _significance(self, features: IntArray) -> list[str] | None:
        """Whether features are significant, redundant or neither, where it is known."""
        return None

    def _looks_again(self) -> bool:
        """Whether `_terms` takes about as long as `fit`: it looks at all rows again."""
        return self._slow_terms

    def _binning(self) -> tuple[int, str] | None:
        """`n_bins` and `binning`, where the method codes features."""
        if not holds(self, self._capabilities.codes_features):
            return None
        parameters = self.get_params(deep=False)
        return parameters["n_bins"], parameters["binning"]

    def _cut_for(
        self, features: Features, labels: CodedColumns, n_features: int
    ) -> Cuts:
        """Where some of so many features are cut into codes to explain them.

        By default at the median for a method that does not code features.
        """
        from labelsieve.discretization import find_cuts

        return find_cuts(features, *(self._binning() or (2, "quantile")))

    def _sees_only_codes(self) -> bool:
        """Whether a method that codes features sees nothing else of them."""
        return bool(self._capabilities.codes_features)

    def _wants_two_values(self) -> bool:
        """Whether labels must have two values."""
        return not holds(self, self._capabilities.takes_classes)

    def _set_ranking(self, ranking: Ranking) -> None:
        ranking = ForcedFeatures.of(self).arrange(ranking)
        self.scores_ = ranking.scores
        self.order_ = ranking.order
        self.ranking_ = np.argsort(ranking.order) + 1
        self._n_exact = ranking.n_exact
        self._cut(self._n_kept(ranking.n_found))

    def _enter_groups(self) -> dict[str, Any]:
        """Speak of groups as of features, until `_leave_groups` gets what this says."""
        if self.feature_groups is None:
            return {}
        own = ("n_features_in_", "feature_names_in_")
        held = self.__dict__
        seen = {name: held.pop(name) for name in own if name in held}
        columns, groups = seen.get("feature_names_in_", ()), self.column_groups_
        held["_members"] = dict(zip(columns, self.group_names_[groups], strict=False))
        held |= {"n_features_in_": self.group_names_.size}
        held |= {"feature_names_in_": self.group_names_}
        return seen

    def _leave_groups(self, seen: dict[str, Any]) -> None:
        """Speak of columns again: those of the groups, in their order."""
        groups = FeatureGroups(self.group_names_, self.column_groups_)
        self.group_order_, self.group_scores_ = self.order_, self.scores_
        self.order_ = groups.columns_of(self.group_order_)
        self.scores_ = self.scores_[groups.group]
        self.support_: BoolArray = self.support_[groups.group]
        self.ranking_ = np.argsort(self.order_) + 1
        self.__dict__.pop("feature_names_in_")
        self.__dict__.pop("_members")
        self.__dict__.update(seen)

    @property
    def _has_groups(self) -> bool:
        """Whether features are in groups, and it is the columns that it speaks of."""
        if self.feature_groups is None:
            return False
        return vars(self).get("feature_names_in_") is not self.group_names_

    def _by_group(self) -> LabelSelector:
        """The same fitted selector, whose features are the groups, if there are any."""
        if not self._has_groups:
            return self
        view = copy.copy(self)
        view._enter_groups()
        view.order_, view.scores_ = self.group_order_, self.group_scores_
        view.ranking_ = np.argsort(view.order_) + 1
        view.support_ = np.zeros(view.order_.size, dtype=bool)
        view.support_[self.column_groups_[self.support_]] = True
        return view

    def _n_wanted(self) -> int:
        """`n_features_to_select` as a count, which may be more than there are."""
        wanted = self.n_features_to_select
        if isinstance(wanted, str):  # "auto": the method itself stops earlier
            return int(self.n_features_in_)
        if isinstance(wanted, Integral):
            return int(wanted)
        return max(1, int(wanted * self.n_features_in_))

    def _n_kept(self, n_found: int | None = None) -> int:
        """How many are kept: all that must be in, and none that must not."""
        least, most = size_limits(self, self.n_features_in_)
        wanted = self._n_wanted() if n_found is None else n_found
        return min(max(wanted, least), most)

    def _check_wanted(self) -> None:
        """Look at what the user has decided, before work begins."""
        ForcedFeatures.of(self)
        wanted, given = self._n_wanted(), self.n_features_to_select
        what = "features" if self.feature_groups is None else "groups of features"
        least, most = size_limits(self, self.n_features_in_)
        if wanted > most and not isinstance(given, str):
            left = "of X" if most == self.n_features_in_ else "that exclude leaves"
            warn(
                f"n_features_to_select={given} is more than the {most} {what} "
                f"{left}: all of them are kept."
            )
        if wanted < least and isinstance(given, Integral):
            warn(
                f"n_features_to_select={given} is less than the {least} {what} that "
                "must be in: all of these are kept."
            )

    def _cut(self, n_features: int) -> None:
        self.support_ = np.zeros(self.order_.size, dtype=bool)
        self.support_[self.order_[:n_features]] = True

    def at(self, n_features: int) -> LabelSelector:
        """Return the same fitted ranking, cut after `n_features`, without refitting.

        Parameters
        ----------
        n_features : int
            How many features the returned selector keeps. A greedy search cannot be cut
            beyond the features that it selected.

        Returns
        -------
        selector : object
            A fitted selector that shares the ranking with this one.
        """
        check_is_fitted(self)
        if self._has_groups:
            other = self._by_group().at(n_features)
            own = ("n_features_in_", "feature_names_in_")
            other._leave_groups({n: vars(self)[n] for n in own if n in vars(self)})
            return other
        least, possible = size_limits(self, self.order_.size)
        most = possible if self._n_exact is None else self._n_exact
        if isinstance(n_features, bool) or not isinstance(n_features, Integral):
            raise TypeError(f"at() takes a whole number, got {n_features!r}.")
        if not least <= n_features <= most:
            way_out = (
                f" Fit with n_features_to_select={n_features} or more first."
                if most < n_features <= possible
                else ""
            )
            raise ValueError(
                f"at({n_features}): this ranking can be cut at {least} to {most} "
                f"features.{way_out}"
            )
        other = copy.copy(self)
        other.n_features_to_select = int(n_features)
        other._cut(int(n_features))
        return other

    def to_json(self) -> str:
        """Return the fitted selector as JSON text, for `from_json` of any version.

        Returns
        -------
        text : str
            The class, the parameters and the fitted attributes.
        """
        from labelsieve.selectors._json import to_json

        return to_json(self)

    @staticmethod
    def from_json(text: str) -> LabelSelector:
        """Return the fitted selector that `to_json` wrote; no code in it is run.

        Parameters
        ----------
        text : str
            What `to_json` returned.

        Returns
        -------
        selector : object
            A selector of the class that was written, which transforms the same way.
        """
        from labelsieve.selectors._json import from_json

        return from_json(text)

    def explain(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> Explanation:
        """Relevance, redundancy and score terms of each selected feature.

        Parameters
        ----------
        X, y : as in `fit`
            The data to explain the selection on, usually those of `fit`.
        sample_weight : array-like of shape (n_samples,), optional
            The weights of the samples, where `fit` got some.
        feature_names, label_names : sequence of str, optional
            What to call all features and labels; by default the names of the
            DataFrames that were passed, here or to `fit`, or numbers.

        Returns
        -------
        explanation : Explanation
            Arrays of information and redundancy; printing it gives one line per
            feature, ``to_dict()`` plain dictionaries.
        """
        from labelsieve.selectors._explain import explain

        check_is_fitted(self)
        if sample_weight is not None:
            refuse_asked(self, "sample_weight", X, y)
        return explain(self, X, y, feature_names, label_names, sample_weight)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = holds(self, self._capabilities.takes_missing)
        if self._wants_two_values():
            tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


class WeightedSelector(LabelSelector):
    """Base of the selectors that take weights of samples, and groups of features.

    Parameters
    ----------
    feature_groups : array-like, dict or str, default=None
        Groups of columns that are selected as a whole; `n_features_to_select`,
        `include` and `exclude` then speak of groups. The group of each column; a dict
        of names to columns (names or indices), in which others are groups of their own;
        or ``"prefix="`` for columns of 0 and 1 that are called alike up to the first
        ``"="`` (or what else stands behind ``"prefix"``), as of a one-hot encoding.

    Attributes
    ----------
    group_names_ : ndarray of shape (n_groups,)
        The names of the groups, where there are `feature_groups`.
    column_groups_ : ndarray of shape (n_features,)
        The group of each feature, by its place in `group_names_`.
    group_order_ : ndarray of shape (n_groups,)
        All groups, best first.
    group_scores_ : ndarray of shape (n_groups,)
        The score of each group.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "feature_groups": [None, str, dict, "array-like"],
    }

    feature_groups: Any = None

    @fits_in_one_step
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> LabelSelector:
        """Rank the features of X by their relevance to the labels y.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts. Whole numbers are counts: a sample of weight 3
            is there three times, one of weight 0 is not. Of others only the ratio
            matters; they count as the effective sample size, (sum w)^2 / sum w^2.
        """
        return self._fit(X, y, sample_weight)


def check_selector(
    selector: Any, caller: str, *others: type, takes_groups: bool = True
) -> None:
    """Refuse what is no selector of this library or one of other classes.

    Its parameters are looked at too, before anything is made of them.
    """
    if isinstance(selector, (LabelSelector, *others)):
        validate: Any = selector
        validate._validate_params()
        if not takes_groups and getattr(selector, "feature_groups", None) is not None:
            raise ValueError(
                f"{caller} counts single features, and its selector has feature_groups;"
                " leave them out, or use the selector by itself."
            )
        return
    if isinstance(selector, str):
        got = f"the text {selector!r}; make_selector({selector!r}) makes one"
    elif isinstance(selector, type):
        got = f"the class {selector.__name__}; {selector.__name__}() makes one"
    else:
        got = f"an object of the type {type(selector).__name__}"
    raise TypeError(
        f"{caller} needs a selector of labelsieve, such as Sieve(20); got {got}."
    )


def rank_by_score(scores: FloatArray, last: BoolArray | None = None) -> IntArray:
    """Return the indices by descending score, ties by index, those in `last` last."""
    order = np.argsort(-scores)
    above, below = scores[order[:-1]], scores[order[1:]]
    size = np.minimum(np.abs(above), np.abs(below))
    tolerance = TIE * np.maximum(1.0, np.where(np.isfinite(size), size, 1.0))
    group = np.cumsum(np.concatenate([[False], above > below + tolerance]))
    (tied,) = np.nonzero(np.bincount(group)[group] > 1)
    order[tied] = order[tied[np.lexsort((order[tied], group[tied]))]]
    if last is not None:
        order = np.concatenate([order[~last[order]], order[last[order]]])
    return order.astype(np.int64)


def best_of(scores: FloatArray) -> int:
    """Return the smallest index among those whose score equals the largest."""
    best = scores[scores.argmax()]
    return int((scores >= best - TIE * max(1.0, abs(best))).argmax())
