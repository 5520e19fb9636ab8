"""The command ``labelsieve``: one module per sub-command."""

from labelsieve.cli._main import main

__all__ = ["main"]
