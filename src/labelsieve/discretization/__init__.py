"""Values to codes: cut points, coded columns and the transformer for users."""

from labelsieve.discretization._codes import CodedColumns, code_features, code_labels
from labelsieve.discretization._cuts import Cuts, find_cuts
from labelsieve.discretization._discretizer import Discretizer

__all__ = [
    "CodedColumns",
    "Cuts",
    "Discretizer",
    "code_features",
    "code_labels",
    "find_cuts",
]
