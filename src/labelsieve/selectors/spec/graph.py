"""Sums over the edges of the label graph, taken over its distinct label sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from labelsieve._plumbing.machine import (
    cached_property,
    one_thread_inside,
    refuse_larger_than_memory,
    run_in_threads,
)
from labelsieve._plumbing.matrices import slices_of
from labelsieve._plumbing.typing import FloatArray
from labelsieve.selectors._rows.label_graph import LabelGraph

SETS_PER_TASK = 512
# Similarities of all label sets are kept in memory up to this many cells (0.5 GB).
CELLS_TO_KEEP = 2**26


class SpectralGraph:
    """The graph whose vertices are rows and whose edges are label similarities.

    Rows with the same labels have the same neighbours, so every sum over edges is
    a sum over pairs of distinct label sets.
    """

    def __init__(
        self, graph: LabelGraph, isolated_degree: float, n_jobs: int | None
    ) -> None:
        self.graph = graph
        self.n_jobs = n_jobs
        self.n_sets = graph.sets.shape[0]
        n_rows = graph.codes.size
        cells = (np.ones(n_rows), (graph.codes, np.arange(n_rows)))
        self.members = sp.csr_matrix(cells, shape=(self.n_sets, n_rows))
        self._tasks = slices_of(self.n_sets, SETS_PER_TASK)
        # A row is not its own neighbour, though it is similar to itself.
        self.self_similarity = (np.diff(graph.sets.indptr) > 0).astype(np.float64)
        joined = np.concatenate(
            self._run(lambda sets: self._similarity(sets) @ graph.sizes)
        )
        self.edges = joined - self.self_similarity
        self.set_degrees = np.where(self.edges > 0, self.edges, isolated_degree)
        self.degrees = self.set_degrees[graph.codes]

    def roughness(self, centred: FloatArray) -> FloatArray:
        """f'(D - A)f for each column f."""
        sums = self.members @ centred
        squares = centred**2
        own = (self.degrees + self.self_similarity[self.graph.codes]) @ squares
        parts = self._run(
            lambda sets: ((self._similarity(sets) @ sums) * sums[sets]).sum(axis=0)
        )
        return own - np.sum(parts, axis=0)

    def closeness(self, centred: FloatArray, n_eigenvectors: int) -> FloatArray:
        """Sum of (2 - lambda) cos^2 of the angles to the leading eigenvectors."""
        joined = self.edges > 0
        sizes = self.graph.sizes[joined]
        eigenvalues, vectors = self._leading(min(n_eigenvectors, sizes.size - 1))
        sums = (self.members @ centred)[joined]
        scale = np.sqrt(self.set_degrees[joined] / sizes)
        cosines = vectors.T @ (scale[:, None] * sums)
        return (2.0 - eigenvalues) @ cosines**2

    def _leading(self, n_wanted: int) -> tuple[FloatArray, FloatArray]:
        """Smallest eigenvalues of the normalised Laplacian, without the trivial one."""
        eigenvalues, vectors = self._eigenvectors
        chosen = slice(eigenvalues.size - n_wanted, None)
        return 1.0 - eigenvalues[chosen], vectors[:, chosen]

    @cached_property
    def _eigenvectors(self) -> tuple[FloatArray, FloatArray]:
        joined = np.flatnonzero(self.edges > 0)
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

    def _similarity(self, sets: slice) -> FloatArray:
        if self.n_sets**2 > CELLS_TO_KEEP:
            return self.graph.similarity(sets)
        return self._all_similarities[sets]

    @cached_property
    def _all_similarities(self) -> FloatArray:
        return self.graph.similarity(slice(None))

    def _run(self, function: Callable[[slice], FloatArray]) -> list[FloatArray]:
        with one_thread_inside():
            return run_in_threads(function, self._tasks, self.n_jobs)
