"""MLFS: the F statistic with one class per label."""

from labelsieve.selectors.mlfs.mlfs import MLFS

__all__ = ["MLFS"]
