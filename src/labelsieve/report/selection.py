"""The page about one selection: which features, why, and how good."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from labelsieve.plots import (
    InformationDisplay,
    PixelDisplay,
    RankingDisplay,
    RedundancyDisplay,
    average,
)
from labelsieve.report import blocks
from labelsieve.report.certainty import Certainty
from labelsieve.report.quality import CHOSEN, EVERYTHING, RANDOM, Quality
from labelsieve.selectors import Explanation, feature_table

SHOWN_MEASURES = (
    "micro_f1",
    "hamming_loss",
    "subset_accuracy",
    "average_precision",
    "ranking_loss",
)
# A page lists the best features; the ranking file lists all.
MOST_ROWS = 200
MAIN = "micro_f1"
PERCENT = "\N{NO-BREAK SPACE}%"


def selection_page(
    explanation: Explanation,
    quality: Quality,
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
    quality : Quality
        From :func:`measure_quality`.
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
    return {
        "title": f"{size:,} of {features:,} features tell most about {labels:,} labels",
        "kicker": f"{description['name']} · {description['instances']:,} rows · "
        f"selected by {method}",
        "summary": [*_summary(explanation, quality, method, features), *sure],
        "figures": [*_figures(quality, size, features), *certainty.figures()],
        "sections": [
            _quality_section(quality, explanation),
            *certainty.sections(),
            _features_section(explanation, certainty, pixels),
            _made_section(description, settings, quality, method, command),
        ],
    }


def _summary(
    explanation: Explanation, quality: Quality, method: str, n_features: int
) -> list[str]:
    size = explanation.features.size
    chosen, random, everything = _means(quality, size)
    forced = explanation.included
    best = explanation.reasons()[0 if forced.all() else int(np.argmin(forced))]
    told = ", ".join(label["label"] for label in best["labels"])
    verdict = (
        f"On rows that were not used for choosing, {quality.classifier} reaches a "
        f"micro-F1 of {chosen:.3f} with the {size:,} chosen features (1 would be "
        f"perfect), {everything:.3f} with all {n_features:,} and {random:.3f} with "
        f"{size:,} random ones. {_conclusion(chosen, random, everything)}"
    )
    first = f"The first choice of {method} is “{best['name']}”"
    first += f", which tells most about {told}." if told else "."
    return [verdict, *_had_to_be_in(explanation), first]


def _had_to_be_in(explanation: Explanation) -> list[str]:
    forced = np.flatnonzero(explanation.included)
    if not forced.size:
        return []
    names = ", ".join(f"“{explanation.feature_names[place]}”" for place in forced)
    return [f"The choice had to start from {names}."]


def _conclusion(chosen: float, random: float, everything: float) -> str:
    if chosen >= everything:
        return "So nothing is lost by leaving out the others; the result is better."
    if chosen <= random:
        return (
            "So this choice is no better than chance here: try another method or more "
            "features."
        )
    if random < everything:
        way = (chosen - random) / (everything - random)
        return f"That is {100 * way:.0f} % of the way from random to all features."
    return "With random features it is better than with all: fewer are enough here."


def _means(quality: Quality, size: int) -> tuple[float, float, float]:
    chosen, random, everything = (
        quality.mean(MAIN, features, size) for features in (CHOSEN, RANDOM, EVERYTHING)
    )
    return chosen, random, everything


def _figures(quality: Quality, size: int, n_features: int) -> list[dict[str, str]]:
    chosen, random, everything = _means(quality, size)
    share, kept = 100 * size / n_features, f"{size:,} of {n_features:,}"
    return [
        blocks.figure(f"with the {size:,} chosen", f"{chosen:.3f}", "micro-F1"),
        blocks.figure(f"with all {n_features:,}", f"{everything:.3f}", "micro-F1"),
        blocks.figure(f"with {size:,} at random", f"{random:.3f}", "micro-F1"),
        blocks.figure("features kept", f"{share:.2g}{PERCENT}", "", kept),
    ]


def _quality_section(quality: Quality, explanation: Explanation) -> dict[str, Any]:
    size = explanation.features.size
    names = {
        CHOSEN: "chosen features",
        RANDOM: "random features",
        EVERYTHING: "all features",
    }
    lines, sizes = [], quality.sizes.tolist()
    for measure in SHOWN_MEASURES:
        for which, name in names.items():
            curve = average(quality.sizes, quality.values[measure][which])
            half = (curve.high - curve.mean).tolist()
            dashed = which != CHOSEN
            lines.append(
                blocks.series(
                    *(name, sizes, curve.mean.tolist(), half),
                    dashed=dashed,
                    measure=measure,
                )
            )
    train, test = (
        f"{100 * share:.0f} %" for share in (1 - quality.test_share, quality.test_share)
    )
    text = (
        f"The rows were split {quality.n_splits} times at random; each time features "
        f"were chosen and {quality.classifier} was trained on {train} of them, and the "
        f"labels of the other {test} were predicted. Bands are 95 % intervals of the "
        "mean. The curve shows what fewer or more features would give."
    )
    if explanation.n_missing.any():
        text += (
            f" {quality.classifier} needs a value in every cell: missing ones became "
            "the median of the training rows."
        )
    return blocks.section(
        "quality",
        "How good",
        "How good are they?",
        [text],
        [blocks.curves("quality", lines, {"measure": "Measure"}, chosen=size)],
    )


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
    drawn = [
        blocks.picture(
            "ranking",
            RankingDisplay.from_explanation(explanation),
            "Scores",
            f"The method's own score of each feature, best on top{_made(explanation)}.",
        ),
        blocks.picture(
            "labels",
            InformationDisplay.from_explanation(explanation),
            "Features and labels",
            "Percent of each label that each feature tells by itself.",
        ),
        blocks.picture(
            "redundancy",
            RedundancyDisplay.from_explanation(explanation),
            "Features and features",
            "Percent of the feature in the row that the one in the column repeats.",
        ),
    ]
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
    quality: Quality,
    method: str,
    command: str,
) -> dict[str, Any]:
    from labelsieve.report.versions import versions

    data = {name.replace("_", " "): value for name, value in description.items()}
    method_facts = {
        "method": method,
        **settings,
        "classifier": quality.classifier,
        "splits": quality.n_splits,
    }
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
