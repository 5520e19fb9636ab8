"""Nearest rows: blocked distances and the nearest of each row."""

from labelsieve.neighbors.search import Distances, Metric, nearest

__all__ = ["Distances", "Metric", "nearest"]
