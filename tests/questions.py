"""Real questions about feature selection for several targets, and which page answers.

``python -m tests.questions`` puts each to the search of the built site (``make docs``),
in a browser, and prints at which place of the results the answer stands. Titles and
sentences are those of public issue trackers; the addresses name the threads. Questions
without an address are what forums ask again and again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from tests.report.browser import Browser, find_chromium, start_browser

SITE = Path(__file__).parent.parent / "site"
FIRST = 3
PAGE = "multi-label-feature-selection"


class Question(NamedTuple):
    """What somebody asked, where, and the pages that answer it."""

    words: str
    asked: str
    pages: tuple[str, ...]


QUESTIONS = [
    Question(
        "y should be a 1d array, got an array of shape (491954, 443) instead",
        "globality-corp/sklearn-hierarchical-classification#46",
        (PAGE,),
    ),
    Question(
        "can't use SelectPercentile or SelectKBest in combination with multi-label "
        "classification",
        "scikit-learn/scikit-learn#7628",
        (PAGE, "faq", "coming-from/scikit-learn"),
    ),
    Question("ValueError: bad input shape (200, 2)", "", (PAGE,)),
    Question(
        "the underlying estimator MultiOutputClassifier should have `coef_` or "
        "`feature_importances_` attribute",
        "",
        (PAGE, "faq"),
    ),
    Question(
        "RFE multioutput bad input shape error is thrown",
        "scikit-learn/scikit-learn#16103",
        (PAGE, "faq", "coming-from/scikit-learn"),
    ),
    Question(
        "feature importances for MultiOutputClassifier",
        "scikit-learn/scikit-learn#27495",
        (PAGE, "faq"),
    ),
    Question(
        "feature_importances_ for multioutput", "dmlc/xgboost#8147", (PAGE, "faq")
    ),
    Question(
        "feature importance for each predicted class instead of the average",
        "dmlc/xgboost#6241",
        (PAGE, "faq", "coming-from/boruta-shap"),
    ),
    Question(
        "get feature importance of multilabel binary classifier xgboost",
        "dmlc/xgboost#10686",
        (PAGE, "faq"),
    ),
    Question(
        "use a set of features to correspond to multiple columns of labels",
        "dmlc/xgboost#4318",
        (PAGE, "faq", "index", "glossary"),
    ),
    Question(
        "lightgbm multi-output classification feature importance",
        "lightgbm-org/LightGBM#524",
        (PAGE, "faq"),
    ),
    Question(
        "how to use shap with multi label classification",
        "shap/shap#2212",
        ("faq", PAGE, "coming-from/boruta-shap"),
    ),
    Question(
        "How to apply SHAP specifically TreeExplainer on MultiOutputClassifier?",
        "shap/shap#2666",
        ("faq", PAGE, "coming-from/boruta-shap"),
    ),
    Question(
        "Summary Plot in SHAP for MultioutputClassifier",
        "shap/shap#2559",
        ("faq", PAGE, "coming-from/boruta-shap"),
    ),
    Question(
        "feature importance for multi-output regression permutation importance",
        "automl/auto-sklearn#1630",
        ("faq", PAGE),
    ),
    Question(
        "mRMR multi target, multilabel y is a DataFrame with more than one column",
        "smazzanti/mrmr#5",
        ("coming-from/mrmr", "faq", PAGE),
    ),
    Question(
        "Is there any version for multiple-output mutual information?",
        "felipemaiapolo/infoselect#2",
        ("faq", PAGE, "glossary", "coming-from/mrmr"),
    ),
    Question("multilabel feature selection filter", "mlr-org/mlr#2822", (PAGE, "faq")),
    Question(
        "feature selection implementation available for multilabel",
        "mlr-org/mlr#866",
        (PAGE, "faq", "state-of-the-field"),
    ),
    Question(
        "Boruta feature selection multi-label", "", ("coming-from/boruta-shap", "faq")
    ),
    Question(
        "JMI and mRMR mutual information based feature selection",
        "scikit-learn/scikit-learn#6313",
        ("coming-from/mrmr", "faq"),
    ),
    Question(
        "mRMR can't find XOR, non-linear interactions between more than two variables",
        "scikit-learn/scikit-learn#6313",
        ("coming-from/mrmr", "choosing", "faq", "methods/planted", "methods/mlrf"),
    ),
    Question(
        "MultiLabelBinarizer not working in Pipeline",
        "scikit-learn/scikit-learn#11309",
        ("faq",),
    ),
    Question(
        "TfidfVectorizer OneVsRestClassifier pipeline MultiLabelBinarizer",
        "TeamHG-Memex/eli5#106",
        ("faq",),
    ),
    Question(
        "support NaN in target matrix for multi-task learning with incomplete labels",
        "catboost/catboost#3079",
        ("unknown-labels", "faq", "gallery/plot_04_unknown_labels"),
    ),
    Question(
        "Support for missing/NaN values in multi-target labels",
        "dmlc/xgboost#12295",
        ("unknown-labels", "faq", "gallery/plot_04_unknown_labels"),
    ),
    Question(
        "How to deal with NAN in multi label task?",
        "open-mmlab/mmpretrain#631",
        ("unknown-labels", "faq", "gallery/plot_04_unknown_labels"),
    ),
    Question(
        "Add ability to model missing label?",
        "AnthonyMRios/leml#3",
        ("unknown-labels", "faq", "gallery/plot_04_unknown_labels"),
    ),
    Question(
        "response data is partially missing",
        "keras-team/keras#741",
        ("unknown-labels", "faq", "gallery/plot_04_unknown_labels", "glossary"),
    ),
    Question(
        "Data leakage if feature selection is done before cross-validation",
        "pycaret/pycaret#1874",
        ("faq", "choosing", "getting-started"),
    ),
    Question(
        "should feature selection be done before train test split or after",
        "WillKoehrsen/machine-learning-project-walkthrough#5",
        ("faq", "choosing", "getting-started"),
    ),
    Question(
        "Train-test-split for multilabel datasets stratified",
        "scikit-learn/scikit-learn#25596",
        ("faq", "choosing"),
    ),
    Question(
        "iterative stratification rare classes in each set",
        "trent-b/iterative-stratification#6",
        ("faq", "choosing"),
    ),
    Question(
        "fixed features always included in feature selection",
        "rasbt/mlxtend#1098",
        ("choosing",),
    ),
    Question(
        "TabPFN number of features is restricted",
        "PriorLabs/TabPFN#64",
        ("faq", PAGE),
    ),
    Question(
        "stability selection and knockoffs",
        "topepo/FES#53",
        ("faq", "choosing"),
    ),
    Question(
        "false discovery rate control for feature selection",
        "",
        ("faq", "choosing", "glossary"),
    ),
    Question(
        "MultiTaskLasso group lasso select the same features for multiple outputs",
        "scikit-learn/scikit-learn#899",
        ("faq", "methods/rfs"),
    ),
    Question(
        "different features for each label", "", ("faq", "methods/label-specific")
    ),
    Question(
        "how many features to keep multi label text classification",
        "",
        ("faq", "choosing", "gallery/plot_05_how_many"),
    ),
    Question("ReliefF multi-label", "", ("faq", "methods/relieff-ml", "methods/mlrf")),
    Question(
        "which is the best feature selection method for multi-label classification",
        "",
        ("faq", "choosing", "state-of-the-field"),
    ),
    Question("select features for multiple targets in python", "", (PAGE, "faq")),
]


def results_of(browser: Browser, words: str) -> list[str]:
    """The addresses that the search of the site finds, best first."""
    browser.open(SITE / "search.html")
    browser.run(f"Search.performSearch({words!r})")
    done = "Search._pulse_status < 0 && Search.hasIndex()"
    for _ in range(200):
        if browser.run(done):
            break
        browser.run("new Promise(r => setTimeout(r, 50))")
    found: list[str] = browser.run(
        "[...document.querySelectorAll('#search-results li > a')]"
        ".map(link => link.getAttribute('href'))"
    )
    return found


def place_of(answers: tuple[str, ...], found: list[str]) -> int | None:
    """The place of the first result that answers, counted from 1."""
    pages = [address.split("#")[0].removesuffix(".html") for address in found]
    return next((i for i, page in enumerate(pages, 1) if page in answers), None)


def main() -> None:
    """Put all questions to the search and print where the answers are."""
    executable = find_chromium()
    if executable is None or not (SITE / "search.html").exists():
        sys.exit("this needs Chromium, and the pages that make docs builds")
    browser = start_browser(executable)
    count = 0
    for question in QUESTIONS:
        found = results_of(browser, question.words)
        place = place_of(question.pages, found)
        count += place is not None and place <= FIRST
        print(place or "-", question.words[:70], "->", " | ".join(found[:FIRST]))
    browser.close()
    print(f"{count} of {len(QUESTIONS)} answers are among the first {FIRST} results")


if __name__ == "__main__":
    main()
