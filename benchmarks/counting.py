"""Where bits beat index lists: the measurement behind the cost model of counting."""

from functools import partial

import numpy as np
from labelsieve.counting import BitSource, CodeSource, Counts, SparseSource
from labelsieve.counting.sources import DENSE_SHARE

from benchmarks._timing import label_forms, seconds
from labelsieve.discretization import (
    CodedColumns,
    code_features,
    code_labels,
    find_cuts,
)
from labelsieve.reading.features import Features
from labelsieve.reading.labels import read_labels

N_ROWS, N_FEATURES, N_LABELS = 8000, 400, 40


def main() -> None:
    print(
        f"{N_ROWS} rows, {N_FEATURES} features, {N_LABELS} labels; milliseconds for "
        "all counts, label pairs and a pick. The model takes bits above "
        f"{DENSE_SHARE:g}."
    )
    print(
        f"{'features':>9}{'labels':>8}{'product':>9}{'sparse':>9}{'bits':>9}{'codes':>9}"
    )
    random = np.random.default_rng(0)
    reading = dict.fromkeys(("sparse Y", "dense Y"), 0.0)
    for feature_share in (0.01, 0.05, 0.2, 0.5):
        for label_share in (0.02, 0.1, 0.3):
            X = (random.random((N_ROWS, N_FEATURES)) < feature_share).astype(float)
            Y = (random.random((N_ROWS, N_LABELS)) < label_share).astype(int)
            for form, labels in label_forms(Y).items():
                reading[form] += seconds(partial(code, labels, X), repeat=3)
            times = [1e3 * t for t in compare(X, Y)]
            print(
                f"{feature_share:9.2f}{label_share:8.2f}"
                f"{feature_share * label_share:9.4f}"
                + "".join(f"{t:9.1f}" for t in times),
                flush=True,
            )
    said = ", ".join(f"{form} {1e3 * taken:.1f}" for form, taken in reading.items())
    print(f"labels of all lines read and coded, milliseconds: {said}")


def code(Y: object, X: np.ndarray) -> CodedColumns:
    return code_labels(read_labels(Y, X))


def compare(X: np.ndarray, Y: np.ndarray) -> list[float]:
    features = Features(X)
    coded = code_features(features, find_cuts(features, 2, "quantile"))
    labels = code(Y, X)

    def ask(source) -> None:
        counts = Counts(coded, labels, source, n_jobs=1)
        counts.told_of_label_pairs()
        counts.chosen_sums(0)

    sources = [
        kind.build(coded, labels) for kind in (SparseSource, BitSource, CodeSource)
    ]
    return [seconds(lambda source=source: ask(source), repeat=3) for source in sources]


if __name__ == "__main__":
    main()
