"""GMBA: the label graph and margins."""

from labelsieve.selectors.gmba.gmba import GMBA

__all__ = ["GMBA"]
