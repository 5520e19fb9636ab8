"""The tables of an experiment, as sections of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from labelsieve import sentences
from labelsieve._plumbing.tables import Row
from labelsieve.plots import CriticalDifferenceDisplay, RuntimeDisplay
from labelsieve.report import blocks

if TYPE_CHECKING:
    from labelsieve.experiments import ResultTables

MOST_DIAGRAMS = 12


def scores_section(tables: ResultTables) -> dict[str, Any] | None:
    """Return the table of compared values with significance marks."""
    scores, reference = (
        tables.scores_of_methods(),
        tables.experiment["reference_method"],
    )
    if scores is None:
        return None
    text = (
        f"Mean ± standard deviation over the splits, {tables.compared}; bold is best. "
        f"▲ and ▼ mark methods that are significantly better or worse than {reference} "
        "(corrected resampled t-test, p < 0.05)."
    )
    shown = [blocks.table(scores)]
    return blocks.section("scores", "Scores", "Compared values", [text], shown)


def ranks_section(tables: ResultTables) -> dict[str, Any] | None:
    """Return the critical-difference diagrams, None for one data set."""
    ranks = tables.content["ranks"]
    if not ranks:
        return None
    drawn = [
        blocks.picture(
            f"ranks{place}",
            CriticalDifferenceDisplay(
                row["methods"], row["average_ranks"], row["critical_difference"]
            ),
            sentences.MEASURES[row["measure"]],
            f"{row['contest']}, {row['view']}: {row['n_datasets']} data sets, "
            f"critical difference {row['critical_difference']:.2f}, Friedman p = "
            f"{row['friedman_p']:.2g}.",
        )
        for place, row in enumerate(ranks[:MOST_DIAGRAMS])
    ]
    text = (
        "Methods ranked on every data set, 1 is best, and averaged. A bar joins "
        "methods whose ranks differ by less than the critical difference (Nemenyi, "
        "0.05): these data sets do not tell them apart."
    )
    if len(ranks) > len(drawn):
        text += f" The first {len(drawn)} of {len(ranks)} diagrams are shown."
    return blocks.section(
        "ranks", "Ranks", "Over all data sets", [text], [blocks.pictures(*drawn)]
    )


def published_section(tables: ResultTables) -> dict[str, Any] | None:
    """Return printed values beside ours, None where nothing was printed."""
    published, claims = tables.published(), tables.claims()
    if published is None:
        return None
    shown = [blocks.table(table) for table in (published, claims) if table]
    return blocks.section("published", "Published", "What the paper printed", [], shown)


def costs_section(tables: ResultTables) -> dict[str, Any] | None:
    """Return time and memory of the selections."""
    costs = tables.times_and_memory(controls=False)
    if not costs.rows:
        return None
    shown = [blocks.table(costs)]
    display = _runtime(tables.content, costs.rows)
    if display is not None:
        caption = "Seconds of one selection against rows times features."
        drawn = blocks.picture("runtime", display, "Run time", caption)
        shown.insert(0, blocks.pictures(drawn))
    return blocks.section("costs", "Costs", "Time and memory", [], shown)


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


def stability_section(tables: ResultTables) -> dict[str, Any] | None:
    """Return how alike the selections of different splits are."""
    stability = tables.stability()
    if stability is None:
        return None
    title, shown = "Stability", [blocks.table(stability)]
    return blocks.section("stability", title, title, stability.notes, shown)
