"""TransformationSelector: a single-label score on transformed labels."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.stats import rankdata
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve._plumbing.machine import refuse_larger_than_memory
from labelsieve._plumbing.typing import BoolArray, FloatArray
from labelsieve.discretization import (
    BINNING_CONSTRAINTS,
    CodedColumns,
    code_features,
    code_labels,
    find_cuts,
    indicator_columns,
)
from labelsieve.engines import choose_engine, terms_of
from labelsieve.reading import Features, Labels
from labelsieve.selectors._base import LabelSelector, Ranking, rank_by_score
from labelsieve.selectors._capabilities import Capabilities
from labelsieve.selectors._decided import Decided, Which
from labelsieve.selectors._terms import ONLY, LabelRule, ScoreTerms
from labelsieve.selectors.relief import relieff
from labelsieve.selectors.transformations.contingency import Tables, chi2_sums
from labelsieve.selectors.transformations.forward import forward_selection
from labelsieve.selectors.transformations.problems import (
    BinaryRelevance,
    EntropyLabelAssignment,
    LabelPowerset,
    Problem,
    PrunedTransformation,
    Transformation,
)

if TYPE_CHECKING:
    from labelsieve.blocks import SurveyedRows
    from labelsieve.selectors._explain import Explained

__all__ = [
    "BinaryRelevance",
    "EntropyLabelAssignment",
    "LabelPowerset",
    "PrunedTransformation",
    "TransformationSelector",
]

# Scores from tables of codes by classes, and their titles.
CHI2 = "chi2"
TERMS = {CHI2: "chi-squared", "mutual_information": "mutual information"}
AGGREGATES = {
    "mean": "mean over labels",
    "max": "largest of all labels",
    "min": "smallest of all labels",
    "rank": "minus the mean rank over labels",
}
INSIDE = "transformation__"  # how names of its parameters begin
HITS_AND_MISSES, NEIGHBORS_OF_INFORMATION = 10, 4


class TransformationSelector(LabelSelector):
    """Turn many labels into classes, then score features as for a single label.

    The baselines of multi-label selection, such as LP+CHI, ELA+CHI, PPT+MI, LP+RF
    and BR+RF, are combinations of a transformation and a score.

    Parameters
    ----------
    transformation : transformation object or None, default=None
        `LabelPowerset` (which None means), `PrunedTransformation`,
        `EntropyLabelAssignment` or `BinaryRelevance`.
    score_func : {"chi2", "mutual_information", "relieff"} or callable, default="chi2"
        Pearson's chi-squared statistic or the mutual information of coded features
        and classes, the weight of ReliefF, or any scikit-learn score function: it
        gets X and the class of each row, and returns scores or (scores, p-values). It
        sees a nominal feature as a column of 0 and 1 for each category, of which the
        largest score counts.
    search : {"rank", "forward"}, default="rank"
        Score the features one by one, or pick them one after the other by the
        information that all picked features together give about the class,
        estimated from nearest neighbours (only with ``"mutual_information"``).
    aggregate : {"mean", "max", "min", "rank"}, default="mean"
        How `BinaryRelevance` makes one score out of those of all labels; with
        ``"rank"`` it is minus the mean rank.
    n_neighbors : int or None, default=None
        Nearest rows that ReliefF uses from each class (None means 10), or that
        ``search="forward"`` uses (None means 4).
    n_bins : int, default=2
        Number of codes for features with more distinct values; see `Discretizer`.
    binning : {"quantile", "uniform", "none"}, default="quantile"
        How values are coded for chi2 and mutual information; see `Discretizer`.
    missing : {"code", "error"}, default="code"
        With chi2 and mutual information, one feature at a time, missing cells are a
        code of their own, or refused. Other scores need all values.
    n_jobs : int or None, default=None
        Number of threads of ReliefF and of the forward search; the result does not
        depend on it.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The aggregated score. For ``search="forward"``: the information of the
        picked features up to this one; for the others, what they would have had
        in the last step.

    Notes
    -----
    ``score_func="chi2"`` is the statistic of the table of codes by classes. That of
    ``sklearn.feature_selection.chi2`` is another: it takes values for frequencies.
    ``search="forward"`` is meant for continuous features: equal values are neighbours
    at distance zero, which its estimate cannot use.

    References
    ----------
    K. Trohidis, G. Tsoumakas, G. Kalliris and I. Vlahavas, "Multi-label
    classification of music into emotions", ISMIR 2008; G. Doquire and M. Verleysen,
    "Feature selection for multi-label classification problems", IWANN 2011; N.
    Spolaor, E. Cherman, M. Monard and H. Lee, "A comparison of multi-label feature
    selection methods using the problem transformation approach", ENTCS 292, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import BinaryRelevance, TransformationSelector
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (60, 2))
    >>> X = np.hstack([rng.normal(size=(60, 3)), Y])
    >>> br = TransformationSelector(2, transformation=BinaryRelevance())
    >>> br.fit(X, Y).get_support(indices=True)
    array([3, 4])
    """

    _capabilities: ClassVar[Capabilities] = Capabilities(
        row_blocks={"score_func": tuple(TERMS), "search": ("rank",)},
        codes_features={"score_func": tuple(TERMS), "search": ("rank",)},
        picks_greedily={"search": ("forward",)},
        takes_missing={
            "score_func": tuple(TERMS),
            "search": ("rank",),
            "missing": ("code",),
        },
        takes_unknown={
            "transformation": (BinaryRelevance(),),
            "score_func": tuple(TERMS),
            "search": ("rank",),
        },
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LabelSelector._parameter_constraints,
        **BINNING_CONSTRAINTS,
        "transformation": [None, Transformation],
        "score_func": [StrOptions({*TERMS, "relieff"}), callable],
        "search": [StrOptions({"rank", "forward"})],
        "aggregate": [StrOptions({*AGGREGATES})],
        "n_neighbors": [None, Interval(Integral, 1, None, closed="left")],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_features_to_select: int | float = 0.1,
        *,
        include: Which = None,
        exclude: Which = None,
        transformation: Transformation | None = None,
        score_func: str | Callable[..., Any] = "chi2",
        search: str = "rank",
        aggregate: str = "mean",
        n_neighbors: int | None = None,
        n_bins: int = 2,
        binning: str = "quantile",
        missing: str = "code",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.exclude = exclude
        self.transformation = transformation
        self.score_func = score_func
        self.search = search
        self.aggregate = aggregate
        self.n_neighbors = n_neighbors
        self.n_bins = n_bins
        self.binning = binning
        self.missing = missing
        self.n_jobs = n_jobs

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters, with `deep` those of the transformation too.

        Parameters
        ----------
        deep : bool, default=True
            Whether to list ``transformation__tau`` and its like.

        Returns
        -------
        params : dict
            Values by name.
        """
        found: dict[str, Any] = super().get_params(deep=deep)
        if deep and isinstance(self.transformation, Transformation):
            inside = asdict(self.transformation).items()
            found |= {f"{INSIDE}{name}": value for name, value in inside}
        return found

    def set_params(self, **params: Any) -> TransformationSelector:
        """Set parameters; ``transformation__tau`` makes another transformation.

        Parameters
        ----------
        **params
            Values by name.

        Returns
        -------
        self : object
            The selector.
        """
        inside = {name for name in params if name.startswith(INSIDE)}
        super().set_params(**{n: v for n, v in params.items() if n not in inside})
        if unknown := sorted(inside - self.get_params().keys()):
            raise ValueError(
                f"Invalid parameter {unknown[0]!r} for {self!r}. Valid parameters are: "
                f"{sorted(self.get_params())}."
            )
        if inside:
            changed = {name.removeprefix(INSIDE): params[name] for name in inside}
            self.transformation = replace(self._transformation(), **changed)
        return self

    def _rank(self, features: Features, labels: Labels) -> Ranking:
        engine = self._engine(features, labels)
        if engine is not None:
            scores = np.zeros(features.constant.size)
            scores[engine.X.kept] = self._mean_of_labels(engine)
            return Ranking(scores, rank_by_score(scores, last=features.constant))
        transformation = self._transformation()
        if isinstance(transformation, BinaryRelevance):
            refuse_problems(labels, features.constant.size)
        problems = transformation.problems(labels)
        if self.search == "forward":
            return self._forward(features, problems)
        scores = np.zeros(features.constant.size)
        if problems:
            per_problem = self._scores(features, problems)
            per_problem[:, features.constant] = 0.0
            scores = aggregated(per_problem, self.aggregate)
        return Ranking(scores, rank_by_score(scores, last=features.constant))

    def _transformation(self) -> Transformation:
        return LabelPowerset() if self.transformation is None else self.transformation

    def _engine(self, features: Features, labels: Labels) -> Any:
        """What counts pairs, where these are all that the score is made of."""
        if not self._means_labels() or labels.n_unknown is not None:
            return None
        coded = code_features(features, find_cuts(features, self.n_bins, self.binning))
        coded_labels = code_labels(labels)
        if not self._sums_pairs(coded, coded_labels):
            return None
        X, Y = indicator_columns(coded), indicator_columns(coded_labels)
        return choose_engine(X, Y, self.n_jobs)

    def _means_labels(self) -> bool:
        """Whether the score is a mean of scores of single labels."""
        return (
            isinstance(self.transformation, BinaryRelevance)
            and self.score_func in TERMS
            and (self.search, self.aggregate) == ("rank", "mean")
        )

    def _sums_pairs(self, features: CodedColumns, labels: CodedColumns) -> bool:
        """Whether that mean follows from counts of pairs: columns have two codes."""
        both = features.n_codes, labels.n_codes
        return self._means_labels() and all(
            n_codes.size > 0 and bool((n_codes == 2).all()) for n_codes in both
        )

    def _mean_of_labels(self, engine: Any) -> FloatArray:
        """The mean of all labels' scores of the features that vary, two codes each."""
        if self.score_func == CHI2:
            return chi2_sums(engine) / engine.Y.n_blocks
        return terms_of(engine).relevance() / engine.Y.n_blocks

    def _scores(self, features: Features, problems: list[Problem]) -> FloatArray:
        """Scores of all features, one line per problem."""
        if self.score_func == "relieff":
            return self._relieff(features, problems)
        if callable(self.score_func):
            return np.array([self._call(features, problem) for problem in problems])
        coded = code_features(features, find_cuts(features, self.n_bins, self.binning))
        scores = np.zeros((len(problems), features.constant.size))
        if coded.kept.size:
            tables = Tables(coded)
            for line, problem in zip(scores, problems, strict=True):
                line[coded.kept] = tables.scores(problem, self.score_func == CHI2)
        return scores

    def _relieff(
        self, features: Features, problems: list[Problem], in_parts: bool = False
    ) -> FloatArray:
        k = self.n_neighbors or HITS_AND_MISSES
        found = [problem.single_classes("relieff") for problem in problems]
        # All problems have the same rows: either there is one, or each has them all.
        which, _ = found[0]
        if not any(of_rows.any() for _, of_rows in found):  # one class, or none
            lines = 2 * len(problems) if in_parts else len(problems)
            return np.zeros((lines, features.constant.size))
        classes = [of_rows for _, of_rows in found]
        return relieff(features, which, classes, k, self.n_jobs, in_parts)

    def _call(self, features: Features, problem: Problem) -> FloatArray:
        """Scores of a function that knows X and one class per row."""
        function: Any = self.score_func
        which, classes = problem.single_classes(getattr(function, "__name__", "..."))
        if np.unique(classes).size < 2:
            return np.zeros(features.constant.size)
        numbers = features.as_numbers()
        found = function(numbers.values[which], classes)
        scores = found[0] if isinstance(found, tuple) else found
        scores = np.asarray(scores, dtype=np.float64)
        if scores.shape != numbers.values.shape[1:]:
            raise ValueError(
                f"the score function returned scores of shape {scores.shape}; expected "
                f"one number per feature, {numbers.values.shape[1:]}."
            )
        # Constant features are 0 / 0 in many statistics.
        return numbers.groups.largest(np.where(np.isnan(scores), 0.0, scores))

    def _forward(self, features: Features, problems: list[Problem]) -> Ranking:
        if self.score_func != "mutual_information":
            raise ValueError(
                'search="forward" needs score_func="mutual_information", got '
                f'{self.score_func!r}. Use search="rank" for other scores.'
            )
        if isinstance(self.transformation, BinaryRelevance):
            raise ValueError(
                'search="forward" needs one class per row, but BinaryRelevance makes a '
                "problem of every label. Use PrunedTransformation or LabelPowerset."
            )
        which, classes = problems[0].single_classes("mutual_information")
        return forward_selection(
            features.as_numbers(),
            which,
            classes,
            self._n_kept(),
            Decided.of(self),
            self.n_neighbors or NEIGHBORS_OF_INFORMATION,
            self.n_jobs,
        )

    def _rank_blocks(self, rows: SurveyedRows) -> Ranking:
        from labelsieve.selectors.transformations.blocks import rank_tables

        return rank_tables(self, rows)

    def _wants_two_values(self) -> bool:
        return bool(getattr(self._transformation(), "two_valued_labels", False))

    def _terms(self, explained: Explained) -> ScoreTerms:
        scores = explained.scores
        if self.search == "forward":
            earlier = np.concatenate([[0.0], scores[:-1]])
            return ScoreTerms({"earlier picks": earlier, "this one": scores - earlier})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # fit has said it
            problems = self._transformation().problems(explained.labels)
        if isinstance(self.transformation, BinaryRelevance):
            return self._terms_of_labels(explained, problems)
        if self.score_func == "relieff" and problems:
            parts = self._relieff(explained.features, problems, in_parts=True)
            other, same = parts[:, explained.chosen]
            return ScoreTerms({"near rows, other classes": other, "same class": same})
        if callable(self.score_func):
            return explained.only_term()
        return explained.only_term(TERMS.get(self.score_func, self.score_func))

    def _terms_of_labels(
        self, explained: Explained, problems: list[Problem]
    ) -> ScoreTerms:
        """The score of each label, which is a problem of its own."""
        if self.score_func in TERMS and self.aggregate != "rank":
            per_problem = self._scores(explained.chosen_features, problems)
        else:  # what near rows or a function of the user look at is all features
            everything = self._scores(explained.features, problems)
            per_problem = everything[:, explained.chosen]
        varying = ~explained.labels.constant
        per_label = np.zeros((explained.chosen.size, varying.size))
        per_label[:, varying] = per_problem.T
        text, of = AGGREGATES[self.aggregate], None
        if self.aggregate != "rank":  # among all features
            of = partial(_over_labels, varying=varying, how=self.aggregate)
        label_rule = LabelRule(text, of)
        return ScoreTerms({text: explained.scores}, ONLY, per_label, label_rule)

    def _looks_again(self) -> bool:
        return self.search == "rank" and self.score_func not in TERMS


def refuse_problems(labels: Labels, n_features: int) -> None:
    """MemoryError before each label is a problem, if these do not fit in memory."""
    n_labels = int(np.count_nonzero(~labels.constant))
    refuse_larger_than_memory(
        (n_labels, n_features + labels.cells.shape[0]),
        "Scores and rows of each label",
        'The mean of labels (aggregate="mean") of features with two codes needs none; '
        "or take fewer labels, or EntropyLabelAssignment.",
        itemsize=8,
    )


def _over_labels(per_label: FloatArray, varying: BoolArray, how: str) -> FloatArray:
    """One score per feature (line) out of those of the labels that vary."""
    return aggregated(per_label[:, varying].T, how)


def aggregated(scores: FloatArray, how: str) -> FloatArray:
    """One score per feature out of one line per problem."""
    if how == "max":
        return scores.max(axis=0)
    if how == "min":
        return scores.min(axis=0)
    if how == "mean":
        return scores.mean(axis=0)
    # Scores that differ by rounding only share their rank.
    largest = np.abs(scores).max(axis=1, keepdims=True)
    rounded = np.round(scores / np.where(largest > 0, largest, 1.0), 12)
    return -rankdata(-rounded, axis=1).mean(axis=0)
