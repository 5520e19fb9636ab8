"""Experiments: protocols, a runner that resumes, statistics, the papers' tables."""

from labelsieve.experiments.cells import Cell, Sizes
from labelsieve.experiments.methods import Method
from labelsieve.experiments.protocols import HoldOut, KFold, SampledTraining
from labelsieve.experiments.reproduce import compare, reproduce
from labelsieve.experiments.results import Results, read_results
from labelsieve.experiments.runner import run
from labelsieve.experiments.stability import stability
from labelsieve.experiments.store import Store, StoreError

__all__ = [
    "Cell",
    "HoldOut",
    "KFold",
    "Method",
    "Results",
    "SampledTraining",
    "Sizes",
    "Store",
    "StoreError",
    "compare",
    "read_results",
    "reproduce",
    "run",
    "stability",
]
