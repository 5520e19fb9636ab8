"""When features of their own help labels: SharedAndOwn beside as many for all.

``python -m benchmarks.shared_and_own FOLDER`` judges one logistic regression per label
on every data set of the folder, with 10 features for all labels, with 10 and at most 3
more for each, and with 13 for all.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from labelsieve import EMCFS, SharedAndOwn, Sieve
from labelsieve._plumbing.tables import Column, Table, numbers
from labelsieve.experiments import locate
from labelsieve.experiments.board import DROPPED, _names
from labelsieve.experiments.data import read
from labelsieve.experiments.protocols import CappedHoldOut
from labelsieve.experiments.statistics import bootstrap_interval, wilcoxon_test
from labelsieve.experiments.views import transform_rows
from labelsieve.metrics import evaluate

OUT = Path("results/shared_and_own")
N_SHARED, N_OWN, N_SPLITS = 10, 3, 2
# One selection for each label: more labels take too long here.
MOST_LABELS = 60
CHOICES = {
    "shared": SharedAndOwn(Sieve(), n_shared=N_SHARED, n_own=0),
    "and own": SharedAndOwn(Sieve(), n_shared=N_SHARED, n_own=N_OWN),
    "more shared": SharedAndOwn(Sieve(), n_shared=N_SHARED + N_OWN, n_own=0),
}
MEASURES = ("macro_auc", "macro_f1", "micro_f1")


def measured(name: str, folder: str) -> dict:
    """All choices on one data set."""
    data = read(locate(name, folder, DROPPED.get(name, ())))
    found = {choice: [] for choice in CHOICES}
    own = []
    for split in range(N_SPLITS):
        rows = CappedHoldOut(N_SPLITS, stratified=True).split(data.Y, 2024, split)
        X = transform_rows("minmax", data.X[rows.train], data.X[rows.test])
        for choice, selector in CHOICES.items():
            model = EMCFS(selector, LogisticRegression(solver="liblinear"))
            model.fit(X[0], data.Y[rows.train])
            values = evaluate(
                data.Y[rows.test], model.predict(X[1]), model.label_scores(X[1])
            )
            found[choice].append([values[measure] for measure in MEASURES])
            if choice == "and own":
                varying = data.Y[rows.train].any(axis=0)
                per_label = model.label_support_[varying].sum(axis=1) - N_SHARED
                own.append(float(np.clip(per_label, 0, N_OWN).mean()))
    row = {"dataset": name, "labels": int(data.Y.shape[1]), "own": np.mean(own)}
    for choice, values in found.items():
        for measure, value in zip(MEASURES, np.mean(values, axis=0), strict=True):
            row[f"{choice}: {measure}"] = round(float(value), 4)
    return row


def page(rows: list[dict]) -> str:
    """The table, and what it says."""
    columns = [Column("data set", "dataset"), numbers("labels", "labels", "")]
    columns.append(numbers("own features per label", "own", ".1f"))
    for measure in MEASURES[:2]:
        name = measure.replace("_", " ")
        columns += [
            numbers(f"{name}, {choice}", f"{choice}: {measure}", ".3f")
            for choice in CHOICES
        ]
    said = []
    for measure in MEASURES:
        for other in ("shared", "more shared"):
            one = np.array([row[f"and own: {measure}"] for row in rows])
            two = np.array([row[f"{other}: {measure}"] for row in rows])
            low, high = bootstrap_interval(one - two)
            said.append(
                f"- {measure.replace('_', ' ')}, against {other}: "
                f"{np.mean(one - two):+.3f} ({low:+.3f} to {high:+.3f}), better on "
                f"{(one > two).sum()} of {len(rows)}, "
                f"Wilcoxon p = {wilcoxon_test(one, two).p:.2g}"
            )
    table = Table("Shared and own features", columns, rows).to_markdown(level=1)
    note = (
        f"Sieve, one logistic regression per label, {N_SPLITS} stratified hold-outs of "
        f"at most 1,500 rows. Shared: {N_SHARED} features for all labels. And own: at "
        f"most {N_OWN} more for each. More shared: {N_SHARED + N_OWN} for all."
    )
    return "\n\n".join([table, note, "\n".join(said)]) + "\n"


def main(folder: str) -> None:
    """Measure all data sets and write the page."""
    warnings.simplefilter("ignore")
    rows = []
    for name in _names(folder, None):
        if read(locate(name, folder)).Y.shape[1] <= MOST_LABELS:
            rows.append(measured(name, folder))
            print(rows[-1], flush=True)
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "results.json").write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    (OUT / "results.md").write_text(page(rows), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
