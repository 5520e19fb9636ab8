"""The page about one selection: which features, why, and how good."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import _num_samples

from labelsieve import sentences
from labelsieve._utils.messages import Column, Table, numbers, warn, warnings_once
from labelsieve.choosing import (
    CHOSEN,
    EVERYTHING,
    RANDOM,
    SIMPLER,
    Quality,
    SizeCV,
    evaluate_selection,
)
from labelsieve.plots import (
    InformationDisplay,
    PixelDisplay,
    RankingDisplay,
    RedundancyDisplay,
    VerdictDisplay,
)
from labelsieve.report import blocks
from labelsieve.report.blocks import render_page, write_page
from labelsieve.report.certainty import Certainty, certainty_of
from labelsieve.report.explore import Refits, explore_data, refit
from labelsieve.selectors import (
    Explanation,
    LabelSpecificSelector,
    check_selector,
    feature_table,
    specific_table,
)

SHOWN_MEASURES = (
    "micro_f1",
    "hamming_loss",
    "subset_accuracy",
    "average_precision",
    "ranking_loss",
    *sentences.OF_CLASSES,
    *sentences.OF_NUMBERS,
)
NOT_MEASURED = "How good they are could not be measured"
# A page lists the best features; the ranking file lists all.
MOST_ROWS = 200
MOST_OWN, MOST_LABELS = 25, 16
# The budget of what a notebook shows beyond what it was asked for.
QUICKLY = 2.0
# A label of which so much is kept is covered.
COVERED = 0.9


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
    refits: Refits | None = None,
    not_measured: str | None = None,
    short: bool = False,
) -> dict[str, Any]:
    """Return the content of a page about one selection, for `write_page`.

    Parameters
    ----------
    explanation : Explanation
        From a selector's `explain`.
    quality : Quality or None
        From :func:`labelsieve.choosing.evaluate_selection`; None where it could not be
        measured.
    method, command : str
        The name of the method, and what reproduces the page.
    description, settings : mapping
        The data, ``describe(dataset)._asdict()``, and the parameters of the method.
    pixels : PixelDisplay, optional
        Where the features are pixels: their picture.
    search, stability, p_values : optional
        SizeCV and StabilitySelection, fitted, and PermutationPValues: how many, how
        surely.
    refits, not_measured : optional
        From :func:`refit`: the ranking beyond the chosen size, and substitutes; and why
        there is no quality.
    short : bool, default=False
        Leave out what a notebook has other ways for: tables, pictures and settings.
    """
    size = explanation.features.size
    features, labels = explanation.n_candidates, len(explanation.label_names)
    noun = explanation.noun
    description = {**description, "features": features, "labels": labels}
    certainty = certainty_of(explanation.columns, search, stability, p_values)
    data = {name.replace("_", " "): value for name, value in description.items()}
    settled = {"method": method, **settings}
    if quality:
        settled |= {
            "classifiers": ", ".join(quality.classifiers),
            "splits": quality.n_splits,
        }
    refits = refits or Refits(explanation, size)
    asked = refits, explanation.find_largest(), command, certainty.columns
    live = explore_data(size, quality, *asked)
    rows, said = live["sizes"], _summary(explanation, quality, method, not_measured)
    content: dict[str, Any] = {
        "title": sentences.selection_headline(quality, size, features, labels, noun),
        "kicker": " · ".join(
            [
                description["name"],
                sentences.many(description["instances"], "sample"),
                sentences.many(labels, noun),
                f"selected by {method}",
            ]
        ),
        "figures": _figures(quality, explanation, features),
        "hero": {
            "chart": _curve(quality) if quality and quality.curves else None,
            "explore": live,
            "said": sentences.how_evaluated(quality) if quality else said[0],
        },
        "sections": [
            *([_sizes_section(quality, rows)] if quality and rows else []),
            blocks.section(
                *("features", "Features", "Which features, and what do they do?"),
                certainty.texts,
                [
                    {"kind": "explore", "data": live},
                    _features_table(explanation, certainty),
                ],
            ),
        ],
    }
    if not short:
        content["sections"] += [
            _quality_section(quality, explanation, certainty, said),
            *certainty.sections,
            _pictures_section(explanation, pixels),
            blocks.how_made(command, {"The data": data, "Settings": settled}),
        ]
    return content


def notebook_page(shown: Any) -> str:
    """Return the live page about what `explain` or `evaluate_selection` found.

    Its source has the selector, the data, and names that were given.
    """
    selector, X, Y, names = shown.source
    explanation, quality = shown, None
    if isinstance(shown, Quality):
        selector = clone(selector).set_params(n_features_to_select=shown.n_chosen)
        explanation = selector.fit(X, Y, **names).explain(X, Y, **names)
        quality = shown
    name = type(selector).__name__
    content = selection_page(
        *(explanation, quality),
        refits=refit(selector, X, Y, QUICKLY, **names),
        method=name,
        description={"name": "data", "instances": _num_samples(X)},
        settings={},
        command="",
        not_measured="evaluate_selection measures it.",
        short=True,
    )
    return render_page(content)


def _summary(
    explanation: Explanation,
    quality: Quality | None,
    method: str,
    not_measured: str | None,
) -> list[str]:
    forced = explanation.included
    best = explanation.reasons()[0 if forced.all() else int(np.argmin(forced))]
    told = [sentences.label_name(x["label"], explanation.noun) for x in best["labels"]]
    said = (
        quality.sentences()
        if quality
        else [f"{NOT_MEASURED}: {not_measured}" if not_measured else f"{NOT_MEASURED}."]
    )
    if forced.any():
        names = [explanation.feature_names[place] for place in np.flatnonzero(forced)]
        said.append(sentences.had_to_start(names))
    said.append(sentences.first_choice(method, best["name"], told))
    lost = sentences.least_covered(explanation.least_covered())
    return [*said, lost] if lost else said


def _figures(
    quality: Quality | None, explanation: Explanation, n_features: int
) -> list[dict[str, str]]:
    """What is kept, what of quality, and of how many labels."""
    size, covered = explanation.features.size, explanation.label_coverage
    share = sentences.percent(size / n_features)
    figures = [blocks.figure("features kept", f"{size:,}", f"of {n_features:,}", share)]
    by_main = sentences.about_mains(quality) if quality else {}
    for main, found in by_main.items():
        measure = sentences.measure_name(main)
        note = "; ".join(
            f"{sentences.classifier_name(one.classifier, main)}: "
            f"{sentences.plain(one.chosen)} (all: {sentences.plain(one.other)})"
            for one in found
        )
        kept = "against all" if sentences.gains_share(found) else "kept"
        share = sentences.share_kept(found)
        figures.append(blocks.figure(f"{measure} {kept}", share, "", note))
    n_covered = f"{int((covered >= COVERED).sum()):,}"
    note = f"to {sentences.percent(COVERED)} or more"
    for one in explanation.least_covered(1):
        share = sentences.percent(one["coverage"])
        note += f"; least covered: {sentences.quoted(one['label'])} ({share})"
    of_all = f"of {covered.size:,}"
    title = f"{explanation.noun}s covered"
    figures.append(blocks.figure(title, n_covered, of_all, note))
    return figures


def _sizes_section(quality: Quality, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One row for each measured size: quality, loss, and whether to keep as many."""
    measure = sentences.measure_name(quality.main_measures[0])
    columns = [
        numbers("features", "n", ","),
        numbers(measure, "mean", sentences.plain),
        numbers("loss", "loss", lambda loss: sentences.percent(max(loss, 0.0))),
        Column("recommendation", "advice", ", ".join, style="words"),
        Column("against all features", "against", style="words"),
    ]
    main, *others = quality.main_measures
    name = sentences.classifier_name(quality.classifiers[0], main)
    text = f"{measure} of {name} on held-out samples, by the number of features."
    if others:
        names = sentences.listed([sentences.measure_name(other) for other in others])
        text += f" The chart above also shows {names}, by “Measure”."
    if not any(row.get("enough") for row in rows):
        least = sentences.percent(quality.tolerance)
        text += f" For no size is there enough data to rule out a loss of {least}."
    table = Table("How many features", columns, rows)
    shown = blocks.table(table, sizes=[row["n"] for row in rows])
    title = "How many features should I keep?"
    return blocks.section("sizes", "How many", title, [text], [shown])


def _quality_section(
    quality: Quality | None,
    explanation: Explanation,
    certainty: Certainty,
    said: list[str],
) -> dict[str, Any]:
    words = {"kind": "said", "sentences": [*said, *certainty.sentences]}
    title = "How good are they?"
    if quality is None:
        return blocks.section("quality", "How good", title, [], [words])
    text = [sentences.how_evaluated(quality)]
    if explanation.n_missing.any():
        text.append(
            "Classifiers need a value in every cell: missing ones became the median of "
            "the training samples."
        )
    shown: list[dict[str, Any]] = [words]
    if quality.findings:
        display = VerdictDisplay.from_quality(quality)
        caption = (
            "Left of 0 quality is lost, right of it gained; lines are 95 % intervals. "
            "A loss within the grey band does not matter."
        )
        drawn = blocks.picture("verdicts", display, "Against all features", caption)
        each = "Verdicts by all measures"
        shown += [
            blocks.pictures(drawn),
            blocks.table(_verdict_table(quality, "Verdicts", SHOWN_MEASURES)),
            blocks.table(_verdict_table(quality, each, quality.measures), folded=each),
        ]
    return blocks.section("quality", "How good", title, text, shown)


def _verdict_table(quality: Quality, title: str, measures: Sequence[str]) -> Table:
    """One row for each measure and classifier: the verdicts against other sets."""
    sets = [EVERYTHING, RANDOM, SIMPLER]
    rows = []
    for measure in measures:
        for one in quality.about(measure, EVERYTHING):
            others = {
                other.against: sentences.verdict_words(other)
                for which in sets
                for other in quality.about(measure, which)
                if other.classifier == one.classifier
            }
            named = {"classifier": sentences.classifier_name(one.classifier, measure)}
            values = {"chosen": one.chosen, "other": one.other}
            rows.append({"measure": measure, **named, **others, **values})
    found = [which for which in sets if rows and which in rows[0]]
    columns = [
        Column("measure", "measure", sentences.measure_name),
        Column("classifier", "classifier", style="name"),
        numbers("chosen", "chosen", sentences.plain),
        numbers("all", "other", sentences.plain),
        *(Column(f"against {which}", which, style="words") for which in found),
    ]
    return Table(title, columns, rows)


def _curve(quality: Quality) -> dict[str, Any]:
    sizes, lines = quality.sizes, []
    for measure in (name for name in SHOWN_MEASURES if name in quality.measures):
        drawn = {
            which: quality.curves[which][measure]
            for which in (CHOSEN, RANDOM)
            if which in quality.curves
        }
        if quality.findings:
            values = quality.values[quality.classifiers[0], EVERYTHING][measure]
            drawn[EVERYTHING] = np.repeat(values[:, np.newaxis], sizes.size, axis=1)
        for which, splits in drawn.items():
            name, dashed = f"{which} features", which != CHOSEN
            lines.append(
                blocks.average_line(name, sizes, splits, dashed=dashed, measure=measure)
            )
    return blocks.curves(
        *("quality", lines, {"measure": "Measure"}),
        chosen=quality.n_chosen,
        follows=True,
    )


def _pictures_section(
    explanation: Explanation, pixels: PixelDisplay | None
) -> dict[str, Any]:
    noun = explanation.noun
    text = (
        f"Relevance is the share of a {noun}'s entropy (of what there is to know about "
        "it) that the feature explains by itself. Redundancy is the share of the "
        "feature's own entropy that another selected feature explains."
    )
    if explanation.n_missing.any():
        text += (
            " Missing cells are counted; “missingness relevant for” is the relevance "
            "of knowing whether the cell is missing."
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
    shown = {f"{noun}s": (len(told.label_names), labels)}
    caption = f"Percent of each {noun}'s entropy that each feature explains."
    caption += _only(features=(len(told.feature_names), size), **shown)
    drawn.append(blocks.picture("labels", told, f"Features and {noun}s", caption))
    if size > 1:
        repeated = RedundancyDisplay.from_explanation(explanation)
        caption = "Percent of the row's entropy that the column's feature explains."
        caption += _only(features=(len(repeated.names), size))
        title = "Features and features"
        drawn.append(blocks.picture("redundancy", repeated, title, caption))
    if pixels is not None:
        caption = "Blue: chosen, numbered by rank. Grey: how often the pixel is inked."
        shown = blocks.picture("pixels", pixels, "Chosen pixels", caption, small=True)
        drawn.insert(0, shown)
    return blocks.section(
        "pictures", "Pictures", "In pictures", [text], [blocks.pictures(*drawn)]
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
    return blocks.table(table, plain=True)


def specific_section(
    fitted: LabelSpecificSelector,
    X: Any,
    Y: Any,
    feature_names: Sequence[str],
    label_names: Sequence[str],
) -> dict[str, Any]:
    """Return the section: the matrix of labels and their own features, and a table."""
    text = (
        f"All labels share {fitted.shared_.size} features. Beyond them, each label has "
        "features of its own: those that are significant for it, given the shared ones "
        "and its own before. A label that needs none has none."
    )
    shown = [blocks.table(specific_table(fitted, feature_names, label_names))]
    drawn = _matrix(fitted, X, Y, feature_names, label_names)
    if drawn is not None:
        caption = "Percent of a label's entropy that each of its own features explains."
        picture = blocks.picture("own", drawn, "Own", caption)
        shown.insert(0, blocks.pictures(picture))
    title = "What else does each label need?"
    return blocks.section("own", "Own features", title, [text], shown)


def _matrix(
    fitted: LabelSpecificSelector,
    X: Any,
    Y: Any,
    features: Sequence[str],
    labels: Sequence[str],
) -> InformationDisplay | None:
    """Own features in lines and labels in columns; None where no label has any."""
    explanation = fitted.explain(X, Y, feature_names=features, label_names=labels)
    beyond = slice(fitted.shared_.size, fitted.shared_.size + MOST_OWN)
    chosen = explanation.features[beyond]
    if not chosen.size:
        return None
    owned = fitted.label_support_[:, chosen].T
    some = np.sort(np.argsort(-owned.sum(axis=0), kind="stable")[:MOST_LABELS])
    shares = np.where(owned, explanation.label_shares[beyond], 0.0)
    names = [features[feature] for feature in chosen]
    return InformationDisplay(shares[:, some], names, [labels[i] for i in some])


@warnings_once()
def write_report(
    selector: Any,
    X: Any,
    Y: Any,
    path: str | os.PathLike[str],
    *,
    feature_names: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
    name: str = "data",
    classifiers: Sequence[Any] = (),
    budget: float | None = None,
    groups: Any = None,
    sample_weight: Any = None,
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
    classifiers, budget, groups, sample_weight, stratified, seed, verbose
        As in :func:`~labelsieve.evaluate_selection`; substitutes are within the budget.

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
    weight = {} if sample_weight is None else {"sample_weight": sample_weight}
    if not hasattr(selector, "order_"):
        fitted = clone(selector).fit(X, Y, **weight)
    is_search = isinstance(fitted, SizeCV)
    method = fitted.selector_ if is_search else fitted
    names = {"feature_names": feature_names, "label_names": label_names, **weight}
    explanation = method.explain(X, Y, **names)
    kinds = getattr(method, "target_types_", ())
    types = dict(zip(explanation.label_names, kinds, strict=False))
    quality, not_measured = getattr(fitted, "quality_", None), None
    refits = refit(method, X, Y, budget, **names)
    try:
        quality = quality or evaluate_selection(
            *(selector, X, Y),
            classifiers=classifiers,
            budget=budget if is_search else refits.budget,
            groups=groups,
            sample_weight=sample_weight,
            stratified=stratified,
            seed=seed,
            verbose=verbose,
        )
    except ValueError as error:  # the selection is known, and not lost with it
        not_measured = str(error)
        warn(f"the page says why quality could not be measured: {error}")
    content = selection_page(
        *(explanation, quality),
        refits=refits,
        method=type(method).__name__,
        description={
            "name": name,
            "instances": _num_samples(X),
            **sentences.target_types(types),
        },
        settings=method.get_params(),
        command=f"labelsieve.write_report({clone(selector)!r}, X, Y, {str(path)!r})",
        search=fitted if is_search else None,
        not_measured=not_measured,
    )
    return write_page(content, path)
