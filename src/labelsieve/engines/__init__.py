"""Inner products of columns: the few questions that selectors ask of the data."""

from labelsieve.engines.columns import Columns
from labelsieve.engines.dense import DenseEngine
from labelsieve.engines.sparse import SparseEngine
from labelsieve.engines.tables import Counted, Tables

__all__ = ["Columns", "Counted", "DenseEngine", "SparseEngine", "Tables"]
