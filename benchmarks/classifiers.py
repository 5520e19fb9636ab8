"""Speed of the classifiers: python -m benchmarks.classifiers.

ML-kNN beside scikit-multilearn-ng's, or beside a loop over scikit-learn's
NearestNeighbors where that is not installed; a path of 50 sizes beside one fit; and
the seconds of the classifiers that take long.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import MinMaxScaler

from benchmarks._timing import seconds
from labelsieve.classifiers import EMCFS, LIFT, MLNB, MLkNN, RankSVM, path_scores
from labelsieve.datasets import find_dataset, load

TRAINING_SHARE = 0.7
ROUNDS = 8


def main() -> None:
    warnings.simplefilter("ignore", UserWarning)  # labels absent from training rows
    compare_mlknn()
    compare_path("enron", MLNB())
    compare_path("yeast", MLkNN())
    for name, classifier, limit in [
        ("delicious", EMCFS(n_jobs=2), 600),
        ("corel16k001", LIFT(random_state=0, n_jobs=2), 600),
        ("emotions", RankSVM(), 120),
        ("medical", RankSVM(), 120),
        ("yeast", RankSVM(), 120),
        ("corel16k001", RankSVM(solver="linear", n_jobs=2), 600),
    ]:
        time_once(name, classifier, limit)


def compare_mlknn() -> None:
    parts = split("bibtex")
    if parts is None:
        return
    X, Y, X_test, _ = parts
    # All cores, as NearestNeighbors takes them by itself.
    ours = seconds(lambda: MLkNN(n_jobs=-1).fit(X, Y).predict(X_test), repeat=3)
    reference, name = _reference_mlknn()
    begin = time.perf_counter()
    reference(X, Y, X_test)
    theirs = time.perf_counter() - begin
    print(
        f"bibtex, ML-kNN fit and predict: {ours:.2f} s, {name} {theirs:.2f} s: "
        f"{theirs / ours:.1f} times faster (wanted: 5)"
    )


def _reference_mlknn():
    try:
        from skmultilearn.adapt import MLkNN as Theirs
    except ImportError:
        return _loop_over_neighbors, "a loop over NearestNeighbors"

    def run(X, Y, X_test):
        return Theirs(k=10, s=1.0).fit(sparse.csr_matrix(X), Y).predict(X_test)

    return run, "scikit-multilearn-ng"


def _loop_over_neighbors(X, Y, X_test, k=10, s=1.0):
    """ML-kNN as it is usually written: one row after the other."""
    n, n_labels = Y.shape
    labels = np.arange(n_labels)
    search = NearestNeighbors(n_neighbors=k + 1).fit(X)
    tables = np.zeros((2, n_labels, k + 1))
    for i, near in enumerate(search.kneighbors(X, return_distance=False)):
        counts = Y[[j for j in near if j != i][:k]].sum(axis=0)
        tables[Y[i], labels, counts] += 1
    prior = (s + Y.sum(axis=0)) / (2 * s + n)
    likelihood = (s + tables) / (s * (k + 1) + tables.sum(axis=2, keepdims=True))
    predictions = np.zeros((X_test.shape[0], n_labels), dtype=int)
    for i, near in enumerate(search.kneighbors(X_test, k, return_distance=False)):
        counts = Y[near].sum(axis=0)
        with_label = prior * likelihood[1, labels, counts]
        without = (1 - prior) * likelihood[0, labels, counts]
        predictions[i] = with_label >= without
    return predictions


def compare_path(name: str, classifier) -> None:
    parts = split(name)
    if parts is None:
        return
    X, Y, X_test, _ = parts
    order = np.random.default_rng(0).permutation(X.shape[1])[:50]
    sizes = np.arange(1, 51)
    narrow, narrow_test = X[:, order], X_test[:, order]

    def fit_once() -> None:
        clone(classifier).fit(narrow, Y).predict(narrow_test)

    def go_down_path() -> None:
        path_scores(classifier, X, Y, X_test, order, sizes)

    # In turns, so that other work on the machine meets both.
    pairs = [(seconds(fit_once, 3), seconds(go_down_path, 3)) for _ in range(ROUNDS)]
    one, path = np.min(pairs, axis=0)
    print(
        f"{name}, {classifier} at sizes 1..50: {1e3 * path:.1f} ms, one fit and "
        f"predict at size 50 {1e3 * one:.1f} ms: {path / one:.1f} times (wanted: 3)"
    )


def time_once(name: str, classifier, limit: float) -> None:
    parts = split(name)
    if parts is None:
        return
    X, Y, X_test, _ = parts
    if not sparse.issparse(X):
        scaler = MinMaxScaler().fit(X)
        X, X_test = scaler.transform(X), scaler.transform(X_test)
    begin = time.perf_counter()
    clone(classifier).fit(X, Y).predict(X_test)
    taken = time.perf_counter() - begin
    print(f"{name}, {classifier}: {taken:.1f} s (wanted: at most {limit})", flush=True)


def split(name: str):
    """Random training and test rows: X, Y, X_test, Y_test; None without the data."""
    try:
        X, Y = load(find_dataset(name))
    except FileNotFoundError:
        print(f"{name}: not found; set LABELSIEVE_DATA to a folder of data sets")
        return None
    Y = (Y.toarray() if sparse.issparse(Y) else Y).astype(np.uint8)
    rows = np.random.default_rng(0).permutation(len(Y))
    cut = int(TRAINING_SHARE * len(Y))
    train, test = rows[:cut], rows[cut:]
    return X[train], Y[train], X[test], Y[test]


if __name__ == "__main__":
    main()
