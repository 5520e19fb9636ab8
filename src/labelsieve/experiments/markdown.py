"""Results as Markdown pages for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from labelsieve.experiments.methods import CONTROLS
from labelsieve.metrics import SMALLER_IS_BETTER

Row = dict[str, Any]

# Seconds; what takes less is no selection.
MEASURABLE = 1e-3


def results_page(content: dict[str, Any]) -> str:
    """Return all tables of an experiment but its costs."""
    parts = [
        *_head(content),
        *_published(content),
        *_left_out(content),
        *_claims(content),
        *_scores(content),
        *_tests(content),
        *_ranks(content),
        *_stability(content),
        *_failures(content),
    ]
    return "\n".join(parts).rstrip() + "\n"


def costs_page(content: dict[str, Any], costs: list[Row]) -> str:
    """Return times and memory of the selections."""
    contests = list(dict.fromkeys(cost["contest"] for cost in costs))
    rows = []
    # Contests share their selections: each is shown once.
    for place, group in _groups(costs, "dataset", "view", "method"):
        judging = {cost["contest"]: _seconds(cost["judge_seconds"]) for cost in group}
        memory = group[0]["select_peak_mib"]
        rows.append(
            (
                *place,
                _seconds(group[0]["select_seconds"]),
                _seconds(group[0]["select_cpu_seconds"]),
                "" if memory is None else f"{memory:.1f}",
                *(judging.get(contest, "") for contest in contests),
            )
        )
    head = (
        "data set",
        "view",
        "method",
        "selection s",
        "processor s",
        "memory MiB",
        *(f"judging s, {contest}" for contest in contests),
    )
    text = (
        f"# {content['experiment']['title']}: costs\n\n"
        "Median over splits on one thread; memory is the largest amount above what "
        "the process had before. Judging is training and testing at all sizes.\n"
    )
    parts = [text, *_relative_times(content, costs), *_table(head, rows)]
    return "\n".join(parts).rstrip() + "\n"


def _relative_times(content: dict[str, Any], costs: list[Row]) -> list[str]:
    """Processor time of each selection in units of that of the reference method."""
    reference = content["experiment"]["reference_method"]
    shapes = {data["name"]: data for data in content["datasets"]}
    methods = [m for m in dict.fromkeys(c["method"] for c in costs) if m != reference]
    methods = [method for method in methods if method not in CONTROLS]
    rows = []
    for (dataset, view), group in _groups(costs, "dataset", "view"):
        spent = {cost["method"]: cost["select_cpu_seconds"] for cost in group}
        shown = [
            f"{spent[method] / spent[reference]:.2g}"
            if method in spent and spent.get(reference)
            else ""
            for method in methods
        ]
        shape = shapes[dataset]
        rows.append((dataset, view, shape["features"], shape["labels"], *shown))
    # Where classifiers are compared on all features there is nothing to select.
    if not any(cost["select_cpu_seconds"] > MEASURABLE for cost in costs):
        return []
    return [
        f"Processor time of the selection, {reference} = 1:",
        "",
        *_table(("data set", "view", "features", "labels", *methods), rows),
    ]


def _head(content: dict[str, Any]) -> list[str]:
    experiment = content["experiment"]
    lines = [f"# {experiment['title']}", ""]
    if experiment["reference"]:
        lines += [f"{experiment['reference']}.", ""]
    rows = [
        (
            data["name"],
            data["rows"],
            data["features"],
            data["labels"],
            experiment["protocols"][data["name"]],
        )
        for data in content["datasets"]
    ]
    lines += _table(("data set", "rows", "features", "labels", "protocol"), rows)
    if content["missing"]:
        lines += [f"Data sets not found: {', '.join(content['missing'])}.", ""]
    lines += [f"- {note}" for note in experiment["notes"]]
    return [
        *lines,
        "",
        f"labelsieve {experiment['version']}, seed "
        f"{experiment['seed']}, {experiment['n_cells']} cells.",
        "",
    ]


def _published(content: dict[str, Any]) -> list[str]:
    if not content.get("table"):
        return []
    lines = ["## Printed and measured", ""]
    for view, counts in content["verdicts"].items():
        said = ", ".join(f"{n} {name}" for name, n in counts.items() if n)
        lines.append(f"- {view}: {said}")
    rows = [
        (
            row["dataset"],
            row["view"],
            row["method"],
            row["measure"],
            row["at"] if row["best_at"] is None else f"best ({row['best_at']:g})",
            f"{row['published']:g}",
            _number(row["ours"]),
            f"{row['difference']:+.4f}",
            f"{_number(row['low'])} to {_number(row['high'])}",
            row["verdict"] + (f" ({row['remark']})" if row["remark"] else ""),
            row["where"],
        )
        for row in content["table"]
    ]
    head = (
        "data set",
        "view",
        "method",
        "measure",
        "features",
        "printed",
        "ours",
        "difference",
        "95 % interval",
        "verdict",
        "where",
    )
    return [
        *lines,
        "",
        "Reproduced: Hamming loss within 0.01, or the printed value inside the 95 % "
        "interval of the mean of at least 5 splits. Close: Hamming loss within 0.02, "
        "else within 5 %, or within two standard deviations of a single split.",
        "",
        *_table(head, rows),
    ]


def _left_out(content: dict[str, Any]) -> list[str]:
    if not content.get("left_out"):
        return []
    rows = [
        (
            row["dataset"],
            row["method"],
            row["reason"],
            ", ".join(f"{name} {value:g}" for name, value in row["published"].items()),
        )
        for row in content["left_out"]
    ]
    head = ("data set", "method", "why it was not run", "printed")
    return ["## Left out", "", *_table(head, rows)]


def _claims(content: dict[str, Any]) -> list[str]:
    if not content.get("claims"):
        return []
    rows = [
        (
            row["claim"],
            row["cases"],
            row["better"],
            row["significantly_better"],
            row["significantly_worse"],
            row["verdict"],
            row["where"],
        )
        for row in content["claims"]
    ]
    head = (
        "statement",
        "cases",
        "better",
        "significantly better",
        "significantly worse",
        "verdict",
        "where",
    )
    return [
        "## Statements without numbers",
        "",
        "A case is a data set, view, contest, measure and opponent; significance is "
        "by the corrected resampled t-test at 0.05.",
        "",
        *_table(head, rows),
    ]


def _scores(content: dict[str, Any]) -> list[str]:
    criterion = content["experiment"]["criterion"]
    said = {"best": "best value over sizes", "area": "mean height of the curve"}
    lines = [
        "## All methods",
        "",
        f"Mean ± standard deviation over splits; {said.get(str(criterion), '')}"
        + (f"at {criterion} features" if isinstance(criterion, int) else "")
        + ". All features have one value. Best of each column in bold.",
        "",
    ]
    measures = content["experiment"]["measures"]
    for (view, contest), rows in _groups(content["scores"], "view", "contest"):
        lines += [f"### {contest}, {view}", ""]
        best = _best(rows)
        cells = []
        for (dataset, method), values in _groups(rows, "dataset", "method"):
            by_measure = {row["measure"]: row for row in values}
            shown = [_score(by_measure[m], best[dataset, m]) for m in measures]
            cells.append((dataset, method, *shown))
        lines += _table(("data set", "method", *measures), cells)
    return lines


def _best(rows: Sequence[Row]) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for row in rows:
        place = (row["dataset"], row["measure"])
        better = min if row["measure"] in SMALLER_IS_BETTER else max
        found[place] = better(found.get(place, row["mean"]), row["mean"])
    return found


def _score(row: Row, best: float) -> str:
    text = f"{_number(row['mean'])} ± {_number(row['sd'])}"
    return f"**{text}**" if row["mean"] == best else text


def _tests(content: dict[str, Any]) -> list[str]:
    if not content["tests"]:
        return []
    rows = [
        (
            row["dataset"],
            row["view"],
            row["contest"],
            row["method"],
            row["measure"],
            f"{row['difference']:+.4f}",
            _p(row["p_paired"]),
            _p(row["p_corrected"]),
            _p(row["p_wilcoxon"]),
            "/".join(map(str, row["win_tie_loss"])),
        )
        for row in content["tests"]
    ]
    head = (
        "data set",
        "view",
        "contest",
        "against",
        "measure",
        "difference",
        "paired t",
        "corrected t",
        "Wilcoxon",
        "win/tie/loss",
    )
    reference = content["experiment"]["reference_method"]
    return [
        f"## {reference} against each other method",
        "",
        "p-values over the same splits. The plain paired t-test, which the papers "
        "use, is optimistic because training parts overlap.",
        "",
        *_table(head, rows),
    ]


def _ranks(content: dict[str, Any]) -> list[str]:
    if not content["ranks"]:
        return []
    rows = [
        (
            row["view"],
            row["contest"],
            row["measure"],
            row["n_datasets"],
            ", ".join(
                f"{method} {rank:.2f}"
                for rank, method in sorted(
                    zip(row["average_ranks"], row["methods"], strict=True)
                )
            ),
            _p(row["friedman_p"]),
            f"{row['critical_difference']:.2f}",
        )
        for row in content["ranks"]
    ]
    head = (
        "view",
        "contest",
        "measure",
        "data sets",
        "average ranks",
        "Friedman p",
        "critical difference",
    )
    return ["## Ranks over data sets", "", *_table(head, rows)]


def _stability(content: dict[str, Any]) -> list[str]:
    if not content["stability"]:
        return []
    rows = [
        (
            row["dataset"],
            row["view"],
            row["method"],
            row["size"],
            f"{row['stability']:.3f} ({row['low']:.3f} to {row['high']:.3f})",
        )
        for row in content["stability"]
    ]
    head = ("data set", "view", "method", "features", "stability")
    return [
        "## Stability of the selections",
        "",
        "Nogueira's index: 1 is the same features in every split, 0 is chance.",
        "",
        *_table(head, rows),
    ]


def _failures(content: dict[str, Any]) -> list[str]:
    if not content["failed"]:
        return []
    rows = [
        (
            row["dataset"],
            row["view"],
            row["contest"],
            row["method"],
            row["n_failed"],
            row["reason"],
        )
        for row in content["failed"]
    ]
    head = ("data set", "view", "contest", "method", "cells", "first reason")
    return ["## Failed", "", *_table(head, rows)]


def _groups(rows: Iterable[Row], *keys: str) -> list[tuple[tuple[str, ...], list[Row]]]:
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return list(groups.items())


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    def line(cells: Sequence[Any]) -> str:
        return "| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |"

    return [line(head), line(["---"] * len(head)), *map(line, rows), ""]


def _number(value: float) -> str:
    return f"{value:.4f}" if abs(value) < 10 else f"{value:.2f}"


def _seconds(value: float) -> str:
    return f"{value:.3g}"


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else "< 0.001"
