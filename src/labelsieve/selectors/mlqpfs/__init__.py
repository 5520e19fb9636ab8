"""MLQPFS: a quadratic program over information and redundancy."""

from labelsieve.selectors.mlqpfs.mlqpfs import MLQPFS, information_matrix

__all__ = ["MLQPFS", "information_matrix"]
