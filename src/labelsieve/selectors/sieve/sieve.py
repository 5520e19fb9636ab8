"""Sieve: greedy selection by relevance given the selected features, above chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _num_samples

from labelsieve._utils.estimators import fits_in_one_step
from labelsieve._utils.messages import warn
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.blocks import is_lazy
from labelsieve.discretization import (
    NO_RANKS,
    CodedColumns,
    Cuts,
    RankCuts,
    block_columns,
    code_features,
    code_labels,
    code_rows,
    count_values,
    count_values_in_blocks,
    cut_into_ranks,
    cut_rows_into_ranks,
    find_cuts,
    find_row_cuts,
    indicator_columns,
    label_columns,
    score_columns,
    with_members,
    with_scores,
)
from labelsieve.engines import (
    BlockEngine,
    Columns,
    CsrEngine,
    DenseEngine,
    SparseEngine,
    block_entropies,
)
from labelsieve.folds import group_codes
from labelsieve.reading import Features, Labels
from labelsieve.selectors._base import NumericTargets, Ranking
from labelsieve.selectors._capabilities import Capabilities
from labelsieve.selectors._forced import ForcedFeatures, costs_of, size_limits
from labelsieve.selectors._greedy import pick_greedily, terms_at_picks
from labelsieve.selectors._information import InformationSelector
from labelsieve.selectors._terms import ScoreTerms
from labelsieve.selectors.sieve.categories import take_categories
from labelsieve.selectors.sieve.dense import AllPairs
from labelsieve.selectors.sieve.search import Pairs, Search
from labelsieve.selectors.sieve.significance import (
    ERROR_RATES,
    Significance,
    find_squares,
)
from labelsieve.selectors.sieve.sparse import ListedPairs

if TYPE_CHECKING:
    from labelsieve.blocks import SurveyedRows
    from labelsieve.selectors._explain import Explained

WEIGHTS = ("variance", "balanced", "information")
# With so many numbers samples are not equal by chance; so many may be.
FEWEST_SCORES, MOST_REPEATED = 4, 0.05


class _Coded(NamedTuple):
    """Features and labels that vary, as columns."""

    features: Columns
    labels: Columns
    partitions: BlockEngine | None = None

    @property
    def engine(self) -> Any:
        """The engine of all columns, some of which are scores."""
        if self.partitions is not None:
            return self.partitions
        kind = CsrEngine if self.features.is_sparse else DenseEngine
        return kind(self.features, self.labels)


def _with_squares(
    cuts: RankCuts, columns: Callable[[RankCuts], _Coded], n_features: int | None = None
) -> _Coded:
    """Columns with squares of numbers where these are significant."""
    found = columns(cuts.with_squares(np.ones(cuts.columns.size, dtype=bool)))
    if not cuts.columns.size or not found.labels.n_blocks:
        return found
    squared = find_squares(found.engine, n_features or found.features.n_blocks)
    return columns(cuts.with_squares(squared))


def _warn_of_repeated(X: Columns) -> None:
    """Say that samples repeat each other in all numbers: by chance they never do."""
    (scores,) = np.nonzero(X.is_score[X.owner])
    if scores.size < FEWEST_SCORES:
        return
    seen = X.values[:, scores] @ np.random.default_rng(0).random(scores.size)
    n_repeated = seen.size - np.unique(seen).size
    if n_repeated > MOST_REPEATED * seen.size:
        warn(
            f"{n_repeated} samples repeat others exactly, yet each counts as an "
            "independent one: pass groups=, or drop them, for valid tests."
        )


class Sieve(NumericTargets, InformationSelector):
    """The selector to start with: relevance to each label beyond the chosen features.

    In each step Sieve adds, of the significant features, the one with the largest gain

    .. math::

        J(f) = \\sum_l \\frac{w_l}{H_l} \\Bigl[ \\min \\bigl\\{ I(f; l), \\;
               I(f; l \\mid s), \\; \\tfrac12 E_l(f \\mid S) \\bigr\\}
               - \\tfrac{1}{n} \\Bigr]_+

    the least relevance of f to each label l: by itself, given any one pick s, and
    beyond all picks S together. I is mutual information of levels, in nats, :math:`H_l`
    the entropy of l, 1/n twice the bias under independence, :math:`w_l` = p(1 - p) the
    variance of l, unless `label_weight` says otherwise. :math:`E_l` is the share of
    that variance that f explains in a linear model beyond S. Numbers are in it by
    normal scores of their ranks, and by squares of these where effects are not
    monotone; for numbers the other views are half of such a share as well.

    Once no significant feature gains anything, significant but redundant ones follow by
    their relevance, then those that may be noise.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default=0.1
        How many features to pick, or which fraction of them (at least one), or
        ``"auto"``: those that are significant for some label, as `error_rate` and
        `alpha` say; if none is, the best one, with a warning.
    include, exclude : list of str or int, default=None
        Names or indices of features that the search starts from, so that what repeats
        them is not chosen, and of features that are never selected.
    label_weight : str or array-like, default="variance"
        How much each label counts: by its ``"variance"``; ``"balanced"``, all the same,
        but those with about ten samples less, and with more than one feature each; by
        its entropy, ``"information"``; or one number for each label.
    error_rate : {"fwer", "fdr"}, default="fwer"
        What ``"auto"`` controls: family-wise error rate or false discovery rate.
    alpha : float, default=None
        The level of that error rate; None means 0.05 for "fwer" and 0.1 for "fdr".
    feature_costs : array-like or dict, default=None
        What each feature (or group) costs to measure, or a dict of some by name, where
        others cost 1: the gain by cost is then maximised.
    max_cost : float, default=None
        A budget instead of a number: features are picked as long as one of them can be
        paid, with ``"auto"`` as long as they are significant too.
    n_bins : int, default=2
        The number of levels of features with more values, if `binning` is not "rank".
    binning : {"rank", "quantile", "uniform", "none"}, default="rank"
        ``"rank"``: numbers count by scores of their ranks; but columns with one value
        in more than half of the samples, such as weights of words, have two levels, and
        nominal features coded as integers their own. Otherwise how values become
        levels; see :class:`~labelsieve.Discretizer`.
    missing : {"code", "error"}, default="code"
        Missing cells are a code of their own, or refused.
    verbose : bool, default=False
        Show the progress of the picks on the standard error stream.

    Attributes
    ----------
    order_ : ndarray of shape (n_features,)
        All feature indices, best first: the picks, then the others as they stand after
        the last pick, then those that never vary. Ties fall by index.
    scores_ : ndarray of shape (n_features,)
        They never rise along `order_`, but for features of `include`. Above 0: the gain
        J of a significant feature. From -1 to 0: significant but redundant. From -2 to
        -1: not significant. From -3 to -2: nothing beyond its bias, -2 is a copy.

    See Also
    --------
    PMU : Sums of interactions as published, without correction.
    SizeCV : How many features serve a classifier best.

    Notes
    -----
    Per label this is CMIM (conditional mutual information maximisation, Fleuret 2004)
    with forward orthogonal least squares. Pure interactions, two features that are
    relevant only together, are out of its reach.

    Examples
    --------
    >>> from labelsieve import Sieve
    >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]] * 25
    >>> Y = [[0, 0], [0, 0], [1, 0], [1, 1]] * 25
    >>> Sieve("auto").fit(X, Y).get_support(indices=True)
    array([0, 1])
    """

    _capabilities: ClassVar[Capabilities] = replace(
        InformationSelector._capabilities,
        picks_greedily=True,
        takes_numbers=True,
        takes_mixtures=True,
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": [
            *InformationSelector._parameter_constraints["n_features_to_select"],
            StrOptions({"auto"}),
        ],
        "label_weight": [StrOptions({*WEIGHTS}), "array-like"],
        "error_rate": [StrOptions({*ERROR_RATES})],
        "alpha": [Interval(Real, 0, 1, closed="neither"), None],
        "feature_costs": [None, dict, "array-like"],
        "max_cost": [Interval(Real, 0, None, closed="neither"), None],
        "binning": [StrOptions({"rank", "quantile", "uniform", "none"})],
        "verbose": ["verbose"],
    }

    label_weight: Any = "variance"
    error_rate: str = "fwer"
    alpha: float | None = None
    feature_costs: Any = None
    max_cost: float | None = None
    binning: str = "rank"
    verbose: bool = False

    @fits_in_one_step
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Sieve:
        """Rank the features of X by their relevance to the labels y.

        Parameters
        ----------
        groups : array-like of shape (n_samples,), default=None
            Which samples belong together, such as all visits of a patient. With
            ``"auto"`` samples of a group count as fewer than so many independent ones.
        """
        if groups is not None and (is_lazy(X) or is_lazy(y)):
            raise TypeError(
                "groups are for samples in memory, not for Dask collections: draw some "
                "of them with labelsieve.datasets.sample_rows."
            )
        codes = None if groups is None else group_codes(groups, _num_samples(X))
        self._groups, self._unproven = codes, np.empty(0, dtype=np.int64)
        super().fit(X, y, sample_weight)
        self._groups = None
        return self

    def _binning(self) -> tuple[int, str]:
        """How features are coded, for all that is counted."""
        is_rank = self.binning == "rank"
        return (2, "quantile") if is_rank else (self.n_bins, self.binning)

    def _sees_only_codes(self) -> bool:
        return self.binning != "rank"

    def _rank(self, features: Features, labels: Labels) -> Ranking:
        coded, found = self._columns(features, code_labels(labels), labels.scores)
        if not coded.kept.size or not found.labels.n_blocks:
            return self._nothing_to_rank(coded)
        return self._rank_all(found)

    def _columns(
        self,
        features: Features,
        labels: CodedColumns,
        scores: Mapping[int, IntArray],
        n_features: int | None = None,
    ) -> tuple[CodedColumns, _Coded]:
        """The features that vary as levels, and as columns with those of targets."""
        cuts, rank_cuts = self._cuts(features, labels, n_features)
        coded = code_features(features, cuts)
        Y = with_scores(indicator_columns(labels), scores)

        def columns(rank_cuts: RankCuts) -> _Coded:
            return _Coded(score_columns(features.values, rank_cuts, coded), Y)

        found = _with_squares(rank_cuts, columns, n_features)
        if self.binning == "rank":  # otherwise combinations of levels serve
            found = found._replace(features=with_members(found.features, features))
        return coded, found

    def _rank_blocks(self, rows: SurveyedRows) -> Ranking:
        if self.binning == "rank":
            labels = label_columns(rows)
            count = partial(count_values_in_blocks, rows, labels=labels)
            cuts, ranks = take_categories(*cut_rows_into_ranks(rows), labels, count)
        else:
            cuts, ranks = find_row_cuts(rows, *self._binning()), NO_RANKS
        coded = code_rows(rows, cuts)

        def columns(ranks: RankCuts) -> _Coded:
            return _Coded(*block_columns(rows, coded, ranks))

        try:
            if not coded.features.kept.size or not coded.labels.kept.size:
                return self._nothing_to_rank(coded.features)
            return self._rank_all(_with_squares(ranks, columns))
        finally:
            coded.close()

    def _cuts(
        self, features: Features, labels: CodedColumns, n_features: int | None = None
    ) -> tuple[Cuts, RankCuts]:
        """Cuts into levels, and into ranks of numbers that are no categories."""
        if self.binning != "rank":
            return find_cuts(features, *self._binning()), NO_RANKS
        count = partial(count_values, features.values, labels=labels)
        return take_categories(*cut_into_ranks(features), labels, count, n_features)

    def _cut_for(
        self, features: Features, labels: CodedColumns, n_features: int
    ) -> Cuts:
        return self._cuts(features, labels, n_features)[0]

    def _rank_counts(self, coded: _Coded, n_select: int) -> Ranking:
        forced = ForcedFeatures.of(self).among(coded.features.kept)
        costs = costs_of(self, coded.features.kept)
        included = 0.0 if costs is None else costs[forced.forced_in].sum()
        if self.max_cost is not None and included > self.max_cost:
            raise ValueError(
                f"the features of include cost {included:g}, more than "
                f"max_cost={self.max_cost}."
            )
        search = self._search(coded, coded.features.n_blocks, forced, costs)
        if self.n_features_to_select == "auto":
            groups = None if self._groups is None else self._groups[self._samples]
            if groups is None and coded.partitions is None:
                _warn_of_repeated(coded.features)
            tests = Significance(search.pairs, self.error_rate, self.alpha, groups)
            search.passes = tests.passes
        search.stops = search.passes is not None or self.max_cost is not None
        found = pick_greedily(self, search, n_select, forced)
        self._unproven = coded.features.kept[search.unproven]
        # What a pick gains may rise while others are picked; scores follow the order.
        rest = found.order[forced.forced_in.size :]
        found.scores[rest] = np.minimum.accumulate(found.scores[rest])
        return found

    def _significance(self, features: IntArray) -> list[str]:
        scores, unproven = self.scores_[features], np.isin(features, self._unproven)
        classes = [(scores > 0) & ~unproven, (scores > -1) & (scores < 0)]
        names = ["significant", "redundant"]
        return np.select(classes, names, "not significant").tolist()

    def _n_wanted(self) -> int:
        most = size_limits(self, int(self.n_features_in_))[1]
        return super()._n_wanted() if self.max_cost is None else most

    def _search(
        self,
        coded: _Coded,
        n_features: int,
        forced: ForcedFeatures,
        costs: FloatArray | None,
    ) -> Search:
        """The search among so many features; "auto" asks only for what is new."""
        X, Y, only_new = *coded[:2], self.n_features_to_select == "auto"
        is_sparse = coded.partitions is None and X.is_sparse and X.weight is None
        pairs: Pairs
        if is_sparse and not (X.is_score.any() or Y.is_score.any()):
            pairs = ListedPairs(SparseEngine(X, Y, self.n_jobs))
        else:
            pairs = AllPairs(coded.engine)
        labels = block_entropies(Y), self._weights(Y.kept)
        budget = np.inf if self.max_cost is None else float(self.max_cost)
        return Search(pairs, *labels, n_features, only_new, forced, costs, budget)

    def _remember_labels(self, names: Sequence[Any]) -> None:
        super()._remember_labels(names)
        self._n_labels = len(names)

    def _weights(self, kept: IntArray) -> str | FloatArray:
        """What is said of the weights of labels, for those that are counted."""
        if isinstance(self.label_weight, str):
            return self.label_weight
        try:
            weights = np.asarray(self.label_weight, dtype=np.float64)
        except (TypeError, ValueError):
            weights = np.empty(0)
        is_finite = np.isfinite(weights).all() and weights.any()
        if weights.shape != (self._n_labels,) or not is_finite or weights.min() < 0:
            raise ValueError(
                f"label_weight is {self.label_weight!r}; expected a number for each "
                f"target, {self._n_labels} in all: none negative, and some not zero."
            )
        return weights[kept]

    def _terms(self, explained: Explained) -> ScoreTerms:
        # A pick does not depend on features that were never picked, but for how many
        # there are.
        data = explained.chosen_features, explained.coded_labels
        _, coded = self._columns(*data, explained.labels.scores, explained.n_varying)
        self._n_labels = explained.labels.n_values.size
        n_features = explained.code(explained.features).n_codes.size
        chosen = explained.chosen[coded.features.kept]
        forced_in = np.isin(chosen, ForcedFeatures.of(self).forced_in)
        included = np.arange(np.count_nonzero(forced_in))
        forced = ForcedFeatures(included, included[:0])
        search = self._search(coded, n_features, forced, costs_of(self, chosen))
        found = terms_at_picks(search).items()
        shown = {name: term for name, term in found if name == "gain" or term.any()}
        return explained.of_counted(shown)
