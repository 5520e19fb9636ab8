"""What the live part of a page answers from: all of it as plain values for JSON."""

from __future__ import annotations

import csv
import math
import re
import shlex
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import chdtrc, xlogy
from sklearn.utils._pprint import _changed_params

from labelsieve import sentences
from labelsieve._utils.matrices import as_dense
from labelsieve.choosing import (
    CHOSEN,
    EVERYTHING,
    LABEL_F1,
    RANDOM,
    SIMPLER,
    Quality,
    usual_budget,
)
from labelsieve.reading import MISSING
from labelsieve.report.blocks import number
from labelsieve.selectors import (
    Explanation,
    ForcedFeatures,
    coverage,
    explain,
    fit_longer,
)

# How many labels, redundant features and relevant features are named.
MOST_SERVED, MOST_REDUNDANT, MOST_RELEVANT, MOST_WEAK = 8, 5, 8, 3
# So many features that come or go are named, or all but one more.
MOST_NAMED = 8
# Distributions are shown of so many features, with so many labels, in so many parts.
MOST_DETAILS, MOST_PROFILES, PARTS, MOST_CATEGORIES = 300, 4, 5, 7
# A part with fewer samples says nothing about the shape of an effect.
FEWEST_SAMPLES = 5
# What is below this share of a label's entropy is not worth its bytes.
LEAST = 0.001
MINUS = "\N{MINUS SIGN}"
OTHERS = {
    EVERYTHING: "all features",
    RANDOM: "random features",
    SIMPLER: "features with the most summed mutual information",
}


@dataclass(frozen=True)
class Refits:
    """What only new fits can say: the ranking beyond the chosen size, and substitutes.

    `longer` explains first what is listed, then what else comes in; `replaced` has, by
    the rank of a chosen feature from 0, the columns that a fit without it selects;
    `code` makes the selector again in Python; `budget` is what is left for evaluation.
    """

    longer: Explanation
    n_listed: int
    replaced: dict[int, list[int]] = field(default_factory=dict)
    code: dict[str, Any] = field(default_factory=dict)
    budget: float = math.inf


def refit(selector: Any, X: Any, Y: Any, budget: float | None, **names: Any) -> Refits:
    """Fit for the ranking beyond the chosen size, and without each chosen feature.

    The first has twice as many features; the second is done in the order of the
    ranking, as far as three quarters of the budget for evaluation go.
    """
    chosen, is_auto = selector._by_group(), selector.n_features_to_select == "auto"
    size = int(chosen.support_.sum())
    weight = {name: names[name] for name in ("sample_weight",) if name in names}
    whole: Any = usual_budget if budget is None else lambda _: budget
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # said when it was fitted first
        longer, found, left = fit_longer(selector, X, Y, whole, **weight)
        kept = longer._by_group()
        listed = kept.order_[: int(kept.support_.sum())]
        new = np.setdiff1d(np.concatenate([listed, *found.values()]), listed)
        every = explain(longer, X, Y, features=np.append(listed, new), **names)
    included = np.isin(every.features, ForcedFeatures.of(chosen).forced_in)
    if is_auto:  # the others were searched for beyond these
        every.scores[:size] = chosen.scores_[listed[:size]]
    left_out = ("n_features_to_select", "exclude", "verbose", "n_jobs")
    given = _changed_params(selector).items()
    return Refits(
        replace(every, included=included),
        listed.size,
        {rank: found[i].tolist() for rank, i in enumerate(listed) if int(i) in found},
        {
            "name": type(selector).__name__,
            "parameters": [f"{key}={v!r}" for key, v in given if key not in left_out],
            "exclude": [] if selector.exclude is None else list(selector.exclude),
            "names": hasattr(selector, "feature_names_in_"),
            "auto": is_auto,
        },
        left,
    )


def explore_data(
    size: int,
    quality: Quality | None,
    refits: Refits,
    largest: Any,
    command: str,
    columns: Mapping[str, Any],
) -> dict[str, Any]:
    """Return all that the live part shows of a selection of so many features.

    `largest` is the largest information about each label; `columns` are more numbers.
    """
    longer, n = refits.longer, refits.n_listed
    cover = 100 * coverage(longer.information[:n], largest)
    # The words of a command line but for its size, and what it excludes.
    text = "\0".join(shlex.split(command))
    out = re.findall("\0--exclude[=\0]([^\0]*)", text)
    words = re.sub("\0(?:-k\0?|--exclude[=\0])[^\0]*", "", text).split("\0")
    return {
        "k": size,
        "least": max(1, int(longer.included.sum())),
        "features": _features(longer, n, columns),
        "noun": longer.noun,
        "labels": _labels(longer, cover, quality),
        "sizes": size_rows(quality) if quality and quality.curves else [],
        "substitutes": _substitutes(refits, cover, largest, size),
        "code": {
            "cli": words if words[:2] == ["labelsieve", "select"] else None,
            "out": next(csv.reader([",".join(out)], skipinitialspace=True)),
            **refits.code,
        },
    }


def _features(longer: Explanation, n: int, columns: Any) -> list[dict[str, Any]]:
    profiles = _profiles(longer, min(MOST_DETAILS, n))
    found = []
    for rank, name in enumerate(longer.feature_names[:n]):
        feature: dict[str, Any] = {
            "n": name,
            "i": int(longer.features[rank]),
            "s": number(longer.scores[rank]),
            "l": _largest(longer.label_shares[rank], MOST_SERVED),
            "r": _largest(longer.redundancy_shares[rank, :n], MOST_REDUNDANT),
            "m": int(longer.n_missing[rank]),
            **(profiles[rank] if rank < len(profiles) else {}),
        }
        known = {key: v[rank] for key, v in columns.items() if rank < len(v)}
        feature["about"] = _about(longer, rank, feature.pop("p", None), known)
        if longer.included[rank]:
            feature["inc"] = 1
        found.append(feature)
    return found


def _about(
    longer: Explanation, rank: int, p: float | None, columns: Mapping[str, Any]
) -> list[str]:
    """Whether a feature is more than noise, its missing cells, and further numbers."""
    said = []
    if p is not None:
        test = f"G-test with each {longer.noun}, corrected for all pairs"
        noise = f"More than noise: {sentences.p_value(p)}"
        if p > sentences.LEVEL:
            noise = "Not shown to be more than noise"
            if longer.significance and longer.significance[rank] == "significant":
                test += "; by the method's own test it is"
        said.append(f"{noise} ({test}).")
    if missing := int(longer.n_missing[rank]):
        cells = sentences.many(missing, "missing cell")
        if served := _largest(longer.missing_shares[rank], 3):
            shown = [(i, f"{x:.0f}" if x >= 1 else "<\xa01") for i, x in served]
            named = _listed(longer, shown)
            cells += f"; that a cell is missing is relevant for {named}"
        said.append(f"{cells}.")
    more = [f"{key.replace('_', ' ')}: {value:.4g}" for key, value in columns.items()]
    return [*said, *more]


def _listed(longer: Explanation, pairs: Any) -> str:
    """Labels, each with its percent."""
    names, noun = longer.label_names, longer.noun
    found = [(sentences.label_name(names[i], noun), text) for i, text in pairs]
    quoted = [f"{sentences.quoted(n)} ({text}{sentences.PERCENT})" for n, text in found]
    return sentences.listed(quoted)


def _largest(shares: Any, most: int) -> list[list[float]]:
    """The places and percents of the largest shares."""
    order = np.argsort(-shares, kind="stable")[:most]
    return [[int(i), _percent(100 * shares[i])] for i in order if shares[i] > LEAST]


def _percent(value: float) -> float:
    """A whole number; what is neither nothing nor all is not rounded to these."""
    if 0 < value < 1:
        return 0.5
    return 99.5 if 99 < value < 100 - 1e-7 else round(float(value))


def _labels(
    longer: Explanation, cover: Any, quality: Quality | None
) -> list[dict[str, Any]]:
    """Each label: samples, coverage where it rises, features, and its own F1."""
    _, labels = longer.find_columns()
    positives = np.asarray((labels.codes == 1).sum(axis=0)).ravel()
    unknown = np.zeros_like(positives) if labels.n_unknown is None else labels.n_unknown
    # Of other targets, the samples in which they are known.
    others = ["" if kind == "label" else kind for kind in labels.types]
    is_label = np.array(labels.types) == "label"
    positives = np.where(is_label, positives, labels.codes.shape[0] - unknown)
    best = np.maximum.accumulate(cover, axis=0)
    rises = np.diff(best.round(), axis=0, prepend=0.0) > 0
    rises[0] |= best[0] > 0
    weak = _smallest(longer.label_shares[: len(cover)])
    found: list[dict[str, Any]] = [
        {
            "n": sentences.label_name(name, longer.noun),
            "k": others[label],
            "p": int(positives[label]),
            "u": int(unknown[label]),
            "rec": [
                [int(rank) + 1, _percent(best[rank, label])]
                for rank in np.flatnonzero(rises[:, label])
            ],
            "t": _largest(longer.label_shares[: len(cover), label], MOST_RELEVANT),
            "w": [
                [rank, _percent(100 * longer.label_shares[rank, label])]
                for rank in weak[label]
            ],
        }
        for label, name in enumerate(longer.label_names)
    ]
    everything: Mapping[str, Any] = {}
    if quality:  # numbers and classes have no F1 of a label
        everything = quality.values.get((quality.classifiers[0], EVERYTHING), {})
    if quality and LABEL_F1 in everything and CHOSEN in quality.curves:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # labels without a value
            chosen = np.nanmean(quality.curves[CHOSEN][LABEL_F1], axis=0).round(3)
            of_all = np.nanmean(everything[LABEL_F1], axis=0).round(3)
        for place, label in enumerate(quality.labels.tolist()):
            values = [None if f != f else f for f in chosen[:, place].tolist()]
            whole = float(of_all[place])
            if not others[label]:
                found[label] |= {"f": values, "fa": None if whole != whole else whole}
    return found


def _smallest(shares: Any) -> list[list[int]]:
    """By label, the smallest first: what is among the few smallest up to its rank."""
    least = np.full((MOST_WEAK, shares.shape[1]), np.inf)
    kept = np.empty(shares.shape, dtype=bool)
    for rank, row in enumerate(shares):
        kept[rank] = row < least[-1]
        least = np.sort([*least, row], axis=0)[:MOST_WEAK]
    order = np.argsort(shares, axis=0, kind="stable").T
    return [at[some[at]].tolist() for at, some in zip(order, kept.T, strict=True)]


def size_rows(quality: Quality) -> list[dict[str, Any]]:
    """The first classifier at each measured size: mean, loss, verdicts and advice."""
    classifier, main = quality.classifiers[0], quality.main_measures[0]
    everything = quality.values.get((classifier, EVERYTHING))
    measure, name = sentences.measure_name(main), sentences.classifier_name(classifier)
    rows: list[dict[str, Any]] = []
    for place, size in enumerate(quality.sizes.tolist()):
        values = {
            (classifier, which): {main: found[main][:, place]}
            for which, found in quality.curves.items()
        }
        if everything is not None:
            values[classifier, EVERYTHING] = {main: everything[main]}
        there = replace(quality, classifiers=[classifier], values=values)
        mean = there.mean(main, CHOSEN)
        if size == quality.n_chosen and mean == quality.mean(main, CHOSEN):
            there = quality  # whose tests know of the other classifiers
        row: dict[str, Any] = {"n": size, "mean": number(mean), "words": []}
        row["said"] = f"{measure} {sentences.plain(mean)} with {name}"
        for one in there.findings:
            if (one.classifier, one.measure) == (classifier, main):
                other, said = sentences.plain(one.other), sentences.verdict_words(one)
                row["words"].append(f"Against {OTHERS[one.against]} ({other}): {said}")
                if one.against == EVERYTHING:
                    loss = number(1 - one.chosen / (one.other or math.nan))
                    row |= {"against": said, "loss": loss}
                    row["enough"] = bool(one.low >= -one.tolerance)  # better, or alike
        rows.append({**row, "advice": []})
    best = max((row["mean"] or 0.0 for row in rows), default=0.0)
    near = best - quality.tolerance * abs(best)
    least = sentences.percent(quality.tolerance)
    advice = {
        "chosen": [row for row in rows if row["n"] == quality.n_chosen],
        f"smallest within {least} of all features and of the best size": [
            row for row in rows if row.get("enough") and row["mean"] >= near
        ],
        "best measured": sorted(rows, key=lambda row: -(row["mean"] or 0)),
    }
    for text, suited in advice.items():
        for row in suited[:1]:
            row["advice"].append(text)
    return rows


def _substitutes(
    refits: Refits, cover: Any, largest: Any, size: int
) -> dict[int, dict[str, Any]]:
    """By rank: what comes in, what else goes, and the labels that are covered less."""
    longer, before = refits.longer, cover[:size].max(axis=0)
    every = longer.features.tolist()
    chosen, place = every[:size], {i: at for at, i in enumerate(every)}
    found: dict[int, dict[str, Any]] = {}
    for rank, selected in refits.replaced.items():
        at, names = [place[i] for i in selected], longer.feature_names
        new = [(names[place[i]], i) for i in selected if i not in chosen]
        out = [i for i, f in enumerate(chosen) if f not in selected and i != rank]
        kept = sentences.many(len(selected), "feature")
        added = _named([name for name, _ in new]) if new else "nothing"
        said = f"A new fit of {kept} without it adds {added}"
        if out:
            said += f" and drops {_named([names[i] for i in out])}"
        after = 100 * coverage(longer.information[at].max(axis=0), largest)
        fall = before - after
        lost = [
            (i, f"{before[i]:.0f} to {after[i]:.0f}")
            for i in np.argsort(-fall, kind="stable")[:3].tolist()
            if fall[i] >= 1
        ]
        less = f"No {longer.noun} is covered less"
        if lost:
            less = f"Coverage falls most for {_listed(longer, lost)}"
        if (mean := f"{-fall.mean():+z.1f}") != "+0.0":
            less += f"; mean coverage changes by {mean} points".replace("-", MINUS)
        found[rank] = {"add": new, "out": out, "said": [f"{said}.", f"{less}."]}
    return found


def _named(names: list[str]) -> str:
    """Features that come or go; of many, how many more there are."""
    n_named = MOST_NAMED if len(names) > MOST_NAMED + 1 else len(names)
    shown = [f"“{name}”" for name in names[:n_named]]
    more = [f"{len(names) - n_named} others"] if n_named < len(names) else []
    return sentences.listed(shown + more)


def _profiles(longer: Explanation, n: int) -> list[dict[str, Any]]:
    """Of each feature: its values in parts, and how many samples of labels are there.

    ``b`` are the names of the parts, ``j`` has for each label its samples and the
    samples in which it is known by part, and ``p`` is that of a G-test with the label
    that shows most, corrected for all pairs of features and labels.
    """
    features, labels = longer.find_columns()
    n_pairs = longer.n_candidates * len(longer.label_names)
    values, codes = (
        matrix.tocsc() if sp.issparse(matrix) else matrix
        for matrix in (features.values, labels.codes)
    )
    cells_of: dict[int, tuple[Any, Any]] = {}
    found = []
    for rank in range(n):
        kind, names, part = _parts(
            as_dense(values[:, [rank]]).ravel(), features.categories.get(rank)
        )
        profile: dict[str, Any] = {"b": names, "j": []}
        for served, _ in _largest(longer.label_shares[rank], MOST_PROFILES):
            if labels.n_values[label := int(served)] != 2:
                continue
            if label not in cells_of:
                code = as_dense(codes[:, [label]]).ravel()
                cells_of[label] = code == 1, code != labels.unknown_code[label]
            of = cells_of[label]
            has, known = (np.bincount(part[c], minlength=len(names)) for c in of)
            has_it = "are above its median" if label in labels.scores else "have it"
            missing = bool(longer.n_missing[rank])
            effect = _effect(kind, names, has, known, missing, has_it)
            profile["j"].append([label, has.tolist(), known.tolist(), effect])
            p = min(1.0, n_pairs * _g_test(np.stack([has, known - has])))
            profile["p"] = min(profile.get("p", 1.0), p)
        found.append(profile)
    return found


def _g_test(counts: Any) -> float:
    """The p-value of G = 2 sum O ln(O / E); 1 where a line or column is empty."""
    observed = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    margins = observed.sum(axis=1)[:, np.newaxis] * observed.sum(axis=0)
    g = 2 * xlogy(observed, observed * observed.sum() / margins).sum()
    freedom = (len(observed) - 1) * (observed.shape[1] - 1)
    return float(chdtrc(freedom, max(g, 0.0))) if freedom else 1.0


def _effect(
    kind: str, names: list[str], has: Any, known: Any, missing: bool, has_it: str
) -> str:
    """Whether a feature raises or lowers a label, by how much, and the shape."""
    shares = [
        (h / n, f"{sentences.percent(h / n)} at {name}")
        for h, n, name in zip(has.tolist(), known.tolist(), names, strict=True)
        if n >= FEWEST_SAMPLES
    ]
    if missing and known[-1] >= FEWEST_SAMPLES:
        shares.pop()
    share = sentences.percent(has.sum() / max(known.sum(), 1))
    base = f"{share} of all samples {has_it}"
    if len(shares) < 2:
        return base
    (low, at_low), *_, (high, at_high) = sorted(shares, key=lambda one: one[0])
    if kind == "category":
        return f"most often {at_high}, least {at_low}; {base}"
    (first, at_first), (last, at_last) = shares[0], shares[-1]
    ends, rise, middle = f"{at_first}, {at_last}", last - first, (first + last) / 2
    if high - low > 1.5 * abs(rise) + 0.02:
        is_peak = high - middle >= middle - low
        most, where = ("most", at_high) if is_peak else ("least", at_low)
        return f"{most} in between: {where} ({ends})"
    if abs(rise) < 0.005:
        return f"about the same everywhere: {ends}"
    points = f"{100 * rise:+.{0 if abs(rise) >= 0.1 else 1}f}"
    verb = "raise" if rise > 0 else "lower"
    values = f"larger values {verb}"
    if len(names) == 2 + missing:  # such as 0 and 1
        values = f"the larger value {verb}s"
    return f"{values} it: {ends} ({points.replace('-', MINUS)} points)"


def _parts(column: Any, categories: Any) -> tuple[str, list[str], Any]:
    """The kind of a column, the names of its parts, and the part of each sample."""
    missing = column == MISSING
    known = column[~missing]
    part = np.zeros(column.size, dtype=np.int64)
    distinct = np.unique(known)
    codes = np.searchsorted(distinct, known)  # faster than the inverse of unique
    if categories is not None:
        order = np.argsort(-np.bincount(codes), kind="stable")
        names = [str(categories[int(distinct[i])]) for i in order]
        if len(names) > MOST_CATEGORIES:
            names[MOST_CATEGORIES - 1 :] = ["others"]
        part[~missing] = np.minimum(np.argsort(order)[codes], len(names) - 1)
    elif distinct.size <= PARTS:
        part[~missing] = codes
        names = [f"{value:.4g}" for value in distinct]
    else:
        shares = np.arange(1, PARTS) / PARTS
        edges = np.unique(np.quantile(known, shares, method="lower"))
        edges = edges[edges < distinct[-1]]
        part[~missing] = np.searchsorted(edges, known, side="left")
        ends = [f"{edge:.4g}" for edge in edges]
        first = ends[0] if edges[0] == distinct[0] else f"≤ {ends[0]}"
        names = [first, *(f"{a} to {b}" for a, b in pairwise(ends)), f"> {ends[-1]}"]
    if missing.any():
        part[missing] = len(names)
        names.append("missing")
    return "number" if categories is None else "category", names, part
