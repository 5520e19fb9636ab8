"""Experiments: protocols, a runner that resumes, statistics, the papers' tables."""

from labelsieve.experiments.cells import Cell, Sizes
from labelsieve.experiments.data import HoldOut, KFold, SampledTraining, locate
from labelsieve.experiments.leaderboards import leaderboard, split_rows
from labelsieve.experiments.methods import CLASSIFIERS, Method, named_function
from labelsieve.experiments.reproduction import compare, reproduce
from labelsieve.experiments.results import Results, read_results
from labelsieve.experiments.runner import run
from labelsieve.experiments.spoken import who_is_ahead
from labelsieve.experiments.statistics import corrected_interval, corrected_t_test, holm
from labelsieve.experiments.store import Store, StoreError
from labelsieve.experiments.tables import ResultTables
from labelsieve.metrics import stability

__all__ = [
    "CLASSIFIERS",
    "Cell",
    "HoldOut",
    "KFold",
    "Method",
    "ResultTables",
    "Results",
    "SampledTraining",
    "Sizes",
    "Store",
    "StoreError",
    "compare",
    "corrected_interval",
    "corrected_t_test",
    "holm",
    "leaderboard",
    "locate",
    "named_function",
    "read_results",
    "reproduce",
    "run",
    "split_rows",
    "stability",
    "who_is_ahead",
]
