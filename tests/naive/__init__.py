"""Slow, obviously right versions of everything fast, one module per package."""
