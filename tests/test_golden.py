"""Golden values are what the naive versions say."""

import json

import pytest

from tests.golden import make


def test_toy_values_are_those_of_the_naive_versions(capsys):
    assert make.main(["toy", "--check"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("check", [True, False])
def test_other_values_are_told_and_replaced(check, tmp_path, monkeypatch, capsys):
    kept = json.loads((make.FOLDER / "toy.json").read_text())
    other = json.loads(json.dumps(kept))
    other["mlqpfs"]["c_nat"][1] += 1e-9
    path = tmp_path / "toy.json"
    path.write_text(json.dumps(other))
    monkeypatch.setattr(make, "FOLDER", tmp_path)
    assert make.main(["toy", *(["--check"] if check else [])]) == int(check)
    assert "toy.json: /mlqpfs/c_nat/1: 0.54" in capsys.readouterr().err
    found = json.loads(path.read_text())
    assert (found == other) == check
    if not check:
        assert list(found) == list(kept)
        assert list(make.differences(found, kept)) == []
