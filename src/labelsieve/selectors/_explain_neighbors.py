"""What the scores of methods that look at near rows, or at classes, are made of."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.base import clone

from labelsieve._plumbing.typing import FloatArray
from labelsieve.neighbors import nearest
from labelsieve.reading import Features
from labelsieve.selectors._explain_base import (
    ONLY,
    Explained,
    ScoreTerms,
    looks_again,
    made_of,
    only_term,
)
from labelsieve.selectors.gmba.gmba import GMBA
from labelsieve.selectors.relief.mlrf import MLRF, pair_weights, varying_labels
from labelsieve.selectors.relief.relieff_ml import ReliefFML, _share, label_distances
from labelsieve.selectors.relief.sums import ReliefSums
from labelsieve.selectors.transformations.problems import BinaryRelevance, Problem
from labelsieve.selectors.transformations.selector import (
    HITS_AND_MISSES,
    TransformationSelector,
)

TITLES = {"chi2": "chi-squared", "mutual_information": "mutual information"}
AGGREGATES = {
    "mean": "mean over labels",
    "max": "largest of all labels",
    "min": "smallest of all labels",
    "rank": "minus the mean rank over labels",
}


@made_of.register
def _(selector: ReliefFML, explained: Explained) -> ScoreTerms:
    sums = ReliefSums(explained.features, slice(None))
    n_rows = sums.rows.shape[0]
    k = min(selector.n_neighbors, n_rows - 1)
    jobs = selector.n_jobs
    neighbors, _ = nearest(sums.rows, k=k, metric=sums.metric, n_jobs=jobs)
    apart = label_distances(explained.indicator, neighbors)

    def coefficients(block: slice) -> Iterator[FloatArray]:
        for weights in (apart, 1.0 - apart):
            out = np.zeros((block.stop - block.start, n_rows))
            np.put_along_axis(out, neighbors[block], weights[block], axis=1)
            yield out

    differ_apart, differ_together = sums.add_up(coefficients, jobs)
    together = apart.size - apart.sum()
    terms = {
        "where labels differ": _share(differ_apart, apart.sum()),
        "where labels agree": -_share(differ_together, together),
    }
    return ScoreTerms({name: term[explained.chosen] for name, term in terms.items()})


@made_of.register
def _(selector: MLRF, explained: Explained) -> ScoreTerms:
    """Rows that are misses more than hits, over all pairs of labels, and the others."""
    from labelsieve.selectors.relief.kernels import pair_coefficients

    if selector.n_anchors is not None:
        return only_term(selector, explained, "weight")
    labels = varying_labels(explained.indicator)
    both = labels.astype(np.int64)
    weights = pair_weights((both.T @ both).toarray())
    sums = ReliefSums(explained.features, slice(None))
    search = sums.distances()
    table = (
        labels.toarray(),
        labels.indptr.astype(np.int64),
        labels.indices.astype(np.uint32),
    )

    def coefficients(block: slice) -> Iterator[FloatArray]:
        out = search.block(block)
        places = np.arange(block.start, block.stop)
        pair_coefficients(out, places, *table, weights, selector.n_neighbors)
        yield np.maximum(out, 0.0)
        yield np.minimum(out, 0.0)

    parts = sums.add_up(coefficients, selector.n_jobs)[:, explained.chosen]
    if selector.aggregate == "mean":
        parts /= max(1, selector.n_pairs_)
    return ScoreTerms({"near rows, other labels": parts[0], "same labels": parts[1]})


@made_of.register
def _(selector: GMBA, explained: Explained) -> ScoreTerms:
    scores = explained.scores
    if selector.solver == "sequential":
        return ScoreTerms(
            {"weight at the start": np.ones(scores.size), "learned": scores - 1.0}
        )
    if selector.n_anchors is not None:
        return only_term(selector, explained, "slope")
    # The loss is a sum of two, and the trade-off a factor of the second.
    first = clone(selector).set_params(trade_off=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        pull = first._score(explained.features, explained.indicator)[explained.chosen]
    return ScoreTerms({"similar rows near": pull, "margin": scores - pull})


@made_of.register
def _(selector: TransformationSelector, explained: Explained) -> ScoreTerms:
    scores = explained.scores
    if selector.search == "forward":
        earlier = np.concatenate([[0.0], scores[:-1]])
        return ScoreTerms({"earlier picks": earlier, "this one": scores - earlier})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # fit has said it
        problems = selector._transformation().problems(explained.labels)
    if isinstance(selector.transformation, BinaryRelevance):
        return _of_labels(selector, explained, problems)
    if selector.score_func == "relieff" and problems:
        parts = _hits_and_misses(selector, explained.features, problems[0])
        names = ("near rows, other classes", "same class")
        terms = zip(names, parts[:, explained.chosen], strict=True)
        return ScoreTerms(dict(terms))
    function = selector.score_func
    name = "score" if callable(function) else TITLES.get(function, function)
    return only_term(selector, explained, name)


def _of_labels(
    selector: TransformationSelector, explained: Explained, problems: list[Problem]
) -> ScoreTerms:
    """The score of each label, which is a problem of its own."""
    if selector.score_func in TITLES and selector.aggregate != "rank":
        per_problem = selector._scores(explained.chosen_features, problems)
    else:  # what near rows or a function of the user look at is all features
        everything = selector._scores(explained.features, problems)
        per_problem = everything[:, explained.chosen]
    per_label = np.zeros((explained.chosen.size, explained.labels.n_values.size))
    per_label[:, ~explained.labels.constant] = per_problem.T
    rule = AGGREGATES[selector.aggregate]
    return ScoreTerms({rule: explained.scores}, ONLY, per_label, rule)


def _hits_and_misses(
    selector: TransformationSelector, features: Features, problem: Problem
) -> FloatArray:
    """What ReliefF adds for near rows of other classes, and takes for the own."""
    from labelsieve.selectors.relief.kernels import class_coefficients

    which, classes = problem.single_classes("relieff")
    if not which.size:
        return np.zeros((2, features.values.shape[1]))
    sums = ReliefSums(features, which)
    search = sums.distances()
    shares = np.bincount(classes) / classes.size
    k = selector.n_neighbors or HITS_AND_MISSES

    def coefficients(block: slice) -> Iterator[FloatArray]:
        distances = search.block(block)
        out = np.empty_like(distances)
        class_coefficients(distances, block.start, classes, shares, k, out)
        yield np.maximum(out, 0.0)
        yield np.minimum(out, 0.0)

    return sums.add_up(coefficients, selector.n_jobs)


@looks_again.register
def _(selector: ReliefFML | MLRF) -> bool:
    return True


@looks_again.register
def _(selector: GMBA) -> bool:
    return selector.solver == "batch"


@looks_again.register
def _(selector: TransformationSelector) -> bool:
    return selector.search == "rank" and selector.score_func not in TITLES
