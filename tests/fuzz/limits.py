"""Many cases in one process, each within its time, all within some memory."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.cases import answer, keep, make_case, seeds_of

# Of processor time, for one case: pages with pictures take a second.
SECONDS = 5.0
# More than the process has when it starts. The decoder of zarr's blocks ends the
# process where it gets no memory, and asks for 2 GiB of which it touches little.
BYTES, BYTES_FOR_ZARR = 1 << 30, 6 << 30

FAILURE = "FAILURE"
NOT_STARTED = 3


def run(
    name: str, seed: int, numbers: range, *, progress: int | None = None
) -> Counter[str]:
    """Answer many cases; return how often each answer came.

    Where a process ends without a word, the number of its case is found in the file
    `progress`.
    """
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, _time_limits():
        for number in numbers:
            if progress is not None:
                os.pwrite(progress, number.to_bytes(8, "big"), 0)
            outcomes[_limited(name, seed, number, Path(folder))] += 1
    return outcomes


def warm_up(name: str) -> None:
    """Import and compile all that is needed, then limit the memory."""
    with tempfile.TemporaryDirectory() as folder:
        for number in (0, 1):
            for seed in seeds_of(name):
                answer(name, Path(folder), seed, number)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = used + (BYTES_FOR_ZARR if name == "zarr" else BYTES)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _limited(name: str, seed: int, number: int, folder: Path) -> str:
    case = make_case(name, seed, number)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return answer(name, folder, case, number)
    # Whatever it is, it must be shown together with the file that caused it.
    except BaseException as error:
        signal.setitimer(signal.ITIMER_PROF, 0)
        if isinstance(error, KeyboardInterrupt):
            raise
        path = keep(name, case, f"{type(error).__name__}: {error}"[:300])
        sys.stderr.write(f"{traceback.format_exc()}\n{path}\n")
        return FAILURE
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


class _TooSlow(BaseException):
    """No reader may take this for an error of its own."""


@contextlib.contextmanager
def _time_limits() -> Iterator[None]:
    def too_slow(*_: object) -> None:
        raise _TooSlow(f"no answer within {SECONDS} s")

    before = signal.signal(signal.SIGPROF, too_slow)
    try:
        yield
    finally:
        signal.signal(signal.SIGPROF, before)


def main() -> None:
    """Answer the cases that another process asks for, and tell it what came."""
    name, *numbers = sys.argv[1:]
    seed, start, stop, progress, results = map(int, numbers)
    warnings.simplefilter("ignore")
    try:
        warm_up(name)
    except Exception:
        traceback.print_exc()
        sys.exit(NOT_STARTED)
    outcomes = run(name, seed, range(start, stop), progress=progress)
    os.write(results, json.dumps(outcomes).encode() + b"\n")


if __name__ == "__main__":
    main()
