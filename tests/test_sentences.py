"""Each sentence where it is true, and silent where it would be false."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from labelsieve import sentences
from labelsieve.choosing import Finding
from labelsieve.experiments.spoken import best_on, best_ranked, who_is_ahead

SAME = Finding("MLNB", "micro_f1", "all", 0.50, 0.50, -0.004, 0.004, 1.0, 0.025)
LOSS = Finding("BRLogistic", "micro_f1", "all", 0.30, 0.41, -0.13, -0.09, 0.001, 0.02)
GAIN = Finding("MLNB", "micro_f1", "all", 0.35, 0.30, 0.03, 0.07, 0.001, 0.015)
NOISE = Finding("MLkNN", "micro_f1", "all", 0.48, 0.50, -0.10, 0.06, 0.6, 0.025)
SMALL_LOSS = replace(LOSS, other=0.31, low=-0.012, high=-0.008)


@pytest.mark.parametrize(
    ("finding", "said"),
    [
        (SAME, "at most 0.004 worse"),
        (LOSS, "worse by 0.090 to 0.130"),
        (GAIN, "better by 0.030 to 0.070"),
        (NOISE, "inconclusive (too little data to say)"),
        (replace(SAME, low=0.001, high=0.01, p=0.2), "equal or better"),
        (
            replace(SAME, other=0.13, low=-0.015, high=0.78, p=0.06),
            "at most 0.015 worse, up to 0.780 better",
        ),
        (replace(SAME, low=0.0, high=0.0), "the same in every split"),
        (replace(LOSS, p=0.06), "inconclusive (too little data to say)"),
        (
            replace(LOSS, low=-1.0, high=1.0, p=float("nan")),
            "not testable (one split, or the same difference in all of them)",
        ),
    ],
)
def test_verdicts_are_a_closed_set(finding, said):
    assert sentences.verdict_words(finding) == said
    kinds = (
        sentences.BETTER,
        sentences.EQUIVALENT,
        sentences.WORSE,
        sentences.INCONCLUSIVE,
    )
    assert finding.verdict in kinds


def test_a_small_drop_only_if_no_classifier_could_lose_more_than_the_tolerance():
    said = sentences.conclusion([SAME], 0.05)
    assert said == (
        "Micro-F1 drops by less than 5\N{NO-BREAK SPACE}% of its value with all "
        "features for every model."
    )
    assert sentences.conclusion([SAME, SMALL_LOSS], 0.05) == said
    for other in (LOSS, NOISE, replace(SAME, low=-0.025)):
        assert "drops by" not in sentences.conclusion([SAME, other], 0.05).lower()
        assert "drops by" not in sentences.conclusion([GAIN, other], 0.05).lower()


def test_what_is_gained_is_said():
    other = replace(GAIN, classifier="BRLogistic")
    assert sentences.conclusion([GAIN, other], 0.05) == (
        "Micro-F1 is better for every model than with all features."
    )
    assert sentences.conclusion([SAME, other], 0.05) == (
        "Micro-F1 is better for logistic regression, and drops by less than "
        "5\N{NO-BREAK SPACE}% of its value with all features for naive Bayes."
    )
    said = sentences.conclusion([GAIN, other], 0.05, sampled="samples")
    assert "better for every model" in said
    assert "With all samples, less may be gained" in said
    said = sentences.conclusion([GAIN, other], 0.05, lost_by=["macro_f1"])
    assert said.endswith("than with all features; macro-F1 gets clearly worse.")


def test_a_sample_cannot_say_that_nothing_is_lost():
    said = sentences.conclusion([SAME, GAIN], 0.05, sampled="samples")
    assert said.startswith("On a part of the samples, ")
    assert "With all samples, more may be lost" in said
    assert sentences.conclusion([LOSS], 0.05, sampled="samples").startswith(
        "Micro-F1 gets worse"
    )


def test_other_measures_are_not_kept_quiet():
    lost = ["subset_accuracy", "macro_f1"]
    said = sentences.conclusion([SAME], 0.05, lost_by=lost)
    assert said.endswith("; subset accuracy and macro-F1 get clearly worse.")
    many = ["subset_accuracy", "macro_f1", "one_error", "hamming_loss", "coverage"]
    said = sentences.conclusion([SAME], 0.05, lost_by=many)
    assert "subset accuracy, macro-F1, one-error and 2 other measures get" in said


def test_for_whom():
    assert sentences.conclusion([GAIN, LOSS], 0.05) == (
        "Micro-F1 gets worse for logistic regression; micro-F1 gets better for naive "
        "Bayes."
    )
    said = sentences.conclusion([NOISE, LOSS], 0.05)
    assert "; too little data to say whether micro-F1 changes for nearest neigh" in said
    assert "for naive Bayes the loss in micro-F1 is below" in sentences.conclusion(
        [SAME, LOSS], 0.05
    )


def test_one_judge_in_figures():
    assert sentences.against_all(LOSS, 30, 1836) == (
        "Logistic regression: micro-F1 0.300 with the 30 selected features, 0.410 with "
        "all 1,836: worse by 0.090 to 0.130."
    )


def test_against_chance():
    said = sentences.against_other([GAIN, NOISE], "12 features drawn at random")
    assert "better by 0.030 to 0.070 for naive Bayes" in said
    assert "not shown" not in said
    said = sentences.against_other([SAME, NOISE], "12 features drawn at random")
    assert said.endswith("The selection is not shown to be better than that.")


def test_judges_that_agree_are_said_together():
    same = replace(SAME, classifier="BRLogistic")
    assert sentences.against_other([SAME, same], "12 features drawn at random") == (
        "Compared with 12 features drawn at random, micro-F1 is at most 0.004 worse "
        "for naive Bayes and logistic regression. The selection is not shown to be "
        "better than that."
    )


FEATURE = {
    "name": "tempo",
    "score": 0.25,
    "labels": [{"label": "happy", "share": 0.4}, {"label": "sad", "share": 0.001}],
    "redundant_with": [],
}


def test_reasons():
    said = sentences.reason(FEATURE)
    assert said == (
        "tempo, score 0.25: relevant for label happy (40 %), label sad (< 1 %)"
    )
    assert "redundant" not in said
    assert "missing" not in said
    assert "included" not in said
    other = {"feature": "pace", "share": 1.0}
    full = {
        **FEATURE,
        "labels": [],
        "redundant_with": [other],
        "included": True,
        "missing": {"cells": 3, "labels": []},
    }
    assert sentences.reason(full) == (
        "tempo (included), score 0.25: not relevant for any label; redundant with pace "
        "(100 %); 3 values missing, missingness not relevant for any label"
    )


def test_the_first_choice():
    said = sentences.first_choice("Sieve", "tempo", ["happy", "7"])
    assert said == "First, Sieve selects “tempo”, most relevant for happy, label 7."
    assert "relevant" not in sentences.first_choice("Sieve", "tempo", [])
    assert "“a”, “b”" in sentences.had_to_start(["a", "b"])


SEARCH = {
    "measure": "micro_f1",
    "sizes": [1, 5, 20],
    "means": [0.2, 0.41, 0.4],
    "chosen": 5,
    "rule": "best",
    "folds": 5,
    "classifier": "MLNB",
    "at_limit": False,
}


def test_how_many():
    said = sentences.size_chosen(SEARCH)
    assert "of 1 to 20, 5 gave the best micro-F1 (0.410)" in said
    assert "not tried" not in said
    smallest = sentences.size_chosen({**SEARCH, "rule": "one_standard_error"})
    assert "is the smallest whose micro-F1 is within one standard error" in smallest
    at_limit = {**SEARCH, "chosen": 20, "at_limit": True}
    assert "Larger numbers were not tried and may be" in sentences.size_chosen(at_limit)


@pytest.mark.parametrize(
    ("value", "frequent", "said"),
    [
        (1.0, 4, "always the same features are selected"),
        (0.998, 4, "nearly the same features are selected"),
        (0.8, 4, "nearly the same features are selected"),
        (0.5, 2, "many of the same features are selected"),
        (0.2, 0, "mostly other features are selected"),
    ],
)
def test_how_sure(value, frequent, said):
    text = sentences.stability_found(value, "interval", frequent, 4)
    assert said in text
    part = {4: "all 4 are", 2: "2 of the 4 are", 0: "none is"}
    assert f"{part[frequent]} selected from most of the halves" in text


def test_beyond_chance_needs_enough_shuffles():
    assert "All 3 are significant" in sentences.beyond_chance(3, 3, 99)
    assert "by chance" not in sentences.beyond_chance(3, 3, 99)
    assert "by chance" in sentences.beyond_chance(1, 3, 99)
    assert "too few" in sentences.beyond_chance(0, 3, 9)


JUDGED = SimpleNamespace(
    n_splits=5,
    n_all_splits=5,
    test_share=0.3,
    n_rows=2000,
    n_all_rows=2000,
    n_labels=6,
    n_all_labels=6,
    budget=10.0,
    seconds=7.6,
    n_known_cells=12_000,
    n_cells=12_000,
    n_features=40,
    n_columns=40,
)


def test_groups_are_said_to_be_whole():
    said = sentences.how_evaluated(SimpleNamespace(**{**vars(JUDGED), "n_columns": 90}))
    assert ". The 40 features are groups of 90 columns; a group is kept or" in said
    assert "groups" not in sentences.how_evaluated(JUDGED)


def test_on_what_it_rests():
    whole = sentences.how_evaluated(JUDGED)
    assert whole == (
        "In 5 splits, features were selected and models trained on "
        "70\N{NO-BREAK SPACE}% of 2,000 samples, and the rest were held out for "
        "evaluation. It took 8 seconds of computing time."
    )
    part = SimpleNamespace(**{**vars(JUDGED), "n_all_rows": 16105, "n_all_labels": 983})
    said = sentences.how_evaluated(part)
    assert (
        "To stay within 10 seconds of computing time, these samples were drawn" in said
    )
    assert "from 16,105. Of the 983 labels, 6 drawn at random were evaluated" in said
    known = sentences.how_evaluated(
        SimpleNamespace(**{**vars(JUDGED), "n_known_cells": 7_440})
    )
    assert (
        "Of 12,000 cells of Y, 7,440 are known (62\N{NO-BREAK SPACE}%); models were "
        "trained and evaluated where they are." in known
    )
    fewer = SimpleNamespace(**{**vars(JUDGED), "n_all_splits": 10, "seconds": 12.0})
    said = sentences.how_evaluated(fewer)
    assert "The budget ended before all 10 splits were done" in said
    assert said.endswith(
        "It took 12 seconds of computing time, more than the 10 seconds allowed: fewer "
        "splits would say nothing."
    )


@pytest.mark.parametrize("classifier", ["", "MLkNN"])
def test_the_judge_is_named_where_there_are_several(classifier):
    said = best_on(BEST, "a", {"b": 0.5}, classifier)
    start = "On music with nearest neighbours, a" if classifier else "On music, a"
    assert said.startswith(start)


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0, "0"),
        (1e-9, "<\N{NO-BREAK SPACE}1"),
        (0.004, "<\N{NO-BREAK SPACE}1"),
        (0.125, "12"),
        (0.995, ">\N{NO-BREAK SPACE}99"),
        (1, "100"),
        (0.5, "50"),
    ],
)
def test_percentages_have_no_exponents(share, said):
    assert sentences.percent(share) == f"{said}\N{NO-BREAK SPACE}%"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.5, "0.500"),
        (0, "0.000"),
        (0.00012345, "0.00012"),
        (1e-12, "0.00000000"),
        (123.4, "123.4"),
        (-0.25, "-0.250"),
        (float("nan"), "unknown"),
    ],
)
def test_figures_have_no_exponents(value, said):
    assert sentences.plain(value) == said


def test_all_features_are_kept_is_said_as_such():
    assert sentences.headline(72, 72, 6) == "All 72 features are kept for 6 labels"
    assert sentences.kept(72, 72) == "All 72 features are kept."
    assert sentences.headline(7, 72, 1) == "7 of 72 features selected for 1 label"
    assert sentences.headline(1, 72, 2).startswith("1 of 72 features selected")
    assert "10\N{NO-BREAK SPACE}%" in sentences.kept(7, 72)
    assert "is kept" in sentences.kept(1, 72)


def test_counts_of_labels_in_plain_words():
    said = sentences.in_plain_words("MLNB", 0.414, 0.233, 30)
    assert said == (
        "Of 100 labels predicted by naive Bayes with 30 features, 41 are right; of "
        "100 true labels, 23 are found."
    )
    assert "none are found" in sentences.in_plain_words("MLNB", 0.5, 0.0, 1)
    assert "fewer than 1 are found" in sentences.in_plain_words("MLNB", 0.5, 0.001, 1)
    silent = sentences.in_plain_words("MLNB", float("nan"), 0.0, 1)
    assert silent == "With 1 feature, no label is ever predicted by naive Bayes."


RANKS = {
    "methods": ["a", "b"],
    "average_ranks": [1.2, 1.8],
    "n_datasets": 6,
    "measure": "micro_f1",
}


def test_ranks_over_data_sets():
    said = best_ranked({**RANKS, "friedman_p": 0.01})
    assert "a has the best average rank" in said
    assert "The differences are significant" in said
    said = best_ranked({**RANKS, "friedman_p": 0.2})
    assert "not distinguishable with these data sets" in said
    assert "significant" not in said
    assert "p < 1e-12" in best_ranked({**RANKS, "friedman_p": 0.0})
    controlled = {"methods": ["a", "all", "b"], "average_ranks": [1.9, 1.3, 2.8]}
    said = best_ranked({**RANKS, **controlled, "friedman_p": 0.01})
    assert "a has the best average rank" in said
    assert "1.90 of 3 (“all”: 1.30)." in said


def test_several_classifiers_are_named():
    content = {
        "experiment": {"measures": ["micro_f1"], "criterion": "best"},
        "ranks": [
            {**RANKS, "friedman_p": 0.01, "contest": name}
            for name in ("mlknn", "ridge")
        ],
        "scores": [],
    }
    first, second = who_is_ahead(content)
    assert "by micro-F1 (1 is best) with mlknn" in first
    assert "with ridge" in second


def test_of_a_mixture_each_kind_of_target_has_a_sentence():
    names = ["micro_f1", "macro_f1", "class_accuracy", "class_f1", "r2"]
    content = {
        "experiment": {"measures": names, "criterion": "best"},
        "ranks": [
            {**RANKS, "friedman_p": 0.01, "contest": "ridge", "measure": name}
            for name in names
        ],
        "scores": [],
    }
    said = who_is_ahead(content)
    firsts = ("micro-F1", "accuracy of classes", "R2")
    assert len(said) == 3
    assert all(f"by {name} (1" in one for name, one in zip(firsts, said, strict=True))


class Mixture:
    """What is found of a mixture of labels and numbers."""

    tolerance = 0.05
    main_measures = ("micro_f1", "r2")

    def __init__(self, *findings):
        self.findings = findings

    def about(self, measure, against):
        return [one for one in self.findings if one.measure == measure]


def test_the_headline_of_a_mixture_is_about_all_kinds():
    number = replace(LOSS, measure="r2", classifier="Ridge")
    said = sentences.selection_headline(Mixture(SAME, number), 4, 40, 3, "target")
    assert "keep micro-F1 at " in said
    assert " and R2 at " in said
    assert "of their values with all; ridge regression (R2) loses 0.09 to 0.13" in said
    said = sentences.selection_headline(Mixture(SAME), 4, 40, 3, "label")
    assert " of micro-F1; no classifier loses" in said
    said = sentences.selection_headline(Mixture(), 4, 40, 3, "target")
    assert said == sentences.headline(4, 40, 3, "target")


def test_what_is_no_label_is_called_a_target():
    assert "relevant for label " in sentences.reason(FEATURE)
    said = sentences.reason(FEATURE, "target")
    assert "relevant for target " in said
    assert "label" not in said


def test_a_name_with_a_comma_is_quoted():
    covered = [{"label": "len, cm", "coverage": 0.5}, {"label": "b", "coverage": 0.6}]
    said = sentences.least_covered(covered)
    assert said.startswith("Least covered: “len, cm” (50")
    assert "and b (60" in said


NAN = float("nan")
BEST = {"dataset": "music", "method": "a", "measure": "hamming_loss", "mean": 0.19}


@pytest.mark.parametrize(
    ("reference", "p_values", "said"),
    [
        ("a", {"b": 0.01, "c": 0.02}, "differs significantly from b and c"),
        ("a", {"b": 0.01, "c": 0.2}, "not distinguishable from c with these splits"),
        ("b", {"a": 0.3, "c": 0.01}, "not distinguishable from b with these splits"),
        ("b", {"a": 0.01, "c": 0.9}, "differs significantly from b"),
        ("a", {}, "was not tested"),
        (
            "a",
            {"b": NAN},
            ". Its difference from b is not testable: there is one split",
        ),
        ("a", {"b": NAN, "c": 0.01}, "from c. Its difference from b is not testable"),
    ],
)
def test_best_on_one_data_set(reference, p_values, said):
    text = best_on(BEST, reference, p_values)
    assert text.startswith("On music, a has the best mean by Hamming loss (0 is best)")
    assert said in text


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "less than a second"),
        (1.2, "1 second"),
        (42, "42 seconds"),
        (280, "5 minutes"),
    ],
)
def test_durations(seconds, said):
    assert sentences.duration(seconds) == said


def test_every_measure_has_a_meaning():
    assert sentences.MEASURES.keys() == sentences.MEANINGS.keys()
