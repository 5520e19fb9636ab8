"""When label-specific features help: LabelSpecificSelector against shared features.

``python -m benchmarks.label_specific FOLDER`` evaluates one logistic regression per
label on every data set of the folder, with 10 shared features, with 10 and at most 3
label-specific ones, with 13 shared ones, and with as many shared ones in total.
``python -m benchmarks.field_pages`` puts what was found on the method's page.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from labelsieve import EMCFS, LabelSpecificSelector, Sieve
from labelsieve._utils.messages import Column, Table, numbers
from labelsieve.experiments import locate
from labelsieve.experiments.data import CappedHoldOut, read, transform_rows
from labelsieve.experiments.leaderboards import DROPPED, _names
from labelsieve.experiments.statistics import bootstrap_interval, wilcoxon_test
from labelsieve.metrics import evaluate

OUT = Path(__file__).parent.parent / "results" / "label_specific"
N_SHARED, N_SPECIFIC, N_SPLITS = 10, 3, 5
# One selection for each label: more labels take too long here.
MOST_LABELS = 60
MEASURES = ("macro_auc", "macro_f1", "micro_f1")
TITLES = {"macro_auc": "macro AUC", "macro_f1": "macro-F1", "micro_f1": "micro-F1"}
OTHERS = {
    "shared": f"{N_SHARED} shared features",
    "more shared": f"{N_SHARED + N_SPECIFIC} shared features",
    "all shared": "as many features in total, all of them shared",
}
VERDICTS = {
    "better": lambda low, high: low > 0,
    "no clear difference": lambda low, high: low <= 0 <= high,
    "worse": lambda low, high: high < 0,
}
CHOICES = ("shared", "label-specific", "more shared", "all shared")


def measured(name: str, folder: str) -> dict:
    """All choices on one data set."""
    data = read(locate(name, folder, DROPPED.get(name, ())))
    found = {choice: [] for choice in CHOICES}
    own, in_all = [], []
    for split in range(N_SPLITS):
        rows = CappedHoldOut(N_SPLITS, stratified=True).split(data.Y, 2024, split)
        X = transform_rows("minmax", data.X[rows.train], data.X[rows.test])
        Y = data.Y[rows.train], data.Y[rows.test]
        used, values = judged(X, Y, N_SHARED, N_SPECIFIC)
        found["label-specific"].append(values)
        per_label = used[Y[0].any(axis=0)].sum(axis=1) - N_SHARED
        own.append(float(np.clip(per_label, 0, N_SPECIFIC).mean()))
        in_all.append(int(used.any(axis=0).sum()))
        sizes = {"shared": N_SHARED, "more shared": N_SHARED + N_SPECIFIC}
        for choice, size in (sizes | {"all shared": in_all[-1]}).items():
            found[choice].append(judged(X, Y, size, 0)[1])
    row = {"dataset": name, "labels": int(data.Y.shape[1])}
    row |= {"specific": round(np.mean(own), 2), "in_all": round(np.mean(in_all), 1)}
    for choice, values in found.items():
        for measure, value in zip(MEASURES, np.mean(values, axis=0), strict=True):
            row[f"{choice}: {measure}"] = round(float(value), 4)
    return row


def judged(
    X: tuple, Y: tuple, n_shared: int, n_specific: int
) -> tuple[np.ndarray, list[float]]:
    """Which label uses which feature, and what the measures say on the test rows."""
    selector = LabelSpecificSelector(Sieve(), n_shared=n_shared, n_specific=n_specific)
    model = EMCFS(selector, LogisticRegression(solver="liblinear")).fit(X[0], Y[0])
    values = evaluate(Y[1], model.predict(X[1]), model.label_scores(X[1]))
    return model.label_support_, [values[measure] for measure in MEASURES]


def page(rows: list[dict]) -> str:
    """What was done, what it says, and the table."""
    note = (
        "Sieve with one logistic regression per label, "
        f"{N_SPLITS} stratified hold-outs of at most 1,500 samples, {len(rows)} data "
        f"sets. *Shared*: {N_SHARED} shared features. *Label-specific*: at most "
        f"{N_SPECIFIC} more for each label. *More shared*: {N_SHARED + N_SPECIFIC} "
        "shared features. *All shared*: as many shared features as shared and "
        "label-specific ones in total."
    )
    columns = [Column("data set", "dataset"), numbers("labels", "labels", "")]
    columns.append(numbers("label-specific features per label", "specific", ".1f"))
    columns.append(numbers("features in total", "in_all", ".0f"))
    for measure in MEASURES[:2]:
        columns += [
            numbers(f"{TITLES[measure]}, {choice}", f"{choice}: {measure}", ".3f")
            for choice in CHOICES
        ]
    table = Table("", columns, rows).to_markdown(level=0)
    found = changes(rows)
    said = "\n".join(["Effect of label-specific features:", "", *sentences(found)])
    return "\n\n".join([note, said, _changes_table(found), table])


def changes(rows: list[dict]) -> list[dict]:
    """The effect of label-specific features on each measure."""
    found = []
    for other, title in OTHERS.items():
        for measure in MEASURES:
            one = np.array([row[f"label-specific: {measure}"] for row in rows])
            two = np.array([row[f"{other}: {measure}"] for row in rows])
            low, high = bootstrap_interval(one - two)
            best, worst = np.argmax(one - two), np.argmin(one - two)
            found.append(
                {
                    "against": title,
                    "measure": TITLES[measure],
                    "change": float(np.mean(one - two)),
                    "low": low,
                    "high": high,
                    "larger": f"{(one > two).sum()} of {len(rows)}",
                    "p": wilcoxon_test(one, two).p,
                    "most": f"{rows[best]['dataset']} {(one - two)[best]:+.3f}",
                    "least": f"{rows[worst]['dataset']} {(one - two)[worst]:+.3f}",
                }
            )
    return found


def sentences(found: list[dict]) -> list[str]:
    """Better, worse or not clear, where the interval of the mean change says so."""
    said = []
    for title in OTHERS.values():
        parts = []
        for words, holds in VERDICTS.items():
            named = [
                f"{one['measure']} ({one['change']:+.3f})"
                for one in found
                if one["against"] == title and holds(one["low"], one["high"])
            ]
            if named:
                parts.append(f"{words} by {', '.join(named)}")
        said.append(f"- Against {title}: {'; '.join(parts)}.")
    return said


def _changes_table(found: list[dict]) -> str:
    columns = [Column("against", "against"), Column("measure", "measure")]
    columns += [
        numbers(title, key, "+.3f")
        for title, key in (("change", "change"), ("from", "low"), ("to", "high"))
    ]
    columns.append(Column("larger on", "larger"))
    columns.append(numbers("Wilcoxon's p", "p", _p))
    columns += [Column("most on", "most"), Column("least on", "least")]
    return Table("", columns, found).to_markdown(level=0)


def _p(value: float) -> str:
    return f"{value:.2g}" if value >= 0.001 else "< 0.001"


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
    heading = "# Label-specific features\n\n"
    (OUT / "results.md").write_text(f"{heading}{page(rows)}\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
