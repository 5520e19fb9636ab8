"""The Cholesky factor of a large matrix, on threads, with the same bits for any number.

LAPACK's own threads add up in an order that depends on how many there are.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from labelsieve._plumbing.machine import run_in_threads
from labelsieve._plumbing.matrices import slices_of
from labelsieve._plumbing.typing import FloatArray

# Lines and columns of a tile: large enough for BLAS, small enough to share out.
TILE = 192
# LAPACK is quicker on smaller matrices, where there is little to share.
FEWEST_LINES = 2048


def factorise(A: FloatArray, n_jobs: int | None) -> FloatArray:
    """Overwrite the lower triangle of A with L, A = L L'; the upper one is no use then.

    BLAS must be limited to one thread. Raises LinAlgError where A is not positive
    definite.
    """
    if len(A) < FEWEST_LINES:
        # What is symmetric can be read by columns, and the lower factor is then upper.
        return cholesky(A.T, overwrite_a=True, check_finite=False).T
    tiles = slices_of(len(A), TILE)
    for position, pivot in enumerate(tiles):
        root = np.linalg.cholesky(A[pivot, pivot])
        A[pivot, pivot] = root
        below = tiles[position + 1 :]
        if not below:
            break
        inverse = solve_triangular(root, np.eye(len(root), dtype=A.dtype), lower=True).T
        _divide(A, pivot, inverse, below, n_jobs)
        _take_off(A, pivot, below, n_jobs)
    return A


def _divide(
    A: FloatArray,
    pivot: slice,
    inverse: FloatArray,
    below: list[slice],
    n_jobs: int | None,
) -> None:
    """Solve for the tiles below the pivot."""

    def divide(lines: slice) -> None:
        A[lines, pivot] = A[lines, pivot] @ inverse

    run_in_threads(divide, below, n_jobs)


def _take_off(
    A: FloatArray, pivot: slice, below: list[slice], n_jobs: int | None
) -> None:
    """Take what the pivot's columns explain off all tiles that follow."""

    def take_off(tile: tuple[slice, slice]) -> None:
        lines, columns = tile
        A[lines, columns] -= A[lines, pivot] @ A[columns, pivot].T

    pairs = [(i, j) for i in below for j in below if j.start <= i.start]
    run_in_threads(take_off, pairs, n_jobs)
