"""How sure a choice is: parts of the rows, and shuffled labels."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt
from sklearn.utils.validation import _num_samples

from labelsieve._utils.estimators import check_count
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.choosing.size_cv import (
    AroundSelector,
    Rows,
    SizeCV,
    coded_once,
    parameter_of,
    run_rounds,
    seeds,
)
from labelsieve.metrics import Stability, stability
from labelsieve.reading import ColumnSelector, targets_in
from labelsieve.selectors import LabelSelector, check_selector


@dataclass(frozen=True)
class PermutationPValues:
    """What shuffled labels say about a selection.

    Attributes
    ----------
    selected : array of int
        The features that the selector chooses, in its order.
    p : array of shape (n_features,)
        How often shuffled labels give a feature a score as good as its own.
    p_family : array of shape (n_features,)
        How often they give *any* feature such a score: small values hold even for
        the best of many features.
    n_permutations : int
        How often labels were shuffled.
    """

    selected: IntArray
    p: FloatArray
    p_family: FloatArray
    n_permutations: int


def permutation_p_values(
    selector: LabelSelector,
    X: ArrayLike,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_permutations: int = 200,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> PermutationPValues:
    """Compare the scores of features with those under shuffled labels.

    Whole rows of labels are shuffled, so that labels keep their dependency on each
    other and features theirs. If no feature is relevant for any label, each
    p-value is uniform between 0 and 1.

    Parameters
    ----------
    selector : selector of this library
        What scores the features; it is not changed.
    X, y : as in `fit` of the selector
        The data.
    groups : array-like of shape (n_samples,), optional
        Which rows belong together, such as all visits of a patient: the labels of a
        whole group go to another one. Where that has more rows, some are repeated.
    sample_weight : array-like of shape (n_samples,), optional
        How much each sample counts, for selectors that take weights; it keeps its
        weight and its features, and gets other labels.
    n_permutations : int, default=200
        How often labels are shuffled; no p-value is below 1 / (n_permutations + 1).
    random_state : int, RandomState or None, default=None
        The seed of the shuffling.
    n_jobs : int, default=None
        Number of threads; -1 uses all processors. The result does not depend on it.
    verbose : bool, default=False
        Show the progress on the standard error stream.

    Returns
    -------
    result : PermutationPValues
        `selected`, `p`, `p_family` and `n_permutations`.

    Notes
    -----
    Scores that only compare the features of the same data with each other (MFS-MCDM,
    EMCFS density) are as large for shuffled labels: their p-values mean nothing.

    Examples
    --------
    >>> from labelsieve import FIMF
    >>> from labelsieve.choosing import permutation_p_values
    >>> from labelsieve.datasets import make_multilabel
    >>> X, Y, truth = make_multilabel(300, 3, random_state=0)
    >>> found = permutation_p_values(FIMF(4), X, Y, n_permutations=99, random_state=0)
    >>> found.p_family[found.selected].tolist()
    [0.01, 0.01, 0.01, 0.01]
    """
    check_selector(selector, "permutation_p_values", SizeCV)
    check_count(n_permutations, "n_permutations")
    data = Rows.of(selector, X, y, groups, sample_weight)
    # Says what is wrong with them before any fit.
    targets_in(data.y, data.X, parameter_of(selector, "target_types", "auto"))
    rows = np.arange(_num_samples(data.X))
    data, group_of = data.with_codes(rows.size)
    selector, data = coded_once(selector, data)
    fitted = data.fit(selector, rows)
    drawn = seeds(check_random_state(random_state), n_permutations)

    def score(task: int) -> FloatArray:
        random = np.random.default_rng(drawn[task])
        return _goodness(data.fit(selector, rows, _shuffled(group_of, random)))

    null = np.stack(run_rounds(score, len(drawn), "permutations", n_jobs, verbose))
    own = _goodness(fitted)
    n_chosen = int(fitted.support_.sum())
    return PermutationPValues(
        fitted.order_[:n_chosen],
        # The data themselves are one of the permutations.
        (1.0 + (null >= own).sum(axis=0)) / (n_permutations + 1.0),
        (1.0 + (null.max(axis=1, keepdims=True) >= own).sum(axis=0))
        / (n_permutations + 1.0),
        n_permutations,
    )


def _shuffled(group_of: IntArray, random: np.random.Generator) -> IntArray:
    """(n,) whose labels each row gets: those of a group, in any order, go together."""
    n_groups = int(group_of.max()) + 1
    if n_groups == group_of.size:
        return random.permutation(n_groups)
    members = np.split(np.argsort(group_of), np.cumsum(np.bincount(group_of))[:-1])
    shuffled = np.empty_like(group_of)
    for own, other in enumerate(random.permutation(n_groups)):
        donors = random.permutation(members[other])
        shuffled[members[own]] = np.resize(donors, members[own].size)
    return shuffled


def _goodness(fitted: LabelSelector) -> FloatArray:
    """The scores, turned around for methods whose small scores are good."""
    turned = getattr(fitted, "_goodness", None)
    return fitted.scores_ if turned is None else turned(fitted.scores_)


class StabilitySelection(AroundSelector):
    """Keep the features that a selector chooses from most halves of the rows.

    Parameters
    ----------
    selector : selector of this library, default=None
        What chooses; None means :class:`~labelsieve.Sieve`.
    n_subsamples : int, default=100
        How many parts of the rows are drawn.
    subsample : float in (0, 1), default=0.5
        The share of the rows in each part, drawn without replacement.
    threshold : float in (0, 1], default=0.6
        Keep the features that are chosen from at least this share of the parts; if
        there are none, the one that is chosen most often.

    Attributes
    ----------
    frequencies_ : ndarray of shape (n_features,)
        From which share of the parts each feature was chosen.
    stability_ : Stability
        Nogueira's index of the choices (`value`; 1 if they are all the same, 0 if
        they are as random choices) and its 95 % interval (`low`, `high`).
    order_ : ndarray of shape (n_features,)
        All feature indices, most frequently chosen first, ties by their mean rank.
    ranking_ : ndarray of shape (n_features,)
        The rank of each feature; 1 is best.

    Notes
    -----
    Where the selector turns values into codes, the cut points are those of all rows,
    found once; with weights of samples, those of each part.

    References
    ----------
    N. Meinshausen, P. Buehlmann: Stability selection. Journal of the Royal
    Statistical Society B 72(4), 2010.

    S. Nogueira, K. Sechidis, G. Brown: On the stability of feature selection
    algorithms. Journal of Machine Learning Research 18(174), 2018.

    Examples
    --------
    >>> from labelsieve import FIMF
    >>> from labelsieve.choosing import StabilitySelection
    >>> from labelsieve.datasets import make_multilabel
    >>> X, Y, truth = make_multilabel(300, 3, n_relevant=3, random_state=0)
    >>> sure = StabilitySelection(FIMF(6), n_subsamples=20, random_state=0).fit(X, Y)
    >>> sure.get_support(indices=True).size, sure.stability_.value > 0.5
    (7, True)
    """

    _feature_figure = ("frequency", "frequencies_")
    _takes = (ColumnSelector,)
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_subsamples": [Interval(Integral, 2, None, closed="left")],
        "subsample": [Interval(RealNotInt, 0, 1, closed="neither")],
        "threshold": [Interval(RealNotInt, 0, 1, closed="right")],
    }

    n_subsamples: int = 100
    subsample: float = 0.5
    threshold: float = 0.6

    def _fit(self, asked: Any, rows: Rows) -> None:
        drawn = seeds(check_random_state(self.random_state), self.n_subsamples)
        grouped = rows.feature_groups
        rows, group_of = rows.with_codes(rows.features.values.shape[0])
        asked, rows = coded_once(asked, rows)
        n_groups = int(group_of.max()) + 1
        n_drawn = max(2, int(self.subsample * n_groups))

        def choose(part: int) -> tuple[IntArray, FloatArray]:
            order = np.random.default_rng(drawn[part]).permutation(n_groups)
            part_of = np.flatnonzero(np.isin(group_of, order[:n_drawn]))
            fitted = rows.fit(asked, part_of)
            rank = np.empty(grouped.names.size)
            rank[grouped.groups_of(fitted.order_)] = np.arange(rank.size)
            return np.unique(grouped.group[fitted.support_]), rank

        title = type(self).__name__
        found = run_rounds(choose, len(drawn), title, self.n_jobs, self.verbose)
        chosen, ranks = zip(*found, strict=True)
        counts = np.bincount(np.concatenate(chosen), minlength=grouped.names.size)
        self.stability_: Stability = stability(chosen, grouped.names.size)
        order = np.lexsort((np.mean(ranks, axis=0), -counts))
        self.order_ = grouped.columns_of(order)
        self.ranking_ = np.argsort(self.order_) + 1
        self.frequencies_ = counts[grouped.group] / self.n_subsamples
        self.support_ = self.frequencies_ >= self.threshold
        self.support_ |= grouped.group == order[0]
