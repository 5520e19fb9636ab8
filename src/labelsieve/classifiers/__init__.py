"""Multi-label classifiers, and what they say along a path of feature sets."""

from labelsieve.classifiers.brknn import BRkNN
from labelsieve.classifiers.ccknn import CCkNN
from labelsieve.classifiers.emcfs import EMCFS
from labelsieve.classifiers.judge import Judge, per_label
from labelsieve.classifiers.lift import LIFT
from labelsieve.classifiers.logistic import BRLogistic
from labelsieve.classifiers.mlknn import MLkNN
from labelsieve.classifiers.mlnb import MLNB
from labelsieve.classifiers.path import PathScores, path_scores
from labelsieve.classifiers.ranksvm import RankSVM
from labelsieve.classifiers.scoring import label_scores

__all__ = [
    "EMCFS",
    "LIFT",
    "MLNB",
    "BRLogistic",
    "BRkNN",
    "CCkNN",
    "Judge",
    "MLkNN",
    "PathScores",
    "RankSVM",
    "label_scores",
    "path_scores",
    "per_label",
]
