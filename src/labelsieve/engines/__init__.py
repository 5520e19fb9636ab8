"""Inner products of columns: the few questions that selectors ask of the data."""

from labelsieve.engines.blocks import BlockEngine
from labelsieve.engines.columns import Columns, is_dense, is_whole
from labelsieve.engines.dense import CsrEngine, DenseEngine
from labelsieve.engines.sparse import SparseEngine
from labelsieve.engines.sparse_terms import choose_engine, terms_of
from labelsieve.engines.tables import Counted, Tables, block_entropies
from labelsieve.engines.terms import CORRECTIONS, SIGNIFICANCE, Correction, Terms

__all__ = [
    "CORRECTIONS",
    "SIGNIFICANCE",
    "BlockEngine",
    "Columns",
    "Correction",
    "Counted",
    "CsrEngine",
    "DenseEngine",
    "SparseEngine",
    "Tables",
    "Terms",
    "block_entropies",
    "choose_engine",
    "is_dense",
    "is_whole",
    "terms_of",
]
