"""What Sieve's page says was measured, and the measures measure Sieve."""

import json

import numpy as np
import pytest
from benchmarks import ablation, auto, field_pages, variants, wide
from benchmarks._formula import Formula, order

from labelsieve import Sieve
from tests.naive.rare_label_bonus import equal_weights


@pytest.mark.parametrize(
    ("name", "module"),
    [("ablation", ablation), ("auto", auto), ("variants", variants)],
    ids=str,
)
def test_tables_are_those_of_the_results(name, module):
    found = json.loads(module.FOUND.read_text("utf-8"))
    text = module.PAGE.read_text("utf-8")
    assert field_pages.filled(text, {name: module.table(found)}) == text, (
        f"run python -m benchmarks.{name}"
    )


def test_results_are_complete():
    found = json.loads(ablation.FOUND.read_text("utf-8"))
    assert [*found] == [*ablation.DATASETS]
    assert all([*cells] == [*ablation.VARIANTS] for cells in found.values())


@pytest.mark.parametrize("weight", ["variance", "balanced", "information"])
@pytest.mark.parametrize("kind", ["words", "numbers", "shapes"])
@pytest.mark.parametrize("seed", range(3))
def test_the_formula_with_all_parts_is_sieve(seed, weight, kind):
    rng = np.random.default_rng(seed)
    Y = rng.random((150, 3)) < [0.5, 0.2, 0.4]
    X = rng.normal(size=(150, 12))
    X[:, :6] += 0.8 * np.tile(Y, 2)
    if kind == "words":
        X = (X > 0.6).astype(float)
    if kind == "shapes":
        X[:, :3] = (X[:, :3] - 0.8 * Y) * np.where(Y, 3.0, 1.0)
    # By name, what is told again would count as well.
    weights = equal_weights(Y) if weight == "balanced" else weight
    sieve = Sieve(12, label_weight=weights).fit(X, Y)
    found = order(X, Y, 12, Formula(weight=weight))
    assert found == sieve.order_.tolist()
    assert kind != "shapes" or found != order(X, Y, 12, Formula(squares=False))


@pytest.mark.filterwarnings("ignore:Features .* are constant")
@pytest.mark.parametrize("case", auto.CASES)
def test_auto_keeps_its_promises_in_a_few_draws(case):
    n_draws = 25
    family, by_f = auto.measure(case, "fwer", n_draws).values()
    fdr = auto.measure(case, "fdr", n_draws, ["Sieve"])["Sieve"]
    # Four standard errors of so few draws.
    most = {e: p + 4 * np.sqrt(p * (1 - p) / n_draws) for e, p in auto.RATES.items()}
    assert family["any_false"] <= most["fwer"]
    assert family["any_of_noise"] <= most["fwer"]
    assert fdr["share_false"] <= most["fdr"]
    assert fdr["any_of_noise"] <= most["fdr"]
    # The means of a group's words, which F takes, say more than single words.
    least = 0.5 if case == "groups, words" else 0.75
    assert fdr["power"] >= family["power"] > least * by_f["power"]
    assert family["power"] > 0.05


@pytest.mark.parametrize("kind", wide.KINDS)
def test_wide_tables_are_served_as_well_as_by_the_largest_f(kind):
    counts = {
        method: np.mean([wide.found(method, kind, 1000, seed) for seed in range(3)])
        for method in ("Sieve", "largest F")
    }
    assert counts["Sieve"] >= counts["largest F"]
