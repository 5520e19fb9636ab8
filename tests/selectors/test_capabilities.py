"""What classes say they can do is what they do."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pytest

from labelsieve import RFS
from labelsieve.registry import make_selector, selector_classes, selector_names
from labelsieve.selectors import LabelSelector, refuse_blocks
from labelsieve.selectors._capabilities import holds

SETTINGS = [
    *((name, {}) for name in selector_names()),
    ("ppt+mi", {"search": "forward"}),
]


@pytest.fixture
def data(random):
    Y = random.integers(0, 2, (60, 3))
    return random.normal(size=(60, 6)) + Y[:, [0, 1, 2, 0, 1, 2]], Y


def test_every_class_is_there_once():
    classes = selector_classes()
    assert len(set(classes)) == len(classes)
    made = {type(make_selector(name)) for name in selector_names()}
    assert set(classes) == made


@pytest.mark.filterwarnings("ignore:.* distinct label sets")
@pytest.mark.parametrize(("name", "settings"), SETTINGS)
def test_greedy_orders_end_with_the_picks(data, name, settings):
    selector = make_selector(name, n_features_to_select=2, **settings).fit(*data)
    greedy = holds(selector, selector._capabilities.picks_greedily)
    assert (selector._n_exact is not None) == greedy


@pytest.mark.filterwarnings("ignore:.* distinct label sets")
@pytest.mark.parametrize("name", selector_names())
def test_labels_of_three_values(data, name):
    X, Y = data[0], data[1][:, :1] + (data[0][:, :1] > 1)
    selector = make_selector(name, n_features_to_select=2)
    if selector._wants_two_values():
        with pytest.raises(ValueError, match="takes no classes"):
            selector.fit(X, Y)
    else:
        assert selector.fit(X, Y).scores_.any()


@pytest.mark.parametrize("kind", selector_classes())
def test_parameters_belong_to_capabilities(kind):
    can, parameters = kind._capabilities, set(signature(kind).parameters)
    assert bool(can.codes_features) == ({"n_bins", "binning"} <= parameters)
    assert bool(can.takes_missing) == ("missing" in parameters)
    assert not can.row_blocks or can.codes_features
    for condition in (can.row_blocks, can.picks_greedily, can.takes_missing):
        if not isinstance(condition, bool):
            assert condition.keys() <= parameters


@pytest.mark.parametrize("name", selector_names())
def test_row_blocks_are_taken_or_refused_with_the_way_out(name):
    selector = make_selector(name)
    if holds(selector, selector._capabilities.row_blocks):
        refuse_blocks(selector)
        assert type(selector)._rank_blocks is not LabelSelector._rank_blocks
        return
    way_out = f"{type(selector).__name__} .*all rows.*sample_rows.*, or use "
    with pytest.raises(TypeError, match=way_out):
        refuse_blocks(selector)


def test_values_that_row_blocks_allow_are_named():
    way_out = r"or use score_func='chi2' or 'mutual_information'\."
    with pytest.raises(TypeError, match=way_out):
        refuse_blocks(make_selector("lp+relieff"))


def test_the_ways_out_of_missing_cells_are_named(data):
    X = np.where(np.arange(6) < 5, data[0], np.nan)
    with pytest.raises(ValueError, match="contains NaN") as caught:
        RFS().fit(X, data[1])
    told = str(caught.value)
    assert told.startswith(
        "Input X contains NaN: 60 missing cell(s) in column(s) 5, but RFS needs a "
        "value in every cell. Impute them first, for example with SimpleImputer in a "
        "pipeline, or use a selector that takes them: PMU, FIMF, "
    )
    words = set(told.replace(",", " ").replace(".", " ").split())
    for kind in selector_classes():
        takes = bool(kind._capabilities.takes_missing)
        assert (kind.__name__ in words) == (takes or kind is RFS)
    with pytest.raises(ValueError, match=r"\.\.\., but .* or use score_func='chi2' or"):
        make_selector("lp+relieff").fit(np.full((60, 6), np.nan), data[1])


def test_alternatives_are_all_that_take_row_blocks():
    with pytest.raises(TypeError) as caught:
        refuse_blocks(RFS())
    told = str(caught.value).split(" or use ")[1]
    words = set(told.replace(",", " ").replace(".", " ").split())
    for kind in selector_classes():
        assert (kind.__name__ in words) == bool(kind._capabilities.row_blocks)
    assert np.isin(["Sieve", "PMU"], list(words)).all()


@pytest.mark.parametrize("name", ["rfs", "mifs", "grro", "gmba", "ela+mi", "pmu"])
@pytest.mark.parametrize("mixed", [False, True])
def test_the_ways_out_of_classes_take_them(data, name, mixed):
    X, classes = data[0], np.digitize(data[0][:, 0], [-0.5, 0.5])
    Y = np.column_stack([classes, data[1][:, 0], data[0][:, 1] if mixed else classes])
    if name == "pmu" and not mixed:
        pytest.skip("takes classes")
    with pytest.raises(ValueError, match=" or use ") as caught:
        make_selector(name, n_features_to_select=2).fit(X, Y)
    said = str(caught.value).split(" or use ")[1]
    if name == "ela+mi" and not mixed:
        assert said == "transformation=BinaryRelevance() or LabelPowerset()."
        return
    words = said.replace(",", " ").replace(".", " ").split()
    takers = [kind for kind in selector_classes() if kind.__name__ in words]
    assert takers
    for kind in takers:
        assert kind().fit(X, Y).order_.size
