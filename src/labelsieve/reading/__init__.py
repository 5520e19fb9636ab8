"""What the user passes becomes features and labels: arrays, sparse data, tables."""

from labelsieve.reading.chosen import ColumnSelector
from labelsieve.reading.features import (
    Features,
    read_features,
    read_values,
    warn_constant_features,
)
from labelsieve.reading.frames import categories_of, is_frame
from labelsieve.reading.identifiers import names_rows
from labelsieve.reading.labels import (
    Labels,
    as_indicator,
    as_matrix,
    is_positive,
    label_names,
    read_labels,
    refuse_numbers,
    sparse_indicator,
)
from labelsieve.reading.missing import (
    MISSING,
    fill_masked,
    refuse_missing,
    with_nan,
)
from labelsieve.reading.sparse import merge_repeats, open_sparse

__all__ = [
    "MISSING",
    "ColumnSelector",
    "Features",
    "Labels",
    "as_indicator",
    "as_matrix",
    "categories_of",
    "fill_masked",
    "is_frame",
    "is_positive",
    "label_names",
    "merge_repeats",
    "names_rows",
    "open_sparse",
    "read_features",
    "read_labels",
    "read_values",
    "refuse_missing",
    "refuse_numbers",
    "sparse_indicator",
    "warn_constant_features",
    "with_nan",
]
