"""Ctrl-C ends a command also where a library swallows or disguises it.

So does SIGTERM: what was opened is closed, and no file stays behind.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, NoReturn, Self

from labelsieve._utils.messages import show

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

# Long enough for the code that swallowed the interrupt to return.
SECONDS_UNTIL_AGAIN = 0.02


STANDARD_OUTPUT = 1
STANDARD_ERROR = 2
# What must be there for a signal to be ours, and what is said then.
SIGNALS = {
    signal.SIGINT: (signal.default_int_handler, "interrupted"),
    signal.SIGTERM: (signal.SIG_DFL, "terminated"),
}
# What reads from a closed stream, or writes to one, must fail: the other way is open.
CLOSED = (("stdin", os.O_WRONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY))


class Interrupted(KeyboardInterrupt):
    """Ctrl-C was pressed, or the signal came that is the argument.

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
        self.asked: int | None = None  # the signal that came
        self._over = False

    def __enter__(self) -> Self:
        self._unraisable = sys.unraisablehook
        # Not where interrupts are ignored (a shell's background job) or handled by
        # the program that calls us; only the main thread may set handlers.
        in_main = threading.current_thread() is threading.main_thread()
        self._watched = {
            number: before
            for number, (before, _) in SIGNALS.items()
            if in_main and signal.getsignal(number) is before
        }
        for number in self._watched:
            signal.signal(number, self._interrupt)
        if self._watched:
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
        for number, before in self._watched.items():
            signal.signal(number, before)
        if self._watched:
            sys.unraisablehook = self._unraisable
            sys.meta_path.remove(self)
        if isinstance(error, Exception):
            self.reveal(error)

    def reveal(self, error: Exception) -> None:
        """Raise Interrupted if an interrupt is behind this error."""
        if self.asked:
            raise Interrupted(self.asked) from error

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        """Find no module, but stop who goes on importing after an interrupt."""
        if self.asked:
            raise Interrupted(self.asked)

    def _interrupt(self, number: int, frame: FrameType | None) -> NoReturn:
        self.asked = self.asked or number
        raise Interrupted(self.asked)

    def _interrupt_again(self, swallowed: UnraisableHookArgs) -> None:
        if issubclass(swallowed.exc_type, KeyboardInterrupt):
            again = threading.Timer(SECONDS_UNTIL_AGAIN, self._once_more)
            again.daemon = True
            again.start()
        elif not self.asked:
            self._unraisable(swallowed)

    def _once_more(self) -> None:
        if not self._over:  # the next import may have been interrupted meanwhile
            _thread.interrupt_main(signal.Signals(self.asked or signal.SIGINT))


def end_interrupted(error: KeyboardInterrupt) -> int:
    """Say in one line that the command was interrupted, and return its exit code."""
    number = error.args[0] if isinstance(error, Interrupted) else signal.SIGINT
    drop_output()
    show(f"labelsieve: {SIGNALS[number][1]}")
    drop_errors()
    return 128 + number


def open_closed_streams() -> None:
    """Open standard streams that are closed, before a file gets their numbers."""
    for number, (name, flags) in enumerate(CLOSED):
        if getattr(sys, name) is not None:
            continue
        file = os.open(os.devnull, flags)
        stream = open(file, "w" if number else "r", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def drop_output() -> None:
    """Let what is not written yet go: Python flushes again at exit.

    That must neither fail nor wait for somebody who does not read.
    """
    if sys.stdout is sys.__stdout__:
        _close(STANDARD_OUTPUT)


def drop_errors() -> None:
    """Let nothing follow the last line, as half-made objects do when they are freed."""
    if sys.stderr is sys.__stderr__:
        _close(STANDARD_ERROR)


def _close(descriptor: int) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
