"""Sieve's formula on dense tables, with parts that can be left out.

What features tell only together with a chosen one is not in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import ndtri

# A feature of whose variance this share is left repeats the chosen ones.
REPEATED = 0.01
N_LEVELS = 64


@dataclass(frozen=True)
class Formula:
    """Sieve's formula with parts that can be left out.

    Attributes
    ----------
    alone, one, together : which views of a pair are in the minimum: alone, beside any
        one chosen feature, beside all of them
    strict : how many times the level of chance is taken off
    ranks : whether numbers are scores of ranks; otherwise they are split at the median
    tail : by what features within chance are ordered that tell something alone
    weight : how much labels count
    """

    alone: bool = True
    one: bool = True
    together: bool = True
    strict: float = 1.0
    ranks: bool = True
    tail: str = "what is told alone"
    weight: str = "variance"


def order(X: Any, Y: Any, n_picks: int, formula: Formula) -> list[int]:
    """The first picks of a formula."""
    table, coded = _columns(X, formula.ranks)
    (varying,) = np.nonzero(table.std(axis=0) > 0)
    search = _Search(table[:, varying], coded[varying], Y.astype(np.float64), formula)
    picks: list[int] = []
    for _ in range(min(n_picks, varying.size)):
        values = search.values()
        values[picks] = -np.inf
        picks.append(int(values.argmax()))
        search.choose(picks[-1])
    return varying[picks].tolist()


class _Search:
    """J of every feature, now; all in rows times nats."""

    def __init__(self, table: Any, coded: Any, Y: Any, formula: Formula) -> None:
        self._table, self._coded, self._Y, self._formula = table, coded, Y, formula
        self.n, self.D = table.shape
        p = Y.mean(axis=0)
        variance, entropy = p - p * p, -p * np.log(p) - (1 - p) * np.log(1 - p)
        equal = variance / (variance + 10.0 / self.n)
        weights = {"variance": variance, "equal": equal, "information": entropy}
        weight = weights[formula.weight]
        self._scale, self._whole = weight / entropy / self.n, weight.sum()
        self._standard = (table - table.mean(axis=0)) / table.std(axis=0)
        # Squares of C are n times the explained shares of labels.
        self._C = self._standard.T @ ((Y - p) / np.sqrt(variance)) / np.sqrt(self.n)
        self._alone = self._C.copy()
        self._left = np.ones(self.D)
        self._basis: list[Any] = []
        self._chance = formula.strict
        self._joint = table.T @ Y
        k = np.arange(self.n + 1.0)
        self._k_log_k = k * np.log(np.maximum(k, 1.0))
        self._start()

    def _start(self) -> None:
        alone = self._C**2 / 2
        coded, joint = self._coded, self._joint[self._coded]
        sizes = self._table[:, coded].sum(axis=0)[:, None], self._Y.sum(axis=0)
        alone[coded] = self._information(joint, *sizes, self.n)
        alone -= self._chance
        self._f, self._l = np.nonzero(alone > 0)
        self._told = self._f, self._l, alone[alone > 0]
        self._least = self._told[2].copy()
        if not self._formula.alone:
            self._f, self._l = (each.ravel() for each in np.indices(alone.shape))
            self._least = np.full(alone.size, np.inf)

    def values(self) -> Any:
        """J, and below zero the tail."""
        views = self._least
        if self._formula.together:
            explained = self._explained(self._f, self._l) - self._chance
            views = np.minimum(views, explained)
        J = self._sums(self._f, self._l, np.maximum(views, 0.0))
        return np.where(J > 0.0, J, self._tail())

    def _tail(self) -> Any:
        f, label, told = self._told
        enough = np.log(self.D * self._Y.shape[1]) - 1.0
        clear = np.zeros(self.D, dtype=bool)
        clear[f[told > enough]] = True
        clear &= self._left > REPEATED
        values = {
            "what is told alone": self._sums(f, label, told) / self._whole,
            "what is unique": 0.5 * self._left,
            "what repeats": 0.5 - 0.5 * self._left,
            "index": np.full(self.D, 0.5),
        }
        return np.where(clear, values[self._formula.tail], -self._left) - 1.0

    def choose(self, g: int) -> None:
        """Lower what is told given g, and project it out."""
        column = self._standard.T @ self._standard[:, g] / self.n
        if self._formula.one:
            self._explain_beside(g, column)
            if self._coded[g]:
                self._condition(self._table[:, g] > 0)
            listed = self._least > 0
            self._f, self._l = self._f[listed], self._l[listed]
            self._least = self._least[listed]
        for basis in self._basis:
            column -= basis * basis[g]
        if column[g] <= REPEATED:
            return
        basis, along = column / np.sqrt(column[g]), self._C[g] / np.sqrt(column[g])
        self._C -= np.outer(basis, along)
        self._left = np.maximum(self._left - basis**2, 0.0)
        self._basis.append(basis)

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

    def _explain_beside(self, g: int, along: Any) -> None:
        """The same where one of both is a number: what is explained beyond g."""
        where = ~self._coded[self._f] | ~self._coded[g]
        f, label = self._f[where], self._l[where]
        left = 1.0 - along[f] ** 2
        explained = (self._alone[f, label] - along[f] * self._alone[g, label]) ** 2 / 2
        explained /= np.where(left > REPEATED, left, np.inf)
        self._least[where] = np.minimum(self._least[where], explained - self._chance)

    def _explained(self, f: Any, label: Any) -> Any:
        """n/2 times the share of a label that is explained beyond the chosen ones."""
        left = np.where(self._left > REPEATED, self._left, np.inf)
        return self._C[f, label] ** 2 / left[f] / 2

    def _sums(self, f: Any, label: Any, values: Any) -> Any:
        return np.bincount(f, values * self._scale[label], minlength=self.D)

    def _information(self, joint: Any, n_f: Any, n_l: Any, n: int) -> Any:
        """n I(f; l) of two codes each."""
        cells = joint, n_f - joint, n_l - joint, n - n_f - n_l + joint
        sides = n_f, n - n_f, n_l, n - n_l
        inside, outside = (
            sum(self._k_log_k[np.asarray(k).astype(np.intp)] for k in counts)
            for counts in (cells, sides)
        )
        return inside - outside + self._k_log_k[n]


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
