"""What features tell beside any one chosen feature, where one of both is a number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.selectors.sieve.least import Least
from labelsieve.selectors.sieve.unexplained import Unexplained


class BesideOne:
    """Lowers pairs to half the share of labels that is explained beside one feature.

    Parameters
    ----------
    linear : nothing is chosen yet
    least : the pairs
    """

    def __init__(self, linear: Unexplained, least: Least) -> None:
        self._columns = linear.columns
        self._n_jobs = linear.counts.n_jobs
        self._least = least
        now = linear.view_of_all
        blocks = now.blocks._replace(V=now.blocks.V.copy())
        self._alone = now._replace(C=now.C.copy(), blocks=blocks)
        self._every = np.arange(linear.counts.n_features)
        (self._numbers,) = np.nonzero(self._columns.is_rank)

    def lower(self, feature: int, covariances: list[FloatArray]) -> None:
        """Look at pairs beside a feature: of numbers, or all where it is a number.

        `covariances` are those of each of its columns with all columns.
        """
        lower = self._beside(feature, covariances)
        features, tasks = self._every, self._least.tasks
        if not self._columns.is_rank[feature]:
            features, tasks = self._numbers, [slice(None)]
        run_in_threads(lambda some: lower(features[some]), tasks, self._n_jobs)

    def _beside(
        self, feature: int, covariances: list[FloatArray]
    ) -> Callable[[IntArray], None]:
        """What lowers the pairs of some features."""
        from labelsieve.selectors.sieve import view_kernels as views

        alone, pairs = self._alone, self._least.pairs
        if alone.single:
            of_all = alone.C, alone.blocks.V, alone.blocks.tiny
            of_labels = alone.targets.half, alone.level
            g = feature, covariances[0]
            return lambda some: views.lower_single(some, *of_all, *of_labels, *g, pairs)
        basis = self._project(feature, covariances)
        return lambda some: views.lower_beside(some, alone, *basis, pairs)

    def _project(
        self, feature: int, covariances: list[FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """The parts of all columns and of all targets along those of a feature."""
        C, tiny = self._alone.C, self._alone.blocks.tiny
        basis, along = np.empty((0, len(C))), np.empty((0, C.shape[1]))
        for g, covariance in enumerate(covariances, self._columns.start[feature]):
            left, line = covariance - basis[:, g] @ basis, C[g] - basis[:, g] @ along
            if left[g] > tiny[g]:
                length = np.sqrt(left[g])
                basis = np.vstack([basis, left / length])
                along = np.vstack([along, line / length])
        return basis, along
