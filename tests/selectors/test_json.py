"""JSON of other versions is read, and hostile JSON makes nothing."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labelsieve import FIMF, PMU
from labelsieve.selectors._base import LabelSelector
from tests.selectors.registered import each

KEPT = sorted((Path(__file__).parents[1] / "golden" / "persist").glob("*.json"))


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 6)).round(2)
    Y = (X[:, :3] + random.normal(size=(60, 3)) > 0).astype(int)
    return pd.DataFrame(X).add_prefix("f"), Y


def test_infinite_scores_survive(frame):
    fitted = FIMF(2, n_candidates=1).fit(*frame)
    text = fitted.to_json()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    np.testing.assert_array_equal(LabelSelector.from_json(text).scores_, fitted.scores_)


@each
@pytest.mark.filterwarnings("ignore")
def test_what_was_read_explains_as_what_was_written(selector, frame):
    fitted = clone(selector).fit(*frame)
    read = LabelSelector.from_json(fitted.to_json())
    found, expected = (one.explain(*frame).to_dict() for one in (read, fitted))
    assert json.dumps(found) == json.dumps(expected)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_files_of_released_versions_are_read(path):
    selector = LabelSelector.from_json(path.read_text())
    names = getattr(selector, "feature_names_in_", None)
    X = pd.DataFrame(np.arange(30.0).reshape(5, 6), columns=names)
    assert selector.transform(X).shape == (5, selector.support_.sum())


def test_unfitted_selectors_are_refused():
    with pytest.raises(NotFittedError):
        PMU().to_json()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"format": "something else"}',
        '{"format": "labelsieve selector 1", "class": "os", "parameters": {}}',
    ],
)
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match=r"not a selector|unknown selector class"):
        LabelSelector.from_json(text)


@pytest.fixture(scope="module")
def written(frame):
    return json.loads(FIMF(2).fit(*frame).to_json())


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (["class"], 7),
        (["class"], ["FIMF"]),
        (["parameters"], None),
        (["parameters", "n_bins"], [1]),
        (["parameters", "beauty"], 1),
        (["parameters", "n_bins"], {"class": "os"}),
        (["fitted"], []),
        (["fitted", "__class__"], 1),
        (["fitted", "n_features_in_"], 7),
        (["fitted", "n_features_in_"], "6"),
        (["fitted", "scores_"], 1.0),
        (["fitted", "scores_", "dtype"], "V8"),
        (["fitted", "scores_", "dtype"], "<U99999"),
        (["fitted", "scores_", "dtype"], None),
        (["fitted", "scores_", "shape"], [-1]),
        (["fitted", "scores_", "shape"], [10**9]),
        (["fitted", "scores_", "array", 0], 10**400),
        (["fitted", "scores_", "array", 0], "x"),
        (["fitted", "scores_", "array", 0], {"number": "1"}),
        (["fitted", "order_", "array", 0], 99),
        (["fitted", "order_", "array", 0], 0.5),
        (["fitted", "ranking_", "array", 0], 6),
        (["fitted", "support_", "array", 0], 1),
        (["fitted", "feature_names_in_", "array", 0], 1),
        (["fitted", "_n_exact"], 1.5),
        (["fitted", "_n_exact"], 99),
        (["parameters", "include"], 1.5),
        (["parameters", "include"], {"list": ["nobody"]}),
        (["parameters", "exclude"], {"list": [6]}),
        (["parameters", "n_bins"], "many"),
        (["parameters", "n_features_to_select"], -1),
    ],
)
def test_edited_selectors_are_refused(written, place, value):
    content = json.loads(json.dumps(written))
    inner = content
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(ValueError, match="not a selector written by to_json"):
        LabelSelector.from_json(json.dumps(content))


def test_what_is_missing_is_told(written):
    for name in [
        "_n_exact",
        "n_features_in_",
        "order_",
        "ranking_",
        "scores_",
        "support_",
    ]:
        content = json.loads(json.dumps(written))
        del content["fitted"][name]
        with pytest.raises(ValueError, match="not a selector written by to_json"):
            LabelSelector.from_json(json.dumps(content))


def test_a_newer_format_is_refused_in_one_line(written):
    newer = {**written, "format": "labelsieve selector 2", "version": "7.0"}
    with pytest.raises(ValueError, match=r"format 2.*up to 1; update.*'7\.0'") as told:
        LabelSelector.from_json(json.dumps(newer))
    assert "\n" not in str(told.value)


def test_a_kept_file_says_what_it_said():
    (path,) = (path for path in KEPT if path.stem == "fimf-0.1.0")
    selector = LabelSelector.from_json(path.read_text())
    written, again = json.loads(path.read_text()), json.loads(selector.to_json())
    assert again["fitted"] == written["fitted"]
    assert again["parameters"].items() >= written["parameters"].items()
    assert selector.get_feature_names_out().tolist() == ["f2", "f4"]
    assert selector.order_.tolist() == [4, 2, 1, 3, 5, 0]
    assert selector.at(1).get_feature_names_out().tolist() == ["f4"]


@pytest.mark.parametrize("value", [None, 7, b"{}", ["x"], {"format": 1}])
def test_what_is_no_text_is_refused(value):
    with pytest.raises(TypeError, match="expected the text of to_json"):
        LabelSelector.from_json(value)


def test_texts_that_are_nested_deeply_are_refused():
    for text in ("[" * 100_000, '{"a":' * 100_000):
        with pytest.raises(ValueError, match="not a selector"):
            LabelSelector.from_json(text)
