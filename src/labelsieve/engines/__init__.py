"""Inner products of columns: the few questions that selectors ask of the data."""

from labelsieve.engines.columns import Columns
from labelsieve.engines.csr import CsrEngine
from labelsieve.engines.dask import DaskEngine
from labelsieve.engines.dense import DenseEngine
from labelsieve.engines.sparse import SparseEngine
from labelsieve.engines.tables import Counted, Tables, block_entropies

__all__ = [
    "Columns",
    "Counted",
    "CsrEngine",
    "DaskEngine",
    "DenseEngine",
    "SparseEngine",
    "Tables",
    "block_entropies",
]
