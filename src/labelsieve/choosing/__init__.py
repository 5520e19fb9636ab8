"""How many features, and how sure: around any selector."""

from labelsieve.choosing._judging import CHOSEN as CHOSEN
from labelsieve.choosing._judging import EVERYTHING as EVERYTHING
from labelsieve.choosing._judging import RANDOM as RANDOM
from labelsieve.choosing._judging import SIMPLER as SIMPLER
from labelsieve.choosing.certainty import (
    PermutationPValues,
    StabilitySelection,
    permutation_p_values,
)
from labelsieve.choosing.quality import measure_quality
from labelsieve.choosing.size_cv import SizeCV
from labelsieve.choosing.verdicts import Finding, Quality

__all__ = [
    "Finding",
    "PermutationPValues",
    "Quality",
    "SizeCV",
    "StabilitySelection",
    "measure_quality",
    "permutation_p_values",
]
