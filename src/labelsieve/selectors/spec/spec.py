"""SPEC: features that vary smoothly over the graph of shared labels."""

from __future__ import annotations

from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, Options

from labelsieve._plumbing.typing import BoolArray, FloatArray, Matrix
from labelsieve.reading import Features, Groups
from labelsieve.selectors._base import Ranking
from labelsieve.selectors._capabilities import Capabilities
from labelsieve.selectors._decided import Which
from labelsieve.selectors._indicator import IndicatorSelector
from labelsieve.selectors._rows.anchors import ANCHOR_CONSTRAINTS, draw_anchors
from labelsieve.selectors._rows.label_graph import LabelGraph
from labelsieve.selectors._rows.scaled_rows import (
    Centre,
    centred_columns,
    column_blocks,
)
from labelsieve.selectors._terms import Named, Rule, ScoreTerms
from labelsieve.selectors.spec.anchors import (
    EdgeSums,
    SpecAnchors,
    criterion,
    edge_sums,
    joined_rows,
)
from labelsieve.selectors.spec.graph import SpectralGraph

if TYPE_CHECKING:
    from labelsieve.blocks import SurveyedRows
    from labelsieve.selectors._explain import Explained


class SPEC(IndicatorSelector):
    """Spectral selection (Zhao and Liu, 2007) on the graph of shared labels.

    Rows are joined by the similarity of their label sets, as in GMBA. A feature is
    good if rows that share labels have similar values.

    Parameters
    ----------
    phi : {1, 2, 3}, default=1
        Which of the three criteria of Zhao and Liu. 1: roughness of the feature on
        the graph, small is good. 2: the same without the part that a constant
        feature would have. 3: closeness to the leading eigenvectors of the graph,
        large is good.
    n_eigenvectors : int or None, default=None
        How many non-trivial eigenvectors ``phi=3`` uses; None means as many as
        there are labels that vary.
    isolated_degree : float, default=0.0
        Degree given to rows that share no label with another row. With 0 they have
        no influence; the program of the GMBA paper uses 0.01.
    n_anchors : int or None, default=None
        Add up over the edges of only so many rows, drawn at random, with all rows.
        Needed for Dask collections; not for ``phi=3``.
    random_state : int, RandomState instance or None, default=None
        Decides the anchors.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The criterion: small is good for ``phi`` 1 and 2, large is good for 3.
        Features that do not differ between rows with neighbours have the worst value,
        infinity or 0, as constant ones do.

    Notes
    -----
    Features are centred on the rows that have a degree. Rows that share no label with
    another row have one only by `isolated_degree`. The terms of a nominal feature are
    those of a column of 0 and 1 for each of its categories, added up.

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

    _capabilities: ClassVar[Capabilities] = Capabilities(
        row_blocks={"phi": (1, 2)}, needs_anchors=True, two_valued_labels=True
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **IndicatorSelector._parameter_constraints,
        "phi": [Options(Integral, {1, 2, 3})],
        "n_eigenvectors": [None, Interval(Integral, 1, None, closed="left")],
        "isolated_degree": [Interval(Real, 0, None, closed="left")],
        **ANCHOR_CONSTRAINTS,
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_features_to_select: int | float = 0.1,
        *,
        include: Which = None,
        exclude: Which = None,
        phi: int = 1,
        n_eigenvectors: int | None = None,
        isolated_degree: float = 0.0,
        n_anchors: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.exclude = exclude
        self.phi = phi
        self.n_eigenvectors = n_eigenvectors
        self.isolated_degree = isolated_degree
        self.n_anchors = n_anchors
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        n_rows = indicator.shape[0]
        if self.n_anchors is not None and self.n_anchors < n_rows:
            return self._score_some(features, indicator)
        graph, joined = self._graph(indicator)
        constant = features.constant
        if not joined.any():
            return np.zeros(constant.size)
        made_of = self._criterion(graph, joined, features, indicator)
        scores = made_of.score()
        scores[constant] = 0.0 if self.phi == 3 else np.inf
        return scores

    def _score_some(self, features: Features, indicator: Matrix) -> FloatArray:
        """The criterion from the edges of anchors in memory."""
        values = features.values
        which = draw_anchors(values.shape[0], self.n_anchors, self.random_state)
        frequencies = np.asarray(indicator.sum(axis=0, dtype=np.float64)).ravel()
        power = Centre.of_rows(values).power
        rows = joined_rows(
            values, indicator, frequencies, power, self.isolated_degree > 0
        )
        centre = Centre(power, rows.sums / max(1, rows.n_rows))
        some = sp.csr_matrix(indicator[which])
        anchors = SpecAnchors(values[which], some, frequencies, centre)
        sums = edge_sums(values, indicator, anchors)
        groups = features.groups
        flat = features.constant | groups.whole(rows.flat)
        return self._score_anchors(sums, anchors, flat, groups)

    def _rank_blocks(self, rows: SurveyedRows) -> Ranking:
        from labelsieve.selectors.spec.blocks import rank_edges

        return rank_edges(self, rows)

    def _graph(self, indicator: Matrix) -> tuple[SpectralGraph, BoolArray]:
        """The graph, and which of its rows have neighbours."""
        labels = LabelGraph.of(indicator)
        graph = SpectralGraph(labels, self.isolated_degree, self.n_jobs)
        return graph, (graph.edges > 0)[labels.codes]

    def _centred(self, block: FloatArray, joined: BoolArray) -> FloatArray:
        """Features around their mean over the rows that have a degree.

        The criteria do not change with the scale of a feature, so that standardising
        needs no division. A feature is zero if rows with neighbours do not differ.
        """
        rows = block if joined.all() else block[joined]
        centred = centred_columns(block, None if self.isolated_degree else joined)
        centred[:, rows.min(axis=0) == rows.max(axis=0)] = 0.0
        return centred

    def _score_anchors(
        self,
        sums: EdgeSums,
        anchors: SpecAnchors,
        constant: BoolArray,
        groups: Groups,
    ) -> FloatArray:
        """The criterion from the edges of the anchors."""
        if self.phi == 3:
            raise ValueError(
                "SPEC with phi=3 needs the eigenvectors of the whole graph, which "
                f"n_anchors={self.n_anchors} anchors do not have. Use phi=1 or phi=2, "
                "or n_anchors=None."
            )
        found = criterion(sums, anchors, self.isolated_degree, self.phi)
        scores = _smoothness(*map(groups.sums, found)).score()
        scores[constant] = np.inf
        return scores if np.isfinite(scores).any() else np.zeros_like(scores)

    def _goodness(self, scores: FloatArray) -> FloatArray:
        return scores if self.phi == 3 else -scores

    def _criterion(
        self,
        graph: SpectralGraph,
        joined: BoolArray,
        features: Features,
        indicator: Matrix,
    ) -> ScoreTerms:
        """What the scores of all features are made of."""
        over, spread = np.zeros((2, features.values.shape[1]))
        degrees = graph.degrees
        n_vectors = self.n_eigenvectors or _n_varying(indicator)
        for columns, block in column_blocks(features.values):
            centred = self._centred(block, joined)
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
        return _smoothness(over, spread)

    def _terms(self, explained: Explained) -> ScoreTerms:
        graph, joined = self._graph(explained.indicator)
        if self.n_anchors is not None or not joined.any():
            return explained.only_term("criterion")
        numbers = explained.chosen_numbers
        return self._criterion(graph, joined, numbers, explained.indicator)


def _n_varying(indicator: Matrix) -> int:
    rows = np.asarray(indicator.sum(axis=0)).ravel()
    return int(np.count_nonzero((rows > 0) & (rows < indicator.shape[0])))


def _smoothness(roughness: FloatArray, spread: FloatArray) -> ScoreTerms:
    return ScoreTerms({"roughness": roughness, "spread": spread}, SMOOTHNESS)


def _ratio(terms: Named, otherwise: float) -> FloatArray:
    """The first term over the second, or the worst value where that is zero."""
    over, under = terms.values()
    out = np.full(over.size, otherwise)
    return np.divide(over, under, out=out, where=under > 0)


SMOOTHNESS = Rule("roughness / spread", partial(_ratio, otherwise=np.inf))  # Eq. 17
SPECTRUM = Rule("closeness / spread", partial(_ratio, otherwise=0.0))
