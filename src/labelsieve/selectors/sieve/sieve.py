"""Sieve: greedy selection by what features tell beyond all chosen ones and chance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from labelsieve._plumbing.typing import FloatArray
from labelsieve._plumbing.warnings import warn
from labelsieve.counting import Counts
from labelsieve.information import label_entropy
from labelsieve.selectors._base import Ranking, best_of
from labelsieve.selectors._capabilities import Capabilities
from labelsieve.selectors._decided import Decided, Which
from labelsieve.selectors._greedy import Criterion, pick_greedily, terms_at_picks
from labelsieve.selectors._information import InformationSelector
from labelsieve.selectors._terms import ScoreTerms
from labelsieve.selectors.sieve.conditional import Conditional, clear_from
from labelsieve.selectors.sieve.unexplained import Unexplained

if TYPE_CHECKING:
    from labelsieve.selectors._explain import Explained

# With "auto", how likely features that tell nothing may get any of them selected.
ERROR_RATE = 0.05


class Sieve(InformationSelector):
    """The selector to start with: what is new, about each label, beyond chance.

    In each step Sieve adds the feature f with the largest

    .. math::

        J(f) = \\sum_l V_l \\sqrt{E_l(f \\mid S) \\, M_l(f \\mid S)}
               \\;+\\; u(f) \\, \\max_{s \\in S} Z(f, s)

    where S are the features chosen so far and l the labels.

    - :math:`E_l` is the share of the variance of l that f explains in a linear model
      beyond *all* chosen features together: it knows that several chosen features
      can make f superfluous which none of them repeats alone.
    - :math:`M_l` is the least of I(f; l) and all I(f; l | s), as a share of the
      entropy of l: it knows dependence of any form, but only one chosen feature at a
      time. The geometric mean lets a feature count as far as both agree.
    - From both is taken four times what chance explains on average (the residual
      variance over its degrees of freedom; half the degrees of freedom of the
      occupied cells, over n), which is where two standard errors are passed, and
      nothing falls below zero: hundreds of labels add hundreds of zeros, not hundreds
      of errors.
    - :math:`V_l` = p(1 - p) is the variance of the label: rare labels count by how
      many rows they can change.
    - Z is what the *product* of f and a chosen feature explains of the labels: zero
      unless it is significant among all pairs of features and labels, larger than
      what both explain by themselves, and a tenth of a label's variance. So the
      second half of an exclusive or is found once the first is chosen. The share u
      of f that the chosen features do not explain keeps copies out.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default=0.1
        How many features to pick, or which fraction of them (at least one), or
        ``"auto"``: stop before the first feature that is not significant for any
        label. Features that tell nothing at all get any of them selected, beyond the
        first, with a probability of at most 5 percent.
    include, exclude : list of str or int, default=None
        Names or indices of features that the search starts from, so that what repeats
        them is not chosen, and of features that are never selected.
    n_bins : int, default=2
        The number of codes for features with more distinct values than that.
    binning : {"quantile", "uniform", "none"}, default="quantile"
        How values become codes; see :class:`~labelsieve.Discretizer`.
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
        their J after the last pick, then those that never vary.
    ranking_ : ndarray of shape (n_features,)
        The rank of each feature; 1 is best.
    scores_ : ndarray of shape (n_features,)
        J of each feature at the moment of its pick, or after the last pick. Where
        nothing exceeds chance, the share of the labels' variance that f explains by
        itself times the share of f that is new, less 1: such scores are negative,
        and -1 is a repetition.
    support_ : ndarray of shape (n_features,)
        Which features are kept.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has names that are all strings.
    label_names_in_ : ndarray of shape (n_labels,)
        The names of the labels, where y has names that are all strings.

    See Also
    --------
    PMU : Sums of interactions as published, without correction.
    SizeCV : How many features serve a classifier best.

    Notes
    -----
    Two features that only together tell something, by themselves nothing (an
    exclusive or), are out of reach of a greedy search until one of them is chosen
    for another reason. Significance with ``"auto"`` is judged by Bernstein's
    inequality, which holds for rare features and labels too, with a factor for the
    number of features and labels.

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
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select: int | float | str = 0.1,
        *,
        include: Which = None,
        exclude: Which = None,
        n_bins: int = 2,
        binning: str = "quantile",
        missing: str = "code",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.exclude = exclude
        self.n_bins = n_bins
        self.binning = binning
        self.missing = missing
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _rank_counts(self, counts: Counts, n_select: int) -> Ranking:
        search = _Search(counts)
        auto = self.n_features_to_select == "auto"
        decided = Decided.of(self).among(counts.features.kept)
        possible = search.values.copy()
        possible[decided.never] = -np.inf
        nothing_in = auto and not decided.first.size
        if nothing_in and not search.is_significant(best_of(possible)):
            warn(
                "no feature is significant for any label: the best one is kept, and "
                "it may tell nothing."
            )
        return pick_greedily(
            search.values,
            search.after_pick,
            n_select,
            "Sieve",
            self.verbose,
            search.is_significant if auto else None,
            decided,
        )

    def _terms(self, explained: Explained) -> ScoreTerms:
        counts = explained.counts_of_chosen
        # A pick does not depend on features that were never picked, but for the limit
        # of significance, which counts all of them.
        n_indicators = (explained.code(explained.features).n_codes - 1).sum()
        found = terms_at_picks(_Search(counts, clear_from(n_indicators, counts)))
        if not found["within chance"].any():
            del found["within chance"]
        return explained.of_counted(found)


class _Search(Criterion):
    """The criterion along the picks, whose synergy is clear from a limit on."""

    def __init__(self, counts: Counts, limit: float | None = None) -> None:
        self.counts = counts
        self._linear = Unexplained(counts)
        self._given = Conditional(counts, limit=limit)
        # V sqrt(E M), with E and M in rows, is sqrt(E M V / H) / n.
        variance = self._linear.label_variance / counts.n_rows
        self._scale = np.sqrt(variance / label_entropy(counts))
        self._alone = self._linear.alone()
        n_tests = float(counts.x_start[-1]) * counts.n_label_values
        self._limit = np.log(2.0 * n_tests / ERROR_RATE)
        self.values = self._criterion()

    def _criterion(self) -> FloatArray:
        J = self._linear.gains(self._given.least, self._scale)
        J += self._together()
        alone = self._linear.uniqueness * self._alone
        return np.where(J > 0.0, J / self.counts.n_rows, alone - 1.0)

    def _together(self) -> FloatArray:
        """What features tell only together with a pick, as far as they are new."""
        return self._linear.uniqueness * self._given.synergy

    def terms(self) -> dict[str, FloatArray]:
        """What is new about labels, and what is told only together with a pick."""
        told = self.values > 0.0
        together = np.where(told, self._together() / self.counts.n_rows, 0.0)
        return {
            "new about labels": np.where(told, self.values - together, 0.0),
            "synergy": together,
            "within chance": np.where(told, 0.0, self.values),
        }

    def after_pick(self, pick: int) -> FloatArray:
        """J of every feature once another is chosen."""
        self._linear.choose(pick, self._given.choose(pick).n_fa)
        self.values = self._criterion()
        return self.values

    def is_significant(self, feature: int) -> bool:
        """Whether a feature tells something about a label, all features considered."""
        clear = self._linear.log_odds_of_chance(feature) > self._limit
        return bool(clear or self._given.synergy[feature] > 0.0)
