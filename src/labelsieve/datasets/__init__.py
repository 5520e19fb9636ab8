"""Data in and out: one reader for every format, one writer, and what papers print."""

from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._describe import Description, describe
from labelsieve.datasets._errors import FormatError
from labelsieve.datasets._find import find_dataset
from labelsieve.datasets._generators import PlantedTruth, make_multilabel
from labelsieve.datasets._load import load
from labelsieve.datasets._save import save
from labelsieve.datasets._segments import load_segments

__all__ = [
    "Dataset",
    "Description",
    "FormatError",
    "PlantedTruth",
    "describe",
    "find_dataset",
    "load",
    "load_segments",
    "make_multilabel",
    "save",
]
