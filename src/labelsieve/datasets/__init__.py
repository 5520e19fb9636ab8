"""Data in and out: one reader for every format, one writer, and what papers print."""

from labelsieve.datasets._dataset import Dataset as Dataset
from labelsieve.datasets._dataset import with_features as with_features
from labelsieve.datasets._describe import Description as Description
from labelsieve.datasets._describe import count_data as count_data
from labelsieve.datasets._describe import describe as describe
from labelsieve.datasets._generators import PlantedTruth as PlantedTruth
from labelsieve.datasets._generators import load_segments as load_segments
from labelsieve.datasets._generators import make_multilabel as make_multilabel
from labelsieve.datasets._lazy import LazyDataset as LazyDataset
from labelsieve.datasets._lazy import open_lazy as open_lazy
from labelsieve.datasets._lazy import sample_rows as sample_rows
from labelsieve.datasets._libsvm import load_splits as load_splits
from labelsieve.datasets._load import load as load
from labelsieve.datasets._nominal import make_words as make_words
from labelsieve.datasets._nominal import (
    names_of_rows_as_constants as names_of_rows_as_constants,
)
from labelsieve.datasets._nominal import to_arrays as to_arrays
from labelsieve.datasets._nominal import to_frames as to_frames
from labelsieve.datasets._places import FormatError as FormatError
from labelsieve.datasets._places import files_read as files_read
from labelsieve.datasets._places import find_dataset as find_dataset
from labelsieve.datasets._save import file_content as file_content
from labelsieve.datasets._save import files_written as files_written
from labelsieve.datasets._save import save as save
