"""TransformationSelector: a single-label score after a problem transformation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.stats import rankdata
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve._utils.machine import refuse_larger_than_memory
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.blocks import SurveyedRows
from labelsieve.discretization import (
    BINNING_CONSTRAINTS,
    CodedBlocks,
    CodedColumns,
    block_engine,
    code_features,
    code_labels,
    code_rows,
    find_cuts,
    find_row_cuts,
    indicator_columns,
)
from labelsieve.engines import choose_engine, terms_of
from labelsieve.reading import Features, Labels
from labelsieve.selectors._base import Ranking, WeightedSelector, rank_by_score
from labelsieve.selectors._capabilities import Capabilities
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._forced import ForcedFeatures
from labelsieve.selectors._terms import ONLY, ScoreTerms
from labelsieve.selectors.relief import relieff
from labelsieve.selectors.transformations.contingency import (
    ClassTable,
    chi2_sums,
    label_tables,
    score_table,
    table_in_blocks,
    table_in_memory,
)
from labelsieve.selectors.transformations.problems import (
    BinaryRelevance,
    LabelPowerset,
    Transformation,
    single_classes,
)

# Scores from tables of codes by classes, and their titles.
CHI2 = "chi2"
TERMS = {CHI2: "chi-squared", "mutual_information": "mutual information"}
# When scores come from such tables.
BY_TABLES: dict[str, tuple[Any, ...]] = {
    "score_func": tuple(TERMS),
    "search": ("rank",),
}
AGGREGATES = {
    "mean": "mean over labels",
    "max": "largest of all labels",
    "min": "smallest of all labels",
    "rank": "minus the mean rank over labels",
}
INSIDE = "transformation__"  # how names of its parameters begin
HITS_AND_MISSES, NEIGHBORS_OF_INFORMATION = 10, 4


class TransformationSelector(WeightedSelector):
    """Problem transformation, then a single-label score: `SelectKBest` for many labels.

    The usual baselines of multi-label feature selection, such as LP+chi2, ELA+chi2,
    PPT+MI, LP+ReliefF and BR+ReliefF, combine a problem transformation with a score.

    Parameters
    ----------
    transformation : transformation object or None, default=None
        `LabelPowerset` (which None means), `PrunedTransformation`,
        `EntropyLabelAssignment` or `BinaryRelevance`.
    score_func : {"chi2", "mutual_information", "relieff"} or callable, default="chi2"
        Pearson's chi-squared statistic or mutual information of discretised features
        and classes, the ReliefF weight, or any scikit-learn score function such as
        `f_classif`: it gets X and the class of each sample, and returns scores or
        (scores, p-values). A nominal feature is one-hot encoded for it, and the largest
        score of its columns counts.
    search : {"rank", "forward"}, default="rank"
        Score each feature on its own, or select features one at a time by the mutual
        information of the whole subset and the class, estimated from nearest neighbours
        (only with ``"mutual_information"``).
    aggregate : {"mean", "max", "min", "rank"}, default="mean"
        How `BinaryRelevance` combines the scores of all labels; ``"rank"`` is minus the
        mean rank.
    n_neighbors : int or None, default=None
        Neighbours per class for ReliefF (None means 10), or for ``search="forward"``
        (None means 4).
    n_bins : int, default=2
        The number of bins of numeric features with more distinct values than that.
    binning : {"quantile", "uniform", "none"}, default="quantile"
        How numeric features are discretised for chi2 and mutual information; see
        `Discretizer`.
    missing : {"code", "error"}, default="code"
        Whether missing values are a level of their own, or refused: with chi2 and
        mutual information and ``search="rank"``. Other scores need all values.
    n_jobs : int or None, default=None
        Number of threads of ReliefF and of the forward selection; the result does not
        depend on it.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The aggregated score. For ``search="forward"``: the information of the subset up
        to this feature; for features that are not selected, the value in the last step.

    See Also
    --------
    FStatistic : Binary relevance with the F statistic, without a loop over labels.
    MLRF : ReliefF on pairs of labels.

    Notes
    -----
    ``score_func="chi2"`` is the statistic of the contingency table of levels and
    classes. ``sklearn.feature_selection.chi2`` differs: it treats values as
    frequencies. ``search="forward"`` is made for continuous features: equal values are
    neighbours at distance zero, where its estimate breaks down.

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
        row_blocks=BY_TABLES,
        codes_features=BY_TABLES,
        picks_greedily={"search": ("forward",)},
        takes_missing={**BY_TABLES, "missing": ("code",)},
        takes_classes={"transformation": (BinaryRelevance(), LabelPowerset())},
        takes_unknown={"transformation": (BinaryRelevance(),), **BY_TABLES},
        takes_weights=BY_TABLES,
        takes_groups=BY_TABLES,
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BINNING_CONSTRAINTS,
        "transformation": [None, Transformation],
        "score_func": [StrOptions({*TERMS, "relieff"}), callable],
        "search": [StrOptions({"rank", "forward"})],
        "aggregate": [StrOptions({*AGGREGATES})],
        "n_neighbors": [None, Interval(Integral, 1, None, closed="left")],
    }

    transformation: Transformation | None = None
    score_func: str | Callable[..., Any] = "chi2"
    search: str = "rank"
    aggregate: str = "mean"
    n_neighbors: int | None = None
    n_bins: int = 2
    binning: str = "quantile"
    missing: str = "code"
    n_jobs: int | None = None

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
        if self.search == "forward":
            return self._forward(features, labels)
        scores = np.zeros(features.constant.size)
        if self._means_labels() and labels.n_unknown is None:
            engine = self._engine(self._coded(features), code_labels(labels))
            if engine is not None and _has_two_levels(engine):
                scores[engine.X.kept] = self._mean_of_labels(engine)
                return Ranking(scores, rank_by_score(scores, last=features.constant))
        if isinstance(self.transformation, BinaryRelevance):
            n_labels = int(np.count_nonzero(~labels.constant))
            refuse_larger_than_memory(
                (n_labels, features.constant.size + labels.codes.shape[0]),
                "Scores and rows of each label",
                'The mean of labels (aggregate="mean") of features with two codes '
                "needs none; or take fewer labels, or EntropyLabelAssignment.",
                itemsize=8,
            )
        per_problem = self._scores(features, labels)
        if len(per_problem):
            per_problem[:, features.constant] = 0.0
            scores = aggregated(per_problem, self.aggregate)
        return Ranking(scores, rank_by_score(scores, last=features.constant))

    def _rank_blocks(self, rows: SurveyedRows) -> Ranking:
        scores = np.zeros(rows.columns.constant.size)
        coded = code_rows(rows, find_row_cuts(rows, self.n_bins, self.binning))
        try:
            if coded.features.kept.size and coded.labels.kept.size:
                scores[coded.features.kept] = self._score_blocks(rows, coded)
        finally:
            coded.close()
        return Ranking(scores, rank_by_score(scores, last=rows.columns.constant))

    def _score_blocks(self, rows: SurveyedRows, coded: CodedBlocks) -> FloatArray:
        """Scores of the features that vary."""
        if isinstance(self.transformation, BinaryRelevance):
            engine = block_engine(coded)
            if self._means_labels() and _has_two_levels(engine):
                return self._mean_of_labels(engine)
            tables = [*label_tables(engine)]
        else:
            (members,) = self._transformation().problems(rows.labels)
            tables = [table_in_blocks(coded, rows, members)]
        found = self._score_tables(tables, coded.features.start)
        return aggregated(found, self.aggregate)

    def _transformation(self) -> Transformation:
        return LabelPowerset() if self.transformation is None else self.transformation

    def _coded(self, features: Features) -> CodedColumns:
        return code_features(features, find_cuts(features, self.n_bins, self.binning))

    def _engine(self, features: CodedColumns, labels: CodedColumns) -> Any:
        """What counts pairs of features and labels; None where none of them vary."""
        if not features.kept.size or not labels.kept.size:
            return None
        X, Y = indicator_columns(features), indicator_columns(labels)
        return choose_engine(X, Y, self.n_jobs)

    def _means_labels(self) -> bool:
        """Whether the score is a mean of scores of single labels."""
        return (
            isinstance(self.transformation, BinaryRelevance)
            and self._binning() is not None
            and self.aggregate == "mean"
        )

    def _mean_of_labels(self, engine: Any) -> FloatArray:
        """The mean of all labels' scores of the features that vary, two codes each."""
        if self.score_func == CHI2:
            return chi2_sums(engine) / engine.Y.n_blocks
        return terms_of(engine).relevance() / engine.Y.n_blocks

    def _scores(self, features: Features, labels: Labels) -> FloatArray:
        """Scores of all features, one line per problem."""
        n_features = features.constant.size
        if self._binning() is not None:
            coded = self._coded(features)
            found = self._score_tables(self._tables(coded, labels), coded.start)
            scores = np.zeros((len(found), n_features))
            scores[:, coded.kept] = found
            return scores
        if self.score_func == "relieff":
            return self._relieff(features, labels)
        problems = self._transformation().problems(labels)
        called = [self._call(features, members) for members in problems]
        return np.array(called).reshape(len(called), n_features)

    def _tables(self, coded: CodedColumns, labels: Labels) -> Iterator[ClassTable]:
        """One table of codes by classes for each problem."""
        if not isinstance(self.transformation, BinaryRelevance):
            for members in self._transformation().problems(labels):
                yield table_in_memory(coded, members)
        elif (engine := self._engine(coded, code_labels(labels))) is not None:
            yield from label_tables(engine)

    def _score_tables(
        self, tables: Iterable[ClassTable], start: IntArray
    ) -> FloatArray:
        """Scores of coded features, one line per table."""
        found = [score_table(table, start, self.score_func == CHI2) for table in tables]
        return np.array(found).reshape(len(found), start.size - 1)

    def _relieff(
        self, features: Features, labels: Labels, in_parts: bool = False
    ) -> FloatArray:
        problems = self._transformation().problems(labels)
        found = [single_classes(members, "relieff") for members in problems]
        classes = [of_rows for _, of_rows in found]
        if not any(of_rows.any() for of_rows in classes):  # one class, or none
            lines = 2 * len(classes) if in_parts else len(classes)
            return np.zeros((lines, features.constant.size))
        # All problems have the same rows: either there is one, or each has them all.
        which, _ = found[0]
        k = self.n_neighbors or HITS_AND_MISSES
        return relieff(features, which, classes, k, self.n_jobs, in_parts)

    def _call(self, features: Features, members: Any) -> FloatArray:
        """Scores of a function that knows X and one class per row."""
        function: Any = self.score_func
        which, classes = single_classes(members, getattr(function, "__name__", "..."))
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

    def _forward(self, features: Features, labels: Labels) -> Ranking:
        from labelsieve.selectors.transformations.forward import forward_selection

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
        (members,) = self._transformation().problems(labels)
        which, classes = single_classes(members, "mutual_information")
        return forward_selection(
            features.as_numbers(),
            which,
            classes,
            self._n_kept(),
            ForcedFeatures.of(self),
            self.n_neighbors or NEIGHBORS_OF_INFORMATION,
            self.n_jobs,
        )

    def _wants_two_values(self) -> bool:
        return bool(getattr(self._transformation(), "two_valued_labels", False))

    def _terms(self, explained: Explained) -> ScoreTerms:
        scores = explained.scores
        if self.search == "forward":
            earlier = np.concatenate([[0.0], scores[:-1]])
            return ScoreTerms({"score so far": earlier, "gain": scores - earlier})
        if isinstance(self.transformation, BinaryRelevance):
            return self._terms_of_labels(explained)
        if self.score_func == "relieff":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # fit has said it
                parts = self._relieff(explained.features, explained.labels, True)
            other, same = parts[:, explained.chosen]
            return ScoreTerms({"misses": other, "hits": same})
        if callable(self.score_func):
            return explained.only_term()
        return explained.only_term(TERMS[self.score_func])

    def _terms_of_labels(self, explained: Explained) -> ScoreTerms:
        """The score of each label, which is a problem of its own."""
        if self._binning() is not None:
            per_problem = self._scores(explained.chosen_features, explained.labels)
        else:  # what near rows or a function of the user look at is all features
            everything = self._scores(explained.features, explained.labels)
            per_problem = everything[:, explained.chosen]
        varying = ~explained.labels.constant
        per_label = np.zeros((explained.chosen.size, varying.size))
        per_label[:, varying] = per_problem.T
        text = AGGREGATES[self.aggregate]
        return ScoreTerms({text: explained.scores}, ONLY, per_label, text)

    def _looks_again(self) -> bool:
        return self.search == "rank" and self._binning() is None


def _has_two_levels(engine: Any) -> bool:
    """Whether a mean over labels follows from counts of pairs."""
    return bool((engine.X.width == 1).all() and (engine.Y.width == 1).all())


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
