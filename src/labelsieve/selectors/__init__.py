"""Selectors: one room per method, all with the same scikit-learn interface."""

from labelsieve.selectors.fimf import FIMF
from labelsieve.selectors.mlqpfs import MLQPFS
from labelsieve.selectors.pmu import PMU

__all__ = ["FIMF", "MLQPFS", "PMU"]
