"""The page about an experiment: which method is best, where, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from labelsieve import sentences
from labelsieve._plumbing.tables import Row
from labelsieve.report import blocks
from labelsieve.report._result_curves import curves_section
from labelsieve.report._result_tables import (
    costs_section,
    published_section,
    ranks_section,
    scores_section,
    stability_section,
)
from labelsieve.report.versions import versions

if TYPE_CHECKING:
    from labelsieve.experiments import ResultTables


def comparison_page(
    content: Row, costs: Sequence[Row], *, command: str
) -> dict[str, Any]:
    """Return the content of a page about an experiment.

    Parameters
    ----------
    content : mapping
        The results, as in ``results.json``.
    costs : sequence of mappings
        Times and memory, as in ``costs.json``.
    command : str
        What reproduces the page.

    Returns
    -------
    page : dict
        For :func:`render_page` and :func:`write_page`.
    """
    # Imported here: the page about a selection needs none of it.
    from labelsieve.experiments import ResultTables

    experiment, tables = content["experiment"], ResultTables(content, costs)
    sections = [
        curves_section(content),
        scores_section(tables),
        ranks_section(tables),
        published_section(tables),
        costs_section(tables),
        stability_section(tables),
        _made_section(tables, command),
    ]
    n_datasets = sentences.many(len(content["datasets"]), "data set")
    n_methods = sentences.many(_n_methods(content), "method")
    return {
        "title": experiment["title"],
        "kicker": experiment["reference"] or f"{n_datasets}, {n_methods}",
        "summary": _summary(content),
        "figures": _figures(content),
        "sections": [section for section in sections if section is not None],
    }


def _summary(content: Row) -> list[str]:
    from labelsieve.experiments import who_is_ahead

    experiment = content["experiment"]
    protocols = sorted(set(experiment["protocols"].values()))
    said = who_is_ahead(content)
    said.append(
        f"Every method chose features on training rows only ({'; '.join(protocols)}). "
        "“random” and “all” are controls: random features, and all of them."
    )
    if content["missing"]:
        said.append(f"Data sets not at hand: {', '.join(content['missing'])}.")
    if content["failed"]:
        curves = sentences.many(len(content["failed"]), "curve")
        said.append(f"{curves} could not be computed in full; see the last section.")
    return said


def _figures(content: Row) -> list[dict[str, str]]:
    figures = [
        blocks.figure("data sets", str(len(content["datasets"]))),
        blocks.figure("methods", str(_n_methods(content))),
        blocks.figure("cells computed", f"{content['experiment']['n_cells']:,}"),
    ]
    counts: dict[str, int] = {}
    for verdicts in content.get("verdicts", {}).values():
        for verdict, count in verdicts.items():
            counts[verdict] = counts.get(verdict, 0) + count
    if counts:
        total = sum(counts.values()) - counts.get("not compared", 0)
        reproduced = f"{counts.get('reproduced', 0)} of {total}"
        figures.insert(0, blocks.figure("printed values reproduced", reproduced))
    return figures


def _made_section(tables: ResultTables, command: str) -> dict[str, Any]:
    content, experiment, failed = tables.content, tables.experiment, tables.failed()
    settings = {
        "experiment": experiment["name"],
        "compared value": experiment["criterion"],
        "measures": ", ".join(map(sentences.measure_name, experiment["measures"])),
        "values": ", ".join(experiment["views"]),
        "seed": experiment["seed"],
        "computed by version": experiment["version"],
    }
    data = {
        row["name"]: f"{row['rows']:,} rows, {row['features']:,} features, "
        f"{row['labels']:,} labels, checksum {row['checksum'][:8]}"
        for row in content["datasets"]
    }
    listed = [
        blocks.command(command),
        blocks.tables(
            blocks.facts("Data sets", data),
            blocks.facts("Settings", settings),
            blocks.facts("Versions", versions()),
        ),
    ]
    if failed is not None:
        listed.append(blocks.table(failed))
    text = [*experiment["notes"], "This command makes this page again:"]
    return blocks.section("made", "How made", "How was this made?", text, listed)


def _n_methods(content: Row) -> int:
    return len({row["method"] for row in content["curves"]})
