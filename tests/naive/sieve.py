"""Sieve, straight from its formula: least squares and tables, feature by feature."""

from functools import cache

import numpy as np
from scipy import stats

from tests.naive import information


def columns_of(feature, is_number, is_squared=False):
    """Scores of numbers; else one 0/1 column for each value but the most frequent."""
    if is_number:
        cuts = np.sort(feature)[[-(-k * len(feature) // 64) - 1 for k in range(1, 64)]]
        x = feature[:, np.newaxis]
        ranks = ((cuts < x).sum(axis=1) + (cuts <= x).sum(axis=1))[:, np.newaxis]
        scores = np.rint(52 * stats.norm.ppf((ranks + 1) / 128)) + 126
        squares = np.rint(43 * ((scores - 126) / 52) ** 2)
        return np.hstack([scores, squares]) if is_squared else scores
    values, counts = np.unique(feature, return_counts=True)
    return np.column_stack([feature == v for v in np.delete(values, counts.argmax())])


def residual(targets, regressors):
    design = np.column_stack([np.ones(len(targets)), regressors])
    return targets - design @ np.linalg.lstsq(design, targets, rcond=None)[0]


def not_collinear(columns, before):
    """Of columns, one after the other, what those before leave: more than 1 %."""
    parts = [before]
    for column in columns.T.astype(float):
        left = residual(column[:, np.newaxis], np.column_stack(parts))
        if left.var() > 0.01 * column.var():
            parts.append(left)
    return np.column_stack([np.empty((len(before), 0)), *parts[1:]])


def is_number(target):
    """Targets with many values are the scores of numbers."""
    return np.unique(target).size > 20


def freedom_of(target):
    return 1 if is_number(target) else np.unique(target).size - 1


def indicators(label):
    if is_number(label):
        return label[:, np.newaxis].astype(float)
    return np.column_stack([label == v for v in np.unique(label)]).astype(float)


def half_share(left, label, before, chance):
    """n/2 times the share of a label that is explained beyond the chosen columns.

    left, before : what the chosen columns leave of others and of the label
    """
    explained = (before**2).sum() - (residual(before, left) ** 2).sum()
    free = freedom_of(label)
    share = explained / indicators(label).var(axis=0).sum()
    return free * (share / 2 - chance * left.shape[1])


def told(f, label, given, chance):
    """n I(f; label | given) less chance, once for each degree of freedom."""
    groups = [given == value for value in np.unique(given)]
    free = [(np.unique(f[g]).size - 1) * (np.unique(label[g]).size - 1) for g in groups]
    n_told = len(f) * information.conditional_mutual_information(f, label, given)
    return n_told - chance * sum(free)


class Criterion:
    """J of features, and the classes in which they come.

    numbers, squared : the features that are numbers, and those with squares
    weights : of labels, by default their variances
    bonus : of each feature, for labels that are rare
    """

    def __init__(self, X, Y, numbers=(), squared=(), weights=None, bonus=None):
        self.X, self.Y, self.numbers = X, Y, numbers
        self.columns = [
            columns_of(x, f in numbers, f in squared) for f, x in enumerate(X.T)
        ]
        shares = [np.unique(y, return_counts=True)[1] / len(Y) for y in Y.T]
        variances = [
            0.25 if is_number(y) else (p * (1 - p)).sum() / 2
            for y, p in zip(Y.T, shares, strict=True)
        ]
        self.weights = variances if weights is None else weights
        self.bonus = np.zeros(X.shape[1]) if bonus is None else bonus
        # The same is asked again after every pick.
        for question in ("basis", "left", "before", "view", "relevance", "evidence"):
            setattr(self, question, cache(getattr(self, question)))

    def basis(self, picks):
        """What picks explain by: columns that are collinear with others do not."""
        if not picks:
            return np.empty((len(self.X), 0))
        return np.hstack([self.basis(picks[:-1]), self.left(picks[-1], picks[:-1])])

    def left(self, f, picks):
        """Of the columns of a feature, what the picks and its others leave."""
        return not_collinear(self.columns[f], self.basis(picks))

    def before(self, y, picks):
        """Of a label, what the picks leave."""
        return residual(indicators(self.Y[:, y]), self.basis(picks))

    def half_share(self, f, y, picks):
        left, before = self.left(f, picks), self.before(y, picks)
        return half_share(left, self.Y[:, y], before, 1.0)

    def view(self, f, y, given=None):
        """n I(f; l) or n I(f; l | s) less chance; of numbers half the share."""
        label = self.Y[:, y]
        if f in self.numbers or given in self.numbers or is_number(label):
            return self.half_share(f, y, () if given is None else (given,))
        given = np.zeros(len(self.X)) if given is None else self.X[:, given]
        return told(self.X[:, f], label, given, 1.0)

    def total(self, values):
        """Over labels, as shares of their entropies."""
        entropies = [
            np.log(2) if is_number(y) else information.entropy(y) for y in self.Y.T
        ]
        parts = zip(values, self.weights, entropies, strict=True)
        return sum(max(v, 0.0) * w / h for v, w, h in parts) / len(self.X)

    def relevance(self, f):
        return self.total([self.view(f, y) for y in range(self.Y.shape[1])])

    def gain(self, f, picks, is_final=False):
        """J, in the end without the views given single picks."""
        given = [None, *([] if is_final else picks)]
        return self.total(
            min(
                self.half_share(f, y, tuple(picks)),
                *(self.view(f, y, s) for s in given),
            )
            for y in range(self.Y.shape[1])
        )

    def unique(self, f, picks):
        """The share of the variance of a feature that picks leave."""
        columns = self.columns[f].astype(float)
        if f not in self.numbers:  # and that of the most frequent value
            values = np.unique(self.X[:, f])
            columns = (self.X[:, [f]] == values).astype(float)
        left = residual(columns, self.basis(tuple(picks)))
        return left.var(axis=0).sum() / columns.var(axis=0).sum()

    def ratio(self, value, freedom, rate):
        """What 2 n I is above chance, by how much the critical value is above it."""
        rate = 0.05 / self.X.shape[1] / self.Y.shape[1] if rate is None else rate
        critical = stats.chi2.isf(rate, freedom)
        return 2 * value / max(critical - 2 * freedom, 2e-12)

    def evidence(self, f, rate=None):
        """How significant a feature is for some label by itself: above 1 it is."""
        width = self.columns[f].shape[1]
        found = [
            self.ratio(self.view(f, y), width * freedom_of(label), rate)
            for y, label in enumerate(self.Y.T)
        ]
        return max(0.0, *found)

    def evidence_beyond(self, f, picks, rate=None):
        """How significant a number is for some label beyond the picks."""
        basis, left = self.basis(tuple(picks)), self.left(f, tuple(picks))
        if f not in self.numbers or not left.shape[1]:
            return 0.0
        found = []
        for y, label in enumerate(self.Y.T):
            before, free = self.before(y, tuple(picks)), freedom_of(label)
            rest = (residual(before, left) ** 2).sum() / (before**2).sum()
            n_free, freedom = len(basis) - basis.shape[1] - 2, free * left.shape[1]
            gain = -n_free * free / 2 * np.log(max(rest, 1e-12))
            found.append(self.ratio(gain - freedom, freedom, rate))
        return max(0.0, *found)

    def value(self, f, picks, is_final=False, n_before=None):
        """Its class is in its value; beyond `n_before` picks gains are not trusted."""
        unique, relevance = self.unique(f, picks), self.relevance(f)
        J = self.gain(f, picks, is_final) + (unique > 0.01) * self.bonus[f]
        is_relevant, is_number = self.evidence(f) > 1, f in self.numbers
        is_new = not is_number or self.evidence_beyond(f, picks) > 1
        if J > 1e-12 and (is_new or is_relevant):
            return J
        if is_relevant and unique > 0.01:
            return -1 / (1 + relevance / sum(self.weights))
        relative, best = J / sum(self.weights), -1
        if n_before is not None:
            beyond, best = self.evidence_beyond(f, picks[:n_before], 1e-6), -1.5
            relative = max(beyond, self.evidence(f, 1e-6))
        if is_number and relative > 1e-12:
            return best - 0.5 / (1 + relative)
        return -2 - unique

    def order(self, n_picks):
        """All features in their order, with scores that never rise along it."""
        others, picks, values, n_before = list(range(self.X.shape[1])), [], [], None
        lead = 0  # of significant picks over others
        for _ in range(n_picks):
            now = np.array([self.value(f, picks, n_before=n_before) for f in others])
            best = int(np.argmax(now >= now.max() - 1e-12))
            values.append(now[best])
            picks.append(others.pop(best))
            lead += 1 if values[-1] > 0 else -1
            if n_before is None and (-1 < values[-1] < 0 or lead <= 0):
                n_before = len(picks) - 1
        last = [self.value(f, picks, True, n_before) for f in others]
        rest = sorted(zip(last, others, strict=True), key=lambda at: -round(at[0], 11))
        values += [value for value, _ in rest]
        return picks + [f for _, f in rest], np.minimum.accumulate(values)


def criterion(X, Y, f, picks, **how):
    """J of a feature."""
    return Criterion(X, Y, **how).gain(f, picks)
