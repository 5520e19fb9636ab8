"""Labels made into classes, and a score for each feature and class."""

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
