"""How many features, and how sure: around any selector."""

from labelsieve.choosing.permutation import PermutationPValues, permutation_p_values
from labelsieve.choosing.size_cv import SizeCV
from labelsieve.choosing.stability import StabilitySelection

__all__ = [
    "PermutationPValues",
    "SizeCV",
    "StabilitySelection",
    "permutation_p_values",
]
