"""JSON of other versions is read, and hostile JSON makes nothing."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from labelsieve import FIMF, PMU
from labelsieve.selectors._base import LabelSelector

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


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_files_of_released_versions_are_read(path):
    selector = LabelSelector.from_json(path.read_text())
    X = np.arange(30.0).reshape(5, 6)
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
