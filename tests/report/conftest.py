"""Pages with hostile names, and a browser to look at them."""

import numpy as np
import pytest
from tests.report.browser import find_chromium, start_browser

from labelsieve import FIMF
from labelsieve.choosing import (
    SizeCV,
    StabilitySelection,
    evaluate_selection,
    permutation_p_values,
)
from labelsieve.datasets import Dataset, describe, make_multilabel, save
from labelsieve.experiments import HoldOut, Sizes, compare
from labelsieve.report import (
    comparison_page,
    selection_page,
    write_page,
)

HOSTILE = (
    "<script>window.hacked = 1</script>",
    "</script><img src=x onerror=window.hacked=1>",
    "$\\frac{1}{2}$ & \"quotes\" 'single'",
    "日本語 العربية 🎵",
    "a name that is far too long for any column of any table " * 3,
)


def hostile_data(seed=0):
    X, Y, _ = make_multilabel(90, 4, n_noise=8, random_state=seed)
    names = [*HOSTILE, *(f"feature {i}" for i in range(X.shape[1] - len(HOSTILE)))]
    labels = ["<b>bold</b>", "</title>", "ж" * 60, "plain"]
    return Dataset(np.round(X, 3), Y, names, labels, "<i>music</i>")


@pytest.fixture(scope="session")
def selection_content():
    data = hostile_data()
    sieve = FIMF(data.X.shape[1] - 1).fit(data.X, data.Y)
    explanation = sieve.explain(
        data.X, data.Y, feature_names=data.feature_names, label_names=data.label_names
    )
    return selection_page(
        explanation,
        evaluate_selection(sieve, data.X, data.Y, n_splits=3),
        method="fimf",
        description=describe(data)._asdict(),
        settings=sieve.get_params(),
        command="labelsieve select '<music>.arff' -k 23",
    )


@pytest.fixture(scope="session")
def sure_content():
    """A page that also says how many and how sure."""
    data = hostile_data()
    X, Y = data.X, data.Y
    search = SizeCV(FIMF(1), random_state=0, rule="one_standard_error").fit(X, Y)
    sieve = FIMF(search.n_features_).fit(X, Y)
    kept = FIMF(search.n_features_)
    return selection_page(
        sieve.explain(
            X, Y, feature_names=data.feature_names, label_names=data.label_names
        ),
        evaluate_selection(kept, X, Y, n_splits=3),
        method="fimf",
        description=describe(data)._asdict(),
        settings=sieve.get_params(),
        command="labelsieve select '<music>.arff' -k cv-1se --stability --p-values",
        search=search,
        stability=StabilitySelection(kept, n_subsamples=9, random_state=0).fit(X, Y),
        p_values=permutation_p_values(kept, X, Y, n_permutations=19, random_state=0),
    )


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    for seed, name in enumerate(("one", "two", "three")):
        save(hostile_data(seed), folder / f"{name}.parquet")
    return compare(
        [str(folder / f"{name}.parquet") for name in ("one", "two", "three")],
        ["fimf", "br+mi", "mlfs"],
        classifiers=["mlnb", "brknn"],
        protocol=HoldOut(n_splits=3),
        sizes=Sizes(counts=tuple(range(1, 11))),
        out=folder / "out",
    )


@pytest.fixture(scope="session")
def comparison_content(results):
    return comparison_page(
        results.content, results.costs, command="labelsieve report out"
    )


@pytest.fixture(scope="session")
def many_content():
    """Hundreds of labels, names that are long and have no spaces, equal values.

    The curve ends at 100 features, a number as wide as its margin.
    """
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (120, 110))
    Y = (random.random((120, 200)) < 0.1).astype(int)
    X[:, :10] = X[:, [0]]
    names = [f"a_name_without_spaces_that_goes_on_and_on_{i:02d}" for i in range(110)]
    labels = [f"label {i} with a name of many words" for i in range(200)]
    sieve = FIMF(50).fit(X, Y)
    return selection_page(
        sieve.explain(X, Y, feature_names=names, label_names=labels),
        evaluate_selection(sieve, X, Y, n_splits=2),
        method="fimf",
        description=describe(Dataset(X, Y, names, labels, "many"))._asdict(),
        settings=sieve.get_params(),
        command="labelsieve select many.arff -k 50",
    )


@pytest.fixture(scope="session")
def one_content():
    """One feature and one label: nothing to compare with."""
    random = np.random.default_rng(0)
    X, Y = random.normal(size=(60, 1)), random.integers(0, 2, (60, 1))
    sieve = FIMF(1).fit(X, Y)
    return selection_page(
        sieve.explain(X, Y),
        evaluate_selection(sieve, X, Y, n_splits=2),
        method="fimf",
        description=describe(Dataset(X, Y, ["x"], ["y"], "one"))._asdict(),
        settings=sieve.get_params(),
        command="labelsieve select one.arff -k 1",
    )


@pytest.fixture(scope="session")
def pages(
    selection_content,
    sure_content,
    comparison_content,
    many_content,
    one_content,
    tmp_path_factory,
):
    folder = tmp_path_factory.mktemp("pages")
    return {
        "many": write_page(many_content, folder / "many.html"),
        "one": write_page(one_content, folder / "one.html"),
        "selection": write_page(selection_content, folder / "selection.html"),
        "sure": write_page(sure_content, folder / "sure.html"),
        "comparison": write_page(comparison_content, folder / "comparison.html"),
    }


@pytest.fixture(scope="session")
def browser():
    executable = find_chromium()
    if executable is None:
        pytest.skip("needs Chromium or Chrome on the path")
    opened = start_browser(executable)
    yield opened
    opened.close()
