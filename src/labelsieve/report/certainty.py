"""How many features and how sure, in sentences, a chart and columns of a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from labelsieve import sentences
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.report import blocks


@dataclass
class Certainty:
    """What a page says of it: nothing where nothing was asked.

    `sentences` say it in words, `columns` have a number for each chosen feature, and
    `texts` say what the columns mean.
    """

    sentences: list[str] = field(default_factory=list)
    sections: list[dict[str, Any]] = field(default_factory=list)
    columns: dict[str, FloatArray] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)


def certainty_of(
    chosen: IntArray, search: Any = None, stability: Any = None, p_values: Any = None
) -> Certainty:
    """What SizeCV, StabilitySelection and PermutationPValues say of a choice."""
    found = Certainty()
    if search is not None:
        found.sentences.append(sentences.size_chosen(search.to_dict()))
        found.sections.append(_size_section(search))
    if stability is not None:
        index, frequency = stability.stability_, stability.frequencies_[chosen]
        interval = f"95{sentences.PERCENT} interval {index.low:.2f} to {index.high:.2f}"
        often = int((frequency > 0.5).sum())
        found.sentences.append(
            sentences.stability_found(index.value, interval, often, chosen.size)
        )
        found.columns["frequency"] = frequency
        found.texts.append(
            f"“Frequency” is the share of {stability.n_subsamples} random halves of "
            "the samples in which the feature is selected. Correlated features "
            "substitute for one another across the halves, so each looks unstable "
            "although one of them is always selected."
        )
    if p_values is not None:
        rounds, family = p_values.n_permutations, p_values.p_family[chosen]
        clear = int((family <= sentences.LEVEL).sum())
        found.sentences.append(sentences.beyond_chance(clear, chosen.size, rounds))
        found.columns |= {"p": p_values.p[chosen], "p_family": family}
        found.texts.append(
            f"“p” is how often {rounds} permutations of the labels give the feature "
            "such a score: for a feature that you had in mind before. “p family” is "
            "how often they give any feature such a score: for the best of many."
        )
    return found


def _size_section(search: Any) -> dict[str, Any]:
    name = type(search.selector_).__name__
    line = blocks.average_line(
        name, search.sizes_, search.values_, measure=search.measure_
    )
    text = (
        f"In each of {len(search.values_)} folds the features were ranked on the other "
        f"rows, and {sentences.classifier_name(type(search.classifier_).__name__)} was "
        f"evaluated on the held-out fold, at {np.size(search.sizes_)} sizes. The band "
        "is a 95 % interval of the mean over folds."
    )
    chart = blocks.curves(
        "sizes", [line], {"measure": "Measure"}, chosen=search.n_features_
    )
    title = "Cross-validated number of features"
    return blocks.section("size", "Cross-validation", title, [text], [chart])
