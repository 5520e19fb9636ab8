"""Data in and out: one reader for every format, one writer, and what papers print."""

from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._errors import FormatError
from labelsieve.datasets._find import find_dataset
from labelsieve.datasets._load import load

__all__ = ["Dataset", "FormatError", "find_dataset", "load"]
