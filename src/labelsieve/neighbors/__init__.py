"""Nearest samples: blocked distances and the nearest of each sample."""

from labelsieve.neighbors.search import Distances, Metric, block_size, nearest, smallest

__all__ = ["Distances", "Metric", "block_size", "nearest", "smallest"]
