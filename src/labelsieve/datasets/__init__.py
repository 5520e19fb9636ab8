"""Data in and out: one reader for every format, one writer, and what papers print."""

from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._describe import Description, describe
from labelsieve.datasets._errors import FormatError
from labelsieve.datasets._find import find_dataset
from labelsieve.datasets._load import load
from labelsieve.datasets._save import save

__all__ = [
    "Dataset",
    "Description",
    "FormatError",
    "describe",
    "find_dataset",
    "load",
    "save",
]
