"""Result files that somebody has edited: refused, or computed again."""

import json
import os

import pytest

from labelsieve.cli import main
from labelsieve.experiments import Store, StoreError, read_results, run
from labelsieve.experiments.results import make_results
from tests.fuzz.seeds import plan_of, result_seeds


@pytest.fixture
def folder(tmp_path):
    for name, content in result_seeds()[1].files.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def every_entry(content, place=()):
    """The places of all entries, one of each kind of list."""
    listed = enumerate(content[:1]) if isinstance(content, list) else content.items()
    for key, value in listed:
        yield (*place, key)
        if isinstance(value, dict | list):
            yield from every_entry(value, (*place, key))


def put(content, place, value):
    for key in place[:-1]:
        content = content[key]
    content[place[-1]] = value


def test_what_an_experiment_wrote_is_read(folder):
    assert read_results(folder).to_markdown()


@pytest.mark.parametrize("name", ["results.json", "costs.json"])
@pytest.mark.parametrize(
    "text", ["", "{", "nul", "[1, 2", '{"a": NaN}', "[" * 10_000, "\xff", '"text"', "7"]
)
def test_what_is_no_json_or_something_else(folder, name, text, capsys):
    (folder / name).write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=r"(results|costs)\.json"):
        read_results(folder)
    assert main(["report", str(folder)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("name", ["results.json", "costs.json"])
def test_every_changed_entry_is_noticed(folder, name, capsys):
    whole = (folder / name).read_text()
    for place in every_entry(json.loads(whole)):
        for value in (None, "x", -1, [], {}, 10**400, 1e16):
            content = json.loads(whole)
            put(content, place, value)
            if content == json.loads(whole):
                continue
            (folder / name).write_text(json.dumps(content))
            with pytest.raises(ValueError, match=rf"{name}: not as an experiment"):
                read_results(folder)
    assert main(["report", str(folder)]) == 2
    assert "Run the experiment again" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["results.json", "costs.json"])
def test_spaces_and_the_order_of_entries_do_not_matter(folder, name):
    content = json.loads((folder / name).read_text())
    turned = dict(reversed(content.items()))
    (folder / name).write_text(json.dumps(turned, indent=3))
    assert read_results(folder).to_markdown()


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    plan = plan_of(1)
    cells = list(plan.cells)
    store = Store(tmp_path_factory.mktemp("cells") / "cells.jsonl")
    return plan, cells, run(cells, store), store.path.read_bytes()


EDITS = {
    "measure": lambda r: r["measures"].popitem(),
    "values": lambda r: r["measures"]["macro_f1"].append(1),
    "order": lambda r: r["order"].append(10**6),
    "points": lambda r: r["points"].pop(),
    "cost": lambda r: r.pop("cost"),
    "identity": lambda r: r["cell"].update(seed=7),
    "rows": lambda r: r.update(n_train=0),
    "error": lambda r: r.update(error=[]),
}


@pytest.mark.parametrize("name", EDITS)
def test_edited_cells_are_computed_again(tmp_path, computed, name):
    plan, cells, records, whole = computed
    path = tmp_path / "cells.jsonl"
    lines = [json.loads(line) for line in whole.splitlines()]
    place = next(i for i, line in enumerate(lines) if line["order"])
    EDITS[name](lines[place])
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.warns(UserWarning, match="1 lines are not as they were written"):
        again = run(cells, Store(path))
    assert make_results(plan, again).content == make_results(plan, records).content
    once_more = path.read_bytes()
    run(cells, Store(path))
    assert path.read_bytes() == once_more


@pytest.mark.parametrize("line", [b"[]", b"null", b'{"key": 1}', b"[" * 5000, b"\xff"])
def test_lines_that_are_no_results(tmp_path, line):
    path = tmp_path / "cells.jsonl"
    Store(path).append([{"key": "a"}])
    path.write_bytes(line + b"\n" + path.read_bytes())
    with pytest.warns(UserWarning, match="1 lines are not as they were written"):
        assert Store(path).read() == {"a": {"key": "a"}}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_or_a_folder_instead_of_the_file(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path):
        with pytest.raises(StoreError, match="cannot read results from"):
            Store(path).read()
        with pytest.raises(StoreError, match="cannot write results to"):
            Store(path).append([{"key": "a"}])
