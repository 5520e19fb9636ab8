"""What an experiment found, as tables: which columns they have and what is in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from labelsieve._utils.messages import BEST, Column, Row, Table, TableCell, numbers
from labelsieve._utils.typing import FloatArray
from labelsieve.experiments.methods import CONTROLS
from labelsieve.metrics import SMALLER_IS_BETTER, best_place, same

# Seconds; what takes less is no selection.
MEASURABLE = 1e-3
SIGNIFICANT = 0.05
UNTESTED = TableCell(None, "not testable")

DATASET, VIEW = Column("data set", "dataset"), Column("view", "view")
CONTEST, METHOD = Column("contest", "contest"), Column("method", "method")
MEASURE = Column("measure", "measure", style="name")
WHERE = Column("where", "where")
# Scores that are compared with each other agree in these.
PLACE = ("dataset", "view", "contest", "measure")
Line = tuple[Row, Sequence[float], FloatArray, FloatArray]


class ResultTables:
    """The tables of an experiment, for Markdown and for pages.

    A table whose rows are missing from the results is None.

    Parameters
    ----------
    content : mapping
        The results, as in ``results.json``.
    costs : sequence of mappings
        Times and memory, as in ``costs.json``.
    """

    def __init__(self, content: Row, costs: Sequence[Row] = ()) -> None:
        self.content = content
        self.experiment = content["experiment"]
        self.costs = costs

    @property
    def compared(self) -> str:
        """What of a curve is compared."""
        criterion = self.experiment["criterion"]
        said = {"best": "best value over sizes", "area": "mean height of the curve"}
        return said.get(criterion, f"at {criterion} features")

    def datasets(self) -> Table:
        """Sizes of the data sets, and how their rows are split."""
        sizes = [numbers(key, key, "") for key in ("rows", "features", "labels")]
        columns = [Column("data set", "name"), *sizes, Column("protocol", "protocol")]
        protocols = self.experiment["protocols"]
        rows = [
            {**data, "protocol": protocols[data["name"]]}
            for data in self.content["datasets"]
        ]
        return Table("Data sets", columns, rows)

    def verdicts(self) -> list[str]:
        """How many of a paper's printed values were found again, by view."""
        return [
            f"{view}: " + ", ".join(f"{n} {name}" for name, n in counts.items() if n)
            for view, counts in self.content.get("verdicts", {}).items()
        ]

    def published(self) -> Table | None:
        """Printed values beside ours."""
        rule = (
            "Reproduced: Hamming loss within 0.01, or the printed value inside the "
            "95 % interval of the mean of at least 5 splits. Close: Hamming loss "
            "within 0.02, else within 5 %, or within two standard deviations of a "
            "single split."
        )
        tones = {"reproduced": "good", "not reproduced": "bad"}

        def shown(verdict: str, remark: str) -> str:
            return f"{verdict} ({remark})" if remark else verdict

        columns = [
            *(DATASET, VIEW, CONTEST, METHOD, MEASURE),
            numbers(
                "features",
                ("at", "best_at"),
                lambda at, best: str(at) if best is None else f"best ({best:g})",
            ),
            numbers("printed", "published", "g"),
            numbers("ours", "ours", _number),
            numbers("difference", "difference", "+.4f"),
            numbers(
                "95 % interval",
                ("low", "high"),
                lambda low, high: f"{_number(low)} to {_number(high)}",
            ),
            Column("verdict", ("verdict", "remark"), shown, tones=tones),
            WHERE,
        ]
        notes = ("\n".join(f"- {counted}" for counted in self.verdicts()), rule)
        found = self._table("Printed and measured", "table", columns, *notes)
        return found and found.without_constant("contest")

    def left_out(self) -> Table | None:
        """Methods that were not run, and why."""

        def listed(values: Mapping[str, float]) -> str:
            return ", ".join(f"{name} {value:g}" for name, value in values.items())

        reason = Column("why it was not run", "reason")
        columns = [DATASET, METHOD, reason, Column("printed", "published", listed)]
        return self._table("Left out", "left_out", columns)

    def claims(self) -> Table | None:
        """What the paper states without numbers."""
        counts = ("cases", "better", "significantly_better", "significantly_worse")
        columns = [
            Column("statement", "claim"),
            *(numbers(key.replace("_", " "), key, "") for key in counts),
            Column("verdict", "verdict"),
            WHERE,
        ]
        note = (
            "A case is a data set, view, contest, measure and opponent; significance "
            "is by the corrected resampled t-test at 0.05."
        )
        return self._table("Statements without numbers", "claims", columns, note)

    def scores(self) -> list[Table]:
        """One table per view and contest, with a column for each measure."""
        measures = [numbers(name, name) for name in self.experiment["measures"]]
        return [
            Table(
                f"{contest}, {view}",
                [DATASET, METHOD, *measures],
                _pivot(scores, ("dataset", "method"), "measure"),
            )
            for (view, contest), scores in groups(self._scored(), "view", "contest")
        ]

    def scores_of_methods(self) -> Table | None:
        """One table of all scores, with a column for each method."""
        scores = self._scored()
        methods = dict.fromkeys(curve["method"] for curve in self.content["curves"])
        columns = [DATASET, CONTEST, VIEW, MEASURE, *(numbers(m, m) for m in methods)]
        rows = _pivot(scores, PLACE, "method")
        found = Table("Compared values", columns, rows)
        return found.without_constant("contest", "view") if scores else None

    def tests(self) -> Table | None:
        """The reference method against each other one."""
        columns = [
            *(DATASET, VIEW, CONTEST, Column("against", "method"), MEASURE),
            numbers("difference", "difference", "+.4f"),
            numbers("paired t", "p_paired", _p),
            numbers("corrected t", "p_corrected", _p),
            numbers("Wilcoxon", "p_wilcoxon", _p),
            Column("win/tie/loss", "win_tie_loss", lambda n: "/".join(map(str, n))),
        ]
        title = f"{self.experiment['reference_method']} against each other method"
        note = (
            "p-values over the same splits. The plain paired t-test, which the papers "
            "use, is optimistic because training parts overlap. No t-test is possible "
            "where the difference is the same in every split: not testable."
        )
        tests = self.content["tests"]
        rows = [{k: UNTESTED if v is None else v for k, v in t.items()} for t in tests]
        return Table(title, columns, rows, [note]) if rows else None

    def ranks(self) -> Table | None:
        """Average ranks over the data sets."""

        def listed(ranks: Sequence[float], methods: Sequence[str]) -> str:
            pairs = sorted(zip(ranks, methods, strict=True))
            return ", ".join(f"{method} {rank:.2f}" for rank, method in pairs)

        columns = [
            *(VIEW, CONTEST, MEASURE),
            numbers("data sets", "n_datasets", ""),
            Column("average ranks", ("average_ranks", "methods"), listed),
            numbers("Friedman p", "friedman_p", _p),
            numbers("critical difference", "critical_difference", ".2f"),
        ]
        return self._table("Ranks over data sets", "ranks", columns)

    def stability(self) -> Table | None:
        """How alike the selections of different splits are."""
        show, keys = "{:.3f} ({:.3f} to {:.3f})".format, ("stability", "low", "high")
        numbered = [numbers("features", "size", ""), numbers("stability", keys, show)]
        columns = [DATASET, VIEW, METHOD, *numbered]
        note = "Nogueira's index: 1 is the same features in every split, 0 is chance."
        return self._table("Stability of the selections", "stability", columns, note)

    def failed(self) -> Table | None:
        """What could not be computed."""
        reason = Column("first reason", "reason")
        cells = numbers("cells", "n_failed", "")
        columns = [DATASET, VIEW, CONTEST, METHOD, cells, reason]
        return self._table("Failed", "failed", columns)

    def times_and_memory(self, *, controls: bool = True) -> Table:
        """What each selection cost, with or without those of random and all."""
        contests = dict.fromkeys(cost["contest"] for cost in self.costs)
        columns = [
            *(DATASET, VIEW, METHOD),
            numbers("selection s", "select_seconds", ".3g"),
            numbers("processor s", "select_cpu_seconds", ".3g"),
            numbers("memory MiB", "select_peak_mib", ".1f"),
            *(numbers(f"evaluation s, {name}", name, ".3g") for name in contests),
        ]
        # Contests share their selections: each is shown once.
        rows = [
            {**group[0], **{cost["contest"]: cost["judge_seconds"] for cost in group}}
            for (*_, method), group in groups(self.costs, "dataset", "view", "method")
            if controls or method not in CONTROLS
        ]
        return Table("Median cost of one selection", columns, rows)

    def lines(self, measure: str) -> dict[tuple[str, ...], list[Line]]:
        """Curves with points, means and half intervals, by what they are drawn with."""
        from labelsieve.plots import STANDARD_ERRORS

        found: dict[tuple[str, ...], list[Line]] = {}
        for place, rows in groups(self.content["curves"], *PLACE[:-1]):
            span = [p for row in rows if len(row["points"]) > 1 for p in row["points"]]
            for row in rows:
                values, points = row["measures"][measure], row["points"]
                mean, deviation = np.array(values["mean"]), np.array(values["sd"])
                if len(points) == 1 and span:
                    # One value, such as that of all features, is drawn as a level.
                    points = [min(span), max(span)]
                    mean, deviation = np.repeat(mean, 2), np.repeat(deviation, 2)
                half = STANDARD_ERRORS * deviation / np.sqrt(row["n_splits"])
                found.setdefault(place, []).append((row, points, mean, half))
        return found

    def relative_times(self) -> Table | None:
        """Processor time of each selection in units of the reference method's."""
        # Where classifiers are compared on all features there is nothing to select.
        if not any(cost["select_cpu_seconds"] > MEASURABLE for cost in self.costs):
            return None
        reference = self.experiment["reference_method"]
        shapes = {data["name"]: data for data in self.content["datasets"]}
        rows = []
        for (dataset, view), group in groups(self.costs, "dataset", "view"):
            spent = {cost["method"]: cost["select_cpu_seconds"] for cost in group}
            unit = spent.get(reference)
            ratios = {name: s / unit for name, s in spent.items()} if unit else {}
            rows.append({**shapes[dataset], "dataset": dataset, "view": view, **ratios})
        methods = dict.fromkeys(cost["method"] for cost in self.costs)
        others = [name for name in methods if name not in (reference, *CONTROLS)]
        sizes = [numbers(key, key, "") for key in ("features", "labels")]
        columns = [DATASET, VIEW, *sizes, *(numbers(m, m, ".2g") for m in others)]
        note = f"Processor time of the selection, {reference} = 1:"
        return Table("Relative times", columns, rows, [note])

    def _table(
        self, title: str, key: str, columns: Sequence[Column], *notes: str
    ) -> Table | None:
        rows = self.content.get(key)
        return Table(title, columns, rows, notes) if rows else None

    def _scored(self) -> list[dict[str, Any]]:
        """The scores, each with its cell."""
        scores = self.content["scores"]
        best = {}
        for place, rows in groups(scores, *PLACE):
            means = [row["mean"] for row in rows]
            smaller = rows[0]["measure"] in SMALLER_IS_BETTER
            best[place] = means[best_place(means, smaller_is_better=smaller)]
        tests = {place_of(test, "method"): test for test in self.content["tests"]}
        found = []
        for score in scores:
            test, mark, meaning = tests.get(place_of(score, "method")), "", ""
            p = None if test is None else test["p_corrected"]
            if test is not None and p is not None and p < SIGNIFICANT:
                # The difference is that of the reference minus this method.
                smaller = test["measure"] in SMALLER_IS_BETTER
                better = (test["difference"] > 0) == smaller
                mark, said = ("▲", "better") if better else ("▼", "worse")
                meaning = f"significantly {said} than {test['reference']}, p = {p:.2g}"
            text = f"{_number(score['mean'])} ± {_number(score['sd'])}"
            tone = BEST if same(score["mean"], best[place_of(score)]) else ""
            cell = TableCell(score["mean"], text, tone, mark, meaning)
            found.append({**score, "cell": cell})
        return found


def groups(rows: Iterable[Row], *keys: str) -> list[tuple[tuple[str, ...], list[Row]]]:
    """Return the rows that agree in some entries, in the order of their first ones."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return list(found.items())


def place_of(row: Row, *more: str) -> tuple[str, ...]:
    """What a score has in common with those that it is compared with."""
    return tuple(row[key] for key in (*PLACE, *more))


def _pivot(scores: Iterable[Row], place: Sequence[str], across: str) -> list[Row]:
    """One row per place, with the cells of the scores by one of their entries."""
    rows: list[Row] = []
    for found, group in groups(scores, *place):
        cells = {score[across]: score["cell"] for score in group}
        rows.append({**dict(zip(place, found, strict=True)), **cells})
    return rows


def _number(value: float) -> str:
    return f"{value:.4f}" if abs(value) < 10 else f"{value:.2f}"


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else "< 0.001"


def page_of(*parts: str | Table | None) -> str:
    """Return a page of Markdown: sentences and tables, those that there are."""
    texts = (part.to_markdown() if isinstance(part, Table) else part for part in parts)
    return "\n\n".join(text for text in texts if text) + "\n"
