"""What the scores of regressions, scatters, graphs and densities are made of."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.threads import one_thread_inside
from labelsieve._plumbing.typing import FloatArray
from labelsieve.selectors._explain_base import (
    ONLY,
    Explained,
    ScoreTerms,
    looks_again,
    made_of,
    only_term,
)
from labelsieve.selectors._rows.label_graph import LabelGraph
from labelsieve.selectors._rows.scaled_rows import centred_columns, dense_columns
from labelsieve.selectors.density.emcfs_density import EMCFSDensity
from labelsieve.selectors.mlfs.mlfs import MLFS, _occurring
from labelsieve.selectors.regression import mfs_mcdm
from labelsieve.selectors.regression.mfs_mcdm import MFSMCDM
from labelsieve.selectors.regression.rfs import RFS
from labelsieve.selectors.regression.solvers import (
    ridge_weights,
    sparse_row_weights,
    standardized_table,
)
from labelsieve.selectors.spec.graph import SpectralGraph
from labelsieve.selectors.spec.spec import SPEC

CLOSENESS = "from the worst / (from the worst + from the ideal)"
F_RATIO, SMOOTHNESS = "between labels / within labels", "roughness / spread"
SPECTRUM = "closeness / spread"


@made_of.register
def _(selector: RFS, explained: Explained) -> ScoreTerms:
    labels = _dense_labels(explained)
    X = standardized_table(explained.features.values)
    robust = selector.loss == "robust"
    with one_thread_inside():
        W, _ = sparse_row_weights(
            X,
            labels - labels.mean(axis=0),
            selector.strength,
            robust,
            selector.max_iter,
        )
    weights = W[explained.chosen]
    length = np.sqrt((weights**2).sum(axis=1))
    rule = "length of the weights of the labels"
    return ScoreTerms({"length of the weights": length}, ONLY, weights, rule)


@made_of.register
def _(selector: MFSMCDM, explained: Explained) -> ScoreTerms:
    labels = _dense_labels(explained)
    shares = labels.mean(axis=0)
    X = standardized_table(explained.features.values)
    with one_thread_inside():
        W = ridge_weights(X, labels - shares, np.full(X.shape[1], selector.alpha))
    table = np.abs(W)
    length = np.sqrt((table**2).sum(axis=0))
    table *= mfs_mcdm._entropy(shares) / np.where(length > 0, length, 1.0)
    own = table[explained.chosen]
    terms = {
        "from the worst": np.sqrt(((own - table.min(axis=0)) ** 2).sum(axis=1)),
        "from the ideal": np.sqrt(((own - table.max(axis=0)) ** 2).sum(axis=1)),
    }
    return ScoreTerms(terms, CLOSENESS, own, "coordinates of the feature")


@made_of.register
def _(selector: MLFS, explained: Explained) -> ScoreTerms:
    classes = _occurring(explained.indicator)
    frequencies = np.diff(classes.indptr)
    n_rows, n_classes = classes.shape[1], frequencies.size
    if n_classes < 2:
        return only_term(selector, explained)
    centred = _centred(explained)
    sums, squares = classes @ centred, classes @ centred**2
    means = sums / frequencies[:, None]
    between = frequencies @ (means - sums.sum(axis=0) / frequencies.sum()) ** 2
    scatter = np.maximum(squares - sums * means, 0.0)
    if selector.within == "sum_var":
        scatter = scatter / frequencies[:, None]
    factor = max(1, n_rows - n_classes) / (n_classes - 1)
    terms = {
        "between labels": factor * between,
        "within labels": scatter.sum(axis=0),
    }
    return ScoreTerms(terms, F_RATIO)


@made_of.register
def _(selector: SPEC, explained: Explained) -> ScoreTerms:
    graph = SpectralGraph(
        LabelGraph.of(explained.indicator), selector.isolated_degree, selector.n_jobs
    )
    if selector.n_anchors is not None or not graph.edges.any():
        return only_term(selector, explained, "criterion")
    centred, degrees = _centred(explained), graph.degrees
    if selector.phi == 3:
        n_labels = explained.indicator.shape[1]
        wanted = selector.n_eigenvectors or n_labels
        near = graph.closeness(centred, wanted)
        terms = {"closeness": near, "spread": degrees @ centred**2}
        return ScoreTerms(terms, SPECTRUM)
    around = centred
    if selector.phi == 2:
        around = centred - degrees @ centred / degrees.sum()
    terms = {"roughness": graph.roughness(centred), "spread": degrees @ around**2}
    return ScoreTerms(terms, SMOOTHNESS)


@made_of.register
def _(selector: EMCFSDensity, explained: Explained) -> ScoreTerms:
    chosen_by = selector.label_support_[:, explained.chosen]
    n_labels = chosen_by.sum(axis=0).astype(np.float64)
    terms = {"labels that choose it": n_labels, "density": explained.scores - n_labels}
    per_label = chosen_by.T.astype(np.float64)
    return ScoreTerms(
        terms, labels=per_label, label_rule="1 for a label that chooses it"
    )


@looks_again.register
def _(selector: RFS | MFSMCDM) -> bool:
    return True


def _dense_labels(explained: Explained) -> FloatArray:
    labels = explained.indicator
    table = labels.toarray() if sp.issparse(labels) else labels
    return np.asarray(table, dtype=np.float64)


def _centred(explained: Explained) -> FloatArray:
    values = explained.chosen_features.values
    by_column = values.tocsc() if sp.issparse(values) else values
    return centred_columns(dense_columns(by_column, slice(None)))
