"""EMCFS: densities of feature values on both sides of every label."""

from labelsieve.selectors.density.emcfs_density import EMCFSDensity

__all__ = ["EMCFSDensity"]
