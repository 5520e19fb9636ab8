"""Ctrl-C ends a command also where a library swallows or disguises it."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, NoReturn, Self

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

# Long enough for the code that swallowed the interrupt to return.
SECONDS_UNTIL_AGAIN = 0.02


STANDARD_OUTPUT = 1
STANDARD_ERROR = 2
INTERRUPTED = 130


class Interrupted(KeyboardInterrupt):
    """Ctrl-C was pressed.

    Where a KeyboardInterrupt itself passes an ``exec`` of text, as SciPy runs when it
    is imported, Python ends by the signal though the exception was caught later.
    """


class Interrupts:
    """Within it, an interrupt is a KeyboardInterrupt in the end, whatever it became.

    Modules that are interrupted while they load raise ImportError or RuntimeError
    instead, or take what was interrupted for missing: then the next import is
    interrupted again. Callbacks from C (the compiler's, for example) may not raise at
    all: those are interrupted again as soon as they have returned. Objects that were
    interrupted while they were made complain when they are freed: nobody needs that.
    """

    def __init__(self) -> None:
        self.asked = False
        self._over = False

    def __enter__(self) -> Self:
        self._unraisable = sys.unraisablehook
        # Not where interrupts are ignored (a shell's background job) or handled by
        # the program that calls us; only the main thread may set handlers.
        self._watches = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if self._watches:
            signal.signal(signal.SIGINT, self._interrupt)
            sys.unraisablehook = self._interrupt_again
            sys.meta_path.insert(0, self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over = True
        if self._watches:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            sys.unraisablehook = self._unraisable
            sys.meta_path.remove(self)
        if isinstance(error, Exception):
            self.reveal(error)

    def reveal(self, error: Exception) -> None:
        """Raise Interrupted if an interrupt is behind this error."""
        if self.asked:
            raise Interrupted from error

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        """Find no module, but stop who goes on importing after an interrupt."""
        if self.asked:
            raise Interrupted

    def _interrupt(self, number: int, frame: FrameType | None) -> NoReturn:
        self.asked = True
        raise Interrupted

    def _interrupt_again(self, swallowed: UnraisableHookArgs) -> None:
        if issubclass(swallowed.exc_type, KeyboardInterrupt):
            again = threading.Timer(SECONDS_UNTIL_AGAIN, self._once_more)
            again.daemon = True
            again.start()
        elif not self.asked:
            self._unraisable(swallowed)

    def _once_more(self) -> None:
        if not self._over:  # the next import may have been interrupted meanwhile
            _thread.interrupt_main()


def end_interrupted() -> int:
    """Say in one line that the command was interrupted, and return its exit code."""
    drop_output()
    sys.stderr.write("labelsieve: interrupted\n")
    _drop_errors()
    return INTERRUPTED


def drop_output() -> None:
    """Let what is not written yet go: Python flushes again at exit.

    That must neither fail nor wait for somebody who does not read.
    """
    if sys.stdout is sys.__stdout__:
        _close(STANDARD_OUTPUT)


def _drop_errors() -> None:
    """Let nothing follow the last line, as half-made objects do when they are freed."""
    errors = sys.__stderr__
    if errors is not None and sys.stderr is errors:
        errors.flush()
        _close(STANDARD_ERROR)


def _close(descriptor: int) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
