"""Values to codes: cut points, coded columns and the transformer for users."""

from labelsieve.discretization._block_codes import CodedBlocks as CodedBlocks
from labelsieve.discretization._block_codes import code_rows as code_rows
from labelsieve.discretization._block_codes import find_row_cuts as find_row_cuts
from labelsieve.discretization._block_codes import label_columns as label_columns
from labelsieve.discretization._codes import CodedColumns as CodedColumns
from labelsieve.discretization._codes import code_dense as code_dense
from labelsieve.discretization._codes import code_features as code_features
from labelsieve.discretization._codes import code_labels as code_labels
from labelsieve.discretization._columns import block_columns as block_columns
from labelsieve.discretization._columns import block_engine as block_engine
from labelsieve.discretization._columns import indicator_columns as indicator_columns
from labelsieve.discretization._columns import score_columns as score_columns
from labelsieve.discretization._columns import with_members as with_members
from labelsieve.discretization._columns import with_scores as with_scores
from labelsieve.discretization._cuts import Cuts as Cuts
from labelsieve.discretization._cuts import find_cuts as find_cuts
from labelsieve.discretization._discretizer import (
    BINNING_CONSTRAINTS as BINNING_CONSTRAINTS,
)
from labelsieve.discretization._discretizer import Discretizer as Discretizer
from labelsieve.discretization._ranks import NO_RANKS as NO_RANKS
from labelsieve.discretization._ranks import RankCuts as RankCuts
from labelsieve.discretization._ranks import cut_into_ranks as cut_into_ranks
from labelsieve.discretization._ranks import cut_rows_into_ranks as cut_rows_into_ranks
from labelsieve.discretization._value_counts import ValueCounts as ValueCounts
from labelsieve.discretization._value_counts import count_values as count_values
from labelsieve.discretization._value_counts import (
    count_values_in_blocks as count_values_in_blocks,
)
