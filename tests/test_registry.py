"""Every selector can be made by name, and names cost nothing until used."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone

from labelsieve.registry import describe_selector, make_selector, selector_names

NAMES = {
    *("pmu", "fimf", "mlqpfs", "gmba", "emcfs", "spec", "mlfs", "mlrf", "relieff-ml"),
    *("lp+chi2", "lp+mi", "lp+relieff", "ppt+chi2", "ppt+mi", "ppt+relieff"),
    *("ela+chi2", "ela+mi", "br+chi2", "br+mi", "br+relieff"),
}


def test_all_methods_of_the_papers_are_there():
    assert set(selector_names()) >= NAMES


@pytest.mark.parametrize("name", selector_names())
def test_each_selects_and_is_described(name, random):
    Y = random.integers(0, 2, (80, 3))
    X = random.normal(size=(80, 8))
    X[:, :3] += 4 * Y
    selector = make_selector(name, n_features_to_select=4)
    found = len(set(clone(selector).fit(X, Y).order_[:4]) & {0, 1, 2})
    # A density compares values within one side of a label, never both sides.
    assert found >= 2 or name == "emcfs"
    entry = describe_selector(name.upper())
    assert entry.name == name
    assert entry.description
    assert "\n" not in entry.description
    assert entry.reference.rstrip(".")[-4:].isdigit()
    assert type(selector).__name__ == entry.class_name


def test_parameters_are_passed_on():
    assert make_selector("gmba", solver="batch").solver == "batch"
    selector = make_selector("br+relieff", aggregate="max", n_neighbors=5)
    assert (selector.score_func, selector.aggregate) == ("relieff", "max")
    assert selector is not make_selector("br+relieff")


def test_unknown_names_list_the_known_ones():
    with pytest.raises(ValueError, match=r"unknown selector 'foo'; .*pmu, fimf"):
        make_selector("foo")
    with pytest.raises(ValueError, match=r"'Seive'; did you mean 'sieve'\? Expected"):
        make_selector("Seive")
    with pytest.raises(TypeError, match=r"expected the name of a selector, .* got 7"):
        make_selector(7)


def test_names_load_no_selector():
    code = (
        "import sys, labelsieve.registry as r; r.selector_names(); "
        "print([m for m in ('numba', 'sklearn', 'scipy') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout.strip() == "[]", found.stderr


def test_selection_is_of_whole_columns(random):
    X = random.normal(size=(30, 6))
    Y = random.integers(0, 2, (30, 2))
    kept = make_selector("lp+chi2", n_features_to_select=2).fit(X, Y)
    np.testing.assert_array_equal(kept.transform(X), X[:, kept.support_])
