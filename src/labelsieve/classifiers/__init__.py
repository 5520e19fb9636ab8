"""Multi-label classifiers, and their scores along nested feature subsets."""

from labelsieve.classifiers.emcfs import EMCFS
from labelsieve.classifiers.knn import BRkNN, CCkNN, MLkNN
from labelsieve.classifiers.lift import LIFT
from labelsieve.classifiers.logistic import BRLogistic
from labelsieve.classifiers.mlnb import MLNB
from labelsieve.classifiers.path import (
    PathPredictor,
    PathScores,
    label_scores,
    path_scores,
    per_label,
)
from labelsieve.classifiers.ranksvm import RankSVM

__all__ = [
    "EMCFS",
    "LIFT",
    "MLNB",
    "BRLogistic",
    "BRkNN",
    "CCkNN",
    "MLkNN",
    "PathPredictor",
    "PathScores",
    "RankSVM",
    "label_scores",
    "path_scores",
    "per_label",
]
