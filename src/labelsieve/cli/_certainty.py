"""``labelsieve select``: how many features, and how sure the choice is."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labelsieve import sentences
from labelsieve.cli._options import CV_RULES

if TYPE_CHECKING:
    from labelsieve.choosing import PermutationPValues, SizeCV, StabilitySelection

SUBSAMPLES, PERMUTATIONS = 100, 200


@dataclass(frozen=True)
class Certainty:
    """What was asked beyond the ranking itself; None where it was not."""

    search: SizeCV | None = None
    stability: StabilitySelection | None = None
    p_values: PermutationPValues | None = None

    def columns(self, chosen: list[int]) -> dict[str, list[float]]:
        """Numbers of each chosen feature, to stand beside its score."""
        found = {}
        if self.stability is not None:
            found["frequency"] = self.stability.frequencies_[chosen].tolist()
        if self.p_values is not None:
            found["p"] = self.p_values.p[chosen].tolist()
            found["p_family"] = self.p_values.p_family[chosen].tolist()
        return found


def add_certainty_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that ask how sure the choice is."""
    parser.add_argument(
        "--stability",
        type=read_rounds,
        nargs="?",
        const=SUBSAMPLES,
        metavar="ROUNDS",
        help="how often each feature is chosen from random halves of the rows "
        f"(default: {SUBSAMPLES} halves)",
    )
    parser.add_argument(
        "--p-values",
        type=read_rounds,
        nargs="?",
        const=PERMUTATIONS,
        metavar="ROUNDS",
        help="how often shuffled labels give such a score "
        f"(default: {PERMUTATIONS} shuffles)",
    )


def read_rounds(text: str) -> int:
    """Return a number of rounds, 2 or more."""
    try:
        rounds = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected a number of rounds, got {text!r}; a data set goes before the "
            "options"
        ) from None
    if rounds < 2:
        raise argparse.ArgumentTypeError(f"expected at least 2 rounds, got {rounds}")
    return rounds


def refuse_on_dask(arguments: argparse.Namespace) -> None:
    """Refuse what looks at all rows many times, where they stay on disk."""
    asked = {
        f"-k {arguments.k}": arguments.k in CV_RULES,
        "--stability": arguments.stability,
        "--p-values": arguments.p_values,
        "--own": arguments.own,
    }
    for option in [option for option, wanted in asked.items() if wanted]:
        raise ValueError(
            f"{option} needs all rows in memory, so it does not work with --engine "
            "dask: leave one of the two out"
        )


def fit_and_judge(
    selector: Any, X: Any, Y: Any, arguments: argparse.Namespace
) -> tuple[Any, Certainty]:
    """Return the fitted selector, and what was asked about its choice."""
    search = None
    if arguments.k in CV_RULES:
        search = _search_size(selector, X, Y, arguments)
        selector.set_params(n_features_to_select=search.n_features_)
    selector.fit(X, Y)
    kept = _plain_clone(selector, n_features=int(selector.support_.sum()))
    stability = arguments.stability and _stability(kept, X, Y, arguments)
    p_values = arguments.p_values and _p_values(kept, X, Y, arguments)
    return selector, Certainty(search, stability, p_values)


def _search_size(selector: Any, X: Any, Y: Any, arguments: argparse.Namespace) -> Any:
    from labelsieve.choosing import SizeCV

    rule = CV_RULES[arguments.k]
    inner = _plain_clone(selector, n_features=1)
    return SizeCV(inner, rule=rule, **_run_settings(arguments)).fit(X, Y)


def _stability(selector: Any, X: Any, Y: Any, arguments: argparse.Namespace) -> Any:
    from labelsieve.choosing import StabilitySelection

    rounds = arguments.stability
    settings = _run_settings(arguments)
    return StabilitySelection(selector, n_subsamples=rounds, **settings).fit(X, Y)


def _p_values(selector: Any, X: Any, Y: Any, arguments: argparse.Namespace) -> Any:
    from labelsieve.choosing import permutation_p_values

    rounds = arguments.p_values
    settings = _run_settings(arguments)
    return permutation_p_values(selector, X, Y, n_permutations=rounds, **settings)


def _plain_clone(selector: Any, n_features: int) -> Any:
    """A copy that works alone and in silence: the rounds have the threads."""
    from sklearn.base import clone

    alone = {"n_jobs": None, "verbose": False}
    known = selector.get_params(deep=False)
    settings = {name: value for name, value in alone.items() if name in known}
    return clone(selector).set_params(n_features_to_select=n_features, **settings)


def _run_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "random_state": arguments.seed,
        "n_jobs": arguments.jobs,
        "verbose": not arguments.quiet and sys.stderr.isatty(),
    }


def certainty_as_dict(certainty: Certainty, chosen: list[int]) -> dict[str, Any]:
    """Return what was asked, for machines; lists follow the order of the features."""
    columns = certainty.columns(chosen)
    found: dict[str, Any] = {}
    if certainty.search is not None:
        found["size_search"] = certainty.search.to_dict()
    if certainty.stability is not None:
        index = certainty.stability.stability_
        found["stability"] = {
            "value": index.value,
            "low": index.low,
            "high": index.high,
            "subsamples": certainty.stability.n_subsamples,
            "frequencies": columns["frequency"],
        }
    if certainty.p_values is not None:
        found["p_values"] = {
            "p": columns["p"],
            "p_family": columns["p_family"],
            "permutations": certainty.p_values.n_permutations,
        }
    return found


def certainty_as_text(certainty: Certainty, n_chosen: int) -> list[str]:
    """Return what was asked in sentences, one line each."""
    lines = []
    if certainty.search is not None:
        lines.append(sentences.size_chosen(certainty.search.to_dict()))
    if certainty.stability is not None:
        index, rounds = certainty.stability.stability_, certainty.stability.n_subsamples
        lines.append(
            f"stability: {index.value:.2f}, 95 % interval {index.low:.2f} to "
            f"{index.high:.2f} (1: always the same features, 0: as if drawn); "
            f"frequency: the share of {rounds} random halves of the rows that choose "
            "the feature"
        )
    if certainty.p_values is not None:
        rounds = certainty.p_values.n_permutations
        lines.append(
            f"p: how often {rounds} shuffles of the labels give the feature such a "
            "score; p family: give any feature such a score"
        )
    return lines
