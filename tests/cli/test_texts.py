"""labelsieve on texts with tags: words are features."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import assert_one_line_error

from labelsieve.datasets import load

WITH_TAGS = ("--labels", "tags", "--separator", ";")


@pytest.fixture(scope="module")
def posts(tmp_path_factory):
    """Posts whose words tell their tags, and whose score tells 'liked'."""
    random = np.random.default_rng(3)
    plant, car, liked = random.integers(0, 2, (3, 120)).tolist()
    rows = []
    for row in range(120):
        words = random.choice(["the", "a", "one", "some"], 3).tolist()
        words += ["rose"] * plant[row] + ["wheel"] * car[row]
        tags = ["plant"] * plant[row] + ["wheel"] * car[row] + ["liked"] * liked[row]
        rows.append(
            {
                "title": "Old car" if car[row] else "New thing",
                "body": " ".join(words),
                "score": 10 * liked[row] + random.normal(),
                "tags": ";".join(tags),
            }
        )
    file = tmp_path_factory.mktemp("posts") / "posts.csv"
    pd.DataFrame(rows).to_csv(file, index=False)
    return file


def test_words_are_chosen(call, posts):
    options = (*WITH_TAGS, "-k", "3", "--json", "--drop", "title")
    done = call("select", posts, "--text", "body", *options)
    assert done.returncode == 0
    found = json.loads(done.out)
    assert set(found["features"]) == {"rose", "wheel", "score"}
    told = {one["name"]: one["labels"][0]["label"] for one in found["explanation"]}
    assert told == {"rose": "plant", "wheel": "label:wheel", "score": "liked"}


def test_several_texts(call, posts):
    words = ("--text", "title", "--text", "body", "--min-df", "0.3", "--ngrams", "2")
    done = call("select", posts, *words, *WITH_TAGS, "-k", "1.0", "--json", "--quiet")
    names = set(json.loads(done.out)["features"])
    assert {"score", "title:old car", "body:rose"} <= names
    assert not any(name.startswith("body:") and " " in name for name in names)


def test_chosen_words_are_written(call, posts, tmp_path):
    small = tmp_path / "small.arff"
    options = ("-k", "2", "--reduced", small, "-o", tmp_path / "ranking.csv")
    assert call("select", posts, "--text", "body", *WITH_TAGS, *options).returncode == 0
    again = load(small)
    assert again.X.shape == (120, 2)
    assert again.label_names == ("liked", "plant", "label:wheel")


def test_compared_and_converted(call, posts, tmp_path):
    words = ("compare", posts, "--text", "body", *WITH_TAGS, "-m", "fimf")
    words = (*words, "--splits", "1", "--sizes", "1,2", "-o", tmp_path / "results")
    done = call(*words, "--full")
    assert done.returncode == 0
    assert "| posts | 120 |" in done.out
    done = call("convert", posts, tmp_path / "posts.arff", *WITH_TAGS, "--min-rows", 2)
    assert done.returncode == 0
    assert load(tmp_path / "posts.arff").label_names == ("liked", "plant", "wheel")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--text", "nope", *WITH_TAGS), "has no feature 'nope'"),
        (("--text", "score", *WITH_TAGS), "'score' holds numbers"),
        (("--text", "body", "--min-df", "121", *WITH_TAGS), "no word is in 121 rows"),
        (("--labels", "tags"), "pass --separator, what stands between"),
        (("--separator", ";"), "--separator needs a text, and --labels that"),
        ((*WITH_TAGS, "--min-rows", "121"), "no label has 121 rows"),
        ((*WITH_TAGS, "--text", "body", "--engine", "dask"), "--text needs all rows"),
    ],
)
def test_what_does_not_go(call, posts, words, message):
    assert_one_line_error(call("select", posts, *words), message)


def test_tags_on_dask(call, posts, tmp_path):
    frame = pd.read_csv(posts, keep_default_na=False).drop(columns="body")
    frame.to_parquet(tmp_path / "posts.parquet")
    words = (tmp_path, *WITH_TAGS, "-k", "2", "--json", "--engine", "dask")
    done = call("select", *words)
    assert set(json.loads(done.out)["features"]) == {"title", "score"}
