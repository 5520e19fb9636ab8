"""Sieve's formula on dense tables, with parts that can be left out.

Features are 0/1 columns or numbers: all cells are there, and labels are 0 or 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import stats
from scipy.special import ndtri

# A feature of whose variance this share is left repeats the chosen ones.
REPEATED = 0.01
N_LEVELS = 64
# How often the values are exceeded that features which may be noise compare with.
FOR_EVIDENCE = 1e-6


@dataclass(frozen=True)
class Formula:
    """Sieve's formula with parts that can be left out.

    Attributes
    ----------
    alone, one, together : which views of a pair are in the minimum: alone, beside any
        one chosen feature, beside all of them
    strict : how many times the level of chance is taken off
    ranks : whether numbers are scores of ranks; otherwise they are split at the median
    squares : whether numbers get squares of scores where these are significant
    defers : whether numbers that are not significant wait
    tail : by what significant features that gain nothing are ordered
    weight : how much labels count
    values : whether values take the place of scores where they explain more
    ridge : what is added to the variance of a pick before it is projected out
    shrink : with so many positive samples a label counts half
    """

    alone: bool = True
    one: bool = True
    together: bool = True
    strict: float = 1.0
    ranks: bool = True
    squares: bool = True
    defers: bool = True
    tail: str = "relevance"
    weight: str = "variance"
    values: bool = False
    ridge: float = 0.0
    shrink: float = 0.0


def order(
    X: Any, Y: Any, n_picks: int, formula: Formula, swaps: bool = False
) -> list[int]:
    """The first picks of a formula; with a pass of swaps each is chosen again."""
    table, coded = _columns(X, formula.ranks)
    if formula.values:
        _take_values(table, coded, X, Y)
    (varying,) = np.nonzero(table.std(axis=0) > 0)
    start = table[:, varying], coded[varying], Y.astype(np.float64), formula
    search = _Search(*start)
    picks: list[int] = []
    lead = 0  # of significant picks over others
    for _ in range(min(n_picks, varying.size)):
        values = search.values_but(picks)
        picks.append(int(values.argmax()))
        lead += 1 if values.max() > 0.0 else -1
        if -1.0 < values.max() < 0.0 or lead <= 0:
            search.distrust_gains()
        search.choose(picks[-1])
    for place in range(len(picks) * swaps):
        search, others = _Search(*start), picks[:place] + picks[place + 1 :]
        for other in others:
            search.choose(other)
        values = search.values_but(others)
        if values.max() > values[picks[place]] + 1e-9:
            picks[place] = int(values.argmax())
    return varying[picks].tolist()


class _Search:
    """J of every feature, now; all in samples times nats.

    A feature has two columns, of which the second is the square of a score or nothing.
    """

    def __init__(self, table: Any, coded: Any, Y: Any, formula: Formula) -> None:
        self._table, self._coded, self._Y, self._formula = table, coded, Y, formula
        self.n, self.D = table.shape
        p = Y.mean(axis=0)
        variance, entropy = p - p * p, -p * np.log(p) - (1 - p) * np.log(1 - p)
        equal = variance / (variance + 10.0 / self.n)
        weights = {"variance": variance, "balanced": equal, "information": entropy}
        weight = weights[formula.weight]
        if formula.shrink:
            n_positive = self.n * np.minimum(p, 1 - p)
            weight = weight * n_positive / (n_positive + formula.shrink)
        self._scale, self._whole = weight / entropy / self.n, weight.sum()
        self._targets = (Y - p) / np.sqrt(variance) / np.sqrt(self.n)
        squares = np.rint(43 * (table / 52) ** 2) * ~coded
        self._columns = np.stack([_standard(table), _standard(squares)])
        self._start_projecting()
        self._columns[1] *= self._squared(squares, Y) & formula.squares
        self._start_projecting()
        self._alone = self._C, self._V
        self._left_of_labels, self._n_basis = np.ones(p.size), 0
        self._basis: list[Any] = []
        self._chance = formula.strict
        self._joint = table.T @ Y
        k = np.arange(self.n + 1.0)
        self._k_log_k = k * np.log(np.maximum(k, 1.0))
        self._start()

    def _start_projecting(self) -> None:
        """C (2, D, L) and V (2, 2, D): products with targets, and within features."""
        self._C = np.einsum("cnd,nl->cdl", self._columns, self._targets)
        self._V = np.einsum("bnd,cnd->bcd", self._columns, self._columns) / self.n

    def _squared(self, squares: Any, Y: Any) -> Any:
        """(D,) which numbers have a square that is significant beyond the score."""
        first, second = (
            parts**2 / self.n for parts, _ in self._parts(self._C, self._V)
        )
        F = second * (self.n - 3) / (1.0 - first - second)
        p = np.where(second > first, stats.f.sf(F, 1, self.n - 3), 1.0)
        limit = 0.005 / (self.D * Y.shape[1])
        m, n, skewness = Y.sum(axis=0), self.n, stats.skew(squares, axis=0)
        tilt = (n - 2 * m) * np.sqrt(n - 1) / ((n - 2) * np.sqrt(m * (n - m)))
        tilted = np.abs(np.outer(np.nan_to_num(skewness), tilt))
        some = p <= limit
        p[some] = 2 * stats.pearson3.sf(stats.norm.isf(p[some] / 2), tilted[some])
        return (p <= limit).any(axis=1) & ~self._coded

    def _parts(self, C: Any, V: Any) -> Any:
        """(D, L) C of each column beyond the first one, and (D,) whether it counts."""
        at_first = np.stack([self._columns[c].any(axis=0) * REPEATED for c in (0, 1)])
        counts = (V[0, 0] > at_first[0]) & (V[0, 0] > 0)
        root = np.sqrt(np.where(counts, V[0, 0], np.inf))
        yield C[0] / root[:, None], counts
        ratio = V[0, 1] / root / root
        left = V[1, 1] - ratio * V[0, 1]
        also = (left > at_first[1]) & (left > 0)
        root = np.sqrt(np.where(also, left, np.inf))
        yield (C[1] - ratio[:, None] * C[0]) / root[:, None], also

    def _explained(self, C: Any, V: Any) -> tuple[Any, Any]:
        """(D, L) n/2 times the share that features explain, and (D,) their ranks."""
        parts, counts = zip(*self._parts(C, V), strict=True)
        return sum(part**2 for part in parts) / 2, sum(count * 1 for count in counts)

    def _start(self) -> None:
        alone, rank = self._explained(self._C, self._V)
        coded, joint = self._coded, self._joint[self._coded]
        sizes = self._table[:, coded].sum(axis=0)[:, None], self._Y.sum(axis=0)
        alone[coded] = self._information(joint, *sizes, self.n)
        self._rate = 0.05 / (self.D * self._Y.shape[1])
        self._is_relevant = _evidence(alone, rank, self._rate) > 1.0
        self._marginal_evidence = _evidence(alone, rank, FOR_EVIDENCE)
        alone = np.maximum(alone - self._chance * rank[:, None], 0.0)
        self._f, self._l = np.nonzero(alone > 0)
        self._relevance = alone @ self._scale
        self._least = alone[alone > 0]
        self._evidence: Any = None
        if not self._formula.alone:
            self._f, self._l = (each.ravel() for each in np.indices(alone.shape))
            self._least = np.full(alone.size, np.inf)

    def values(self) -> Any:
        """J of what is significant, and below zero the others."""
        views = self._least
        explained, rank = self._explained(self._C, self._V)
        if self._formula.together:
            beyond = explained - self._chance * rank[:, None]
            views = np.minimum(views, beyond[self._f, self._l])
        J = self._sums(np.maximum(views, 0.0))
        left = self._V[[0, 1], [0, 1]].sum(axis=0) / self._columns.any(axis=1).sum(
            axis=0
        )
        unique = self._is_relevant & (left > REPEATED)
        significant = self._coded | self._is_relevant | (self._beyond(self._rate) > 1.0)
        significant |= not self._formula.defers
        relative = J / self._whole if self._evidence is None else self._evidence
        doubtful = ~self._coded & (relative > 1e-12) & self._formula.defers
        by_relevance = -1.0 / (1.0 + self._relevance / self._whole)
        tails = {
            "relevance": by_relevance,
            "what is unique": 0.5 * left - 1.0,
            "what repeats": -0.5 - 0.5 * left,
            "index": np.full(self.D, -0.5),
        }
        classes = [significant & (J > 1e-12), unique, doubtful]
        tail = tails[self._formula.tail]
        by_evidence = -1.0 - 1.0 / (1.0 + relative)
        return np.select(classes, [J, tail, by_evidence], -2.0 - left)

    def values_but(self, picks: list[int]) -> Any:
        """The same, and the picks last."""
        values = self.values()
        values[picks] = -np.inf
        return values

    def _beyond(self, rate: float) -> Any:
        """(D,) the evidence of numbers beyond the picks."""
        explained, rank = self._explained(self._C, self._V)
        share = 2.0 * explained / self.n / self._left_of_labels
        free = max(self.n - self._n_basis - 2, 1)
        found = -0.5 * free * np.log1p(-np.minimum(share, 1.0 - 1e-12))
        return _evidence(found, rank, rate) * ~self._coded

    def distrust_gains(self) -> None:
        """From now on, features that may be noise come by their evidence."""
        if self._evidence is None:
            beyond = self._beyond(FOR_EVIDENCE)
            self._evidence = np.maximum(beyond, self._marginal_evidence)

    def choose(self, g: int) -> None:
        """Lower the relevance given g, and project it out."""
        columns = [c for c in (0, 1) if self._columns[c, :, g].any()]
        along = [
            np.einsum("cnd,n->cd", self._columns, self._columns[c, :, g]) / self.n
            for c in columns
        ]
        if self._formula.one:
            self._explain_beside(g, columns, along)
            if self._coded[g]:
                self._condition(self._table[:, g] > 0)
            listed = self._least > 0
            self._f, self._l = self._f[listed], self._l[listed]
            self._least = self._least[listed]
        for c, line in zip(columns, along, strict=True):
            for basis in self._basis:
                line = line - basis * basis[c, g]
            if line[c, g] <= REPEATED:
                continue
            root = np.sqrt(line[c, g] + self._formula.ridge)
            basis, of_labels = line / root, self._C[c, g] / root
            self._C, self._V = self._projected(self._C, self._V, basis, of_labels)
            self._left_of_labels = np.maximum(
                self._left_of_labels - of_labels**2 / self.n, 1e-12
            )
            self._n_basis += 1
            self._basis.append(basis)

    def _projected(self, C: Any, V: Any, basis: Any, of_labels: Any) -> tuple[Any, Any]:
        V = V - basis[:, None] * basis[None]
        V[[0, 1], [0, 1]] = np.maximum(V[[0, 1], [0, 1]], 0.0)
        return C - basis[:, :, None] * of_labels, V

    def _condition(self, rows: Any) -> None:
        where = self._coded[self._f]
        f, label = self._f[where], self._l[where]
        given, inside = np.full(f.size, 0.0), self._table[rows].T @ self._Y[rows]
        for part, joint in ((rows, inside), (~rows, self._joint - inside)):
            n_f, n_l = self._table[part].sum(axis=0), self._Y[part].sum(axis=0)
            n, sizes = int(part.sum()), (n_f[f], n_l[label])
            free = np.all([(size > 0) & (size < n) for size in sizes], axis=0)
            given += self._information(joint[f, label], *sizes, n) - self._chance * free
        self._least[where] = np.minimum(self._least[where], given)

    def _explain_beside(self, g: int, columns: list[int], along: list[Any]) -> None:
        """The same where one of both is a number: what is explained beyond g."""
        (C, V), bases = self._alone, []
        for c, line in zip(columns, along, strict=True):
            for basis in bases:
                line = line - basis * basis[c, g]
            if line[c, g] > REPEATED:
                bases.append(line / np.sqrt(line[c, g]))
                C, V = self._projected(C, V, bases[-1], C[c, g] / np.sqrt(line[c, g]))
        explained, rank = self._explained(C, V)
        beyond = (explained - self._chance * rank[:, None])[self._f, self._l]
        where = ~self._coded[self._f] | ~self._coded[g]
        self._least[where] = np.minimum(self._least[where], beyond[where])

    def _sums(self, values: Any) -> Any:
        return np.bincount(self._f, values * self._scale[self._l], minlength=self.D)

    def _information(self, joint: Any, n_f: Any, n_l: Any, n: int) -> Any:
        """n I(f; l) of two codes each."""
        cells = joint, n_f - joint, n_l - joint, n - n_f - n_l + joint
        sides = n_f, n - n_f, n_l, n - n_l
        inside, outside = (
            sum(self._k_log_k[np.asarray(k).astype(np.intp)] for k in counts)
            for counts in (cells, sides)
        )
        return inside - outside + self._k_log_k[n]


def _evidence(found: Any, rank: Any, rate: float) -> Any:
    """(D,) how far features are above chance for some label, in critical values."""
    critical = np.array([np.inf, *(stats.chi2.isf(rate, [1, 2]) / 2 - [1.0, 2.0])])
    return np.maximum((found - rank[:, None]) / critical[rank, None], 0.0).max(axis=1)


def _columns(X: Any, ranks: bool) -> tuple[Any, Any]:
    """Features as 0 and 1 or as scores of ranks, and which are 0 and 1."""
    dense = np.asarray(X.todense() if sp.issparse(X) else X, dtype=np.float64)
    n, n_features = dense.shape
    table, coded = np.empty(dense.shape), np.ones(n_features, dtype=bool)
    for f, column in enumerate(dense.T):
        low, high = column.min(), column.max()
        if ((column == low) | (column == high)).all():
            table[:, f] = (column == high) & (low < high)
            continue
        ordered = np.sort(column)
        cuts = ordered[[-(-k * n // N_LEVELS) - 1 for k in range(1, N_LEVELS)]]
        median = cuts[N_LEVELS // 2 - 1]
        # Where one value fills half of the rows, as with words, it is there or not.
        if ranks and (cuts == median).sum() < N_LEVELS // 2:
            below = [np.searchsorted(cuts, column, side) for side in ("left", "right")]
            rank, coded[f] = below[0] + below[1], False
            table[:, f] = np.rint(52 * ndtri((rank + 1) / (2 * N_LEVELS)))
        else:
            above = column > median
            table[:, f] = above if above.any() else column >= median
    return table, coded


def _take_values(table: Any, coded: Any, X: Any, Y: Any) -> None:
    """Put standardised values in place of scores where they explain more of labels."""
    values = _standard(np.clip(_standard(np.asarray(X, dtype=np.float64)), -4, 4))
    labels, weight = _standard(Y.astype(np.float64)), Y.var(axis=0)
    by_value, by_score = (
        (columns.T @ labels) ** 2 @ weight for columns in (values, _standard(table))
    )
    taken = ~coded & (by_value > by_score)
    table[:, taken] = np.rint(52 * values[:, taken])


def _standard(table: Any) -> Any:
    """Columns of mean 0 and variance 1; those that never vary are 0."""
    deviation = table.std(axis=0)
    scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0)
    return (table - table.mean(axis=0)) * scale
