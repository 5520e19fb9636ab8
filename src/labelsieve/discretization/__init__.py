"""Values to codes: cut points, coded columns and the transformer for users."""

from labelsieve.discretization._block_codes import CodedBlocks, code_rows
from labelsieve.discretization._codes import CodedColumns, code_features, code_labels
from labelsieve.discretization._cuts import Cuts, find_cuts
from labelsieve.discretization._discretizer import BINNING_CONSTRAINTS, Discretizer

__all__ = [
    "BINNING_CONSTRAINTS",
    "CodedBlocks",
    "CodedColumns",
    "Cuts",
    "Discretizer",
    "code_features",
    "code_labels",
    "code_rows",
    "find_cuts",
]
