"""Time, memory and stability of the selections of an experiment, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labelsieve.plots import RuntimeDisplay
from labelsieve.report import blocks
from labelsieve.report._results import CONTROLS, Row


def costs_section(content: Row, costs: Sequence[Row]) -> dict[str, Any] | None:
    """Return time and memory of the selections."""
    selecting = [row for row in costs if row["method"] not in CONTROLS]
    if not selecting:
        return None
    # Classifiers share their selections: each is shown once.
    shown = {(row["dataset"], row["view"], row["method"]): row for row in selecting}
    rows = [
        [
            blocks.cell(row["dataset"]),
            blocks.cell(row["method"]),
            blocks.cell(row["view"]),
            blocks.number_cell(row["select_seconds"]),
            blocks.number_cell(row["select_cpu_seconds"]),
            blocks.number_cell(row["select_peak_mib"] or 0.0),
        ]
        for row in shown.values()
    ]
    columns = [("data set", False), ("method", False), ("values", False)]
    columns += [("seconds", True), ("processor seconds", True), ("peak MiB", True)]
    listed = [blocks.table("Median cost of one selection", columns, rows)]
    display = _runtime(content, list(shown.values()))
    if display is not None:
        caption = "Seconds of one selection against rows times features."
        drawn = blocks.picture("runtime", display, "Run time", caption)
        listed.insert(0, blocks.pictures(drawn))
    return blocks.section("costs", "Costs", "Time and memory", [], listed)


def _runtime(content: Row, costs: Sequence[Row]) -> RuntimeDisplay | None:
    sizes = {
        data["name"]: data["rows"] * data["features"] for data in content["datasets"]
    }
    if len(sizes) < 2:
        return None
    names = list(sizes)
    seconds: dict[str, list[float]] = {}
    for row in costs:
        values = seconds.setdefault(row["method"], [float("nan")] * len(names))
        values[names.index(row["dataset"])] = row["select_seconds"]
    return RuntimeDisplay(list(sizes.values()), seconds, "rows x features")


def stability_section(content: Row) -> dict[str, Any] | None:
    """Return how alike the selections of different splits are."""
    if not content["stability"]:
        return None
    rows = [
        [
            blocks.cell(row["dataset"]),
            blocks.cell(row["method"]),
            blocks.cell(row["view"]),
            blocks.number_cell(row["size"], str(row["size"])),
            blocks.number_cell(row["stability"], f"{row['stability']:.3f}"),
            blocks.cell(f"{row['low']:.3f} to {row['high']:.3f}", row["low"], "number"),
        ]
        for row in content["stability"]
    ]
    columns = [("data set", False), ("method", False), ("values", False)]
    columns += [("features", True), ("stability", True), ("95 % interval", True)]
    text = (
        "How alike are the selections of different splits? 1: always the same "
        "features, 0: as alike as random choices (Nogueira's index)."
    )
    listed = [blocks.table("Stability", columns, rows)]
    return blocks.section("stability", "Stability", "Stability", [text], listed)
