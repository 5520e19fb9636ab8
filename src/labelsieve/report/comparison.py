"""The page about an experiment: which method is best, where, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from labelsieve import sentences
from labelsieve._plumbing.messages import Row
from labelsieve.plots import STANDARD_ERRORS, CriticalDifferenceDisplay, RuntimeDisplay
from labelsieve.report import blocks

if TYPE_CHECKING:
    from labelsieve.experiments import ResultTables

CONTROLS = ("random", "all")
# All curves of a page together have about this many points.
MOST_POINTS_OF_A_PAGE = 40_000
FEWEST_POINTS = 6
MOST_DIAGRAMS = 12


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
        _how_made(tables, command),
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


def _how_made(tables: ResultTables, command: str) -> dict[str, Any]:
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
    further = [] if failed is None else [blocks.table(failed)]
    described = {"Data sets": data, "Settings": settings}
    return blocks.how_made(command, described, experiment["notes"], further)


def _n_methods(content: Row) -> int:
    return len({row["method"] for row in content["curves"]})


def curves_section(content: Row) -> dict[str, Any] | None:
    """Return the chart of all curves, None without results."""
    rows, measures = content["curves"], content["experiment"]["measures"]
    if not rows:
        return None
    per_curve = MOST_POINTS_OF_A_PAGE // (len(rows) * len(measures))
    most = min(blocks.MOST_POINTS, max(FEWEST_POINTS, per_curve))
    spans = _spans(rows)
    lines = []
    for row in rows:
        place = (row["dataset"], row["view"], row["contest"])
        for measure in measures:
            lines.append(_line(row, measure, spans.get(place), most))
    choices = {"dataset": "Data set", "contest": "Classifier", "view": "Values"}
    several = {
        key: title
        for key, title in choices.items()
        if key == "dataset" or len({row[key] for row in rows}) > 1
    }
    fractions = any(not float(p).is_integer() for row in rows for p in row["points"])
    return blocks.section(
        "curves",
        "Curves",
        "Quality against the number of features",
        ["Bands are 95 % intervals of the mean over the splits."],
        [
            blocks.curves(
                "curves", lines, {**several, "measure": "Measure"}, fractions=fractions
            )
        ],
    )


def _spans(rows: Sequence[Row]) -> dict[tuple[str, str, str], tuple[float, float]]:
    """The smallest and largest size of the curves that belong together."""
    spans: dict[tuple[str, str, str], tuple[float, float]] = {}
    for row in rows:
        if len(row["points"]) > 1:
            place = (row["dataset"], row["view"], row["contest"])
            low, high = spans.get(place, (np.inf, -np.inf))
            spans[place] = (min(low, *row["points"]), max(high, *row["points"]))
    return spans


def _line(
    row: Row, measure: str, span: tuple[float, float] | None, most_points: int
) -> dict[str, Any]:
    points, values = row["points"], row["measures"][measure]
    mean, deviation = values["mean"], values["sd"]
    if len(points) == 1 and span is not None:
        # One value, such as that of all features, is a level to compare with.
        points, mean, deviation = list(span), mean * 2, deviation * 2
    half = [STANDARD_ERRORS * sd / np.sqrt(row["n_splits"]) for sd in deviation]
    return blocks.series(
        *(row["method"], points, mean, half),
        dashed=row["method"] in CONTROLS,
        most_points=most_points,
        dataset=row["dataset"],
        contest=row["contest"],
        view=row["view"],
        measure=measure,
    )


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
