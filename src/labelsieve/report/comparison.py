"""The page about an experiment: which method is best, where, and how surely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import studentized_range

from labelsieve import sentences
from labelsieve._utils.messages import Row, Table
from labelsieve.metrics import SMALLER_IS_BETTER
from labelsieve.plots import CriticalDifferenceDisplay
from labelsieve.report import blocks

if TYPE_CHECKING:
    from labelsieve.experiments import ResultTables

CONTROLS = ("random", "all")
# All curves of a page together have about this many points.
MOST_POINTS_OF_A_PAGE = 40_000
FEWEST_POINTS = 6
# So many diagrams are drawn, and fewer where each has many methods.
MOST_DIAGRAMS, MOST_RANKED = 8, 150
# Larger tables are not for reading, and a page stays small enough for mail.
MOST_CELLS = 5_000


def comparison_page(
    content: Row, costs: Sequence[Row], *, command: str
) -> dict[str, Any]:
    """Return the content of a page about an experiment, for `write_page`.

    `content` is as in ``results.json``, `costs` as in ``costs.json``, and `command`
    reproduces the page.
    """
    # Imported here: the page about a selection needs none of it.
    from labelsieve.experiments import ResultTables

    experiment, tables = content["experiment"], ResultTables(content, costs)
    stability, printed = tables.stability(), tables.published()
    notes = stability.notes if stability else ()
    title = "What the paper printed"
    ahead, *said = _summary(content)
    found = {"kind": "said", "sentences": said}
    sections = [
        _curves_section(tables),
        blocks.section("found", "Found", "What was found", [], [found]),
        _scores_section(tables),
        _ranks_section(tables),
        _section("published", "Published", title, [], printed, tables.claims()),
        _costs_section(tables),
        _section("stability", "Stability", "Stability", notes, stability),
        _how_made(tables, command),
    ]
    n_datasets = sentences.many(len(content["datasets"]), "data set")
    n_methods = len({row["method"] for row in content["curves"]}.difference(CONTROLS))
    return {
        "title": experiment["title"],
        "kicker": experiment["reference"]
        or f"{n_datasets}, {sentences.many(n_methods, 'method')}",
        "summary": [ahead],
        "figures": _figures(content, n_methods),
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


def _figures(content: Row, n_methods: int) -> list[dict[str, str]]:
    figures = [
        blocks.figure("data sets", str(len(content["datasets"]))),
        blocks.figure("methods", str(n_methods)),
        blocks.figure("cells computed", f"{content['experiment']['n_cells']:,}"),
    ]
    counts: Counter[str] = Counter()
    for verdicts in content.get("verdicts", {}).values():
        counts.update(verdicts)
    if counts:
        total = counts.total() - counts["not compared"]
        reproduced = f"{counts['reproduced']} of {total}"
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
        row["name"]: f"{row['rows']:,} samples, {row['features']:,} features, "
        f"{row['labels']:,} labels, checksum {row['checksum'][:8]}"
        for row in content["datasets"]
    }
    further = [] if failed is None else [blocks.table(failed)]
    described = {"Data sets": data, "Settings": settings}
    return blocks.how_made(command, described, experiment["notes"], further)


def _curves_section(tables: ResultTables) -> dict[str, Any] | None:
    """Curves, losses, ranks and times of what the reader chooses; None without any."""
    rows, measures = tables.content["curves"], tables.experiment["measures"]
    if not rows:
        return None
    keys = ("method", "dataset", "contest", "view")
    names = {key: list(dict.fromkeys(row[key] for row in rows)) for key in keys}
    scores = {
        (*(row[key] for key in keys), row["measure"]): row["mean"]
        for row in tables.content["scores"]
    }
    per_curve = MOST_POINTS_OF_A_PAGE // len(scores)
    most = min(blocks.MOST_POINTS, max(FEWEST_POINTS, per_curve))
    # Curves have numbers instead of names; those that are drawn together share sizes.
    sizes: list[list[float]] = []
    lines = []
    for at, measure in enumerate(measures):
        for drawn in tables.lines(measure).values():
            several = [points for row, points, _, _ in drawn if len(row["points"]) > 1]
            every = sorted({point for points in several for point in points})
            places = np.linspace(0, len(every) - 1, min(len(every), most)).round()
            drawn_at = [every[int(place)] for place in places] or drawn[0][1]
            sizes.append([blocks.plain(size) for size in drawn_at])
            for row, points, mean, half in drawn:
                place = [names[key].index(row[key]) for key in keys]
                level = {} if len(row["points"]) > 1 else dict.fromkeys(drawn_at, 0)
                known = {size: i for i, size in enumerate(points)} | level
                at_size = [known.get(size) for size in drawn_at]
                # Ties of ranks need the digits of means.
                along = [
                    [None if i is None else blocks.number(v[i], d) for i in at_size]
                    for v, d in ((mean, 7), (half, 2))
                ]
                score = blocks.number(scores[*(row[key] for key in keys), measure], 7)
                lines.append([*place, at, len(sizes) - 1, *along, score])
    seconds: dict[str, dict[str, float]] = {}
    for cost in tables.costs:
        seconds.setdefault(cost["method"], {})[cost["dataset"]] = cost["select_seconds"]
    data = {
        **names,
        "measure": measures,
        "smaller": [name for name in measures if name in SMALLER_IS_BETTER],
        "controls": list(CONTROLS),
        "sizes": sizes,
        "rows": lines,
        "seconds": seconds,
        "q": [0, 0, *map(_critical_rank, range(2, len(names["method"]) + 1))],
    }
    every_size = sorted({size for some in sizes for size in some})
    options = {
        **{key: [(name, name) for name in names[key]] for key in keys[1:]},
        "measure": [(name, sentences.MEASURES[name]) for name in measures],
        "size": [("", tables.compared), *((n, _at(n)) for n in every_size)],
    }
    shown = [{"kind": "compare", "options": options, "data": data}]
    return blocks.section("curves", "Compare", "Choose what to compare", [], shown)


def _at(size: float) -> str:
    """A number of features, or a share of them."""
    if float(size).is_integer():
        return f"with {sentences.many(int(size), 'feature')}"
    return f"with {sentences.percent(size)} of the features"


def _critical_rank(n_methods: int) -> float:
    """The quantile q of Nemenyi's test: CD = q sqrt(k (k + 1) / 6 n)."""
    return round(float(studentized_range.ppf(0.95, n_methods, np.inf)) / 2**0.5, 4)


def _scores_section(tables: ResultTables) -> dict[str, Any] | None:
    """The compared values with significance marks."""
    reference = tables.experiment["reference_method"]
    scores = tables.scores_of_methods()
    if scores and _is_large(scores):
        n_rows = f"{len(scores.rows):,}"
        text = f"{n_rows} rows are too many for a page: choose under Compare."
        return blocks.section("scores", "Scores", "Compared values", [text], [])
    text = (
        f"Mean ± standard deviation over the splits, {tables.compared}; bold is best. "
        f"▲ and ▼ mark methods that are significantly better or worse than {reference} "
        "(corrected resampled t-test, p < 0.05)."
    )
    return _section("scores", "Scores", "Compared values", [text], scores)


def _is_large(table: Table) -> bool:
    return len(table.rows) * len(table.columns) > MOST_CELLS


def _section(
    id: str, short: str, title: str, text: Sequence[str], *tables: Table | None
) -> dict[str, Any] | None:
    """A section of tables, None without the first of them, or where it is too large."""
    if tables[0] is None or _is_large(tables[0]):
        return None
    shown = [blocks.table(table) for table in tables if table]
    return blocks.section(id, short, title, text, shown)


def _ranks_section(tables: ResultTables) -> dict[str, Any] | None:
    """The critical-difference diagrams, None for one data set."""
    ranks = tables.content["ranks"]
    if not ranks:
        return None
    most = min(MOST_DIAGRAMS, 1 + MOST_RANKED // len(ranks[0]["methods"]))
    drawn = [
        blocks.picture(
            f"ranks{place}",
            CriticalDifferenceDisplay(
                row["methods"], row["average_ranks"], row["critical_difference"]
            ),
            sentences.MEASURES[row["measure"]],
            f"{row['contest']}, {row['view']}: {row['n_datasets']} data sets, "
            f"critical difference {row['critical_difference']:.2f}, "
            f"Friedman {sentences.p_value(row['friedman_p'])}.",
        )
        for place, row in enumerate(ranks[:most])
    ]
    text = (
        "Methods ranked on every data set, 1 is best, and averaged. A bar joins "
        "methods whose ranks differ by less than the critical difference (Nemenyi, "
        "0.05): these data sets do not distinguish them."
    )
    if len(ranks) > len(drawn):
        text += f" The first {len(drawn)} of {len(ranks)} diagrams are shown."
    return blocks.section(
        "ranks", "Ranks", "Over all data sets", [text], [blocks.pictures(*drawn)]
    )


def _costs_section(tables: ResultTables) -> dict[str, Any] | None:
    """Time and memory of the selections; "Compare" draws times of any of them."""
    costs = tables.times_and_memory(controls=False)
    title = "Time and memory"
    return _section("costs", "Costs", title, [], costs) if costs.rows else None
