"""The command ``labelsieve``: one module per sub-command."""

from __future__ import annotations

TYPE_CHECKING = False  # importing it from typing would take longer than all else here
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The words after ``labelsieve``; by default those of this process.

    Returns
    -------
    code : int
        0 done, 1 internal error, 2 bad input or bad option, 130 interrupted, 143
        terminated.

    Examples
    --------
    >>> from labelsieve.cli import main
    >>> main(["--version"])
    labelsieve ...
    0
    """
    # Imports stand where Ctrl-C is heeded already: they are what takes time at first.
    try:
        from labelsieve.cli._interrupts import Interrupts, open_closed_streams

        open_closed_streams()
        with Interrupts() as interrupts:
            from labelsieve.cli._main import run_command

            return run_command(argv, interrupts)
    except KeyboardInterrupt as error:
        from labelsieve.cli._interrupts import end_interrupted

        return end_interrupted(error)
