"""Data in and out: one reader for every format, one writer, and what papers print."""

from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._dataset import with_features as with_features
from labelsieve.datasets._describe import Description, describe
from labelsieve.datasets._describe import count_data as count_data
from labelsieve.datasets._generators import PlantedTruth, load_segments, make_multilabel
from labelsieve.datasets._lazy import LazyDataset, open_lazy, sample_rows
from labelsieve.datasets._libsvm import load_splits
from labelsieve.datasets._load import load
from labelsieve.datasets._nominal import make_words, to_frames
from labelsieve.datasets._nominal import (
    names_of_rows_as_constants as names_of_rows_as_constants,
)
from labelsieve.datasets._nominal import to_arrays as to_arrays
from labelsieve.datasets._places import FormatError, find_dataset
from labelsieve.datasets._places import files_read as files_read
from labelsieve.datasets._save import file_content as file_content
from labelsieve.datasets._save import files_written as files_written
from labelsieve.datasets._save import save

__all__ = [
    "Dataset",
    "Description",
    "FormatError",
    "LazyDataset",
    "PlantedTruth",
    "describe",
    "find_dataset",
    "load",
    "load_segments",
    "load_splits",
    "make_multilabel",
    "make_words",
    "open_lazy",
    "sample_rows",
    "save",
    "to_frames",
]
