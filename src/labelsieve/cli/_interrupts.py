"""Ctrl-C ends a command also where a library swallows or disguises it."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, NoReturn, Self

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

# Long enough for the code that swallowed the interrupt to return.
SECONDS_UNTIL_AGAIN = 0.02


class Interrupts:
    """Within it, `asked` says whether an interrupt has come, whatever it became.

    Modules that are interrupted while they load raise ImportError or RuntimeError
    instead, and callbacks from C (the compiler's, for example) may not raise at all:
    those are interrupted again as soon as they have returned.
    """

    def __init__(self) -> None:
        self.asked = False

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
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._watches:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            sys.unraisablehook = self._unraisable

    def _interrupt(self, number: int, frame: FrameType | None) -> NoReturn:
        self.asked = True
        raise KeyboardInterrupt

    def _interrupt_again(self, swallowed: UnraisableHookArgs) -> None:
        if swallowed.exc_type is KeyboardInterrupt:
            threading.Timer(SECONDS_UNTIL_AGAIN, _thread.interrupt_main).start()
        else:
            self._unraisable(swallowed)
