"""labelsieve reduce: models by name, and one line for what is wrong."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.selectors.test_by_model import planted


@pytest.fixture
def data(tmp_path):
    X, Y = planted(np.random.default_rng(0), 150, 2)
    frame = pd.DataFrame(X).add_prefix("f")
    labels = pd.DataFrame(Y).add_prefix("tag_")
    path = tmp_path / "data.csv"
    pd.concat([frame, labels], axis=1).to_csv(path, index=False)
    return str(path)


LOGISTIC = ["--model", "LogisticRegression", "--splits", "2", "--labels", "tag_"]


def test_a_model_by_name(call, data, tmp_path):
    found = tmp_path / "features.txt"
    params = ["--model-params", '{"C": 0.5}', "-o", str(found)]
    done = call("reduce", data, *LOGISTIC, *params, "--json")
    assert done.returncode == 0
    told = json.loads(done.out)
    assert told["method"] == "model+logisticregression"
    assert "LogisticRegression(C=0.5" in told["parameters"]["estimator"]
    assert set(told["quality"]["classifiers"]) == {"LogisticRegression"}
    assert told["size_search"]["rule"] == "equivalent"
    assert found.read_text().split() == told["features"]


def test_words_and_a_page(call, data, tmp_path):
    pytest.importorskip("matplotlib")
    page = tmp_path / "page.html"
    done = call("reduce", data, *LOGISTIC, "--tolerance", "0.5", "--report", str(page))
    assert done.returncode == 0
    assert "smallest whose micro-F1 is equivalent" in done.out
    assert "quality on held-out samples" in done.out
    assert "LogisticRegression" in page.read_text("utf-8")


def test_numbers(call, tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 4))
    frame = pd.DataFrame(X).add_prefix("f")
    frame["price"] = X[:, 1] + 0.1 * random.normal(size=80)
    frame["cost"] = X[:, 1] - X[:, 2]
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    words = ["--targets", "price,cost", "--splits", "2", "--tolerance", "0.5"]
    done = call("reduce", str(path), "--model", "Ridge", *words, "--json")
    assert done.returncode == 0
    assert {"f1", "f2"} <= set(json.loads(done.out)["features"])


def test_categories(call, tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3))
    frame = pd.DataFrame(X).add_prefix("f")
    frame["kind"] = np.array(list("abc"))[np.digitize(X[:, 0], [-0.5, 0.5])]
    frame["tag_a"], frame["tag_b"] = (X[:, 0] > 0.5).astype(int), (X[:, 1] > 0) * 1
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    words = ["--labels", "tag_", "--drop", "f0", "--splits", "2", "--json"]
    words += ["--model-params", '{"n_estimators": 5}', "--tolerance", "0.5"]
    done = call("reduce", str(path), *words)
    assert done.returncode == 0
    assert "kind" in json.loads(done.out)["features"]


WRONG = {
    "unknown model 'LogisticRegresion'; did you mean 'LogisticRegression'?": (
        *("--model", "LogisticRegresion"),
    ),
    "unexpected keyword argument 'c'. Expected a JSON object of some of these: ": (
        *("--model", "LogisticRegression", "--model-params", '{"c": 1}'),
    ),
    "--model-params [1] makes no RandomForestClassifier": ("--model-params", "[1]"),
    "--model-params { makes no RandomForestClassifier": ("--model-params", "{"),
    "Expected a model of scikit-learn that is made of no other": (
        *("--model", "MultiOutputClassifier"),
    ),
    "has no importances of features": ("--model", "KNeighborsClassifier"),
    "The 'C' parameter of LogisticRegression must be a float in the range": (
        *("--model", "LogisticRegression", "--model-params", '{"C": -1}'),
    ),
    "Ridge predicts number targets, and y has label targets": ("--model", "Ridge"),
}


@pytest.mark.parametrize("said", WRONG)
def test_what_is_wrong_is_said_in_one_line(call, data, said):
    done = call("reduce", data, "--labels", "tag_", *WRONG[said])
    assert done.returncode == 2
    assert done.out == ""
    assert said in done.err
    assert done.err.count("\n") == 1
