"""SPEC: spectral feature selection on the graph of shared labels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, Options

from labelsieve._utils.machine import (
    cached_property,
    one_thread_inside,
    refuse_larger_than_memory,
    run_in_threads,
)
from labelsieve._utils.matrices import slices_of
from labelsieve._utils.typing import FloatArray, IntArray, Matrix
from labelsieve.reading import Features
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._indicator import IndicatorSelector
from labelsieve.selectors._rows import LabelGraph, draw_anchors
from labelsieve.selectors._rows.scaled_rows import centred_columns, column_blocks
from labelsieve.selectors._terms import Named, Rule, ScoreTerms

SETS_PER_TASK = 512


class SPEC(IndicatorSelector):
    """Spectral feature selection (Zhao and Liu, 2007) on the graph of shared labels.

    A graph connects samples by the similarity of their label sets, as in GMBA. A good
    feature is smooth on the graph: connected samples have similar values.

    Parameters
    ----------
    phi : {1, 2, 3}, default=1
        Which of the three criteria of Zhao and Liu. 1: the normalised quadratic form of
        the Laplacian, small is good. 2: the same without the component along the
        trivial eigenvector. 3: alignment with the leading eigenvectors, large is good.
    n_eigenvectors : int or None, default=None
        How many non-trivial eigenvectors ``phi=3`` uses; None means as many as
        there are labels that vary.
    isolated_degree : float, default=0.0
        Degree of samples that share no label with another sample. With 0 they have no
        influence; the program of the GMBA paper uses 0.01.
    n_anchors : int or None, default=None
        Sum over the edges of only so many random samples. Not for ``phi=3``.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The criterion: small is good for ``phi`` 1 and 2, large is good for 3.
        Features that are constant among the connected samples have the worst value,
        infinity or 0.

    See Also
    --------
    GMBA : Learns feature weights on the same graph.

    Notes
    -----
    Features are centred over the samples of positive degree. A nominal feature is
    one-hot encoded, and the terms of its columns are summed.

    References
    ----------
    Z. Zhao and H. Liu, "Spectral feature selection for supervised and unsupervised
    learning", ICML 2007; with the similarity of P. Yan and Y. Li, ECML PKDD 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import SPEC
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (60, 2))
    >>> X = np.hstack([rng.normal(size=(60, 3)), Y + 0.3 * rng.normal(size=(60, 2))])
    >>> sorted(SPEC(2).fit(X, Y).order_[:2].tolist())
    [3, 4]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "phi": [Options(Integral, {1, 2, 3})],
        "n_eigenvectors": [None, Interval(Integral, 1, None, closed="left")],
        "isolated_degree": [Interval(Real, 0, None, closed="left")],
    }

    phi: int = 1
    n_eigenvectors: int | None = None
    isolated_degree: float = 0.0
    n_anchors: int | None = None
    random_state: Any = None
    n_jobs: int | None = None

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        graph = self._graph(indicator)
        constant = features.constant
        if not graph.edges.any():
            return np.zeros(constant.size)
        scores = self._criterion(graph, features, indicator).score()
        scores[constant] = 0.0 if self.phi == 3 else np.inf
        return scores

    def _graph(self, indicator: Matrix) -> SpectralGraph:
        n_rows = indicator.shape[0]
        which = draw_anchors(n_rows, self.n_anchors, self.random_state)
        if self.phi == 3 and which.size < n_rows:
            raise ValueError(
                "SPEC with phi=3 needs the eigenvectors of the whole graph, which "
                f"n_anchors={self.n_anchors} anchors do not have. Use phi=1 or phi=2, "
                "or n_anchors=None."
            )
        labels = LabelGraph.of(indicator)
        return SpectralGraph(labels, which, self.isolated_degree, self.n_jobs)

    def _goodness(self, scores: FloatArray) -> FloatArray:
        return scores if self.phi == 3 else -scores

    def _criterion(
        self, graph: SpectralGraph, features: Features, indicator: Matrix
    ) -> ScoreTerms:
        """What the scores of all features are made of.

        The criteria do not change with the scale of a feature, so that standardising
        needs no division. A feature is zero if rows with neighbours do not differ.
        """
        over, spread = np.zeros((2, features.values.shape[1]))
        degrees, joined = graph.degrees, graph.joined
        n_with = np.asarray(indicator.sum(axis=0)).ravel()
        n_varying = np.count_nonzero((n_with > 0) & (n_with < indicator.shape[0]))
        n_vectors = self.n_eigenvectors or int(n_varying)
        for columns, block in column_blocks(features.values):
            # Around the mean over the rows that have a degree.
            centred = centred_columns(block, None if self.isolated_degree else joined)
            rows = block if joined.all() else block[joined]
            centred[:, rows.min(axis=0) == rows.max(axis=0)] = 0.0
            if self.phi == 3:
                over[columns] = graph.closeness(centred, n_vectors)
            else:
                over[columns] = graph.roughness(centred)
            if self.phi == 2:
                # f'Df (1 - (f'xi_0)^2): the spread around the mean by degrees.
                centred -= degrees @ centred / degrees.sum()
            spread[columns] = degrees @ centred**2  # f'Df
        over, spread = map(features.groups.sums, (over, spread))
        if self.phi == 3:
            return ScoreTerms({"closeness": over, "spread": spread}, SPECTRUM)
        return ScoreTerms({"roughness": over, "spread": spread}, SMOOTHNESS)

    def _terms(self, explained: Explained) -> ScoreTerms:
        if self.n_anchors is not None:
            return explained.only_term("criterion")
        graph = self._graph(explained.indicator)
        if not graph.edges.any():
            return explained.only_term("criterion")
        return self._criterion(graph, explained.chosen_numbers, explained.indicator)


def _ratio(terms: Named, otherwise: float) -> FloatArray:
    """The first term over the second, or the worst value where that is zero."""
    over, under = terms.values()
    out = np.full(over.size, otherwise)
    return np.divide(over, under, out=out, where=under > 0)


SMOOTHNESS = Rule("roughness / spread", partial(_ratio, otherwise=np.inf))  # Eq. 17
SPECTRUM = Rule("closeness / spread", partial(_ratio, otherwise=0.0))


class SpectralGraph:
    """The graph whose vertices are rows and whose edges are label similarities.

    Rows with the same labels have the same neighbours, so every sum over edges is
    a sum over pairs of distinct label sets. The edges of the `anchors` (m,) to all
    rows are added up: `edges` (U,) holds the sum of A_ij over j for their label sets,
    else 0, and `degrees` (n,) D, the weights of rows in f'Df. Rows that share a label
    with another one are `joined` (n,), others have the `isolated_degree`.
    """

    def __init__(
        self,
        graph: LabelGraph,
        anchors: IntArray,
        isolated_degree: float,
        n_jobs: int | None,
    ) -> None:
        self.graph = graph
        self.n_jobs = n_jobs
        self.n_sets = graph.sets.shape[0]
        codes = graph.codes
        shared = (graph.frequencies > 1).astype(np.float64)
        self.joined_sets = np.asarray(graph.sets @ shared) > 0
        self.joined = self.joined_sets[codes]
        self.members = self._members(np.arange(codes.size))
        self.anchors = self._members(anchors)
        # Number of anchors with each label set; only these sets begin edges.
        n_anchors = np.bincount(codes[anchors], minlength=self.n_sets)
        self.own = np.flatnonzero(n_anchors)
        # A row is not its own neighbour, though it is similar to itself.
        itself = (np.diff(graph.sets.indptr) > 0).astype(np.float64)
        self.edges, self.set_degrees = np.zeros((2, self.n_sets))
        joined = self._run(lambda similarity, _: similarity @ graph.sizes)
        self.edges[self.own] = np.concatenate(joined) - itself[self.own]
        self.set_degrees[self.own] = np.where(
            self.edges[self.own] > 0, self.edges[self.own], isolated_degree
        )
        is_anchor = np.zeros(codes.size)
        is_anchor[anchors] = 1.0
        self.itself = is_anchor * itself[codes]
        self.degrees = is_anchor * self.set_degrees[codes]
        if anchors.size < codes.size:
            # Both ends of an edge take part in the spread, half each: what a feature
            # happens to be larger or smaller in the anchors than in other rows then
            # cancels. With all rows as anchors both halves are the same.
            parts = self._run(lambda similarity, sets: n_anchors[sets] @ similarity)
            reached = np.sum(parts, axis=0)
            here = is_anchor * self.edges[codes]
            self.degrees += 0.5 * (reached[codes] - self.itself - here)

    def _members(self, rows: IntArray) -> sp.csr_matrix:
        """Which of some rows have each label set."""
        cells = (np.ones(rows.size), (self.graph.codes[rows], rows))
        return sp.csr_matrix(cells, shape=(self.n_sets, self.graph.codes.size))

    def roughness(self, centred: FloatArray) -> FloatArray:
        """f'(D - A)f for each column f."""
        sums, of_anchors = self.members @ centred, self.anchors @ centred
        parts = self._run(lambda s, sets: ((s @ sums) * of_anchors[sets]).sum(axis=0))
        return (self.degrees + self.itself) @ centred**2 - np.sum(parts, axis=0)

    def closeness(self, centred: FloatArray, n_eigenvectors: int) -> FloatArray:
        """Sum of (2 - lambda) cos^2 of the angles to the leading eigenvectors."""
        joined = self.joined_sets
        sizes = self.graph.sizes[joined]
        # Smallest eigenvalues of the normalised Laplacian, without the trivial one.
        eigenvalues, vectors = self._eigenvectors
        leading = slice(eigenvalues.size - min(n_eigenvectors, sizes.size - 1), None)
        sums = (self.members @ centred)[joined]
        scale = np.sqrt(self.set_degrees[joined] / sizes)
        cosines = vectors[:, leading].T @ (scale[:, None] * sums)
        return (1.0 + eigenvalues[leading]) @ cosines**2  # 2 - lambda

    @cached_property
    def _eigenvectors(self) -> tuple[FloatArray, FloatArray]:
        joined = np.flatnonzero(self.joined_sets)
        refuse_larger_than_memory(
            (joined.size, joined.size, 3),
            "The matrix of distinct label sets",
            "phi=1 and phi=2 need no eigenvectors.",
            itemsize=8,
        )
        sizes, degrees = self.graph.sizes[joined], self.set_degrees[joined]
        table = self.graph.similarity(joined)[:, joined]
        table *= np.sqrt(sizes / degrees)[:, None] * np.sqrt(sizes / degrees)
        table[np.diag_indices(joined.size)] -= 1.0 / degrees
        trivial = np.sqrt(sizes * degrees / (sizes @ degrees))
        # Moves the eigenvalue 1 of the trivial eigenvector to the other end.
        table -= 2.0 * np.outer(trivial, trivial)
        return scipy.linalg.eigh(table)

    def _run(
        self, function: Callable[[FloatArray, IntArray], FloatArray]
    ) -> list[FloatArray]:
        """Call a function with some sets after the others: similarity to all, which."""

        def run(part: slice) -> FloatArray:
            return function(self.graph.similarity(self.own[part]), self.own[part])

        with one_thread_inside():
            tasks = slices_of(self.own.size, SETS_PER_TASK)
            return run_in_threads(run, tasks, self.n_jobs)
