"""The page about one selection: which features, why, and how good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from labelsieve import sentences
from labelsieve._plumbing.tables import Column, Table, numbers
from labelsieve.choosing import CHOSEN, EVERYTHING, RANDOM, SIMPLER, Quality
from labelsieve.plots import (
    InformationDisplay,
    PixelDisplay,
    RankingDisplay,
    RedundancyDisplay,
    VerdictDisplay,
    average,
)
from labelsieve.report import blocks
from labelsieve.report.certainty import Certainty
from labelsieve.selectors import Explanation, feature_table

SHOWN_MEASURES = (
    "micro_f1",
    "hamming_loss",
    "subset_accuracy",
    "average_precision",
    "ranking_loss",
)
NOT_MEASURED = "How good they are could not be measured."
# A page lists the best features; the ranking file lists all.
MOST_ROWS = 200


def selection_page(
    explanation: Explanation,
    quality: Quality | None,
    *,
    method: str,
    description: Mapping[str, Any],
    settings: Mapping[str, Any],
    command: str,
    pixels: PixelDisplay | None = None,
    search: Any = None,
    stability: Any = None,
    p_values: Any = None,
) -> dict[str, Any]:
    """Return the content of a page about one selection.

    Parameters
    ----------
    explanation : Explanation
        From a selector's `explain`.
    quality : Quality or None
        From :func:`labelsieve.choosing.measure_quality`; None where it could not be
        measured.
    method : str
        The name of the method.
    description : mapping
        What the data set looks like, ``describe(dataset)._asdict()``.
    settings : mapping
        The parameters of the method.
    command : str
        What reproduces the page.
    pixels : PixelDisplay, optional
        Where the features are pixels: their picture.
    search : SizeCV, optional
        Fitted: how the number of features was chosen.
    stability : StabilitySelection, optional
        Fitted: how often each feature is chosen from parts of the rows.
    p_values : PermutationPValues, optional
        What shuffled labels say.

    Returns
    -------
    content : dict
        For :func:`render_page` and :func:`write_page`.
    """
    size = explanation.features.size
    features, labels = description["features"], description["labels"]
    certainty = Certainty(search, stability, p_values)
    sure = certainty.sentences(explanation.features)
    kept = f"{size:,} of {features:,}"
    return {
        "title": sentences.headline(size, features, labels),
        "kicker": f"{description['name']} · {description['instances']:,} rows · "
        f"selected by {method}",
        "summary": [*_summary(explanation, quality, method), *sure],
        "figures": [
            *(_figures(quality, features) if quality else []),
            blocks.figure(
                "features kept", sentences.percent(size / features), "", kept
            ),
            *certainty.figures(),
        ],
        "sections": [
            *([_quality_section(quality, explanation)] if quality else []),
            *certainty.sections(),
            _features_section(explanation, certainty, pixels),
            _made_section(description, settings, quality, method, command),
        ],
    }


def _summary(
    explanation: Explanation, quality: Quality | None, method: str
) -> list[str]:
    forced = explanation.included
    best = explanation.reasons()[0 if forced.all() else int(np.argmin(forced))]
    told = [label["label"] for label in best["labels"]]
    said = quality.sentences() if quality else [NOT_MEASURED]
    if forced.any():
        names = [explanation.feature_names[place] for place in np.flatnonzero(forced)]
        said.append(sentences.had_to_start(names))
    said.append(sentences.first_choice(method, best["name"], told))
    lost = sentences.least_kept(explanation.least_kept())
    return [*said, lost] if lost else said


def _figures(quality: Quality, n_features: int) -> list[dict[str, str]]:
    """What the judges reach with the chosen features, and with all."""
    figures = []
    for judge in quality.judges:
        chosen = quality.mean(sentences.MAIN, CHOSEN, judge)
        note = "all features"
        if quality.findings:
            everything = quality.mean(sentences.MAIN, EVERYTHING, judge)
            note = f"{sentences.plain(everything)} with all {n_features:,}"
        name = f"{sentences.judge_name(judge)}, {quality.n_chosen:,} chosen"
        value = sentences.plain(chosen)
        figures.append(blocks.figure(name, value, "micro-F1", note))
    return figures


def _quality_section(quality: Quality, explanation: Explanation) -> dict[str, Any]:
    judge = sentences.judge_name(quality.judges[0])
    text = [sentences.how_judged(quality)]
    if explanation.n_missing.any():
        text.append(
            "Judges need a value in every cell: missing ones became the median of the "
            "training rows."
        )
    shown = []
    if quality.findings:
        text.append(
            "A verdict is “better” or “worse” where the difference is beyond chance "
            "(corrected resampled t-test, by Holm's rule over the judges, 5 % level), "
            "with its 95 % interval; “as good” where a loss of more than "
            f"{sentences.percent(quality.tolerance)} of what all features reach can be "
            "ruled out; else these rows do not tell. “Simpler” are as many features of "
            "the most summed mutual information."
        )
        display = VerdictDisplay.from_quality(quality)
        caption = (
            "Left of 0 quality is lost, right of it gained; lines are 95 % intervals. "
            "A loss within the grey band does not matter."
        )
        drawn = blocks.picture("verdicts", display, "Against all features", caption)
        shown += [blocks.pictures(drawn), *_verdict_tables(quality)]
    if quality.curves:
        text.append(
            f"The curve shows what {judge} reaches with fewer or more features; bands "
            "are 95 % intervals of the mean over the splits."
        )
        shown.append(_curve(quality))
    title = "How good are they?"
    return blocks.section("quality", "How good", title, text, shown)


def _verdict_tables(quality: Quality) -> list[dict[str, Any]]:
    """The verdicts by some measures, and by all where these are asked for."""
    table = _verdict_table(quality, SHOWN_MEASURES)
    everything = replace(
        _verdict_table(quality, quality.measures), title="Verdicts by all measures"
    )
    what = f"Verdicts by all {len(quality.measures)} measures"
    return [blocks.table(table), blocks.table(everything, folded=what)]


def _verdict_table(quality: Quality, measures: Sequence[str]) -> Table:
    """One row for each measure and judge, with the verdict against each other set."""
    sets = [EVERYTHING, RANDOM, SIMPLER]
    rows = []
    for measure in measures:
        for one in quality.about(measure, EVERYTHING):
            others = {
                other.against: sentences.verdict_words(other)
                for which in sets
                for other in quality.about(measure, which)
                if other.judge == one.judge
            }
            judge = sentences.judge_name(one.judge)
            row: dict[str, Any] = {"measure": measure, "judge": judge, **others}
            rows.append({**row, "chosen": one.chosen, "other": one.other})
    found = [which for which in sets if rows and which in rows[0]]
    columns = [
        Column("measure", "measure", sentences.measure_name),
        Column("judge", "judge", style="name"),
        numbers("chosen", "chosen", sentences.plain),
        numbers("all", "other", sentences.plain),
        *(Column(f"against {which}", which, style="words") for which in found),
    ]
    return Table("Verdicts", columns, rows)


def _curve(quality: Quality) -> dict[str, Any]:
    names = {CHOSEN: "chosen features", RANDOM: "random features"}
    sizes = quality.sizes.tolist()
    lines = []
    for measure in SHOWN_MEASURES:
        for which, name in names.items():
            if which in quality.curves:
                curve = average(quality.sizes, quality.curves[which][measure])
                half = (curve.high - curve.mean).tolist()
                line = name, sizes, curve.mean.tolist(), half
                dashed = which != CHOSEN
                lines.append(blocks.series(*line, dashed=dashed, measure=measure))
        if quality.findings:
            values = quality.values[quality.judges[0], EVERYTHING][measure]
            curve = average(sizes, np.repeat(values[:, np.newaxis], len(sizes), axis=1))
            half = (curve.high - curve.mean).tolist()
            line = "all features", sizes, curve.mean.tolist(), half
            lines.append(blocks.series(*line, dashed=True, measure=measure))
    chosen = quality.n_chosen
    return blocks.curves("quality", lines, {"measure": "Measure"}, chosen=chosen)


def _features_section(
    explanation: Explanation, certainty: Certainty, pixels: PixelDisplay | None
) -> dict[str, Any]:
    text = (
        "“Tells” is the share of what there is to know about a label (its entropy) "
        "that the feature tells by itself. “Repeated by” is the share of the feature "
        "itself that another chosen feature tells already."
    )
    if explanation.n_missing.any():
        text += (
            " Missing cells are counted; “missing tells” is what it tells about a "
            "label, by itself, whether the cell is missing."
        )
    size = explanation.features.size
    ranked = RankingDisplay.from_explanation(explanation)
    told = InformationDisplay.from_explanation(explanation)
    labels = len(explanation.label_names)
    drawn = [
        blocks.picture(
            "ranking",
            ranked,
            "Scores",
            f"The method's own score of each feature, best on top{_made(explanation)}."
            + _only({"features": (len(ranked.names), size)}),
        ),
        blocks.picture(
            "labels",
            told,
            "Features and labels",
            "Percent of each label that each feature tells by itself."
            + _only(
                {
                    "features": (len(told.feature_names), size),
                    "labels": (len(told.label_names), labels),
                }
            ),
        ),
    ]
    if size > 1:
        repeated = RedundancyDisplay.from_explanation(explanation)
        drawn.append(
            blocks.picture(
                "redundancy",
                repeated,
                "Features and features",
                "Percent of the feature in the row that the one in the column repeats."
                + _only({"features": (len(repeated.names), size)}),
            )
        )
    if pixels is not None:
        caption = "Blue: chosen, numbered by rank. Grey: how often the pixel is inked."
        shown = blocks.picture("pixels", pixels, "Chosen pixels", caption, small=True)
        drawn.insert(0, shown)
    return blocks.section(
        "features",
        "Which features",
        "Which features, and why?",
        [text, *certainty.texts()],
        [blocks.pictures(*drawn), _features_table(explanation, certainty)],
    )


def _only(parts: Mapping[str, tuple[int, int]]) -> str:
    """How many of what a picture shows, to follow its caption; nothing where all."""
    cut = [
        f"{shown:,} of {whole:,} {what}"
        for what, (shown, whole) in parts.items()
        if shown < whole
    ]
    return f" Only the best {sentences.listed(cut)} are shown." if cut else ""


def _made(explanation: Explanation) -> str:
    """How the terms in the table make the score, where there are several."""
    terms = ", ".join(explanation.shown_terms)
    return f": {explanation.rule} ({terms})" if terms else ""


def _features_table(explanation: Explanation, certainty: Certainty) -> dict[str, Any]:
    table = feature_table(explanation, certainty.columns(explanation.features))
    rank, feature, *others = table.columns
    # The name comes first: it is the header of its row.
    table = replace(table, columns=[feature, rank, *others])
    if len(table.rows) > MOST_ROWS:
        title = f"{table.title}, the best {MOST_ROWS}"
        table = replace(table, title=title, rows=table.rows[:MOST_ROWS])
    return blocks.table(table)


def _made_section(
    description: Mapping[str, Any],
    settings: Mapping[str, Any],
    quality: Quality | None,
    method: str,
    command: str,
) -> dict[str, Any]:
    from labelsieve.report.versions import versions

    data = {name.replace("_", " "): value for name, value in description.items()}
    method_facts = {"method": method, **settings}
    if quality:
        judges = ", ".join(quality.judges)
        method_facts |= {"judges": judges, "splits": quality.n_splits}
    return blocks.section(
        "made",
        "How made",
        "How was this made?",
        ["This command makes this page again:"],
        [
            blocks.command(command),
            blocks.tables(
                blocks.facts("The data", data),
                blocks.facts("Settings", method_facts),
                blocks.facts("Versions", versions()),
            ),
        ],
    )
