"""Regressions of all labels on all features."""

from labelsieve.selectors.regression.mdfs import MDFS
from labelsieve.selectors.regression.mfs_mcdm import MFSMCDM
from labelsieve.selectors.regression.mifs import MIFS
from labelsieve.selectors.regression.rfs import RFS

__all__ = ["MDFS", "MFSMCDM", "MIFS", "RFS"]
