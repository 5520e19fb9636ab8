"""What a prediction is worth: the measures of the multi-label literature.

`Y` is the true 0/1 matrix, `predictions` a 0/1 matrix, `scores` a matrix of real
numbers where larger means more relevant. Where scikit-learn defines a measure in the
same way, the value is the same as scikit-learn's.

Rows that have no label, or all of them, leave some ranking measures undefined.
``undefined="keep"`` counts them as scikit-learn does; ``undefined="skip"`` leaves
them out of the mean, as the authors of several papers do.
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

__all__ = [
    "BY_PREDICTIONS",
    "BY_PROPENSITIES",
    "BY_SCORES",
    "SMALLER_IS_BETTER",
    "MultilabelScorer",
    "Stability",
    "accuracy",
    "average_precision",
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
    "ranking_loss",
    "scorer",
    "stability",
    "subset_accuracy",
]
