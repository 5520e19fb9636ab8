"""Nearest rows: blocked distances and the nearest of each row."""

from labelsieve.neighbors.search import Distances, Metric, nearest, tied_ranks

__all__ = ["Distances", "Metric", "nearest", "tied_ranks"]
