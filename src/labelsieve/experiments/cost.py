"""What a piece of work costs: time on the clock, processor time, peak memory."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Cost:
    """Seconds, processor seconds, and memory above that of before (None: unknown)."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int | None


def measure(function: Callable[[], Result]) -> tuple[Result, Cost]:
    """Call a function and return its result with what it cost.

    Memory is what the process had resident at most, above what it had before; the
    operating system must offer a counter that can be reset, as Linux does.

    Examples
    --------
    >>> from labelsieve.experiments.cost import measure
    >>> total, cost = measure(lambda: sum(range(1000)))
    >>> total, cost.seconds >= 0
    (499500, True)
    """
    before = _reset_peak()
    begin, begin_cpu = time.perf_counter(), time.process_time()
    result = function()
    cpu = time.process_time() - begin_cpu
    seconds = time.perf_counter() - begin
    after = _status_bytes("VmHWM")
    known = before is not None and after is not None
    peak = max(after - before, 0) if known else None  # type: ignore[operator]
    return result, Cost(seconds, cpu, peak)


@contextlib.contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """TimeoutError once the process has computed for so long; None sets no limit.

    What a library computes in one call is not interrupted, but ends the work when the
    call is over. Where the system has no such clock, as on Windows, and in threads
    that are not the first, there is no limit.

    Examples
    --------
    >>> from labelsieve.experiments.cost import time_limit
    >>> with time_limit(10.0):
    ...     sum(range(1000))
    499500
    """
    first = threading.current_thread() is threading.main_thread()
    if seconds is None or not first or not hasattr(signal, "SIGPROF"):
        yield
        return

    def stop(*_: object) -> None:
        raise TimeoutError(f"not done after {seconds:g} processor seconds")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _reset_peak() -> int | None:
    """Set the peak of resident memory to what is resident now, and return that."""
    _give_free_memory_back()
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return None
    return _status_bytes("VmRSS")


def _give_free_memory_back() -> None:
    """Let memory that was freed before not hide what is allocated now."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _status_bytes(field: str) -> int | None:
    try:
        with open("/proc/self/status") as lines:
            for line in lines:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None
