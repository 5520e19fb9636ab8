"""Joint counts of features and labels, whatever the data is: the waist."""

from labelsieve.counting.block_cells import CellBlocks
from labelsieve.counting.block_counts import CountedBlock, add_up_blocks
from labelsieve.counting.corrected import (
    CORRECTIONS,
    SIGNIFICANCE,
    CorrectedCounts,
    Correction,
)
from labelsieve.counting.counts import Counts, Given
from labelsieve.counting.dask_counts import DaskCounts
from labelsieve.counting.indicators import IndicatorRows
from labelsieve.counting.joint import JointCells
from labelsieve.counting.known import KnownCounts
from labelsieve.counting.pairs import log_table
from labelsieve.counting.rank_sums import RankSums, RowsInBlocks, rank_rows
from labelsieve.counting.sources import (
    BitSource,
    CodeSource,
    Source,
    SparseSource,
    choose_source,
)
from labelsieve.counting.triples import BinaryTriples, CodedTriples, KnownLabels

__all__ = [
    "CORRECTIONS",
    "SIGNIFICANCE",
    "BinaryTriples",
    "BitSource",
    "CellBlocks",
    "CodeSource",
    "CodedTriples",
    "CorrectedCounts",
    "Correction",
    "CountedBlock",
    "Counts",
    "DaskCounts",
    "Given",
    "IndicatorRows",
    "JointCells",
    "KnownCounts",
    "KnownLabels",
    "RankSums",
    "RowsInBlocks",
    "Source",
    "SparseSource",
    "add_up_blocks",
    "choose_source",
    "log_table",
    "rank_rows",
]
