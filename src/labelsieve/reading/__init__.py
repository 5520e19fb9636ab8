"""What the user passes becomes features and labels: arrays, sparse data, tables."""

from labelsieve.reading.chosen import ColumnSelector
from labelsieve.reading.features import (
    Features,
    read_features,
    read_values,
    warn_constant_features,
)
from labelsieve.reading.frames import (
    is_frame,
    names_of,
    seconds_of,
    warn_other_order,
    without_index,
    words_in,
)
from labelsieve.reading.groups import Groups, as_numbers
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
from labelsieve.reading.nominal import (
    Words,
    groups_rare,
    is_identifier,
    merge_words,
    names_rows,
    positions,
    settle,
    warn_nominal,
)
from labelsieve.reading.sparse import merge_repeats, open_sparse
from labelsieve.reading.tags import (
    LIST_TYPES,
    distinct_tags,
    read_tags,
    rows_of_column,
    split_tags,
    tag_table,
    tags_in,
    warn_joined,
    without_tags,
)
from labelsieve.reading.unknown import (
    known_codes,
    leave_unlabelled,
    unknown_cells,
    with_unknown,
)

__all__ = [
    "LIST_TYPES",
    "MISSING",
    "ColumnSelector",
    "Features",
    "Groups",
    "Labels",
    "Words",
    "as_indicator",
    "as_matrix",
    "as_numbers",
    "distinct_tags",
    "fill_masked",
    "groups_rare",
    "is_frame",
    "is_identifier",
    "is_positive",
    "known_codes",
    "label_names",
    "leave_unlabelled",
    "merge_repeats",
    "merge_words",
    "names_of",
    "names_rows",
    "open_sparse",
    "positions",
    "read_features",
    "read_labels",
    "read_tags",
    "read_values",
    "refuse_missing",
    "refuse_numbers",
    "rows_of_column",
    "seconds_of",
    "settle",
    "sparse_indicator",
    "split_tags",
    "tag_table",
    "tags_in",
    "unknown_cells",
    "warn_constant_features",
    "warn_joined",
    "warn_nominal",
    "warn_other_order",
    "with_nan",
    "with_unknown",
    "without_index",
    "without_tags",
    "words_in",
]
