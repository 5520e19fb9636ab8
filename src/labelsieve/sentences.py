"""What people repeat: each sentence is a function of measured figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelsieve.choosing import Finding, Quality

# The closed set of verdicts.
BETTER, AS_GOOD, WORSE = "better", "as good", "worse"
NOT_DISTINGUISHABLE, NOT_TESTABLE = "not distinguishable", "not testable"

MAIN = "micro_f1"
LEVEL = 0.05
# Nogueira's index by the customary words, best first.
EXCELLENT, FAIR = 0.75, 0.4
# Who asks for some seconds does not mind a tenth more.
LONGER = 1.1
PERCENT = "\N{NO-BREAK SPACE}%"
_ON_TOP = {1: "label", 3: "3 labels", 5: "5 labels"}

MEASURES = {
    "micro_f1": "micro-F1 (1 is best)",
    "hamming_loss": "Hamming loss (0 is best)",
    "subset_accuracy": "subset accuracy: all labels of a row right (1 is best)",
    "average_precision": "average precision (1 is best)",
    "ranking_loss": "ranking loss (0 is best)",
    "macro_f1": "macro-F1 (1 is best)",
    "macro_auc": "macro-averaged AUC (1 is best)",
    "accuracy": "Jaccard accuracy (1 is best)",
    "example_f1": "F1 by row (1 is best)",
    "one_error": "one-error (0 is best)",
    "coverage": "coverage (smaller is better)",
    "coverage_error": "coverage error (smaller is better)",
    **{
        f"{name}_at_{k}": f"{title}@{k}: the {_ON_TOP[k]} on top (1 is best)"
        for name, title in {"precision": "P", "ndcg": "nDCG", "psp": "PSP"}.items()
        for k in (1, 3, 5)
    },
}
MEANINGS = {
    "micro_f1": "one number for right and found: 1 if all predicted labels are right "
    "and all true ones are predicted",
    "hamming_loss": "share of all yes-or-no answers, one per row and label, that are "
    "wrong",
    "subset_accuracy": "share of rows whose labels are all right",
    "average_precision": "how far on top of a row's ranking its true labels are; 1 if "
    "always on top",
    "ranking_loss": "share of pairs of a true and a false label that are in the wrong "
    "order",
    "macro_f1": "the same as micro-F1 for each label, then averaged: rare labels count "
    "as much as frequent ones",
    "macro_auc": "for each label the share of pairs of a row with it and a row without "
    "it that are in the right order, then averaged",
    "accuracy": "labels of a row that are right, out of those true or predicted",
    "example_f1": "the same as micro-F1 for each row, then averaged",
    "one_error": "share of rows whose top label is wrong",
    "coverage": "steps down the ranking of labels until all true ones are seen",
    "coverage_error": "labels to look at, from the top, until all true ones are seen",
    **{
        f"{name}_at_{k}": meaning.format(k=k)
        for name, meaning in {
            "precision": "share of the {k} labels on top that are true",
            "ndcg": "the same as P@{k}, a label further up counts more; 1 if as many "
            "of the {k} on top are true as can be",
            "psp": "the same as P@{k}, a rare label counts more",
        }.items()
        for k in (1, 3, 5)
    },
    "precision_at_1": "share of rows whose top label is right",
    "ndcg_at_1": "the same as P@1",
}
JUDGES = {
    "MLNB": "naive Bayes",
    "MLkNN": "nearest neighbours",
    "BRLogistic": "logistic regression",
}


def measure_name(measure: str) -> str:
    """The short name of a measure."""
    return MEASURES.get(measure, measure).split(" (")[0].split(":")[0]


def judge_name(judge: str) -> str:
    """What a judge is called in a sentence."""
    return JUDGES.get(judge, judge)


def label_name(name: str) -> str:
    """What a label is called in a sentence: a number alone says nothing."""
    return f"label {name}" if name.isdigit() else name


def percent(share: float) -> str:
    """A share without exponents; what is neither nothing nor all is not said so."""
    if 0 < share < 0.01:
        return f"< 1{PERCENT}"
    if 0.99 < share < 1 - 1e-9:  # what rounding takes from all is nothing
        return f"> 99{PERCENT}"
    return f"{100 * share:.0f}{PERCENT}"


def plain(value: float) -> str:
    """A figure with three decimals, or as many as its first two digits need."""
    if not math.isfinite(value):
        return "unknown"
    if abs(value) >= 10:
        return f"{value:,.1f}"
    small = 0 < abs(value) < 0.001
    digits = min(8, 1 - math.floor(math.log10(abs(value)))) if small else 3
    return f"{value:.{digits}f}"


def many(count: int, what: str) -> str:
    """A count with its noun."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def listed(names: Sequence[str]) -> str:
    """Names with commas and a last "and"."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def headline(n_chosen: int, n_features: int, n_labels: int) -> str:
    """What a page or a table is about."""
    labels = many(n_labels, "label")
    if n_chosen == n_features:
        return f"{_everything(n_features)} kept for {labels}"
    verb = "tells" if n_chosen == 1 else "tell"
    return f"{n_chosen:,} of {n_features:,} features {verb} most about {labels}"


def kept(n_chosen: int, n_features: int) -> str:
    """How many features are kept."""
    if n_chosen == n_features:
        return f"{_everything(n_features)} kept: nothing is left out."
    verb = "is" if n_chosen == 1 else "are"
    share = percent(n_chosen / n_features)
    return f"{n_chosen:,} of {n_features:,} features {verb} kept ({share})."


def unclear(p: float) -> str:
    """The verdict where no difference is shown, by whether there was a test."""
    return NOT_TESTABLE if math.isnan(p) else NOT_DISTINGUISHABLE


def verdict_words(finding: Finding) -> str:
    """The verdict with its figures."""
    if finding.low == finding.high == 0:
        return "the same in every split"
    least, most = sorted(abs(end) for end in (finding.low, finding.high))
    if finding.verdict in (BETTER, WORSE):
        return f"{finding.verdict} by {plain(least)} to {plain(most)}"
    if finding.verdict == AS_GOOD:
        if finding.low >= 0:
            return "as good or better"
        if finding.high < finding.tolerance:
            return f"as good within {plain(-finding.low)}"
        return (
            f"at most {plain(-finding.low)} worse, up to {plain(finding.high)} better"
        )
    if finding.verdict == NOT_TESTABLE:
        return "not testable: one split, or the same difference in all of them"
    return "not distinguishable with these rows"


def against_all(finding: Finding, n_chosen: int, n_features: int) -> str:
    """What one judge says of the chosen features against all."""
    name = judge_name(finding.judge)
    return (
        f"{name[0].upper()}{name[1:]}: {measure_name(finding.measure)} "
        f"{plain(finding.chosen)} with the {n_chosen:,} chosen, "
        f"{plain(finding.other)} with all {n_features:,}: {verdict_words(finding)}."
    )


def conclusion(
    findings: Sequence[Finding],
    share: float,
    sampled: str = "",
    lost_by: Sequence[str] = (),
) -> str:
    """What all judges together say of the chosen features against all.

    "Nothing is lost" needs the upper end of every judge's loss below the tolerance,
    on all rows: with fewer rows, what many features could tell is not learnt.
    `sampled` says of what there was a sample only: "rows", "labels" or both;
    `lost_by` are other measures by which something that matters is lost.
    """
    tolerance = f"{percent(share)} of what all features reach"
    measure = measure_name(findings[0].measure)
    if any(-found.low >= found.tolerance for found in findings):
        return _for_whom(findings, tolerance)
    judges = [judge_name(found.judge) for found in findings]
    gained = [judge_name(f.judge) for f in findings if f.verdict == BETTER]
    if gained == judges:
        kept = f"{measure} is better for every judge than with all features"
    elif gained:
        kept = f"{measure} is better for {listed(gained)}, and for no judge more than "
        kept += f"{tolerance} is lost"
    else:
        kept = f"no judge loses more than {tolerance} by {measure}"
    if sampled:
        other = "less may be gained" if gained == judges else "more may be lost"
        return (
            f"On a sample of the {sampled} {kept}; with all {sampled} {other}: a "
            "larger budget tells."
        )
    if lost_by:
        names, left = list(map(measure_name, lost_by[:3])), len(lost_by) - 3
        others = [many(left, "other measure")] if left > 0 else []
        return f"Quality is lost by {listed([*names, *others])}; {kept}."
    if gained:
        return f"{kept[0].upper()}{kept[1:]}."
    return (
        f"By {measure} nothing that matters is lost for any judge: if anything, less "
        f"than {tolerance}."
    )


def _for_whom(findings: Sequence[Finding], tolerance: str) -> str:
    by_verdict: dict[str, list[str]] = {}
    for found in findings:
        by_verdict.setdefault(found.verdict, []).append(judge_name(found.judge))
    said = {
        WORSE: "quality is lost for {}",
        BETTER: "quality is gained for {}",
        AS_GOOD: f"for {{}} the loss is below {tolerance}",
        NOT_DISTINGUISHABLE: "for {} these rows cannot tell whether something is lost",
        NOT_TESTABLE: "for {} no test can tell whether something is lost",
    }
    parts = [
        text.format(listed(by_verdict[verdict]))
        for verdict, text in said.items()
        if verdict in by_verdict
    ]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def against_other(findings: Sequence[Finding], other: str) -> str:
    """Whether the choice is worth more than another of the same size."""
    judges: dict[str, list[str]] = {}
    for found in findings:
        judges.setdefault(verdict_words(found), []).append(judge_name(found.judge))
    parts = [f"{words} for {listed(names)}" for words, names in judges.items()]
    measure = measure_name(findings[0].measure)
    text = f"Against {other}, by {measure}: {'; '.join(parts)}."
    if all(found.verdict != BETTER for found in findings):
        text += " The choice is not shown to be worth more than that."
    return text


def in_plain_words(judge: str, precision: float, recall: float, n_chosen: int) -> str:
    """What predictions with the chosen features are worth, in counts of labels."""
    name, chosen = judge_name(judge), many(n_chosen, "feature")
    if math.isnan(precision):
        return f"With {chosen}, no label at all is predicted by {name}."
    return (
        f"Of 100 labels predicted by {name} with {chosen}, {_of_hundred(precision)} "
        f"are right; of 100 true ones {_of_hundred(recall)} are found."
    )


def how_judged(quality: Quality) -> str:
    """On what the figures rest."""
    train = percent(1 - quality.test_share)
    rows = many(quality.n_rows, "row")
    text = (
        f"{quality.n_splits} times, features were chosen and judges trained on {train} "
        f"of {rows}, and the labels of the others were predicted"
    )
    if quality.n_rows < quality.n_all_rows:
        text += (
            f". To stay within {duration(quality.budget)} of computing, these rows "
            f"were drawn at random from {quality.n_all_rows:,}"
        )
    if quality.n_labels < quality.n_all_labels:
        text += (
            f". Of the {quality.n_all_labels:,} labels {quality.n_labels:,} drawn at "
            "random were judged"
        )
    if quality.n_splits < quality.n_all_splits:
        text += (
            f". {many(quality.n_all_splits, 'split')} were asked for; the budget ended "
            "before the others"
        )
    took = f"{text}. It took {duration(quality.seconds)} of computing"
    if quality.seconds > LONGER * quality.budget:
        took += (
            f", more than the {duration(quality.budget)} allowed: from less nothing "
            "could be said"
        )
    return f"{took}."


def duration(seconds: float) -> str:
    """Seconds or minutes, as one would say them."""
    if seconds < 1:
        return "less than a second"
    if seconds < 100:
        return f"{seconds:.0f} seconds" if round(seconds) != 1 else "1 second"
    return f"{seconds / 60:.0f} minutes"


def summary(quality: Quality, simpler: str = "summed mutual information") -> list[str]:
    """All that is said of a choice, the most important first."""
    if not quality.findings:
        return [kept(quality.n_chosen, quality.n_features), *_plainly(quality)]
    found = {which: quality.about(MAIN, which) for which in ("all", "random")}
    sizes = quality.n_chosen, quality.n_features
    chosen = many(quality.n_chosen, "feature")
    part = [
        *(["rows"] if quality.n_rows < quality.n_all_rows else []),
        *(["labels"] if quality.n_labels < quality.n_all_labels else []),
    ]
    sampled = listed(part) if part else ""
    said = [
        conclusion(found["all"], quality.tolerance, sampled, quality.lost_by()),
        *(against_all(one, *sizes) for one in found["all"]),
        *_plainly(quality),
        against_other(found["random"], f"{chosen} drawn at random"),
    ]
    if other := quality.about(MAIN, "simpler"):
        said.append(against_other(other, f"{chosen} with the most {simpler}"))
    return said


def had_to_start(names: Sequence[str]) -> str:
    """Which features the user asked for."""
    return f"The choice had to start from {', '.join(f'“{name}”' for name in names)}."


def first_choice(method: str, name: str, labels: Sequence[str]) -> str:
    """The feature that the method takes first, and the labels it tells most about."""
    names = ", ".join(map(label_name, labels))
    told = f", which tells most about {names}" if labels else ""
    return f"The first choice of {method} is “{name}”{told}."


def reason(feature: Mapping[str, Any]) -> str:
    """What a chosen feature tells, what repeats it, and what its missing cells tell.

    `feature` is one of :meth:`labelsieve.selectors.Explanation.reasons`.
    """
    told = _labels_told(feature["labels"])
    repeated = ", ".join(
        f"{_plain_percent(other['share'])} by {other['feature']}"
        for other in feature["repeats"]
    )
    text = f"{with_mark(feature['name'], feature.get('included'))}, "
    text += f"score {feature['score']:.3g}: "
    text += f"tells {told}" if told else "tells nothing about any label alone"
    if repeated:
        text += f"; repeated {repeated}"
    if missing := feature.get("missing"):
        of_missing = _labels_told(missing["labels"]) or "nothing about any label"
        text += f"; {missing['cells']} cells missing, which tells {of_missing}"
    return text


def least_kept(labels: Sequence[Mapping[str, Any]]) -> str:
    """The labels that a selection keeps least of; nothing where all is kept.

    `labels` are those of :meth:`labelsieve.selectors.Explanation.least_kept`.
    """
    if not labels:
        return ""
    shares = listed([f"{one['label']} ({percent(one['kept'])})" for one in labels])
    return f"Least is kept of {shares} of what the best feature tells about it alone."


def with_mark(name: str, included: bool | None) -> str:
    """The name of a feature, with a word where it had to be in."""
    return f"{name} (included)" if included else name


def _labels_told(labels: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(
        f"{_plain_percent(told['share'])} of label {told['label']}" for told in labels
    )


def _plain_percent(share: float) -> str:
    """A share for a line of a terminal."""
    return percent(share).replace(PERCENT, " %")


def size_chosen(search: Mapping[str, Any]) -> str:
    """How the number of features was decided."""
    measure = measure_name(search["measure"])
    mean = search["means"][search["sizes"].index(search["chosen"])]
    way = (
        f"gave the best {measure}"
        if search["rule"] == "best"
        else f"is the smallest whose {measure} is not clearly worse than the best"
    )
    return (
        f"How many to keep was decided by {search['folds']}-fold cross-validation with "
        f"{judge_name(search['classifier'])}: of the sizes {search['sizes'][0]:,} to "
        f"{search['sizes'][-1]:,}, {search['chosen']:,} {way} ({mean:.3f})."
        + (" More were not tried, and may be better." if search["at_limit"] else "")
    )


def stability_found(value: float, interval: str, frequent: int, n_chosen: int) -> str:
    """How much the choice depends on the rows."""
    words = (
        "always the same features are"
        if value > 1 - 1e-9
        else "nearly the same features are"
        if value >= EXCELLENT
        else "many of the same features are"
        if value >= FAIR
        else "mostly other features are"
    )
    return (
        f"From half of the rows {words} chosen: the stability is {value:.2f} "
        f"({interval}; 1 means always the same, 0 as if drawn at random), and "
        f"{_part(frequent, n_chosen)} chosen from most of the halves."
    )


def beyond_chance(clear: int, n_chosen: int, rounds: int) -> str:
    """How many of the chosen features score better than shuffled labels allow."""
    level = f"{100 * LEVEL:.0f}{PERCENT}"
    if 1.0 / (rounds + 1) > LEVEL:
        return (
            f"{rounds} shuffles of the labels are too few to tell chance at the level "
            f"of {level}: ask for 19 or more."
        )
    found = _part(clear, n_chosen)
    rest = "" if clear == n_chosen else " The others may be there by luck."
    return (
        f"{found[0].upper()}{found[1:]} beyond chance: when the labels are shuffled "
        f"among the rows ({rounds} times), such a score comes up for any feature in at "
        f"most {level} of the shuffles.{rest}"
    )


def _plainly(quality: Quality) -> list[str]:
    return [
        in_plain_words(
            judge,
            quality.mean("precision", "chosen", judge),
            quality.mean("recall", "chosen", judge),
            quality.n_chosen,
        )
        for judge in quality.judges
    ]


def _everything(n_features: int) -> str:
    return (
        "The only feature is" if n_features == 1 else f"All {n_features:,} features are"
    )


def _of_hundred(share: float) -> str:
    if 0 < share < 0.005:
        return "fewer than 1"
    return "none" if share == 0 else f"{100 * share:.0f}"


def _part(part: int, whole: int) -> str:
    if part == whole:
        return f"all {whole:,} are" if whole > 1 else "it is"
    verb = "is" if part == 1 else "are"
    return f"{part:,} of the {whole:,} {verb}" if part else "none is"
