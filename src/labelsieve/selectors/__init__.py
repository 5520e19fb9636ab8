"""Selectors: one room per method, all with the same scikit-learn interface."""

from labelsieve.selectors._base import LabelSelector as LabelSelector
from labelsieve.selectors._base import check_selector as check_selector
from labelsieve.selectors._capabilities import refuse_blocks as refuse_blocks
from labelsieve.selectors._decided import Decided as Decided
from labelsieve.selectors._decided import size_limits as size_limits
from labelsieve.selectors._explain import Explanation as Explanation
from labelsieve.selectors._feature_table import feature_table as feature_table
from labelsieve.selectors.d2f import D2F
from labelsieve.selectors.density import EMCFSDensity
from labelsieve.selectors.fimf import FIMF
from labelsieve.selectors.gmba import GMBA
from labelsieve.selectors.grro import GRRO
from labelsieve.selectors.lrfs import LRFS
from labelsieve.selectors.mdmr import MDMR
from labelsieve.selectors.mlfs import MLFS
from labelsieve.selectors.mlqpfs import MLQPFS
from labelsieve.selectors.pmu import PMU
from labelsieve.selectors.regression import MFSMCDM, RFS
from labelsieve.selectors.relief import MLRF, ReliefFML
from labelsieve.selectors.scls import SCLS
from labelsieve.selectors.sieve import Sieve
from labelsieve.selectors.spec import SPEC
from labelsieve.selectors.transformations import (
    BinaryRelevance,
    EntropyLabelAssignment,
    LabelPowerset,
    PrunedTransformation,
    TransformationSelector,
)

__all__ = [
    "D2F",
    "FIMF",
    "GMBA",
    "GRRO",
    "LRFS",
    "MDMR",
    "MFSMCDM",
    "MLFS",
    "MLQPFS",
    "MLRF",
    "PMU",
    "RFS",
    "SCLS",
    "SPEC",
    "BinaryRelevance",
    "EMCFSDensity",
    "EntropyLabelAssignment",
    "LabelPowerset",
    "PrunedTransformation",
    "ReliefFML",
    "Sieve",
    "TransformationSelector",
]
