"""A selection, how sure it is and what single labels need, in files, JSON and words."""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from labelsieve import sentences
from labelsieve._utils.machine import write_file
from labelsieve._utils.messages import Column, Table, numbers, waiting
from labelsieve.cli._data import STANDARD, forced_names
from labelsieve.cli._describe import plain
from labelsieve.cli._options import (
    CV_RULES,
    methods_that,
    note,
    put,
    refuse_options,
    shows_progress,
)

# How a cell begins that a spreadsheet takes for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Selection:
    """A fitted selector, its data, and what was asked about its choice, else None."""

    selector: Any
    dataset: Any
    search: Any = None  # SizeCV
    stability: Any = None  # StabilitySelection
    p_values: Any = None  # PermutationPValues
    label_specific: Any = None  # LabelSpecificSelector
    explanation: Any = None
    quality: Any = None

    def extra_columns(self, chosen: Any = None) -> dict[str, list[float]]:
        """Numbers of each chosen feature, to stand beside its score."""
        chosen = self.chosen() if chosen is None else chosen
        found = {}
        if self.stability is not None:
            found["frequency"] = self.stability.frequencies_[chosen].tolist()
        if self.p_values is not None:
            found["p"] = self.p_values.p[chosen].tolist()
            found["p_family"] = self.p_values.p_family[chosen].tolist()
        return found

    def chosen(self) -> list[int]:
        """The columns of the kept features, best first."""
        n_kept = int(self.selector.support_.sum())
        return list(self.selector.order_[:n_kept].tolist())


def fit_selection(
    selector: Any, X: Any, dataset: Any, arguments: argparse.Namespace, rows: Any
) -> Selection:
    """Fit the selector, and find out what was asked about its choice.

    `rows` may have groups of samples, and their weights.
    """
    from sklearn.base import clone
    from sklearn.utils.validation import has_fit_parameter

    Y, known = dataset.Y, selector.get_params(deep=False)
    of_rows = {k: v for k, v in rows.items() if has_fit_parameter(selector, k)}
    asked = {"--label-specific": arguments.label_specific is not None}
    if "number" in getattr(dataset, "target_types", ()):
        refuse_options(asked, "takes no numbers as targets: do without it")
    options = {"weights of samples": "--weight"} if "sample_weight" in rows else {}
    if arguments.feature_groups:
        options["groups of features"] = "--feature-groups"
    for what, option in options.items():
        able = methods_that(f"takes_{what.split()[0]}")
        refused = f"takes no {what}: do without"
        refuse_options(asked, f"{refused} it, or without {option}")
        lacks = {f"--method {arguments.method}": arguments.method.lower() not in able}
        refuse_options(lacks, f"{refused} {option}, or use one of {', '.join(able)}")
    # Copies work alone and in silence: the rounds have the threads.
    alone = {k: v for k, v in {"n_jobs": None, "verbose": False}.items() if k in known}
    rounds = {
        "random_state": arguments.seed,
        "n_jobs": arguments.jobs,
        "verbose": shows_progress(arguments),
    }
    search = stability = p_values = own = None
    if arguments.k in CV_RULES:
        from labelsieve.choosing import SizeCV

        inner = clone(selector).set_params(n_features_to_select=1, **alone)
        search = SizeCV(inner, rule=CV_RULES[arguments.k], **rounds)
        search.fit(X, Y, **rows)
        selector.set_params(n_features_to_select=search.n_features_)
    with waiting(f"selecting features with {arguments.method}"):
        selector.fit(X, Y, **of_rows)
    size = int(selector._by_group().support_.sum())
    kept = clone(selector).set_params(n_features_to_select=size, **alone)
    if arguments.stability:
        from labelsieve.choosing import StabilitySelection

        halves = arguments.stability
        stability = StabilitySelection(kept, n_subsamples=halves, **rounds)
        stability.fit(X, Y, **rows)
    if arguments.p_values:
        from labelsieve.choosing import permutation_p_values

        rounds |= {"n_permutations": arguments.p_values, **rows}
        p_values = permutation_p_values(kept, X, Y, **rounds)
    if arguments.label_specific is not None:
        from labelsieve.selectors import LabelSpecificSelector

        counts = {"n_shared": size, "n_specific": arguments.label_specific}
        own = LabelSpecificSelector(clone(selector), **counts).fit(X, Y)
    return Selection(selector, dataset, search, stability, p_values, own)


def write_ranking(found: Selection, arguments: argparse.Namespace) -> None:
    """Write rank, column, name and score of the kept features, and what was asked."""
    import csv
    import io
    import json

    values = ranking_table(found).to_dicts()
    suffix = Path(arguments.output).suffix.lower()
    if suffix == ".json":
        text = json.dumps(values, ensure_ascii=False, indent=1) + "\n"
    elif suffix == ".txt":
        text = "".join(f"{_on_one_line(row['feature'])}\n" for row in values)
    else:
        lines = io.StringIO()
        rows = [list(values[0]), *(list(row.values()) for row in values)]
        if not arguments.raw:
            rows = [list(map(_harmless, row)) for row in rows]
        for row in rows:
            # A carriage return ends a line for readers, not for Python's writer.
            style = "unix" if "\r" in str(row[2]) else "excel"
            csv.writer(lines, style, lineterminator="\n").writerow(row)
        text = lines.getvalue()
    if arguments.output == STANDARD:
        put(text.encode())
        return
    write_file(arguments.output, text.encode())
    note(arguments, f"{arguments.output}: {len(values)} features")


def _on_one_line(name: str) -> str:
    """A name with escapes for what would end the line, such as \\n."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in name
    )


def _harmless(value: Any) -> Any:
    """A cell; spreadsheets show a text behind a quote, and would run a formula."""
    is_formula = isinstance(value, str) and value.startswith(FORMULA)
    return f"'{value}" if is_formula else value


def selection_as_dict(
    arguments: argparse.Namespace, found: Selection
) -> dict[str, Any]:
    """Return all there is to know about a selection, for machines."""
    from labelsieve.datasets import describe
    from labelsieve.plots import InformationDisplay, RedundancyDisplay

    told = ranking_as_dict(arguments, found, describe(found.dataset)._asdict())
    version, columns = told.pop("version"), found.extra_columns()
    told |= {
        "explanation": found.explanation.to_dict(),
        "score_rule": found.explanation.rule,
        "least_covered": found.explanation.least_covered(),
    }
    # What was asked; lists follow the order of the features.
    if found.search is not None:
        told["size_search"] = found.search.to_dict()
    if found.stability is not None:
        index = asdict(found.stability.stability_)
        told["stability"] = index | {
            "subsamples": found.stability.n_subsamples,
            "frequencies": columns["frequency"],
        }
    if found.p_values is not None:
        told["p_values"] = {
            "p": columns["p"],
            "p_family": columns["p_family"],
            "permutations": found.p_values.n_permutations,
        }
    if found.quality is not None:  # the verdict, and what the pictures show
        relevant = InformationDisplay.from_explanation(found.explanation)
        redundant = RedundancyDisplay.from_explanation(found.explanation)
        told["quality"] = found.quality.to_dict()
        told["relevance"] = {
            "features": relevant.feature_names,
            "labels": relevant.label_names,
            "shares": relevant.shares.tolist(),
        }
        told["redundancy"] = {
            "features": redundant.names,
            "shares": redundant.shares.tolist(),
        }
    told["version"] = version
    if found.label_specific is not None:
        names, table = found.dataset.feature_names, found.label_specific.specific_table_
        own = [[names[f] for f in features if f >= 0] for features in table]
        labels = found.dataset.label_names
        told["label_specific"] = dict(zip(labels, own, strict=True))
    return told


def selection_as_text(found: Selection) -> str:
    """Return the table for people: features, scores and reasons."""
    from labelsieve.selectors import feature_table, specific_table

    explanation, data = found.explanation, found.dataset
    # A line names several labels; --json and --report have names in full.
    names = [n if len(n) < 41 else f"{n[:39]}…" for n in explanation.label_names]
    explanation = replace(explanation, label_names=names)
    table = feature_table(
        explanation,
        found.extra_columns(explanation.columns),
        # What takes as long as the selection itself is for --json and --report.
        terms=not explanation.looks_again,
        n_repeats=1,
    )
    title = title_of(found, data.X.shape[0])
    parts = [replace(table, title=title).to_text()]
    told = sentences.target_types(types_in(found))
    parts += [f"{what}: {said}" for what, said in told.items()]
    if said := sentences.least_covered(explanation.least_covered()):
        parts.append(said)
    asked = []
    if found.search is not None:
        asked.append(sentences.size_chosen(found.search.to_dict()))
    if found.stability is not None:
        index, rounds = found.stability.stability_, found.stability.n_subsamples
        asked.append(
            f"stability: {index.value:.2f}, 95 % interval {index.low:.2f} to "
            f"{index.high:.2f} (1: always the same features, 0: as if drawn at "
            f"random); frequency: the share of {rounds} random halves of the samples "
            "that select the feature"
        )
    if found.p_values is not None:
        rounds, what = found.p_values.n_permutations, "targets" if told else "labels"
        asked.append(
            f"p: the share of {rounds} permutations of the {what} that give the "
            "feature such a score; p family: that give any feature such a score"
        )
    if asked:
        parts.append("\n".join(asked))
    if found.label_specific is not None:
        own = specific_table(found.label_specific, data.feature_names, data.label_names)
        parts.append(own.to_text())
    return "\n\n".join(parts)


def title_of(found: Selection, n_rows: int | None) -> str:
    """Return what was chosen from what; the number of rows may not be known."""
    known = "" if n_rows is None else f"{n_rows:,} samples, "
    data, method = found.dataset, found.selector._by_group()
    sizes = int(method.support_.sum()), method.support_.size, len(data.label_names)
    noun = "target" if types_in(found) else "label"
    said = sentences.headline(*sizes, noun)
    return f"{data.name}: {said} ({known}{type(found.selector).__name__})"


def ranking_table(found: Selection) -> Table:
    """Return rank, column, name and score of the kept features, best first."""
    extra_columns = found.extra_columns()
    rows = [
        {
            "rank": place + 1,
            "column": column,
            "feature": found.dataset.feature_names[column],
            "score": float(found.selector.scores_[column]),
            **{name: values[place] for name, values in extra_columns.items()},
        }
        for place, column in enumerate(found.chosen())
    ]
    places = [numbers(name, name, "") for name in ("rank", "column")]
    scores = [numbers(name, name) for name in ("score", *extra_columns)]
    return Table("", [*places, Column("feature", "feature"), *scores], rows)


def ranking_as_dict(
    arguments: argparse.Namespace, found: Selection, described: dict[str, Any]
) -> dict[str, Any]:
    """Return method, parameters, the ranking and what the data are, for machines."""
    from labelsieve import __version__

    rows = ranking_table(found).rows
    return {
        "method": arguments.method.lower(),
        "parameters": settings_of(found.selector, found.dataset),
        "order": [row["column"] for row in rows],
        "features": [row["feature"] for row in rows],
        "scores": [row["score"] for row in rows],
        "target_types": types_in(found),
        "data": described,
        "version": __version__,
    }


def types_in(found: Selection) -> dict[str, str]:
    """Return what each target is; nothing where all are labels."""
    types = getattr(found.dataset, "target_types", ())
    return dict(zip(found.dataset.label_names, types, strict=False))


def settings_of(selector: Any, data: Any) -> dict[str, Any]:
    """Return the parameters of the method; features that they name by their names."""
    return plain(selector.get_params()) | forced_names(selector, data)


def quality_as_text(quality: Any) -> str:
    """Return the verdict in sentences, the figures in a table, and what they mean."""
    said = [*quality.sentences(), sentences.how_evaluated(quality)]
    table = quality.table()
    shown = [row for row in table.rows if row["against"] == "all"]
    parts = ["\n".join(said)]
    if shown:
        title = "quality on held-out samples: the selected features against all"
        against_all = replace(table, title=title, rows=shown).without("against")
        parts.append(against_all.to_text())
    meanings = [
        f"  {sentences.measure_name(name)}: {sentences.MEANINGS[name]}"
        for name in quality.measures
    ]
    return "\n\n".join([*parts, "\n".join(["what the measures mean", *meanings])])
