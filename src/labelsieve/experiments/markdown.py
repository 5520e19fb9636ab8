"""Results as Markdown pages for people."""

from __future__ import annotations

from collections.abc import Sequence

from labelsieve._plumbing.tables import Row, Table
from labelsieve.experiments.tables import ResultTables


def results_page(content: Row) -> str:
    """Return all tables of an experiment but its costs."""
    tables = ResultTables(content)
    return _page(
        *_head(tables),
        tables.published(),
        tables.left_out(),
        tables.claims(),
        f"## All methods\n\nMean ± standard deviation over splits; {tables.compared}. "
        "All features have one value. Best of each column in bold.",
        *(table.to_markdown(level=3) for table in tables.scores()),
        tables.tests(),
        tables.ranks(),
        tables.stability(),
        tables.failed(),
    )


def costs_page(content: Row, costs: Sequence[Row]) -> str:
    """Return times and memory of the selections."""
    tables = ResultTables(content, costs)
    relative = tables.relative_times()
    return _page(
        f"# {tables.experiment['title']}: costs",
        "Median over splits on one thread; memory is the largest amount above what "
        "the process had before. Judging is training and testing at all sizes.",
        relative.to_markdown(level=0) if relative else "",
        tables.times_and_memory().to_markdown(level=0),
    )


def _head(tables: ResultTables) -> list[str]:
    experiment, missing = tables.experiment, tables.content["missing"]
    return [
        f"# {experiment['title']}",
        f"{experiment['reference']}." if experiment["reference"] else "",
        tables.datasets().to_markdown(level=0),
        f"Data sets not found: {', '.join(missing)}." if missing else "",
        "\n".join(f"- {note}" for note in experiment["notes"]),
        f"labelsieve {experiment['version']}, seed {experiment['seed']}, "
        f"{experiment['n_cells']} cells.",
    ]


def _page(*parts: str | Table | None) -> str:
    texts = (part.to_markdown() if isinstance(part, Table) else part for part in parts)
    return "\n\n".join(text for text in texts if text) + "\n"
