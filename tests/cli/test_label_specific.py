"""labelsieve select --label-specific: as text, JSON, data and page."""

import json

import pytest
from tests.cli.conftest import assert_one_line_error

from labelsieve import LabelSpecificSelector, Sieve
from labelsieve.datasets import load


@pytest.fixture
def own(dataset):
    return LabelSpecificSelector(Sieve(), n_shared=3, n_specific=2).fit(
        dataset.X, dataset.Y
    )


def test_own_features_follow_the_table(call, music, dataset, own):
    done = call("select", music, "-k", "3", "--label-specific", "2")
    assert done.returncode == 0
    _, _, table = done.out.partition("beyond the features of all labels")
    assert own.specific_table_.max() >= 0
    for label, features in zip(dataset.label_names, own.specific_table_, strict=True):
        line = next(line for line in table.splitlines() if line.startswith(label))
        names = [dataset.feature_names[f] for f in features if f >= 0]
        assert line[len(label) :].strip() == ", ".join(names)


def test_own_features_for_machines(call, music, dataset, own):
    found = json.loads(
        call("select", music, "-k", "3", "--label-specific", "2", "--json").out
    )
    assert found["order"] == own.shared_.tolist()
    expected = {
        label: [dataset.feature_names[f] for f in features if f >= 0]
        for label, features in zip(
            dataset.label_names, own.specific_table_, strict=True
        )
    }
    assert found["label_specific"] == expected


def test_data_keep_what_any_label_uses(call, music, own, tmp_path):
    small = tmp_path / "small.arff"
    done = call("select", music, "-k", "3", "--label-specific", "2", "--reduced", small)
    assert done.returncode == 0
    assert load(small).X.shape[1] == own.support_.sum()


def test_a_page_shows_labels_and_their_own_features(call, music, tmp_path):
    page = tmp_path / "page.html"
    words = ("-k", "3", "--label-specific", "2", "--splits", "2", "--report", page)
    assert call("select", music, *words).returncode == 0
    text = page.read_text("utf-8")
    assert "What else does each label need?" in text
    assert "entropy that each of its own features explains" in text


def test_own_features_need_all_rows(call, music):
    done = call("select", music, "-k", "3", "--label-specific", "2", "--engine", "dask")
    assert_one_line_error(done, "--label-specific needs all rows in memory")
