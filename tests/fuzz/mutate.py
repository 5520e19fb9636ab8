"""Mutates valid files and sees that readers answer with a data set or FormatError.

    python -m tests.fuzz.mutate 200000 [seed]

Each file must be answered within two seconds of processor time, and the whole process
may take 500 MB of memory more than it has when it starts. Half of the files are given
to the kernels, which otherwise read large files only.
"""

from __future__ import annotations

import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelsieve.datasets import Dataset, FormatError, _arff, _csv, _libsvm, load
from tests.fuzz.seeds import Seed, make_seeds

SECONDS = 2.0
BYTES = 500 * 1024**2

# Pieces that mean something to some format, or that break careless readers.
PIECES = [
    *(bytes([mark]) for mark in b"{}'\",;:%?#@\\<>&-+._|"),
    b"\\'",
    *(b" ", b"\t", b"\n", b"\r\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xe2\x80"),
    *(b"0", b"1", b"2", b"-1", b"1.", b".5", b"1e999", b"-1e-999", b"nan", b"inf"),
    *(b"1_0", b"0x10", b"99999999999999999999", b"4294967296", b"2147483647"),
    *(b"999999999:1", b"9007199254740993", b"0." + b"1" * 30, "٣".encode()),
    *(
        b"@data",
        b"@attribute",
        b"@relation r",
        b"numeric",
        b"string",
        b"date",
        b"{0,1}",
    ),
    *(b"<!DOCTYPE a>", b"<!ENTITY a 'b'>", b"&a;", b"<label name='z'/>", b"</labels>"),
    *(b"-C 3", b"-C 0", b"-C -99", b"null", b"true", b'"labelsieve": 2', b"[" * 2000),
]


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Return the bytes with one to four faults."""
    text = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        at, length = rng.randint(0, len(text)), rng.choice((1, 1, 2, 5, 30))
        kind = rng.randrange(7)
        if kind == 0:
            text[at:at] = rng.choice(PIECES)
        elif kind == 1:
            text[at : at + length] = rng.choice(PIECES)
        elif kind == 2:
            del text[at : at + length]
        elif kind == 3 and at < len(text):
            text[at] ^= 1 << rng.randrange(8)
        elif kind == 4:
            text[at:at] = text[at : at + length] * rng.choice((1, 2, 50))
        elif kind == 5:
            start = rng.randint(0, len(text))
            text[at:at] = text[start : start + length]
        elif kind == 6 and rng.random() < 0.2:
            del text[at:]
    return bytes(text)


def answer(folder: Path, files: dict[str, bytes], arguments: dict[str, Any]) -> str:
    """Load one folder of files; return what came of it, or raise."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    try:
        check(load(folder / next(iter(files)), **arguments))
    except FormatError as error:
        return "FormatError" if str(error) and error.reason else "FAILURE"
    finally:
        for name in files:
            (folder / name).unlink()
    return "data set"


def check(dataset: Dataset) -> None:
    """See that a data set is what a data set should be."""
    X, Y = dataset
    assert X.dtype == np.float64
    assert Y.dtype == np.uint8
    assert X.shape == (Y.shape[0], len(dataset.feature_names))
    assert Y.shape[1] == len(dataset.label_names) > 0
    assert sparse.issparse(X) == sparse.issparse(Y)
    for matrix in (X, Y):
        if sparse.issparse(matrix):
            matrix.check_format(full_check=True)
            assert matrix.has_canonical_format
    assert not np.isinf(X.data if sparse.issparse(X) else X).any()


def run(count: int, seed: int) -> Counter[str]:
    """Answer many mutations; return how often each answer came."""
    signal.signal(signal.SIGPROF, _too_slow)
    rng = random.Random(seed)
    seeds = make_seeds()
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        for number in range(count):
            use_kernels(number % 2 == 0)
            base = rng.choice(seeds)
            victim = rng.choice(list(base.files))
            files = {**base.files, victim: mutate(base.files[victim], rng)}
            outcomes[_limited(Path(name), Seed(files, base.arguments))] += 1
    return outcomes


def use_kernels(on: bool) -> None:
    """Let the kernels read files of any size, or none."""
    for module in (_arff, _csv, _libsvm):
        module.WORTHWHILE_BYTES = 0 if on else 1 << 60  # type: ignore[attr-defined]


def _limited(folder: Path, seed: Seed) -> str:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return answer(folder, seed.files, seed.arguments)
    # Whatever it is, it must be shown together with the file that caused it.
    except BaseException:
        sys.stderr.write(f"{traceback.format_exc()}\n{seed}\n")
        return "FAILURE"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


class _TooSlow(BaseException):
    """No reader may take this for an error of its own."""


def _too_slow(*_: object) -> None:
    raise _TooSlow(f"no answer within {SECONDS} s")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    use_kernels(True)
    for base in make_seeds():  # compiles the kernels, imports what is needed
        with tempfile.TemporaryDirectory() as folder:
            assert answer(Path(folder), base.files, base.arguments) == "data set", base
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, used + BYTES))
    start = time.perf_counter()
    outcomes = run(count, seed)
    seconds = time.perf_counter() - start
    print(f"{count} mutations in {seconds:.0f} s: {dict(outcomes)}")
    sys.exit(1 if outcomes["FAILURE"] else 0)


if __name__ == "__main__":
    main()
