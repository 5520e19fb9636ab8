"""Regressions of all labels on all features."""

from labelsieve.selectors.regression.manifold import MDFS, MIFS
from labelsieve.selectors.regression.mfs_mcdm import MFSMCDM
from labelsieve.selectors.regression.rfs import RFS

__all__ = ["MDFS", "MFSMCDM", "MIFS", "RFS"]
