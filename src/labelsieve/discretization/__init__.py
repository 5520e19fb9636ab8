"""Values to codes: cut points, coded columns and the transformer for users."""

from labelsieve.discretization._block_codes import CodedBlocks, code_rows
from labelsieve.discretization._codes import CodedColumns, code_features, code_labels
from labelsieve.discretization._cuts import Cuts, find_cuts
from labelsieve.discretization._discretizer import BINNING_CONSTRAINTS, Discretizer
from labelsieve.discretization._ranks import (
    RankCuts,
    RankedColumns,
    cut_blocks_into_ranks,
    cut_into_ranks,
    rank_columns,
)

__all__ = [
    "BINNING_CONSTRAINTS",
    "CodedBlocks",
    "CodedColumns",
    "Cuts",
    "Discretizer",
    "RankCuts",
    "RankedColumns",
    "code_features",
    "code_labels",
    "code_rows",
    "cut_blocks_into_ranks",
    "cut_into_ranks",
    "find_cuts",
    "rank_columns",
]
