"""What the user passes becomes features and labels: arrays, sparse data, tables."""

from labelsieve.reading.features import (
    Features,
    read_features,
    read_values,
    warn_constant_features,
)
from labelsieve.reading.frames import categories_of, is_frame
from labelsieve.reading.labels import (
    Labels,
    as_indicator,
    as_matrix,
    is_positive,
    read_labels,
    refuse_numbers,
)

__all__ = [
    "Features",
    "Labels",
    "as_indicator",
    "as_matrix",
    "categories_of",
    "is_frame",
    "is_positive",
    "read_features",
    "read_labels",
    "read_values",
    "refuse_numbers",
    "warn_constant_features",
]
