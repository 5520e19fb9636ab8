"""Rows larger than memory: FIMF and PMU over a folder of LibSVM files, on threads.

Writes 5 million x 2,000 sparse rows with 100 labels (or fewer, see --help), then fits
on the first fifth and on all of them, each in a process of its own, and prints the
time per million rows (aim: the same within 15 %) and the peak memory (aim: 2 GB).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from labelsieve._utils.compile import njit

N_FEATURES, N_LABELS, PER_ROW, LABELS_PER_ROW = 2_000, 100, 20, 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--rows-per-file", type=int, default=50_000)
    parser.add_argument("--folder", help="where to write; kept after the run")
    parser.add_argument("--fit", nargs=2, metavar=("METHOD", "FILES"), help="internal")
    options = parser.parse_args()
    if options.fit:
        fit(Path(options.folder), options.fit[0], int(options.fit[1]))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.folder or scratch)
        write(folder, options.files, options.rows_per_file)
        compare(folder, options.files, options.rows_per_file)


def write(folder: Path, n_files: int, n_rows: int) -> None:
    folder.mkdir(exist_ok=True)
    began = time.perf_counter()
    for number in range(n_files):
        (folder / f"{number:04d}.svm").write_bytes(rows_of_text(n_rows, number))
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(
        f"{n_files * n_rows:,} rows in {n_files} files, {size / 1e9:.2f} GB, written "
        f"in {time.perf_counter() - began:.0f} s",
        flush=True,
    )


def compare(folder: Path, n_files: int, n_rows: int) -> None:
    for method in ("FIMF", "PMU"):
        per_million = {}
        for used in (n_files // 5, n_files):
            command = [sys.executable, "-m", "benchmarks.streaming"]
            command += ["--folder", str(folder), "--fit", method, str(used)]
            answer = subprocess.run(command, check=True, capture_output=True)
            found = json.loads(answer.stdout)
            millions = used * n_rows / 1e6
            per_million[used] = found["cpu"] / millions
            print(
                f"{method:>5} {millions:4.1f} million rows: wall {found['wall']:6.1f} "
                f"s, CPU {found['cpu']:6.1f} s, {found['wall'] / millions:5.2f} s (CPU "
                f"{found['cpu'] / millions:5.2f} s) per million, peak "
                f"{found['peak'] / 1e9:.2f} GB",
                flush=True,
            )
        small, large = per_million.values()
        print(f"{method:>5} CPU per million rows, all to a fifth: {large / small:.2f}")


def fit(folder: Path, method: str, n_files: int) -> None:
    """Fit on the first files and print what it took."""
    import resource

    from labelsieve import FIMF, PMU
    from labelsieve.datasets._lazy import _open_libsvm

    files = sorted(folder.glob("*.svm"))[:n_files]
    X, Y = _open_libsvm(folder, files, None, None, 2**32)
    selector = FIMF(10) if method == "FIMF" else PMU(10)
    began, began_cpu = time.perf_counter(), time.process_time()
    selector.fit(X, Y)
    answer = {
        "wall": time.perf_counter() - began,
        "cpu": time.process_time() - began_cpu,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "order": selector.order_[:10].tolist(),
    }
    print(json.dumps(answer))


def rows_of_text(n_rows: int, seed: int) -> bytes:
    """Rows of a LibSVM file; the first features determine the first labels."""
    rng = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, N_LABELS + 1) ** 0.7
    labels = rng.choice(N_LABELS, (n_rows, LABELS_PER_ROW), p=share / share.sum())
    features = (N_FEATURES * rng.random((n_rows, PER_ROW)) ** 2).astype(np.int64)
    shown = rng.random((n_rows, LABELS_PER_ROW)) < 0.5
    features[:, :LABELS_PER_ROW] = np.where(
        shown, 7 * labels, features[:, :LABELS_PER_ROW]
    )
    out = np.empty(n_rows * (LABELS_PER_ROW * 4 + PER_ROW * 7 + 1), dtype=np.uint8)
    n_written = write_rows(np.sort(labels), np.sort(features), out)
    header = f"{n_rows} {N_FEATURES} {N_LABELS}\n".encode()
    return header + out[:n_written].tobytes()


@njit
def write_rows(labels, features, out):  # type: ignore[no-untyped-def]
    """Write sorted labels and features, each once, as text; returns the length."""
    n = 0
    for row in range(labels.shape[0]):
        for k in range(labels.shape[1]):
            if k and labels[row, k] == labels[row, k - 1]:
                continue
            if k:
                out[n] = 44
                n += 1
            n = write_number(labels[row, k], out, n)
        for k in range(features.shape[1]):
            if k and features[row, k] == features[row, k - 1]:
                continue
            out[n] = 32
            n = write_number(features[row, k], out, n + 1)
            out[n] = 58
            out[n + 1] = 49
            n += 2
        out[n] = 10
        n += 1
    return n


@njit
def write_number(number, out, n):  # type: ignore[no-untyped-def]
    """Write the digits of a number; returns the next place."""
    power = 1
    while power * 10 <= number:
        power *= 10
    while power:
        out[n] = 48 + number // power % 10
        n += 1
        power //= 10
    return n


if __name__ == "__main__":
    main()
