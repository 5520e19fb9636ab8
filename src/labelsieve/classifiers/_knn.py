"""Neighbours and their votes, for one set of features or along a path of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from labelsieve._plumbing.machine import run_in_threads
from labelsieve._plumbing.matrices import as_dense, slices_of
from labelsieve.classifiers._base import Flags, Floats, Matrix, refuse_large

Integers = npt.NDArray[np.int64]
Counts = npt.NDArray[np.uint16]

QUERY_BLOCK = 256
# Candidates are kept up to so much beyond the k nearest, and in few dimensions, where
# a new feature changes much, so many per neighbour: more last for more sizes, fewer
# are sooner gone through.
RESERVE = 0.2
POOL = 8.0


def votes(neighbors: Integers, Y: Flags) -> Counts:
    """Return how many neighbours of each row have each label."""
    from labelsieve.classifiers._knn_kernels import count_labels

    out = np.empty((1, len(neighbors), Y.shape[1]), dtype=np.uint16)
    count_labels(neighbors[:, None], _packed(Y), 0, out)
    return out[0]


def path_votes(
    references: Floats,
    queries: Floats | None,
    Y: Flags,
    k: int,
    sizes: Integers,
    n_jobs: int | None,
) -> Counts:
    """Return the votes of the k nearest for nested sets of leading features.

    The result has the shape [sizes, queries, labels]. Without queries the references
    are searched among themselves.
    """
    from labelsieve.classifiers._knn_kernels import count_labels
    from labelsieve.classifiers._path_kernels import nearest_along_path

    columns = np.ascontiguousarray(references.T)
    by_first = np.argsort(columns[0], kind="stable")
    rows, labels = references if queries is None else queries, _packed(Y)
    out = np.empty((sizes.size, len(rows), Y.shape[1]), dtype=np.uint16)

    def search(block: slice) -> None:
        first = block.start if queries is None else -1
        found = np.empty((block.stop - block.start, sizes.size, k), dtype=np.int64)
        nearest_along_path(
            rows[block], columns, by_first, first, sizes, RESERVE, POOL, found
        )
        count_labels(found, labels, block.start, out)

    run_in_threads(search, slices_of(len(rows), QUERY_BLOCK), n_jobs)
    return out


def path_chain_votes(
    references: Floats,
    queries: Floats,
    Y: Flags,
    k: int,
    sizes: Integers,
    n_jobs: int | None,
) -> Counts:
    """Return the votes along a chain of labels: [sizes, queries, labels]."""
    from labelsieve.classifiers._knn_kernels import chain_votes

    columns = np.ascontiguousarray(references.T)
    label_rows = np.ascontiguousarray(Y.T)
    out = np.empty((sizes.size, len(queries), Y.shape[1]), dtype=np.uint16)

    def vote(block: slice) -> None:
        part = np.empty((sizes.size, block.stop - block.start, Y.shape[1]), np.uint16)
        chain_votes(queries[block], columns, label_rows, k, sizes, part)
        out[:, block] = part

    run_in_threads(vote, slices_of(len(queries), QUERY_BLOCK), n_jobs)
    return out


def dense_rows(X: Matrix) -> Floats:
    """Return X as the dense rows that the kernels of a path are compiled for."""
    refuse_large(X)  # the kernels find no neighbour at an infinite distance
    return np.require(as_dense(X), np.float64, ["C", "W", "E"])


def _packed(Y: Flags) -> npt.NDArray[np.uint64]:
    """Return eight labels in each word, to be added at once."""
    n, n_labels = Y.shape
    padded = np.zeros((n, -(-n_labels // 8) * 8), dtype=np.uint8)
    padded[:, :n_labels] = Y
    return padded.view(np.uint64)
