"""Evaluation measures of the multi-label literature.

`Y` is the true 0/1 matrix, `predictions` a 0/1 matrix, `scores` a matrix of real
numbers where larger means more relevant. Where scikit-learn defines a measure in the
same way, the value is the same as scikit-learn's. Classes and numbers have measures of
their own. All count the cells that are known, which are not NaN.

Some ranking measures are undefined for samples with no label or all labels.
``undefined="keep"`` counts them as scikit-learn does; ``undefined="skip"`` leaves them
out of the mean, as several papers do.
"""

from labelsieve.metrics._compared import SMALLER_IS_BETTER, Stability, stability
from labelsieve.metrics._compared import TIE as TIE
from labelsieve.metrics._compared import TIE_DIGITS as TIE_DIGITS
from labelsieve.metrics._compared import best_place as best_place
from labelsieve.metrics._compared import same as same
from labelsieve.metrics._compared import tied as tied
from labelsieve.metrics._measures import (
    BY_PREDICTIONS,
    BY_PROPENSITIES,
    BY_SCORES,
    MultilabelScorer,
    accuracy,
    average_precision,
    coverage,
    coverage_error,
    evaluate,
    example_f1,
    hamming_loss,
    macro_auc,
    macro_f1,
    micro_f1,
    ndcg_at,
    one_error,
    precision_at,
    propensities,
    psp_at,
    ranking_loss,
    scorer,
    subset_accuracy,
)
from labelsieve.metrics._measures import by_predictions as by_predictions
from labelsieve.metrics._measures import by_scores as by_scores
from labelsieve.metrics._targets import (
    BY_CLASSES,
    BY_NUMBERS,
    class_accuracy,
    class_f1,
    r2,
    rank_correlation,
)
from labelsieve.metrics._targets import OF_CLASSES as OF_CLASSES
from labelsieve.metrics._targets import OF_NUMBERS as OF_NUMBERS
from labelsieve.metrics._targets import evaluate_targets as evaluate_targets

__all__ = [
    "BY_CLASSES",
    "BY_NUMBERS",
    "BY_PREDICTIONS",
    "BY_PROPENSITIES",
    "BY_SCORES",
    "SMALLER_IS_BETTER",
    "MultilabelScorer",
    "Stability",
    "accuracy",
    "average_precision",
    "class_accuracy",
    "class_f1",
    "coverage",
    "coverage_error",
    "evaluate",
    "example_f1",
    "hamming_loss",
    "macro_auc",
    "macro_f1",
    "micro_f1",
    "ndcg_at",
    "one_error",
    "precision_at",
    "propensities",
    "psp_at",
    "r2",
    "rank_correlation",
    "ranking_loss",
    "scorer",
    "stability",
    "subset_accuracy",
]
