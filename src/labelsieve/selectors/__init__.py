"""Selectors: one room per method, all with the same scikit-learn interface."""
