"""Values to codes: cut points, coded columns and the transformer for users."""

from labelsieve.discretization._block_codes import (
    CodedBlocks,
    code_rows,
    find_row_cuts,
    label_columns,
)
from labelsieve.discretization._codes import (
    CodedColumns,
    code_dense,
    code_features,
    code_labels,
)
from labelsieve.discretization._columns import (
    block_columns,
    block_engine,
    indicator_columns,
    score_columns,
    with_members,
    with_scores,
)
from labelsieve.discretization._cuts import Cuts, find_cuts
from labelsieve.discretization._discretizer import BINNING_CONSTRAINTS, Discretizer
from labelsieve.discretization._ranks import (
    NO_RANKS,
    RankCuts,
    cut_into_ranks,
    cut_rows_into_ranks,
)
from labelsieve.discretization._value_counts import (
    ValueCounts,
    count_values,
    count_values_in_blocks,
)

__all__ = [
    "BINNING_CONSTRAINTS",
    "NO_RANKS",
    "CodedBlocks",
    "CodedColumns",
    "Cuts",
    "Discretizer",
    "RankCuts",
    "ValueCounts",
    "block_columns",
    "block_engine",
    "code_dense",
    "code_features",
    "code_labels",
    "code_rows",
    "count_values",
    "count_values_in_blocks",
    "cut_into_ranks",
    "cut_rows_into_ranks",
    "find_cuts",
    "find_row_cuts",
    "indicator_columns",
    "label_columns",
    "score_columns",
    "with_members",
    "with_scores",
]
