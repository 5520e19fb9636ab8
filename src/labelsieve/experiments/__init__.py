"""Experiments: protocols, a runner that resumes, statistics, the papers' tables."""

from labelsieve.experiments.cells import Cell as Cell
from labelsieve.experiments.cells import Sizes as Sizes
from labelsieve.experiments.data import HoldOut as HoldOut
from labelsieve.experiments.data import KFold as KFold
from labelsieve.experiments.data import SampledTraining as SampledTraining
from labelsieve.experiments.data import locate as locate
from labelsieve.experiments.leaderboards import leaderboard as leaderboard
from labelsieve.experiments.leaderboards import split_rows as split_rows
from labelsieve.experiments.methods import CLASSIFIERS as CLASSIFIERS
from labelsieve.experiments.methods import Method as Method
from labelsieve.experiments.methods import named_function as named_function
from labelsieve.experiments.reproduction import compare as compare
from labelsieve.experiments.reproduction import reproduce as reproduce
from labelsieve.experiments.results import Results as Results
from labelsieve.experiments.results import read_results as read_results
from labelsieve.experiments.runner import run as run
from labelsieve.experiments.spoken import who_is_ahead as who_is_ahead
from labelsieve.experiments.statistics import corrected_interval as corrected_interval
from labelsieve.experiments.statistics import corrected_t_test as corrected_t_test
from labelsieve.experiments.statistics import holm as holm
from labelsieve.experiments.store import Store as Store
from labelsieve.experiments.store import StoreError as StoreError
from labelsieve.experiments.tables import ResultTables as ResultTables
from labelsieve.metrics import stability as stability
