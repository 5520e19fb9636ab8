"""Inner products of columns: the few questions that selectors ask of the data."""

from labelsieve.engines.blocks import BlockEngine
from labelsieve.engines.choice import choose_engine, terms_of
from labelsieve.engines.columns import Columns, indicators
from labelsieve.engines.dense import DenseEngine
from labelsieve.engines.sparse import SparseEngine
from labelsieve.engines.tables import Counted, Tables
from labelsieve.engines.terms import CORRECTIONS, SIGNIFICANCE, Correction, Terms

__all__ = [
    "CORRECTIONS",
    "SIGNIFICANCE",
    "BlockEngine",
    "Columns",
    "Correction",
    "Counted",
    "DenseEngine",
    "SparseEngine",
    "Tables",
    "Terms",
    "choose_engine",
    "indicators",
    "terms_of",
]
