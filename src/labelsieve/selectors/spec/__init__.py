"""SPEC: smoothness over the graph of shared labels."""

from labelsieve.selectors.spec.spec import SPEC

__all__ = ["SPEC"]
