"""What features tell beside any one chosen feature, where one of both is a number."""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import FloatArray
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
        self._least, self._pairs = least, least.pairs
        now = linear.view_of_all
        blocks = now.blocks._replace(V=now.blocks.V.copy())
        self._alone = now._replace(C=now.C.copy(), blocks=blocks)
        self._every = np.arange(linear.counts.n_features)
        (self._numbers,) = np.nonzero(self._columns.is_rank)

    def lower(self, feature: int, covariances: list[FloatArray]) -> None:
        """Look at pairs beside a feature: of numbers, or all where it is a number.

        `covariances` are those of each of its columns with all columns.
        """
        from labelsieve.selectors.sieve import view_kernels as views

        (C, (V, _, _, tiny), targets, level, single), pairs = self._alone, self._pairs
        features, tasks = self._every, self._least.tasks
        if not self._columns.is_rank[feature]:
            features, tasks = self._numbers, [slice(None)]
        if single:
            given = C, V, tiny, targets.half, level, feature, covariances[0], pairs
            run_in_threads(
                lambda some: views.lower_single(features[some], *given),
                *(tasks, self._n_jobs),
            )
            return
        basis = self._project(feature, covariances)
        run_in_threads(
            lambda some: views.lower_beside(features[some], self._alone, *basis, pairs),
            *(tasks, self._n_jobs),
        )

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
