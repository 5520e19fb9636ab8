"""Problem transformations, and single-label scores on their classes."""

from labelsieve.selectors.transformations.problems import (
    BinaryRelevance,
    EntropyLabelAssignment,
    LabelPowerset,
    PrunedTransformation,
)
from labelsieve.selectors.transformations.selector import TransformationSelector

__all__ = [
    "BinaryRelevance",
    "EntropyLabelAssignment",
    "LabelPowerset",
    "PrunedTransformation",
    "TransformationSelector",
]
