"""Rows in blocks, on Dask or on disk: the engine, the rows, a look at all of them."""

from labelsieve.blocks.columns import (
    ColumnSurvey,
    merge_columns,
    survey_columns,
)
from labelsieve.blocks.dense import Scored, quantile_ranks, survey_dense
from labelsieve.blocks.engine import (
    SpillFolder,
    add_up,
    cluster,
    is_lazy,
    keep,
    load,
    run,
    spill,
    task,
    tree,
    value,
)
from labelsieve.blocks.rows import (
    blocks_of,
    lengths_of,
    open_rows,
    remember_columns,
    select_columns,
)
from labelsieve.blocks.surveyed import (
    LabelCodes,
    SurveyedRows,
    leave_unlabelled_rows,
    survey,
)

__all__ = [
    "ColumnSurvey",
    "LabelCodes",
    "Scored",
    "SpillFolder",
    "SurveyedRows",
    "add_up",
    "blocks_of",
    "cluster",
    "is_lazy",
    "keep",
    "leave_unlabelled_rows",
    "lengths_of",
    "load",
    "merge_columns",
    "open_rows",
    "quantile_ranks",
    "remember_columns",
    "run",
    "select_columns",
    "spill",
    "survey",
    "survey_columns",
    "survey_dense",
    "task",
    "tree",
    "value",
]
