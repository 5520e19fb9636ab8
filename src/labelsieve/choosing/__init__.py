"""How many features, and how sure: around any selector."""

from labelsieve.choosing._evaluation import CHOSEN as CHOSEN
from labelsieve.choosing._evaluation import EVERYTHING as EVERYTHING
from labelsieve.choosing._evaluation import LABEL_F1 as LABEL_F1
from labelsieve.choosing._evaluation import RANDOM as RANDOM
from labelsieve.choosing._evaluation import SIMPLER as SIMPLER
from labelsieve.choosing.certainty import (
    PermutationPValues,
    StabilitySelection,
    permutation_p_values,
)
from labelsieve.choosing.elimination import RecursiveElimination, reduce
from labelsieve.choosing.elimination import smallest_equivalent as smallest_equivalent
from labelsieve.choosing.quality import evaluate_selection
from labelsieve.choosing.quality import usual_budget as usual_budget
from labelsieve.choosing.size_cv import SizeCV
from labelsieve.choosing.verdicts import Finding, Quality

__all__ = [
    "Finding",
    "PermutationPValues",
    "Quality",
    "RecursiveElimination",
    "SizeCV",
    "StabilitySelection",
    "evaluate_selection",
    "permutation_p_values",
    "reduce",
]
