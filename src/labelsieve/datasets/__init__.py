"""Data in and out: one reader for every format, one writer, and what papers print."""

import importlib
from typing import TYPE_CHECKING

from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._describe import Description, describe
from labelsieve.datasets._errors import FormatError
from labelsieve.datasets._find import find_dataset
from labelsieve.datasets._load import load
from labelsieve.datasets._save import save

if TYPE_CHECKING:
    from labelsieve.datasets._generators import PlantedTruth, make_multilabel
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

# These need scikit-learn, which takes longer to import than most files to read.
_LAZY = {
    "PlantedTruth": "labelsieve.datasets._generators",
    "load_segments": "labelsieve.datasets._segments",
    "make_multilabel": "labelsieve.datasets._generators",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LAZY[name]), name)
