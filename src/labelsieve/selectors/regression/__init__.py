"""Regressions of all labels on all features."""

from labelsieve.selectors.regression.mfs_mcdm import MFSMCDM
from labelsieve.selectors.regression.rfs import RFS

__all__ = ["MFSMCDM", "RFS"]
