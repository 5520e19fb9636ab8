import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config

from labelsieve.cli import main
from labelsieve.experiments import Method, Store, run
from labelsieve.experiments import cells as cells_module
from labelsieve.experiments import runner as runner_module
from labelsieve.experiments.results import make_results
from labelsieve.experiments.runner import make_plan
from tests.experiments.conftest import small_design

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
# Newer Pythons warn of forks where threads run; the children here wait for none.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@pytest.fixture
def cells(plan):
    return list(plan.cells)


@pytest.fixture
def count_computed(monkeypatch):
    computed = []
    original = runner_module.run_cells

    def counted(cells):
        computed.extend(cell.key for cell in cells)
        return original(cells)

    monkeypatch.setattr(runner_module, "run_cells", counted)
    return computed


def table_of(plan, store_path):
    """The bytes of the result table, as they would be written."""
    records = run(list(plan.cells), Store(store_path))
    folder = store_path.parent / "written"
    make_results(plan, records).write(folder)
    return {
        name: (folder / name).read_bytes() for name in ("results.json", "results.md")
    }


@pytest.fixture(scope="module")
def uninterrupted(data_folder, tmp_path_factory):
    plan = make_plan(small_design(data_folder))
    return table_of(plan, tmp_path_factory.mktemp("whole") / "cells.jsonl")


def test_no_cell_is_computed_twice(cells, tmp_path, count_computed):
    store = tmp_path / "cells.jsonl"
    run(cells[:10], Store(store))
    run(cells, Store(store))
    assert len(count_computed) == len(set(count_computed)) == len(cells)
    before = store.read_bytes()
    run(cells, Store(store))
    assert len(count_computed) == len(cells)
    assert store.read_bytes() == before


def test_classifiers_share_a_selection(cells, tmp_path, monkeypatch):
    from labelsieve.experiments import cells as cells_module

    calls = []
    original = cells_module.rank_features
    monkeypatch.setattr(
        cells_module,
        "rank_features",
        lambda *args: calls.append(args) or original(*args),
    )
    run(cells, Store(tmp_path / "cells.jsonl"))
    assert len(calls) == len(cells) / 2


def test_a_failing_cell_is_recorded_and_stops_nothing(cells, tmp_path, count_computed):
    bad = replace(cells[0], selector=Method("fimf", {"n_bins": -3}))
    path = tmp_path / "cells.jsonl"
    records = run([bad, *cells], Store(path))
    assert "error" in records[0]
    assert all("measures" in record for record in records[1:])
    run([bad], Store(path))
    assert count_computed.count(bad.key) == 1
    run([bad], Store(path), retry_failed=True)
    assert count_computed.count(bad.key) == 2


def test_two_processes_give_the_same_table(plan, tmp_path, uninterrupted):
    path = tmp_path / "two" / "cells.jsonl"
    run(list(plan.cells), Store(path), n_jobs=2)
    assert table_of(plan, path) == uninterrupted


def test_order_of_lines_does_not_matter(plan, tmp_path, uninterrupted):
    path = tmp_path / "shuffled" / "cells.jsonl"
    cells = list(plan.cells)
    run(cells, Store(path))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(np.random.default_rng(0).permutation(lines).tolist()))
    assert table_of(plan, path) == uninterrupted


def test_the_kind_of_workers_does_not_depend_on_joblib(plan, tmp_path, uninterrupted):
    path = tmp_path / "threading" / "cells.jsonl"
    with parallel_config(backend="threading"):
        run(list(plan.cells), Store(path), n_jobs=2)
    assert table_of(plan, path) == uninterrupted


@posix
def test_killed_at_random_moments_one_process(plan, tmp_path, uninterrupted):
    path = tmp_path / "killed" / "cells.jsonl"
    _kill_often(plan, path, n_kills=20, n_jobs=1, longest=0.15)
    assert table_of(plan, path) == uninterrupted


@posix
def test_killed_at_random_moments_two_runners(plan, tmp_path, uninterrupted):
    path = tmp_path / "killed" / "cells.jsonl"
    rivals = [
        threading.Thread(target=_kill_often, args=(plan, path, 10, 1, 0.2, seed))
        for seed in (1, 2)
    ]
    for rival in rivals:
        rival.start()
    for rival in rivals:
        rival.join()
    assert table_of(plan, path) == uninterrupted


@posix
def test_killed_at_random_moments_two_processes(data_folder, tmp_path):
    """A few kills, or as many as LABELSIEVE_KILLS says: starting again takes long."""
    random = np.random.default_rng(0)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    begin = time.monotonic()
    assert main(_words(data_folder, whole, n_jobs=1)) == 0
    longest = time.monotonic() - begin
    cells = killed / "cells.jsonl"
    for delay in random.uniform(0, 0.5, int(os.environ.get("LABELSIEVE_KILLS", 2))):
        before = _n_lines(cells)
        command = _command(data_folder, killed, n_jobs=2)
        # While it only starts, there is nothing to lose.
        while command.poll() is None and _n_lines(cells) == before:
            time.sleep(0.01)
        time.sleep(delay * longest)
        command.kill()
        command.wait()
    assert main(_words(data_folder, killed, n_jobs=2)) == 0
    for name in ("results.json", "results.md"):
        assert (killed / name).read_bytes() == (whole / name).read_bytes()


@posix
def test_interrupting_keeps_what_is_finished(data_folder, tmp_path):
    command = _command(data_folder, tmp_path, n_jobs=2, stderr=subprocess.PIPE)
    cells = tmp_path / "cells.jsonl"
    # A line that is seen may still be on its way to the disk, and is then taken back.
    while command.poll() is None and _n_lines(cells) < 3:
        time.sleep(0.01)
    os.killpg(command.pid, signal.SIGINT)  # what Ctrl-C does: all of them get it
    _, said = command.communicate()
    assert command.returncode == 130
    assert said.endswith(b"labelsieve: interrupted\n")
    assert len(Store(cells).read()) >= 2


def _n_lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _words(folder, out, n_jobs):
    words = ["compare", str(folder / "first.csv"), "--methods", "fimf,br+chi2"]
    return [*words, "--splits", "12", "--jobs", str(n_jobs), "--output", str(out)]


def _command(folder, out, n_jobs, **options):
    """An experiment that takes some seconds, as people start it."""
    call = [sys.executable, "-m", "labelsieve", *_words(folder, out, n_jobs)]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    # A shell that runs the tests in the background has their children ignore Ctrl-C.
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    options = {**silent, "start_new_session": True, "preexec_fn": heed, **options}
    return subprocess.Popen(call, **options)


def _kill_often(plan, path, n_kills, n_jobs, longest, seed=0):
    """Start the run and kill it, again and again, with what it has left behind."""
    random = np.random.default_rng(seed)
    for delay in random.uniform(0, longest, n_kills):
        child = _start(plan, path, n_jobs)
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _start(plan, path, n_jobs):
    child = os.fork()
    if child == 0:
        try:
            cells = list(plan.cells)
            run(cells, Store(path), n_jobs=n_jobs)
        finally:
            os._exit(0)
    return child


def test_what_is_done_of_a_group_is_kept_when_it_is_interrupted(
    cells, tmp_path, monkeypatch
):
    """Cells that share a selection are computed together, and stored one by one."""
    group = [replace(cells[0], classifier=Method(name)) for name in ("mlnb", "brknn")]
    original = cells_module._evaluate

    def interrupted(cell, selection):
        if cell.classifier.name == "brknn":
            raise KeyboardInterrupt
        return original(cell, selection)

    monkeypatch.setattr(cells_module, "_evaluate", interrupted)
    store = Store(tmp_path / "cells.jsonl")
    with pytest.raises(KeyboardInterrupt):
        run(group, store)
    assert Store(store.path).read().keys() == {group[0].key}
