"""What a careful colleague would notice about data before anything is selected."""

from labelsieve.describing.description import DataDescription, describe
from labelsieve.describing.description import numbers_table as numbers_table
from labelsieve.describing.noticed import DataFinding

__all__ = ["DataDescription", "DataFinding", "describe"]
