"""ReliefF and its multi-label relatives: near rows of the same and of other labels."""

from labelsieve.selectors.relief.mlrf import MLRF
from labelsieve.selectors.relief.relieff_ml import ReliefFML, relieff

__all__ = ["MLRF", "ReliefFML", "relieff"]
