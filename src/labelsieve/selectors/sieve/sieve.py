"""Sieve: greedy selection by what features tell beyond all chosen ones and chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils._param_validation import StrOptions

from labelsieve._plumbing.messages import warn
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.discretization import (
    CodedColumns,
    Cuts,
    RankCuts,
    ValueCounts,
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
)
from labelsieve.engines import (
    BlockEngine,
    Columns,
    CsrEngine,
    DenseEngine,
    SparseEngine,
    block_entropies,
)
from labelsieve.reading import Features, Labels
from labelsieve.selectors._base import Ranking
from labelsieve.selectors._capabilities import Capabilities
from labelsieve.selectors._decided import Decided, Which
from labelsieve.selectors._greedy import pick_greedily, terms_at_picks
from labelsieve.selectors._information import InformationSelector
from labelsieve.selectors._terms import ScoreTerms
from labelsieve.selectors.sieve.categories import take_categories
from labelsieve.selectors.sieve.dense import AllPairs
from labelsieve.selectors.sieve.search import Pairs, Search
from labelsieve.selectors.sieve.significance import ERROR_RATES, Significance
from labelsieve.selectors.sieve.sparse import ListedPairs

if TYPE_CHECKING:
    from labelsieve.blocks import SurveyedRows
    from labelsieve.selectors._explain import Explained

WEIGHTS = ("variance", "equal", "information")


class _Coded(NamedTuple):
    """Features and labels that vary, as columns."""

    features: Columns
    labels: Columns
    partitions: BlockEngine | None = None


class Sieve(InformationSelector):
    """The selector to start with: what is new, about each label, beyond chance.

    In each step Sieve adds the feature f with the largest

    .. math::

        J(f) = \\sum_l \\frac{w_l}{H_l} \\Bigl[ \\min \\bigl\\{ I(f; l), \\;
               I(f; l \\mid s), \\; \\tfrac12 E_l(f \\mid S) \\bigr\\}
               - \\tfrac{1}{n} \\Bigr]_+

    what f tells of each label l at least: alone, beside any one chosen feature s, and
    beside all chosen features S together.

    - I is mutual information of codes, in nats, and :math:`H_l` the entropy of l.
    - :math:`E_l` is the share of the variance of l that f explains in a linear model
      beyond S: half of it is information, as long as it is small. Numbers are in it by
      normal scores of their ranks. Two codes would lose much of them, so I(f; l) of a
      number f, and I(f; l | s) where f or s is one, are half of the share as well.
    - 1/n is what chance shows, twice as much as on average: hundreds of labels add
      hundreds of zeros, not hundreds of errors.
    - :math:`w_l` = p(1 - p), the variance of the label: rare labels count by how many
      rows they can change. `label_weight` is the dial.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default=0.1
        How many features to pick, or which fraction of them (at least one), or
        ``"auto"``: pick only features that are significant for some label, as `error`
        says, and stop where none of the twenty best ones is. At least one is picked,
        with a warning if it is not significant.
    include, exclude : list of str or int, default=None
        Names or indices of features that the search starts from, so that what repeats
        them is not chosen, and of features that are never selected.
    label_weight : "variance", "equal", "information" or array-like, default="variance"
        How much each label counts: by its variance; all the same, but that a label of
        about ten rows counts half, because few rows tell little, and that rare labels
        get more than one feature, because each may fail; by its entropy; or as given,
        one number for each label.
    error : {"family", "fdr"}, default="family"
        What ``"auto"`` promises: features that tell nothing get any of them selected
        with a probability of at most 5 percent; or at most 10 percent of the selected
        ones, on average, tell nothing.
    n_bins : int, default=2
        The number of codes for features with more distinct values than that, where
        `binning` is not ``"rank"``.
    binning : {"rank", "quantile", "uniform", "none"}, default="rank"
        ``"rank"``: numbers count by scores of their ranks, but for columns of which
        more than half of the rows have the same value, such as weights of words, which
        are two codes, and for columns of few values that tell much more as categories,
        such as numbers of shops. Otherwise how values become codes; see
        :class:`~labelsieve.Discretizer`.
    missing : {"code", "error"}, default="code"
        Missing cells are a code of their own, or refused.
    n_jobs : int, default=None
        Number of threads; -1 uses all processors. The result does not depend on it.
    verbose : bool, default=False
        Show the progress of the picks on the standard error stream.

    Attributes
    ----------
    order_ : ndarray of shape (n_features,)
        All feature indices, best first: the picks in their order, then the others by
        their J after the last pick, then those that never vary. Ties fall by index.
    scores_ : ndarray of shape (n_features,)
        J of each feature at the moment of its pick; of the others after the last pick,
        beside all picks together and not beside each. Features that tell nothing new
        beyond chance have negative scores: above -1 where they clearly tell something
        alone, the higher the more, so that at worst they repeat what is chosen; from -1
        to -2 where they may tell nothing; -1 is a copy, and -2 is all of them as long
        as nothing is chosen.

    See Also
    --------
    PMU : Sums of interactions as published, without correction.
    SizeCV : How many features serve a classifier best.

    Notes
    -----
    Per label this is CMIM (conditional mutual information maximisation, Fleuret 2004)
    with forward orthogonal least squares, searched by lazy greedy evaluation (Minoux
    1978). Pure interactions, two features that are relevant only together, are out of
    its reach.

    A column of at most 32 frequent values counts as categories where these explain more
    than twice as much of the labels as its ranks do, and more of some label than chance
    does: numbers of shops or of months have an order that may tell nothing.

    Significance with ``"auto"``: a feature is tested by F beyond the chosen features,
    with the skewness that rare labels give to sums of ranks. A column of 0 and 1 must
    also pass Fisher's exact test, which holds for rare labels and features. Each label
    is tested over the rows where it is known.

    Examples
    --------
    >>> from labelsieve import Sieve
    >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]] * 25
    >>> Y = [[0, 0], [0, 0], [1, 0], [1, 1]] * 25
    >>> Sieve("auto").fit(X, Y).get_support(indices=True)
    array([0, 1])
    """

    _capabilities: ClassVar[Capabilities] = replace(
        InformationSelector._capabilities, picks_greedily=True
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **InformationSelector._parameter_constraints,
        "n_features_to_select": [
            *InformationSelector._parameter_constraints["n_features_to_select"],
            StrOptions({"auto"}),
        ],
        "label_weight": [StrOptions({*WEIGHTS}), "array-like"],
        "error": [StrOptions({*ERROR_RATES})],
        "binning": [StrOptions({"rank", "quantile", "uniform", "none"})],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select: int | float | str = 0.1,
        *,
        include: Which = None,
        exclude: Which = None,
        label_weight: Any = "variance",
        error: str = "family",
        n_bins: int = 2,
        binning: str = "rank",
        missing: str = "code",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.exclude = exclude
        self.label_weight = label_weight
        self.error = error
        self.n_bins = n_bins
        self.binning = binning
        self.missing = missing
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _binning(self) -> tuple[int, str]:
        """How features are coded, for all that is counted."""
        return (
            (2, "quantile") if self.binning == "rank" else (self.n_bins, self.binning)
        )

    def _sees_only_codes(self) -> bool:
        return self.binning != "rank"

    def _rank(self, features: Features, labels: Labels) -> Ranking:
        coded_labels = code_labels(labels)
        coded, columns = self._columns(features, coded_labels)
        if not coded.kept.size or not coded_labels.kept.size:
            return self._nothing_to_rank(coded)
        return self._rank_all(_Coded(columns, indicator_columns(coded_labels)))

    def _columns(
        self, features: Features, labels: CodedColumns, n_features: int | None = None
    ) -> tuple[CodedColumns, Columns]:
        """The features that vary as levels, and as columns."""
        if self.binning != "rank":
            coded = code_features(features, find_cuts(features, *self._binning()))
            return coded, indicator_columns(coded)
        cuts, rank_cuts = self._cut_into_ranks(features, labels, n_features)
        coded = code_features(features, cuts)
        return coded, score_columns(features.values, rank_cuts, coded)

    def _rank_blocks(self, rows: SurveyedRows) -> Ranking:
        cuts = self._cut_blocks(rows)
        coded = code_rows(rows, cuts[0])
        try:
            if not coded.features.kept.size or not coded.labels.kept.size:
                return self._nothing_to_rank(coded.features)
            found = block_columns(rows, coded, *cuts[1:])
            if isinstance(found, BlockEngine):
                return self._rank_all(_Coded(found.X, found.Y, found))
            return self._rank_all(_Coded(*found))
        finally:
            coded.close()

    def _cut_blocks(self, rows: SurveyedRows) -> tuple[Cuts] | tuple[Cuts, RankCuts]:
        """Where row blocks are cut into codes, and into ranks."""
        if self.binning != "rank":
            return (find_row_cuts(rows, *self._binning()),)
        labels = label_columns(rows)

        def count(few: RankCuts) -> Iterator[ValueCounts]:
            return count_values_in_blocks(rows, few, labels)

        return take_categories(*cut_rows_into_ranks(rows), labels, count)

    def _cut_into_ranks(
        self, features: Features, labels: CodedColumns, n_features: int | None = None
    ) -> tuple[Cuts, RankCuts]:
        """Cuts into codes and into ranks, of numbers that are no categories.

        These are sought among so many features, by default those that vary.
        """

        def count(few: RankCuts) -> Iterator[ValueCounts]:
            return count_values(features.values, few, labels)

        return take_categories(*cut_into_ranks(features), labels, count, n_features)

    def _cut_for(
        self, features: Features, labels: CodedColumns, n_features: int
    ) -> Cuts:
        if self.binning != "rank":
            return super()._cut_for(features, labels, n_features)
        return self._cut_into_ranks(features, labels, n_features)[0]

    def _rank_counts(self, coded: _Coded, n_select: int) -> Ranking:
        decided = Decided.of(self).among(coded.features.kept)
        search = self._search(coded, coded.features.n_blocks, decided.first)
        search.closed[decided.never] = True
        next_pick = None
        if self.n_features_to_select == "auto":
            tests = Significance(search.pairs, self.error)

            def is_significant(feature: int) -> bool:
                return tests.is_significant(feature, search.picks)

            def next_pick(best: int) -> int | None:
                found = search.first_that(is_significant, best)
                if found is None and not search.picks:
                    warn(
                        "no feature is significant for any label: the best one is "
                        "kept, and it may tell nothing."
                    )
                return found

        return pick_greedily(
            search.values,
            search.after_pick,
            n_select,
            "Sieve",
            self.verbose,
            next_pick,
            decided,
            search.final_values,
        )

    def _search(
        self, coded: _Coded, n_features: int, included: IntArray | None = None
    ) -> Search:
        """The search among so many features; "auto" asks only for what is new."""
        X, Y = coded.features, coded.labels
        only_new = self.n_features_to_select == "auto"
        pairs: Pairs
        if coded.partitions is not None:
            pairs = AllPairs(coded.partitions)
        elif X.is_sparse and not X.is_score.any():
            pairs = ListedPairs(SparseEngine(X, Y, self.n_jobs))
        else:
            pairs = AllPairs((CsrEngine if X.is_sparse else DenseEngine)(X, Y))
        weights = self._weights(Y.kept)
        entropy = block_entropies(Y)
        return Search(pairs, entropy, weights, n_features, only_new, included)

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
            raise ValueError(
                f"label_weight is {self.label_weight!r}; expected a number for each "
                "label."
            ) from None
        if weights.shape != (self._n_labels,):
            raise ValueError(
                f"label_weight has the shape {weights.shape}, and there are "
                f"{self._n_labels} labels: pass one number for each."
            )
        if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
            raise ValueError(
                "label_weight must hold finite numbers that are not negative, and some "
                "that is not zero."
            )
        return weights[kept]

    def _terms(self, explained: Explained) -> ScoreTerms:
        # A pick does not depend on features that were never picked, but for how many
        # there are.
        labels = explained.coded_labels
        _, columns = self._columns(
            explained.chosen_features, labels, explained.n_varying
        )
        self._n_labels = explained.labels.n_values.size
        coded = _Coded(columns, indicator_columns(labels))
        search = self._search(coded, explained.code(explained.features).n_codes.size)
        found = terms_at_picks(search)
        for name in ("told again", "within chance"):
            if not found[name].any():
                del found[name]
        return explained.of_counted(found)
