"""Damages files of every format and sees that readers answer or refuse clearly.

    python -m tests.fuzz --mutations 200000 --seed 1 --format parquet --format zarr

What fails is kept in tests/fuzz/corpus, whose files are tests from then on.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.fuzz.cases import FORMATS, keep, make_case
from tests.fuzz.limits import FAILURE, NOT_STARTED

# A process answers so many cases, then another one goes on.
CASES_PER_PROCESS = 10_000
# Without any case answered: longer than one case takes on a machine that is busy.
SECONDS_UNTIL_STUCK = 600
# No case has begun: all is being imported and compiled.
NOT_YET = 2**63


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--mutations", type=int, default=200_000, help="of each format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", action="append", choices=FORMATS)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    arguments = parser.parse_args()
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # which the limits count
    names = arguments.format or list(FORMATS)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        found = pool.map(
            lambda name: fuzz(name, arguments.seed, arguments.mutations), names
        )
        failures = sum(outcomes[FAILURE] for outcomes in found)
    sys.exit(1 if failures else 0)


def fuzz(name: str, seed: int, count: int) -> Counter[str]:
    """Answer all cases of a format, in processes of their own; print what came."""
    outcomes: Counter[str] = Counter()
    begin = time.monotonic()
    with tempfile.TemporaryFile() as progress, tempfile.TemporaryFile() as results:
        start = 0
        while start < count:
            stop = min(start + CASES_PER_PROCESS, count)
            ended_at = _in_process(name, seed, start, stop, progress, results)
            if ended_at is not None:
                path = keep(name, make_case(name, seed, ended_at), "the process ended")
                sys.stderr.write(f"{name} {ended_at}: the process ended; {path}\n")
                outcomes[FAILURE] += 1
                stop = ended_at + 1
            start = stop
        results.seek(0)
        for line in results.read().splitlines():
            outcomes.update(json.loads(line))
    seconds = time.monotonic() - begin
    print(
        f"{name}: {count} mutations in {seconds:.0f} s ({count / seconds:.0f} a "
        f"second): {dict(outcomes)}",
        flush=True,
    )
    return outcomes


def _in_process(
    name: str, seed: int, start: int, stop: int, progress: Any, results: Any
) -> int | None:
    """Answer some cases; return the number of the case that ended the process."""
    files = progress.fileno(), results.fileno()
    os.pwrite(files[0], NOT_YET.to_bytes(8, "big"), 0)
    words = map(str, (seed, start, stop, *files))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fuzz.limits", name, *words], pass_fds=files
    )
    answered, since = NOT_YET, time.monotonic()
    while process.poll() is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)
        now = int.from_bytes(os.pread(files[0], 8, 0), "big")
        if now != answered or now == NOT_YET:
            answered, since = now, time.monotonic()
        elif time.monotonic() - since > SECONDS_UNTIL_STUCK:
            process.kill()
    ended_at = int.from_bytes(os.pread(files[0], 8, 0), "big")
    if process.returncode == NOT_STARTED or ended_at == NOT_YET:
        raise RuntimeError(
            f"{name}: the valid files cannot be read (exit code {process.returncode})"
        )
    return None if process.returncode == 0 else ended_at


if __name__ == "__main__":
    main()
