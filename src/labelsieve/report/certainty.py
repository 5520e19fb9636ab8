"""How many features and how sure, in sentences, a chart and columns of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelsieve import sentences
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.report import blocks


@dataclass(frozen=True)
class Certainty:
    """What was asked about a choice; None where it was not.

    Attributes
    ----------
    search : SizeCV, fitted
    stability : StabilitySelection, fitted
    p_values : PermutationPValues
    """

    search: Any = None
    stability: Any = None
    p_values: Any = None

    def sentences(self, chosen: IntArray) -> list[str]:
        """What it means in plain words."""
        said = []
        if self.search is not None:
            said.append(sentences.size_chosen(self.search.to_dict()))
        if (found := self.stability) is not None:
            index, often = found.stability_, found.frequencies_[chosen] > 0.5
            counts = int(often.sum()), chosen.size
            said.append(
                sentences.stability_found(index.value, _interval(index), *counts)
            )
        if (found := self.p_values) is not None:
            clear = int((found.p_family[chosen] <= sentences.LEVEL).sum())
            rounds = found.n_permutations
            said.append(sentences.beyond_chance(clear, chosen.size, rounds))
        return said

    def figures(self) -> list[dict[str, str]]:
        """The large numbers of the summary."""
        if self.stability is None:
            return []
        index = self.stability.stability_
        value = f"{index.value:.2f}"
        return [blocks.figure("stability", value, "of 1", _interval(index))]

    def columns(self, chosen: IntArray) -> dict[str, FloatArray]:
        """Numbers of each chosen feature, by name."""
        found: dict[str, FloatArray] = {}
        if self.stability is not None:
            found["frequency"] = self.stability.frequencies_[chosen]
        if self.p_values is not None:
            found["p"] = self.p_values.p[chosen]
            found["p_family"] = self.p_values.p_family[chosen]
        return found

    def sections(self) -> list[dict[str, Any]]:
        """The section about the number of features, where it was searched."""
        return [] if self.search is None else [_size_section(self.search)]

    def texts(self) -> list[str]:
        """What the columns mean."""
        found = []
        if self.stability is not None:
            found.append(
                "“Frequency” is the share of "
                f"{self.stability.n_subsamples} random halves of the rows from which "
                "the feature is chosen. Features that repeat each other take turns, so "
                "that each looks unsure though one of them is always there."
            )
        if self.p_values is not None:
            found.append(
                f"“p” is how often {self.p_values.n_permutations} shuffles of the "
                "labels among the rows give the feature such a score, for one that you "
                "had in mind before; “p family” how often they give any feature such "
                "a score, which holds for the best of many."
            )
        return found


def _interval(index: Any) -> str:
    return f"95{sentences.PERCENT} interval {index.low:.2f} to {index.high:.2f}"


def _size_section(search: Any) -> dict[str, Any]:
    name = type(search.selector_).__name__
    line = blocks.average_line(
        name, search.sizes_, search.values_, measure=search.measure
    )
    n_folds = len(search.values_)
    text = (
        f"In each of {n_folds} folds the features were ranked on the other rows, and "
        f"{sentences.judge_name(type(search.classifier_).__name__)} was judged on the "
        f"rows of the fold, at "
        f"{np.size(search.sizes_)} sizes. The band is a 95 % interval of the mean over "
        "folds."
    )
    chart = blocks.curves(
        "sizes", [line], {"measure": "Measure"}, chosen=search.n_features_
    )
    return blocks.section("size", "How many", "How many features?", [text], [chart])
