"""The page about one selection: which features, why, and how good."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from labelsieve import sentences
from labelsieve._plumbing.messages import Column, Table, numbers, told_once
from labelsieve.choosing import (
    CHOSEN,
    EVERYTHING,
    RANDOM,
    SIMPLER,
    Quality,
    SizeCV,
    measure_quality,
)
from labelsieve.plots import (
    InformationDisplay,
    PixelDisplay,
    RankingDisplay,
    RedundancyDisplay,
    VerdictDisplay,
)
from labelsieve.report import blocks
from labelsieve.report.blocks import write_page
from labelsieve.report.certainty import Certainty, certainty_of
from labelsieve.selectors import (
    Explanation,
    SharedAndOwn,
    check_selector,
    feature_table,
    own_table,
)

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
MOST_OWN, MOST_LABELS = 25, 16


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
    """Return the content of a page about one selection, for `write_page`.

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
    """
    size = explanation.features.size
    features, labels = description["features"], description["labels"]
    certainty = certainty_of(explanation.features, search, stability, p_values)
    kept = f"{size:,} of {features:,}"
    data = {name.replace("_", " "): value for name, value in description.items()}
    settled = {"method": method, **settings}
    if quality:
        settled |= {"judges": ", ".join(quality.judges), "splits": quality.n_splits}
    return {
        "title": sentences.headline(size, features, labels),
        "kicker": f"{description['name']} · {description['instances']:,} rows · "
        f"selected by {method}",
        "summary": [*_summary(explanation, quality, method), *certainty.sentences],
        "figures": [
            *(_figures(quality, features) if quality else []),
            blocks.figure(
                "features kept", sentences.percent(size / features), "", kept
            ),
            *certainty.figures,
        ],
        "sections": [
            *([_quality_section(quality, explanation)] if quality else []),
            *certainty.sections,
            _features_section(explanation, certainty, pixels),
            blocks.how_made(command, {"The data": data, "Settings": settled}),
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
        everything = f"Verdicts by all {len(quality.measures)} measures"
        shown += [
            blocks.pictures(drawn),
            blocks.table(_verdict_table(quality, "Verdicts", SHOWN_MEASURES)),
            blocks.table(
                _verdict_table(quality, "Verdicts by all measures", quality.measures),
                folded=everything,
            ),
        ]
    if quality.curves:
        text.append(
            f"The curve shows what {judge} reaches with fewer or more features; bands "
            "are 95 % intervals of the mean over the splits."
        )
        shown.append(_curve(quality))
    title = "How good are they?"
    return blocks.section("quality", "How good", title, text, shown)


def _verdict_table(quality: Quality, title: str, measures: Sequence[str]) -> Table:
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
    return Table(title, columns, rows)


def _curve(quality: Quality) -> dict[str, Any]:
    sizes, lines = quality.sizes, []
    for measure in SHOWN_MEASURES:
        drawn = {
            which: quality.curves[which][measure]
            for which in (CHOSEN, RANDOM)
            if which in quality.curves
        }
        if quality.findings:
            values = quality.values[quality.judges[0], EVERYTHING][measure]
            drawn[EVERYTHING] = np.repeat(values[:, np.newaxis], sizes.size, axis=1)
        for which, splits in drawn.items():
            name, dashed = f"{which} features", which != CHOSEN
            lines.append(
                blocks.average_line(name, sizes, splits, dashed=dashed, measure=measure)
            )
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
    size, labels = explanation.features.size, len(explanation.label_names)
    # How the terms in the table make the score, where there are several.
    terms = ", ".join(explanation.shown_terms)
    made = f": {explanation.rule} ({terms})" if terms else ""
    ranked = RankingDisplay.from_explanation(explanation)
    told = InformationDisplay.from_explanation(explanation)
    caption = f"The method's own score of each feature, best on top{made}."
    caption += _only(features=(len(ranked.names), size))
    drawn = [blocks.picture("ranking", ranked, "Scores", caption)]
    caption = "Percent of each label that each feature tells by itself." + _only(
        features=(len(told.feature_names), size), labels=(len(told.label_names), labels)
    )
    drawn.append(blocks.picture("labels", told, "Features and labels", caption))
    if size > 1:
        repeated = RedundancyDisplay.from_explanation(explanation)
        caption = (
            "Percent of the feature in the row that the one in the column repeats."
        )
        caption += _only(features=(len(repeated.names), size))
        title = "Features and features"
        drawn.append(blocks.picture("redundancy", repeated, title, caption))
    if pixels is not None:
        caption = "Blue: chosen, numbered by rank. Grey: how often the pixel is inked."
        shown = blocks.picture("pixels", pixels, "Chosen pixels", caption, small=True)
        drawn.insert(0, shown)
    return blocks.section(
        "features",
        "Which features",
        "Which features, and why?",
        [text, *certainty.texts],
        [blocks.pictures(*drawn), _features_table(explanation, certainty)],
    )


def _only(**parts: tuple[int, int]) -> str:
    """How many of what a picture shows, to follow its caption; nothing where all."""
    cut = [
        f"{shown:,} of {whole:,} {what}"
        for what, (shown, whole) in parts.items()
        if shown < whole
    ]
    return f" Only the best {sentences.listed(cut)} are shown." if cut else ""


def _features_table(explanation: Explanation, certainty: Certainty) -> dict[str, Any]:
    table = feature_table(explanation, certainty.columns)
    rank, feature, *others = table.columns
    # The name comes first: it is the header of its row.
    table = replace(table, columns=[feature, rank, *others])
    if len(table.rows) > MOST_ROWS:
        title = f"{table.title}, the best {MOST_ROWS}"
        table = replace(table, title=title, rows=table.rows[:MOST_ROWS])
    return blocks.table(table)


def own_section(
    own: SharedAndOwn,
    X: Any,
    Y: Any,
    feature_names: Sequence[str],
    label_names: Sequence[str],
) -> dict[str, Any]:
    """Return the section: the matrix of labels and their own features, and a table.

    Parameters
    ----------
    own : SharedAndOwn
        Fitted.
    X, Y : as in `fit`
        The data.
    feature_names, label_names : sequence of str
        What to call them.
    """
    text = (
        f"All labels share {own.shared_.size} features. Each label was asked what it "
        "needs beyond them: features that tell something significant about it which "
        "those, and its own before, do not. A label that needs nothing has none."
    )
    shown = [blocks.table(own_table(own, feature_names, label_names))]
    drawn = _matrix(own, X, Y, feature_names, label_names)
    if drawn is not None:
        caption = "Percent of a label that each of its own features tells by itself."
        picture = blocks.picture("own", drawn, "Own", caption)
        shown.insert(0, blocks.pictures(picture))
    title = "What does each label need beyond?"
    return blocks.section("own", "Own features", title, [text], shown)


def _matrix(
    own: SharedAndOwn, X: Any, Y: Any, features: Sequence[str], labels: Sequence[str]
) -> InformationDisplay | None:
    """Own features in lines and labels in columns; None where no label has any."""
    explanation = own.explain(X, Y, feature_names=features, label_names=labels)
    beyond = slice(own.shared_.size, own.shared_.size + MOST_OWN)
    chosen = explanation.features[beyond]
    if not chosen.size:
        return None
    owned = own.label_support_[:, chosen].T
    some = np.sort(np.argsort(-owned.sum(axis=0), kind="stable")[:MOST_LABELS])
    shares = np.where(owned, explanation.label_shares[beyond], 0.0)
    names = [features[feature] for feature in chosen]
    return InformationDisplay(shares[:, some], names, [labels[i] for i in some])


@told_once()
def write_report(
    selector: Any,
    X: Any,
    Y: Any,
    path: str | os.PathLike[str],
    *,
    feature_names: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
    name: str = "data",
    judges: Sequence[Any] = (),
    budget: float | None = None,
    groups: Any = None,
    stratified: bool = False,
    seed: int = 0,
    verbose: bool = False,
) -> Path:
    """Write a page about a selection: which features, why, and what is lost.

    Parameters
    ----------
    selector : selector of this library, or SizeCV
        Fitted or not; it is not changed. ``"auto"`` is allowed.
    X, Y : as in `fit`
        The data; names come from DataFrames.
    path : path
        The page; its folder is made if need be.
    feature_names, label_names : sequence of str, optional
        What to call features and labels instead.
    name : str, default="data"
        What the data are called.
    judges, budget, groups, stratified, seed, verbose
        As in :func:`labelsieve.choosing.measure_quality`.

    Returns
    -------
    path : Path
        The page: one file that loads nothing.

    Examples
    --------
    >>> import tempfile
    >>> from labelsieve import FIMF, write_report
    >>> from labelsieve.datasets import make_multilabel
    >>> X, Y, _ = make_multilabel(100, 3, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(FIMF(4), X, Y, f"{folder}/why.html")
    ...     "4 of 50 features" in page.read_text("utf-8")
    True
    """
    check_selector(selector, "write_report", SizeCV)
    fitted = selector
    if not hasattr(selector, "order_"):
        fitted = clone(selector).fit(X, Y)
    is_search = isinstance(fitted, SizeCV)
    method = fitted.selector_ if is_search else fitted
    names = {"feature_names": feature_names, "label_names": label_names}
    explanation = method.explain(X, Y, **names)
    quality = measure_quality(
        *(selector, X, Y),
        judges=judges,
        budget=budget,
        groups=groups,
        stratified=stratified,
        seed=seed,
        verbose=verbose,
    )
    content = selection_page(
        explanation,
        quality,
        method=type(method).__name__,
        description={
            "name": name,
            "instances": quality.n_all_rows,
            "features": quality.n_features,
            "labels": quality.n_all_labels,
        },
        settings=method.get_params(),
        command=f"labelsieve.write_report({clone(selector)!r}, X, Y, {str(path)!r})",
        search=fitted if is_search else None,
    )
    return write_page(content, path)
