"""Shared features for all labels, and label-specific features for each."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import field
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from labelsieve._utils.estimators import Documented
from labelsieve._utils.matrices import as_dense
from labelsieve._utils.messages import Column, Table
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray
from labelsieve.discretization import code_features, find_cuts
from labelsieve.information import conditional_mutual_information
from labelsieve.reading import (
    Features,
    Labels,
    is_frame,
    label_names,
    names_of,
    open_sparse,
    read_features,
    read_tags,
    without_tags,
)
from labelsieve.selectors._base import LabelSelector, Ranking, check_selector
from labelsieve.selectors._capabilities import refuse_missing_cells
from labelsieve.selectors._explanation import Explanation
from labelsieve.selectors._forced import ForcedFeatures

# A tree of at most so many leaves, none with fewer samples, condenses what the features
# so far know about a label.
LEAVES, ROWS_PER_LEAF = 8, 5


class LabelFeatures(Documented):
    """Mixin of estimators with label-specific features.

    It sets `label_support_` (n_labels, n_features) and `label_names_`, and says in
    `_selector_of_labels` what explains the features of a label.
    """

    label_support_: BoolArray
    label_names_: Any

    def _selector_of_labels(self) -> LabelSelector:
        raise NotImplementedError

    def label_features(self, label: Any) -> IntArray:
        """Return the indices of the features of a label.

        Parameters
        ----------
        label : int or str
            Its number, or its name where the labels came with names.

        Returns
        -------
        features : ndarray of int
            Ascending.
        """
        return np.flatnonzero(self.label_support_[self._place(label)])

    def label_feature_names(self, label: Any) -> Any:
        """Return the names of the features of a label; "x3" where they have none.

        Returns
        -------
        names : ndarray of str
            In the order of the columns.
        """
        chosen = self.label_features(label)
        return _check_feature_names_in(self, generate_names=True)[chosen]

    def transform_label(self, X: ArrayLike, label: Any) -> Any:
        """Return the columns of X that a label uses.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            The features, as in `fit`.

        Returns
        -------
        X : of the same kind
            The features of the label.
        """
        chosen = self.label_features(label)
        n_features = self.label_support_.shape[1]
        shape = np.shape(X)
        if len(shape) != 2 or shape[1] != n_features:
            raise ValueError(
                f"X has shape {shape}, but {type(self).__name__} was fitted with "
                f"{n_features} features."
            )
        table: Any = X
        if is_frame(table):
            import narwhals.stable.v2 as nw

            frame = nw.from_native(table, eager_only=True)
            return frame[:, chosen.tolist()].to_native()
        if sp.issparse(table):
            return open_sparse(table, "X")[:, chosen]
        return np.asarray(table)[:, chosen]

    def explain_label(self, X: ArrayLike, y: ArrayLike, label: Any) -> Explanation:
        """Explain the features of a label: relevance and redundancy for it alone.

        Parameters
        ----------
        X, y : as in `fit`
            The data to explain on, with all labels.

        Returns
        -------
        explanation : Explanation
            As of the selector, for this label alone.
        """
        place = self._place(label)
        names, selector = self.label_feature_names(label), self._selector_of_labels()
        # Columns of a label are others than those that the parameters name.
        size = max(1, names.size)
        selector.set_params(n_features_to_select=size, include=None, exclude=None)
        column, rows = label_column(y, place), self.transform_label(X, label)
        return selector.fit(rows, column).explain(
            rows,
            column,
            feature_names=[str(name) for name in names],
            label_names=[str(self.label_names_[place])],
        )

    def _place(self, label: Any) -> int:
        check_is_fitted(self)
        found = [i for i, name in enumerate(self.label_names_) if name == label]
        if found:
            return found[0]
        if isinstance(label, int | np.integer) and 0 <= label < len(self.label_names_):
            return int(label)
        raise ValueError(
            f"unknown label {label!r}; expected one of "
            f"{', '.join(map(str, self.label_names_))}."
        )


class LabelSpecificSelector(MetaEstimatorMixin, LabelFeatures, LabelSelector):
    """Select shared features for all labels, and label-specific features for each.

    The selector selects `n_shared` features for all labels. It then ranks the features
    for each label alone. Of the best, those become label-specific whose mutual
    information with the label is significant at 5 percent, conditional on the leaves of
    a small decision tree that predicts the label from the features so far. A label may
    have none.

    Parameters
    ----------
    selector : selector of this library or None, default=None
        Ranks the features; None means :class:`~labelsieve.Sieve`.
    n_shared : int, default=10
        The number of shared features.
    n_specific : int, default=3
        The maximum number of label-specific features of each label.

    Attributes
    ----------
    shared_ : ndarray of int
        The shared features, best first.
    specific_table_ : ndarray of shape (n_labels, min(n_specific, n_features))
        The label-specific features of each label, best first, then -1.
    label_support_ : ndarray of shape (n_labels, n_features)
        Which features each label uses, shared and label-specific.
    label_names_ : ndarray of shape (n_labels,)
        The names of the labels, or their numbers.
    order_ : ndarray of shape (n_features,)
        The shared features, then label-specific ones by the number of their labels,
        then the others as the selector ranks them for all labels.
    scores_ : ndarray of shape (n_features,)
        How many labels use each feature.
    support_ : ndarray of shape (n_features,)
        Which features any label uses.

    See Also
    --------
    EMCFS : A classifier per label; ``EMCFS(LabelSpecificSelector())`` uses these.

    References
    ----------
    M.-L. Zhang, L. Wu: LIFT: Multi-label learning with label-specific features. IEEE
    TPAMI 37(1), 2015 (label-specific features). The procedure here is our own.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import FIMF, LabelSpecificSelector
    >>> rng = np.random.default_rng(0)
    >>> core, own, noise = (rng.integers(0, 2, (400, k)) for k in (1, 2, 4))
    >>> Y = (core + own + rng.random((400, 2))) > 1.2
    >>> found = LabelSpecificSelector(FIMF(), n_shared=1, n_specific=2)
    >>> found.fit(np.hstack([core, own, noise]), Y).specific_
    {0: array([1]), 1: array([2])}
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "selector": [object, None],  # `fit` says more clearly what is wrong
        "n_shared": [Interval(Integral, 1, None, closed="left")],
        "n_specific": [Interval(Integral, 0, None, closed="left")],
    }
    # The union is as large as it is, and the selector knows what is forced in or out.
    n_features_to_select: str = field(default="auto", init=False)
    include: None = field(default=None, init=False)
    exclude: None = field(default=None, init=False)

    selector: LabelSelector | None = field(default=None, kw_only=False)
    n_shared: int = 10
    n_specific: int = 3

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> LabelSelector:
        if self.selector is not None:
            name = "LabelSpecificSelector"
            check_selector(self.selector, name, takes_groups=False)
        super()._fit(X, y, sample_weight)
        self.label_names_ = names_of_labels(y, len(self.label_support_))
        return self

    @property
    def specific_(self) -> Mapping[Any, IntArray]:
        """The label-specific features of each label, best first, by its name."""
        check_is_fitted(self)
        return {
            name: features[features >= 0]
            for name, features in zip(
                self.label_names_.tolist(), self.specific_table_, strict=True
            )
        }

    def _selector_of_labels(self) -> LabelSelector:
        from labelsieve.selectors.sieve import Sieve

        return Sieve() if self.selector is None else clone(self.selector)

    def _read(self, X: Any, *, reset: bool = True) -> Features:
        features = read_features(self, X, reset=reset, takes_missing=True)
        refuse_missing_cells(self._selector_of_labels(), features.n_missing)
        return features

    def _rank(self, features: Features, labels: Labels) -> Ranking:
        n_labels = labels.n_values.size
        ranked = self._ranked(features, labels, self.n_shared)
        self.shared_ = ranked[: self.n_shared]
        width = min(self.n_specific, features.constant.size)  # there are no more
        self.specific_table_ = np.full((n_labels, width), -1, dtype=np.int64)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # what was said for all
            varying = np.flatnonzero(~labels.constant).tolist()
            for label in varying if self.n_specific else ():
                codes, n_values = labels.codes[:, [label]], labels.n_values[[label]]
                one = Labels(codes, n_values, [labels.names[label]])
                own = self._own(features, one)
                self.specific_table_[label, : own.size] = own
        self.label_support_ = np.zeros((n_labels, features.constant.size), dtype=bool)
        self.label_support_[:, self.shared_] = True
        for support, own in zip(self.label_support_, self.specific_table_, strict=True):
            support[own[own >= 0]] = True
        scores = self.label_support_.sum(axis=0).astype(np.float64)
        place = np.full(scores.size, ranked.size)
        place[ranked] = np.arange(ranked.size)
        core = np.zeros(scores.size, dtype=bool)
        core[self.shared_] = True
        order = np.lexsort((place, -scores, ~core))
        n_found = int((scores > 0).sum())
        return Ranking(scores, order, n_found, n_found)

    def _ranked(self, features: Features, labels: Labels, n_features: int) -> IntArray:
        """Features as the selector ranks them for some labels, the best exactly.

        All but those that must not be in.
        """
        selector = self._selector_of_labels()
        n_features = min(n_features, features.constant.size)
        selector.set_params(n_features_to_select=n_features)
        selector._validate_params()
        one_label = labels.n_values.size == 1
        if one_label and not isinstance(getattr(selector, "label_weight", ""), str):
            selector.set_params(label_weight="balanced")  # weights are of all labels
        selector._remember_labels(labels.names)
        selector.n_features_in_ = features.constant.size
        forced = ForcedFeatures.of(selector, self)
        order = forced.arrange(selector._rank(features, labels)).order
        return order[~np.isin(order, forced.forced_out)]

    def _own(self, features: Features, label: Labels) -> IntArray:
        """The best for this label that are significant given those selected already."""
        n_looked_at = self.n_shared + self.n_specific
        candidates = self._ranked(features, label, n_looked_at)[:n_looked_at]
        codes = _codes(features, candidates)
        truth = np.ravel(as_dense(label.codes))
        known: list[int] = self.shared_.tolist()
        own: list[int] = []
        leaves = _leaves(features, known, truth)
        for place, feature in enumerate(candidates.tolist()):
            if len(own) == self.n_specific:
                break
            if feature in known:
                continue
            new = conditional_mutual_information(
                codes[:, place], truth, leaves, correction="chi2"
            )
            if new > 0:
                own.append(feature)
                known.append(feature)
                leaves = _leaves(features, known, truth)
        return np.array(own, dtype=np.int64)

    def _wants_two_values(self) -> bool:
        return self._selector_of_labels()._wants_two_values()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._selector_of_labels())
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags


def specific_table(
    own: LabelSpecificSelector, feature_names: Sequence[str], label_names: Sequence[str]
) -> Table:
    """Which features each label has beyond those of all, best first."""
    rows = [
        {
            "label": label,
            "specific": ", ".join(feature_names[f] for f in some if f >= 0),
        }
        for label, some in zip(label_names, own.specific_table_, strict=True)
    ]
    columns = [Column("label", "label", style="name"), Column("its own", "specific")]
    return Table("beyond the features of all labels", columns, rows)


def _codes(features: Features, which: IntArray) -> IntArray:
    """Two codes per feature, or as many as it has values if these are few."""
    chosen = features.take_columns(which)
    coded = code_features(chosen, find_cuts(chosen, 2, "quantile"))
    codes = np.zeros(chosen.values.shape, dtype=np.int64)
    codes[:, coded.kept] = coded.dense()
    return codes


def _leaves(features: Features, known: list[int], truth: IntArray) -> IntArray:
    """The leaf of each row in a small tree that predicts a label."""
    from sklearn.tree import DecisionTreeClassifier

    table: FloatArray = as_dense(features.values[:, known])
    # A tree sees single precision: places in the order of values are as good.
    places = np.column_stack([np.unique(c, return_inverse=True)[1] for c in table.T])
    tree = DecisionTreeClassifier(
        max_leaf_nodes=LEAVES, min_samples_leaf=ROWS_PER_LEAF, random_state=0
    )
    leaves: IntArray = tree.fit(places, truth).apply(places)
    return leaves


def names_of_labels(y: Any, n_labels: int) -> Any:
    """The names of the labels of y as texts, or their numbers."""
    tags = read_tags(y)
    names = label_names(y) if tags is None else tags.names
    if names is None or len(names) != n_labels:
        return np.arange(n_labels)
    return np.array([str(name) for name in names], dtype=object)


def label_column(y: Any, place: int) -> Any:
    """One label of all."""
    y = without_tags(y)
    if is_frame(y):
        return np.asarray(y[names_of(y)[place]])
    if sp.issparse(y):
        return open_sparse(y, "y")[:, [place]].toarray().ravel()
    table = np.asarray(y)
    return table if table.ndim == 1 else table[:, place]
