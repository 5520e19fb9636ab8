"""ReliefF and its multi-label variants: nearest hits and misses."""

from labelsieve.selectors.relief.mlrf import MLRF
from labelsieve.selectors.relief.relieff_ml import ReliefFML, relieff

__all__ = ["MLRF", "ReliefFML", "relieff"]
