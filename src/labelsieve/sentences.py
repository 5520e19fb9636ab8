"""What people repeat: each sentence is a function of measured figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelsieve.choosing import Finding, Quality

# The closed set of verdicts.
BETTER, EQUIVALENT, WORSE = "better", "equivalent", "worse"
INCONCLUSIVE = "inconclusive"

MAIN = "micro_f1"
# Of labels, of classes and of numbers.
MAIN_MEASURES = (MAIN, "class_accuracy", "r2")
OF_CLASSES, OF_NUMBERS = ("class_accuracy", "class_f1"), ("r2", "rank_correlation")
# Of a mixture: the mean over all targets.
MIXED = "mixed"
LEVEL = 0.05
# A sentence lists so many targets.
MOST_NAMES = 20
# Nogueira's index by the customary words, best first.
STABLE = (
    (1 - 1e-9, "always the same features are"),
    (0.75, "nearly the same features are"),
    (0.4, "many of the same features are"),
)
# Who asks for some seconds does not mind a tenth more.
LONGER = 1.1
PERCENT = "\N{NO-BREAK SPACE}%"
_ON_TOP = {1: "label", 3: "3 labels", 5: "5 labels"}

MEASURES = {
    "micro_f1": "micro-F1 (1 is best)",
    "hamming_loss": "Hamming loss (0 is best)",
    "subset_accuracy": "subset accuracy: all labels of a sample right (1 is best)",
    "average_precision": "average precision (1 is best)",
    "ranking_loss": "ranking loss (0 is best)",
    "macro_f1": "macro-F1 (1 is best)",
    "macro_auc": "macro-averaged AUC (1 is best)",
    "accuracy": "Jaccard accuracy (1 is best)",
    "example_f1": "F1 by sample (1 is best)",
    "one_error": "one-error (0 is best)",
    "coverage": "coverage (smaller is better)",
    "coverage_error": "coverage error (smaller is better)",
    "class_accuracy": "accuracy of classes (1 is best)",
    "class_f1": "macro-F1 of classes (1 is best)",
    "r2": "R2 (1 is best)",
    "rank_correlation": "rank correlation (1 is best)",
    MIXED: "mean of average precision, accuracy of classes and R2 (1 is best)",
    **{
        f"{name}_at_{k}": f"{title}@{k}: the {_ON_TOP[k]} on top (1 is best)"
        for name, title in {"precision": "P", "ndcg": "nDCG", "psp": "PSP"}.items()
        for k in (1, 3, 5)
    },
}
MEANINGS = {
    "micro_f1": "one number for right and found: 1 if all predicted labels are right "
    "and all true ones are predicted",
    "hamming_loss": "share of all yes-or-no answers, one per sample and label, that "
    "are wrong",
    "subset_accuracy": "share of samples whose labels are all right",
    "average_precision": "how far on top of a sample's ranking its true labels are; 1 "
    "if always on top",
    "ranking_loss": "share of pairs of a true and a false label that are in the wrong "
    "order",
    "macro_f1": "the same as micro-F1 for each label, then averaged: rare labels count "
    "as much as frequent ones",
    "macro_auc": "for each label the share of pairs of a sample with it and a sample "
    "without it that are in the right order, then averaged",
    "accuracy": "labels of a sample that are right, out of those true or predicted",
    "example_f1": "the same as micro-F1 for each sample, then averaged",
    "one_error": "share of samples whose top label is wrong",
    "coverage": "steps down the ranking of labels until all true ones are seen",
    "coverage_error": "labels to look at, from the top, until all true ones are seen",
    "class_accuracy": "share of the classes that are right",
    "class_f1": "the same as micro-F1 for each class of a target, then averaged: rare "
    "classes count as much as frequent ones",
    "r2": "share of the variance of a number that is predicted, averaged over numbers; "
    "0 is as good as always the mean",
    "rank_correlation": "how well predicted numbers are in the order of the true ones "
    "(Spearman), averaged; 0 is chance",
    MIXED: "of labels, classes and numbers, the mean over all targets",
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
    "precision_at_1": "share of samples whose top label is right",
    "ndcg_at_1": "the same as P@1",
}
CLASSIFIERS = {
    "MLNB": "naive Bayes",
    "MLkNN": "nearest neighbours",
    "BRLogistic": "logistic regression",
    "KNeighborsRegressor": "nearest neighbours",
    "Ridge": "ridge regression",
    "forest": "a forest",
}
# What predicts numbers beside those that predict labels.
REGRESSORS = {"MLNB": "nearest neighbours", "BRLogistic": "ridge regression"}


def target_types(types: Mapping[str, str]) -> dict[str, str]:
    """What the targets are, unless all are labels."""
    if set(types.values()) <= {"label"}:
        return {}
    said = [f"{name} ({kind})" for name, kind in types.items()]
    more = ", ..." if len(said) > MOST_NAMES else ""
    return {"targets": f"{', '.join(said[:MOST_NAMES])}{more}"}


def measure_name(measure: str) -> str:
    """The short name of a measure."""
    return MEASURES.get(measure, measure).split(" (")[0].split(":")[0]


def classifier_name(classifier: str, measure: str = "") -> str:
    """What a classifier is called in a sentence, by the kind of what it predicts."""
    if measure in OF_NUMBERS and classifier in REGRESSORS:
        return REGRESSORS[classifier]
    return CLASSIFIERS.get(classifier, classifier)


def main_of(measure: str) -> str:
    """The measure that sentences are about, of the same kind of target."""
    kinds = zip(MAIN_MEASURES[1:], (OF_CLASSES, OF_NUMBERS), strict=True)
    return next((main for main, names in kinds if measure in names), MAIN)


def _named(finding: Finding) -> str:
    return classifier_name(finding.classifier, finding.measure)


def label_name(name: str, noun: str = "label") -> str:
    """What a label is called in a sentence: a number alone says nothing."""
    return f"{noun} {name}" if name.isdigit() else name


def percent(share: float) -> str:
    """A share without exponents; what is neither nothing nor all is not said so."""
    if 0 < share < 0.01:
        return f"<\N{NO-BREAK SPACE}1{PERCENT}"
    if 0.99 < share < 1 - 1e-9:  # what rounding takes from all is nothing
        return f">\N{NO-BREAK SPACE}99{PERCENT}"
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


def p_value(p: float) -> str:
    """A p-value in words; one that underflows is not 0."""
    return "p < 1e-12" if p < 1e-12 else f"p = {p:.2g}"


def many(count: int, what: str) -> str:
    """A count with its noun."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def listed(names: Sequence[str]) -> str:
    """Names with commas and a last "and"."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def quoted(name: str) -> str:
    """A name for a sentence; one that holds a comma reads as two without quotes."""
    return f"“{name}”" if "," in name else name


def headline(n_chosen: int, n_features: int, n_labels: int, noun: str = "label") -> str:
    """What a page or a table is about."""
    labels = many(n_labels, noun)
    if n_chosen == n_features:
        return f"{_everything(n_features)} kept for {labels}"
    return f"{n_chosen:,} of {n_features:,} features selected for {labels}"


def selection_headline(
    quality: Quality | None,
    n_chosen: int,
    n_features: int,
    n_labels: int,
    noun: str = "label",
) -> str:
    """What a colleague can repeat: what is kept, what is lost, and for whom."""
    if quality is None or not (by_main := about_mains(quality)):
        return headline(n_chosen, n_features, n_labels, noun)
    findings = [one for some in by_main.values() for one in some]
    several = len(by_main) > 1
    shares = [f"{measure_name(m)} at {share_kept(x)}" for m, x in by_main.items()]
    kept = f"{listed(shares)} of {'their values' if several else 'its value'} with all"
    if not several and not gains_share(findings):  # nobody keeps more than there is
        kept = f"{share_kept(findings)} of {measure_name(findings[0].measure)}"
    said = f"{n_chosen:,} of {n_features:,} features "
    said += f"{'keeps' if n_chosen == 1 else 'keep'} {kept}; "
    names = [_named(x) + f" ({measure_name(x.measure)})" * several for x in findings]
    lost = [
        f"{name} {'lose' if name.startswith('nearest') else 'loses'} "
        f"{min(-one.low, -one.high):.2f} to {max(-one.low, -one.high):.2f}"
        for name, one in zip(names, findings, strict=True)
        if one.verdict == WORSE
    ]
    if lost:
        return said + listed(lost)
    if all(one.verdict == BETTER for one in findings):
        return f"{said}every model gets better"
    if all(one.verdict in (BETTER, EQUIVALENT) for one in findings):
        return f"{said}no classifier loses more than {percent(quality.tolerance)}"
    pairs = zip(names, findings, strict=True)
    if better := [name for name, one in pairs if one.verdict == BETTER]:
        is_one = len(better) == 1 and not better[0].startswith("nearest")
        verb = "gets" if is_one else "get"
        rest = "for the rest there is too little data to say"
        return f"{said}{listed(better)} {verb} better; {rest}"
    return f"{said}too little data to say whether anything is lost"


def about_mains(quality: Quality) -> dict[str, list[Finding]]:
    """What is found against all features, for each kind of target that is measured."""
    found = {main: quality.about(main, "all") for main in quality.main_measures}
    return {main: findings for main, findings in found.items() if findings}


def share_kept(findings: Sequence[Finding]) -> str:
    """What the chosen features keep of what all reach, over the classifiers."""
    shares = [one.chosen / one.other for one in findings if one.other > 0]
    if not shares:
        return "an unknown share"
    low, high = (f"{100 * end:.0f}" for end in (min(shares), max(shares)))
    return f"{low}{PERCENT}" if low == high else f"{low} to {high}{PERCENT}"


def gains_share(findings: Sequence[Finding]) -> bool:
    """Whether that share is above 100 % for some classifier."""
    return any(one.chosen > 1.005 * one.other > 0 for one in findings)


def kept(n_chosen: int, n_features: int) -> str:
    """How many features are kept."""
    if n_chosen == n_features:
        return f"{_everything(n_features)} kept."
    verb = "is" if n_chosen == 1 else "are"
    share = percent(n_chosen / n_features)
    return f"{n_chosen:,} of {n_features:,} features {verb} kept ({share})."


def verdict_words(finding: Finding) -> str:
    """The verdict with its figures."""
    if finding.low == finding.high == 0:
        return "the same in every split"
    least, most = sorted(abs(end) for end in (finding.low, finding.high))
    if finding.verdict in (BETTER, WORSE):
        return f"{finding.verdict} by {plain(least)} to {plain(most)}"
    if finding.verdict == EQUIVALENT:
        if finding.low >= 0:
            return "equal or better"
        if finding.high < finding.tolerance:
            return f"at most {plain(-finding.low)} worse"
        return (
            f"at most {plain(-finding.low)} worse, up to {plain(finding.high)} better"
        )
    if math.isnan(finding.p):
        return "not testable (one split, or the same difference in all of them)"
    return "inconclusive (too little data to say)"


def against_all(finding: Finding, n_chosen: int, n_features: int) -> str:
    """How well one classifier predicts with the selected features and with all."""
    return _sentence(
        f"{_named(finding)}: {measure_name(finding.measure)} {plain(finding.chosen)} "
        f"with the {n_chosen:,} selected features, {plain(finding.other)} with all "
        f"{n_features:,}: {verdict_words(finding)}"
    )


def conclusion(
    findings: Sequence[Finding],
    share: float,
    sampled: str = "",
    lost_by: Sequence[str] = (),
) -> str:
    """The verdict of all classifiers on the selected features against all.

    "Nothing is lost" needs the upper end of every classifier's loss below the
    tolerance, on all samples: with fewer, what many features offer is not learnt.
    `sampled` says of what there was a sample only: "samples", "labels" or both;
    `lost_by` are other measures by which something that matters is lost.
    """
    tolerance = f"{percent(share)} of its value with all features"
    measure = measure_name(findings[0].measure)
    if any(-found.low >= found.tolerance for found in findings):
        return _for_whom(findings, measure, tolerance)
    gained = [_named(found) for found in findings if found.verdict == BETTER]
    others = [_named(found) for found in findings if found.verdict != BETTER]
    if not others:
        kept = f"{measure} is better for every model than with all features"
    elif gained:
        kept = f"{measure} is better for {listed(gained)}, and drops by less than "
        kept += f"{tolerance} for {listed(others)}"
    else:
        kept = f"{measure} drops by less than {tolerance} for every model"
    if sampled:
        other = "more may be lost" if others else "less may be gained"
        return (
            f"On a part of the {sampled}, {kept}. With all {sampled}, {other}: a "
            "larger budget gives a firmer answer."
        )
    if lost_by:
        names, left = list(map(measure_name, lost_by[:3])), len(lost_by) - 3
        more = [many(left, "other measure")] if left > 0 else []
        verb = "gets" if len(lost_by) == 1 else "get"
        kept += f"; {listed([*names, *more])} {verb} clearly worse"
    return _sentence(kept)


def _for_whom(findings: Sequence[Finding], measure: str, tolerance: str) -> str:
    by_verdict: dict[str, list[str]] = {}
    for found in findings:
        by_verdict.setdefault(found.verdict, []).append(_named(found))
    said = {
        WORSE: f"{measure} gets worse for {{}}",
        BETTER: f"{measure} gets better for {{}}",
        EQUIVALENT: f"for {{}} the loss in {measure} is below {tolerance}",
        INCONCLUSIVE: f"too little data to say whether {measure} changes for {{}}",
    }
    parts = [
        text.format(listed(by_verdict[verdict]))
        for verdict, text in said.items()
        if verdict in by_verdict
    ]
    return _sentence("; ".join(parts))


def against_other(findings: Sequence[Finding], other: str) -> str:
    """Whether the selection is better than another of the same size."""
    classifiers: dict[str, list[str]] = {}
    for found in findings:
        classifiers.setdefault(verdict_words(found), []).append(_named(found))
    parts = [f"{words} for {listed(names)}" for words, names in classifiers.items()]
    unclear = all(found.verdict == INCONCLUSIVE for found in findings)
    measure = "the difference in " * unclear + measure_name(findings[0].measure)
    text = f"Compared with {other}, {measure} is {'; '.join(parts)}."
    if all(found.verdict != BETTER for found in findings):
        text += " The selection is not shown to be better than that."
    return text


def in_plain_words(
    classifier: str, precision: float, recall: float, n_chosen: int
) -> str:
    """Precision and recall with the selected features, in counts of labels."""
    name, chosen = classifier_name(classifier), many(n_chosen, "feature")
    if math.isnan(precision):
        return f"With {chosen}, no label is ever predicted by {name}."
    return (
        f"Of 100 labels predicted by {name} with {chosen}, {_of_hundred(precision)} "
        f"are right; of 100 true labels, {_of_hundred(recall)} are found."
    )


def how_evaluated(quality: Quality) -> str:
    """On what the figures rest."""
    train = percent(1 - quality.test_share)
    samples = many(quality.n_rows, "sample")
    text = (
        f"In {many(quality.n_splits, 'split')}, features were selected and models "
        f"trained on {train} of {samples}, and the rest were held out for evaluation"
    )
    if quality.n_features < quality.n_columns:
        text += (
            f". The {quality.n_features:,} features are groups of "
            f"{quality.n_columns:,} columns; a group is kept or dropped as a whole"
        )
    if quality.n_known_cells < quality.n_cells:
        share = percent(quality.n_known_cells / quality.n_cells)
        text += (
            f". Of {quality.n_cells:,} cells of Y, {quality.n_known_cells:,} are known "
            f"({share}); models were trained and evaluated where they are"
        )
    if quality.n_rows < quality.n_all_rows:
        text += (
            f". To stay within {duration(quality.budget)} of computing time, these "
            f"samples were drawn at random from {quality.n_all_rows:,}"
        )
    if quality.n_labels < quality.n_all_labels:
        text += (
            f". Of the {quality.n_all_labels:,} labels, {quality.n_labels:,} drawn at "
            "random were evaluated"
        )
    if quality.n_splits < quality.n_all_splits:
        text += f". The budget ended before all {quality.n_all_splits} splits were done"
    took = f"{text}. It took {duration(quality.seconds)} of computing time"
    if quality.seconds > LONGER * quality.budget:
        took += (
            f", more than the {duration(quality.budget)} allowed: fewer splits would "
            "say nothing"
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
        plainly = [
            said for main in quality.main_measures for said in _plainly(quality, main)
        ]
        return [kept(quality.n_chosen, quality.n_features), *plainly]
    sizes = quality.n_chosen, quality.n_features
    chosen = many(quality.n_chosen, "feature")
    part = {
        "samples": quality.n_rows < quality.n_all_rows,
        "labels": quality.n_labels < quality.n_all_labels,
    }
    sampled = " and ".join(what for what, holds in part.items() if holds)
    said = []
    for main in quality.main_measures:
        found = {
            which: quality.about(main, which) for which in ("all", "random", "simpler")
        }
        if not found["all"]:
            said.append(f"{measure_name(main)}: too few known cells to measure it.")
            continue
        lost = [name for name in quality.lost_by() if main_of(name) == main]
        verdict = conclusion(found["all"], quality.tolerance, sampled, lost)
        name = measure_name(main)
        if len(quality.main_measures) > 1 and name.lower() not in verdict.lower():
            verdict = f"{name}: {verdict[0].lower()}{verdict[1:]}"
        said += [
            verdict,
            *(against_all(one, *sizes) for one in found["all"]),
            *_plainly(quality, main),
            against_other(found["random"], f"{chosen} drawn at random"),
        ]
        if found["simpler"]:
            other = f"{chosen} with the most {simpler}"
            said.append(against_other(found["simpler"], other))
    return said


def had_to_start(names: Sequence[str]) -> str:
    """Which features the user forced in."""
    return f"Forced in by the user: {', '.join(f'“{name}”' for name in names)}."


def first_choice(method: str, name: str, labels: Sequence[str]) -> str:
    """The feature that the method selects first, and its most relevant labels."""
    names = ", ".join(map(label_name, labels))
    relevant = f", most relevant for {names}" if labels else ""
    return f"First, {method} selects “{name}”{relevant}."


def reason(feature: Mapping[str, Any], noun: str = "label") -> str:
    """Relevance of a selected feature per label, its redundancy, its missingness.

    `feature` is one of :meth:`labelsieve.selectors.Explanation.reasons`.
    """
    redundant = ", ".join(
        f"{other['feature']} ({_plain_percent(other['share'])})"
        for other in feature["redundant_with"]
    )
    text = f"{with_mark(feature['name'], feature.get('included'))}, "
    known = feature.get("significance", "significant")
    doubt = "" if known == "significant" else f" ({known})"
    text += f"score {feature['score']:.3g}{doubt}: "
    text += _relevant_for(feature["labels"], noun)
    if redundant:
        text += f"; redundant with {redundant}"
    if missing := feature.get("missing"):
        relevant = _relevant_for(missing["labels"], noun)
        text += f"; {missing['cells']} values missing, missingness {relevant}"
    return text


def least_covered(labels: Sequence[Mapping[str, Any]]) -> str:
    """The least covered labels; nothing where all are covered.

    `labels` are those of :meth:`labelsieve.selectors.Explanation.least_covered`.
    """
    if not labels:
        return ""
    shares = [f"{quoted(one['label'])} ({percent(one['coverage'])}" for one in labels]
    shares[0] += " of the mutual information of its best single feature"
    return f"Least covered: {listed([f'{share})' for share in shares])}."


def with_mark(name: str, included: bool | None) -> str:
    """The name of a feature, with a word where it had to be in."""
    return f"{name} (included)" if included else name


def _relevant_for(labels: Sequence[Mapping[str, Any]], noun: str) -> str:
    named = [f"{noun} {x['label']} ({_plain_percent(x['share'])})" for x in labels]
    shown = ", ".join(named)
    return f"relevant for {shown}" if shown else f"not relevant for any {noun}"


def _plain_percent(share: float) -> str:
    """A share for a line of a terminal."""
    return percent(share).replace("\N{NO-BREAK SPACE}", " ")


def size_chosen(search: Mapping[str, Any]) -> str:
    """How the number of features was chosen."""
    measure = measure_name(search["measure"])
    mean = search["means"][search["sizes"].index(search["chosen"])]
    smallest = f"is the smallest whose {measure} is "
    way = {
        "best": f"gave the best {measure}",
        "one_standard_error": f"{smallest}within one standard error of the best",
        "equivalent": f"{smallest}equivalent to that of all",
    }[search["rule"]]
    more = " Larger numbers were not tried and may be better."
    return (
        f"The number of features was chosen by {search['folds']}-fold cross-validation "
        f"with {classifier_name(search['classifier'])}: of {search['sizes'][0]:,} to "
        f"{search['sizes'][-1]:,}, {search['chosen']:,} {way} ({mean:.3f})."
    ) + (more if search["at_limit"] else "")


def stability_found(value: float, interval: str, frequent: int, n_chosen: int) -> str:
    """How much the selection depends on the samples."""
    other = "mostly other features are"
    words = next((words for least, words in STABLE if value >= least), other)
    return (
        f"On random halves of the samples, {words} selected: stability {value:.2f} "
        f"({interval}; 1 means always the same, 0 as if drawn at random), and "
        f"{_part(frequent, n_chosen)} selected from most of the halves."
    )


def beyond_chance(clear: int, n_chosen: int, rounds: int) -> str:
    """How many of the selected features are significant in the permutation test."""
    level = f"{100 * LEVEL:.0f}{PERCENT}"
    if 1.0 / (rounds + 1) > LEVEL:
        return (
            f"{rounds} permutations of the labels are too few for a level of {level}: "
            "use 19 or more."
        )
    found = _part(clear, n_chosen)
    rest = "" if clear == n_chosen else " The others may be selected by chance."
    return (
        f"{found[0].upper()}{found[1:]} significant at a family-wise error rate of "
        f"{level}: in {rounds} permutations of the labels, such a score comes up for "
        f"any feature in at most {level} of them.{rest}"
    )


def _plainly(quality: Quality, main: str) -> list[str]:
    """What predictions with the chosen features are worth, by each classifier."""
    said, chosen = [], many(quality.n_chosen, "feature")
    for classifier in quality.classifiers:
        if main not in quality.values[classifier, "chosen"]:
            continue
        mean = quality.mean(main, "chosen", classifier)
        name = classifier_name(classifier, main)
        if main == MAIN:
            precision = quality.mean("precision", "chosen", classifier)
            recall = quality.mean("recall", "chosen", classifier)
            rates = classifier, precision, recall
            said.append(in_plain_words(*rates, quality.n_chosen))
        elif main in OF_CLASSES:
            said.append(
                f"Of 100 classes predicted by {name} with {chosen}, "
                f"{_of_hundred(mean)} are right."
            )
        else:
            said.append(
                f"With {chosen}, {percent(max(mean, 0.0))} of the variance of the "
                f"numbers is predicted by {name}."
            )
    return said


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _everything(n_features: int) -> str:
    several = f"All {n_features:,} features are"
    return "The only feature is" if n_features == 1 else several


def _of_hundred(share: float) -> str:
    if 0 < share < 0.005:
        return "fewer than 1"
    return "none" if share == 0 else f"{100 * share:.0f}"


def _part(part: int, whole: int) -> str:
    if part == whole:
        return f"all {whole:,} are" if whole > 1 else "it is"
    verb = "is" if part == 1 else "are"
    return f"{part:,} of the {whole:,} {verb}" if part else "none is"
