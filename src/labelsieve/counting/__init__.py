"""Joint counts of features and labels, whatever the data is: the waist."""

from labelsieve.counting.counts import Counts, log_table
from labelsieve.counting.sources import (
    BitSource,
    CodeSource,
    Source,
    SparseSource,
    choose_source,
)

__all__ = [
    "BitSource",
    "CodeSource",
    "Counts",
    "Source",
    "SparseSource",
    "choose_source",
    "log_table",
]
