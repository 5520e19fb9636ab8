"""Rows in blocks, on Dask or on disk: the engine, the rows, a look at all of them."""

from labelsieve.blocks.columns import ColumnSurvey as ColumnSurvey
from labelsieve.blocks.columns import survey_columns as survey_columns
from labelsieve.blocks.dense import Scored as Scored
from labelsieve.blocks.dense import quantile_ranks as quantile_ranks
from labelsieve.blocks.dense import survey_dense as survey_dense
from labelsieve.blocks.engine import add_up as add_up
from labelsieve.blocks.engine import cluster as cluster
from labelsieve.blocks.engine import is_lazy as is_lazy
from labelsieve.blocks.engine import keep as keep
from labelsieve.blocks.engine import load as load
from labelsieve.blocks.engine import run as run
from labelsieve.blocks.engine import spill as spill
from labelsieve.blocks.engine import task as task
from labelsieve.blocks.engine import tree as tree
from labelsieve.blocks.engine import value as value
from labelsieve.blocks.rows import blocks_of as blocks_of
from labelsieve.blocks.rows import lengths_of as lengths_of
from labelsieve.blocks.rows import open_rows as open_rows
from labelsieve.blocks.rows import remember_columns as remember_columns
from labelsieve.blocks.rows import select_columns as select_columns
from labelsieve.blocks.surveyed import SurveyedRows as SurveyedRows
from labelsieve.blocks.surveyed import leave_unlabelled_rows as leave_unlabelled_rows
from labelsieve.blocks.surveyed import survey as survey
