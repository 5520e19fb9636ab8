"""Readers beside liac-arff (sparse) and scipy (dense): time, and memory per result.

Times are processor seconds, the best of several runs in this process, files already
in the page cache. Memory is the peak that Python and numpy allocate while reading,
divided by the bytes of the arrays that come out.
"""

from __future__ import annotations

import gzip
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import arff
import numpy as np
from scipy import sparse
from scipy.io import arff as scipy_arff

from labelsieve.datasets import Dataset, find_dataset, load, save

MEGABYTE = 10**6
DENSE_BYTES = 45 * MEGABYTE


def main() -> None:
    print(
        f"{'file':<28}{'MB':>6}{'ours s':>9}{'theirs s':>10}{'ratio':>7}{'memory':>8}"
    )
    for name in ("bibtex", "delicious"):
        compare_sparse(name)
    with tempfile.TemporaryDirectory() as folder:
        for digits in (6, 17):
            compare_dense(Path(folder) / "dense.arff", digits)
        other_formats(Path(folder))


def compare_sparse(name: str) -> None:
    try:
        folder = find_dataset(name)
    except FileNotFoundError:
        print(f"{name}: not found; set LABELSIEVE_DATA to a folder of data sets")
        return
    packed = folder / f"{name}.arff.gz"

    def theirs() -> object:
        with gzip.open(packed, "rt", encoding="utf-8") as stream:
            return arff.load(stream, return_type=arff.LOD)

    megabytes = len(gzip.decompress(packed.read_bytes())) / MEGABYTE
    report(f"{name}, liac-arff", megabytes, lambda: load(packed), theirs)


def compare_dense(path: Path, digits: int) -> None:
    write_dense(path, digits)
    report(
        f"dense, {digits} digits, scipy",
        path.stat().st_size / MEGABYTE,
        lambda: load(path, labels="label"),
        lambda: scipy_arff.loadarff(path),
    )


def other_formats(folder: Path) -> None:
    """Say how long the same 45 MB take in the other formats, beside nothing."""
    dataset = load(folder / "dense.arff", labels="label")
    for suffix in ("csv", "libsvm", "parquet"):
        path = folder / f"same.{suffix}"
        save(dataset, path)
        megabytes = path.stat().st_size / MEGABYTE
        took = best_seconds(lambda path=path: load(path))
        share = memory_share(lambda path=path: load(path))
        print(f"{suffix:<28}{megabytes:6.1f}{took:9.3f}{'':>10}{'':>7}{share:8.2f}")
        path.unlink()


def report(
    title: str,
    megabytes: float,
    ours: Callable[[], Dataset],
    theirs: Callable[[], object],
) -> None:
    ours()  # compiles the kernels or fetches them from disk
    mine, other = best_seconds(ours, 5), best_seconds(theirs, 2)
    share = memory_share(ours)
    print(
        f"{title:<28}{megabytes:6.1f}{mine:9.3f}{other:10.3f}{other / mine:7.1f}"
        f"{share:8.2f}",
        flush=True,
    )


def best_seconds(run: Callable[[], object], repeat: int = 3) -> float:
    times = []
    for _ in range(repeat):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def memory_share(run: Callable[[], Dataset]) -> float:
    tracemalloc.start()
    dataset = run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / sum(map(n_bytes, dataset))


def n_bytes(matrix) -> int:
    if sparse.issparse(matrix):
        parts = (matrix.data, matrix.indices, matrix.indptr)
        return sum(part.nbytes for part in parts)
    return matrix.nbytes


def write_dense(path: Path, digits: int) -> None:
    """Write 120 numbers and 14 labels per row until the file is large enough."""
    rng = np.random.default_rng(digits)
    names = [f"@attribute a{i} numeric\n" for i in range(120)]
    names += [f"@attribute label{i} {{0,1}}\n" for i in range(14)]
    with open(path, "w", encoding="utf-8") as stream:
        stream.write("@relation dense\n" + "".join(names) + "@data\n")
        while stream.tell() < DENSE_BYTES:
            numbers = [f"{value:.{digits}g}" for value in rng.random(120)]
            labels = (rng.random(14) < 0.2).astype(int).astype(str)
            stream.write(",".join([*numbers, *labels]) + "\n")


if __name__ == "__main__":
    main()
