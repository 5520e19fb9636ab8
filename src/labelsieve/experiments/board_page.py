"""The page of the leaderboard: its tables and sentences as Markdown."""

from __future__ import annotations

from typing import Any

from labelsieve._plumbing.tables import BEST, Cell, Column, Table, numbers
from labelsieve.experiments.methods import CONTROLS


def page(content: dict[str, Any]) -> str:
    """Return the leaderboard as Markdown."""
    few = ", ".join(d["name"] for d in content["datasets"] if d["splits"] == 1)
    parts = [
        f"# {content['title']}",
        f"{len(content['datasets'])} data sets, judged by "
        f"{', '.join(content['judges'])} at {', '.join(map(str, content['sizes']))} "
        f"features by {', '.join(m.replace('_', ' ') for m in content['measures'])}: "
        f"{content['n_cases']} cases. {content['protocol'].capitalize()}, seed "
        f"{content['seed']}; labelsieve {content['version']}, {content['n_cells']} "
        "cells." + (f" Divided once only: {few}." if few else ""),
        "A case is a data set, a judge, a number of features and a measure, the mean "
        "over splits. Regret is how much worse a method is than the best selection of "
        "its case; the second column of regret has all features among the best. "
        "Intervals are those of the mean over data sets, by bootstrap (95 %). A "
        f"selection or judgement that took more than {content['budget']:g} processor "
        "seconds has no value: the method is left with what random features give, and "
        "the number of such cases is shown. Ranks are among methods and random "
        "features. AUC is the mean over labels that have both classes in the test "
        "rows.",
        _standing_table(content).to_markdown(level=0),
        "![Average ranks](critical-difference.svg)",
        f"Methods joined by a bar do not differ (Friedman p = "
        f"{content['ranks']['friedman_p']:.2g}, Nemenyi at 0.05).",
        "![Time against quality](time.svg)",
        _kinds_table(content).to_markdown(),
        _by_dataset_table(content).to_markdown(),
        _against_table(content).to_markdown(),
        _failed_table(content).to_markdown(),
        _datasets_table(content).to_markdown(),
        f"Made by `{content['command']}`.",
    ]
    return "\n\n".join(parts) + "\n"


def _standing_table(content: dict[str, Any]) -> Table:
    columns = [
        Column("method", "method"),
        numbers("mean regret", "regret", _interval),
        numbers(
            "mean regret, all features among the best", "regret_with_all", _interval
        ),
        numbers("worst data set", "worst_dataset", _worst),
        numbers("worst case", "worst_case", _worst),
        numbers("average rank", "rank", lambda value: _interval(value, 1)),
        numbers("better than random", "wins_against_random", _percent),
        numbers("better than all features", "wins_against_all", _percent),
        numbers("cases without a value", "without_value", ""),
    ]
    return Table("Standing", columns, content["standing"])


def _by_dataset_table(content: dict[str, Any]) -> Table:
    """Lines are data sets, since there are fewer methods that one wants to look at."""
    methods = [row["method"] for row in content["standing"]]
    shown = []
    for name, line in content["regret_by_dataset"].items():
        best = min(line[m] for m in methods if m not in CONTROLS)
        row: dict[str, Any] = {
            method: Cell(v, f"{v:.3f}", BEST if v == best else "")
            for method, v in line.items()
        }
        shown.append({"dataset": name} | row)
    columns = [numbers(method, method) for method in methods]
    return Table(
        "Mean regret by data set", [Column("data set", "dataset"), *columns], shown
    )


def _kinds_table(content: dict[str, Any]) -> Table:
    rows, kinds = content["standing"], [k for k, d in content["kinds"].items() if d]
    best = {
        kind: min(
            row["regret_by_kind"][kind] for row in rows if row["method"] not in CONTROLS
        )
        for kind in kinds
    }
    shown = [
        {"method": row["method"]}
        | {
            kind: Cell(value, f"{value:.3f}", BEST if value == best[kind] else "")
            for kind, value in row["regret_by_kind"].items()
        }
        for row in rows
    ]
    columns = [
        numbers(f"{kind} ({len(content['kinds'][kind])})", kind) for kind in kinds
    ]
    note = (
        "Mean regret on text and annotations (sparse features, or two values each), "
        "numbers, few rows (fewer than 1,000) and many labels (50 or more)."
    )
    return Table(
        "By kind of data", [Column("method", "method"), *columns], shown, [note]
    )


def _against_table(content: dict[str, Any]) -> Table:
    columns = [
        Column("against", "method"),
        numbers("gain", "gain", _interval),
        numbers("better", "better", ".2f"),
        numbers("alike", "alike", ".2f"),
        numbers("worse", "worse", ".2f"),
        numbers("Wilcoxon p", "p_wilcoxon", ".3g"),
        numbers("Holm p", "p_holm", ".3g"),
    ]
    note = (
        f"How probable it is that {content['reference']} is better, alike within "
        f"{content['rope']:g}, or worse (Bayesian signed-rank test over data sets)."
    )
    title = f"{content['reference']} against each other method"
    return Table(title, columns, content["against"], [note])


def _failed_table(content: dict[str, Any]) -> Table:
    rows = [
        *content["failed"],
        *(
            {
                "dataset": row["dataset"],
                "contest": row["judge"],
                "reason": row["reason"],
            }
            for row in content["left_out"]
        ),
    ]
    columns = [
        Column("data set", "dataset"),
        Column("judge", "contest"),
        Column("method", "method"),
        numbers("cells", "n_failed", ""),
        Column("why", "reason"),
    ]
    return Table("Without a value", columns, rows)


def _datasets_table(content: dict[str, Any]) -> Table:
    sizes = [numbers(key, key, "") for key in ("rows", "features", "labels", "splits")]
    return Table("Data sets", [Column("name", "name"), *sizes], content["datasets"])


def _worst(value: dict[str, Any]) -> str:
    return f"{value['regret']:.3f} ({value['where']})"


def _interval(value: dict[str, float], digits: int = 3) -> str:
    mean, low, high = (f"{value[k]:.{digits}f}" for k in ("mean", "low", "high"))
    return f"{mean} ({low} to {high})"


def _percent(value: dict[str, float]) -> str:
    mean, low, high = (f"{100 * value[k]:.0f}" for k in ("mean", "low", "high"))
    return f"{mean} % ({low} to {high})"
