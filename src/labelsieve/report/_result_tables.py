"""Compared values, ranks and printed values of an experiment, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labelsieve.metrics import SMALLER_IS_BETTER
from labelsieve.plots import CriticalDifferenceDisplay
from labelsieve.report import blocks
from labelsieve.report._results import (
    SIGNIFICANT,
    Row,
    best_of,
    methods_of,
    title_of,
)

MOST_DIAGRAMS = 12


def scores_section(content: Row) -> dict[str, Any] | None:
    """Return the table of compared values with significance marks."""
    if not content["scores"]:
        return None
    experiment = content["experiment"]
    what = {"best": "the best value over all sizes", "area": "the mean height"}
    criterion = what.get(experiment["criterion"]) or (
        f"the value at {experiment['criterion']} features"
    )
    text = (
        f"Each number is {criterion} of a curve, averaged over the splits; bold is "
        "best. ▲ and ▼ mark methods that are significantly better or worse than "
        f"{experiment['reference_method']} (corrected resampled t-test, p < 0.05)."
    )
    table = _scores_table(content)
    return blocks.section("scores", "Scores", "Compared values", [text], [table])


def _scores_table(content: Row) -> dict[str, Any]:
    methods, scores = methods_of(content), content["scores"]
    tests = {(*_place(test), test["method"]): test for test in content["tests"]}
    groups: dict[tuple[str, ...], dict[str, Row]] = {}
    for score in scores:
        groups.setdefault(_place(score), {})[score["method"]] = score
    # A column that always says the same says nothing.
    telling = [
        (key, title)
        for key, title in (("contest", "classifier"), ("view", "values"))
        if len({score[key] for score in scores}) > 1
    ]
    rows = []
    for place, by_method in groups.items():
        one = next(iter(by_method.values()))
        best = best_of(list(by_method.values()), one["measure"])["mean"]
        cells = [
            _score_cell(by_method.get(method), tests.get((*place, method)), best)
            for method in methods
        ]
        said = [blocks.cell(one[key]) for key, _ in telling]
        measure = blocks.cell(title_of(one["measure"]), classes="name")
        rows.append([blocks.cell(one["dataset"]), *said, measure, *cells])
    columns = [("data set", False), *((title, False) for _, title in telling)]
    columns += [("measure", False), *((method, True) for method in methods)]
    return blocks.table("Mean ± standard deviation", columns, rows)


def _place(row: Row) -> tuple[str, ...]:
    return row["dataset"], row["view"], row["contest"], row["measure"]


def _score_cell(score: Row | None, test: Row | None, best: float) -> dict[str, Any]:
    if score is None:
        return blocks.cell("", classes="number")
    mark, meaning = "", ""
    if test is not None and test["p_corrected"] < SIGNIFICANT:
        # The difference is that of the reference minus this method.
        gain = test["difference"] * (1 if test["measure"] in SMALLER_IS_BETTER else -1)
        mark = "▲" if gain > 0 else "▼"
        meaning = f"significantly {'better' if gain > 0 else 'worse'} than "
        meaning += f"{test['reference']}, p = {test['p_corrected']:.2g}"
    classes = "best" if score["mean"] == best else ""
    shown = f"{score['mean']:.4f} ± {score['sd']:.3f}"
    return blocks.number_cell(
        score["mean"], shown, classes=classes, mark=mark, mark_title=meaning
    )


def ranks_section(content: Row) -> dict[str, Any] | None:
    """Return the critical-difference diagrams, None for one data set."""
    ranks = content["ranks"]
    if not ranks:
        return None
    drawn = [
        blocks.picture(
            f"ranks{place}",
            CriticalDifferenceDisplay(
                row["methods"], row["average_ranks"], row["critical_difference"]
            ),
            blocks.MEASURES[row["measure"]],
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


def published_section(content: Row) -> dict[str, Any] | None:
    """Return printed values beside ours, None where nothing was printed."""
    if not content.get("table"):
        return None
    colors = {"reproduced": "good", "not reproduced": "bad"}
    rows = [
        [
            blocks.cell(row["dataset"]),
            blocks.cell(row["method"]),
            blocks.cell(f"{row['contest']}, {row['view']}"),
            blocks.cell(f"{title_of(row['measure'])}, at {row['at']}", classes="name"),
            blocks.number_cell(row["published"]),
            blocks.number_cell(row["ours"], f"{row['ours']:.4f}"),
            blocks.number_cell(row["difference"], f"{row['difference']:+.4f}"),
            blocks.cell(f"{row['low']:.4f} to {row['high']:.4f}", row["low"], "number"),
            blocks.cell(
                row["verdict"], classes=f"name {colors.get(row['verdict'], '')}"
            ),
            blocks.cell(row["where"]),
        ]
        for row in content["table"]
    ]
    titles = ("data set", "method", "classifier, values", "measure")
    numbers = ("printed", "ours", "difference", "95 % interval")
    columns = [(title, False) for title in titles] + [(n, True) for n in numbers]
    columns += [("verdict", False), ("where printed", False)]
    listed = [blocks.table("Printed values and ours", columns, rows)]
    if content.get("claims"):
        listed.append(_claims_table(content["claims"]))
    return blocks.section(
        "published", "Published", "What the paper printed", [], listed
    )


def _claims_table(claims: Sequence[Row]) -> dict[str, Any]:
    columns = [("statement", False), ("cases", True), ("better", True)]
    columns += [("significantly better", True), ("significantly worse", True)]
    columns += [("verdict", False)]
    names = ("cases", "better", "significantly_better", "significantly_worse")
    rows = [
        [
            blocks.cell(claim["claim"]),
            *(blocks.number_cell(claim[name], str(claim[name])) for name in names),
            blocks.cell(claim["verdict"]),
        ]
        for claim in claims
    ]
    return blocks.table("What the paper states", columns, rows)
