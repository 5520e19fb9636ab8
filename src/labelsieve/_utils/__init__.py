"""Utilities that every package needs and no method knows, imported by module."""
