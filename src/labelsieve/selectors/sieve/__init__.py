"""Sieve: what is new about each label, beyond chance."""

from labelsieve.selectors.sieve.sieve import Sieve

__all__ = ["Sieve"]
