"""Selectors on a real cluster of two worker processes; workers that are killed."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone

import labelsieve.blocks.engine as engine
from distributed import Client, Future, LocalCluster
from labelsieve import FIMF, PMU
from labelsieve.engines import Terms
from labelsieve.selectors.transformations import contingency
from tests.distributed.data import (
    SELECTORS,
    equal_blocks,
    in_blocks,
    in_turn,
    of_unknown_length,
    table,
)

X, Y = table()


@pytest.fixture(scope="module", autouse=True)
def quiet():
    """Workers that are killed fill the log with what the tests provoke."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options, processes=True) as cluster, Client(cluster) as client:
        client.run(os.getpid)
        yield client


def check(name, n_blocks, sparse):
    check_blocks(name, [in_blocks(t, equal_blocks(n_blocks), sparse) for t in (X, Y)])


def check_blocks(name, blocks):
    selector = SELECTORS[name]
    expected = clone(selector).fit(X, Y)
    found = clone(selector).fit(*blocks)
    np.testing.assert_array_equal(found.order_, expected.order_)
    np.testing.assert_allclose(found.scores_, expected.scores_, 1e-9, 1e-14)


@pytest.mark.parametrize(
    ("name", "n_blocks", "sparse"), in_turn(SELECTORS, [2, 7], [False, True])
)
def test_equals_in_memory(client, name, n_blocks, sparse):
    check(name, n_blocks, sparse)


@pytest.mark.parametrize(
    ("name", "n_blocks"), in_turn(["PMU", "FIMF", "Sieve"], [20, 1])
)
def test_one_and_many_blocks(client, name, n_blocks):
    check(name, n_blocks, sparse=n_blocks > 1)


@pytest.mark.parametrize(
    ("name", "sparse"), in_turn(["PMU", "FIMF", "Sieve", "LP"], [False, True])
)
def test_unknown_and_empty_blocks(client, name, sparse):
    lengths = (0, 150, 0, 249, 1)
    blocks = [of_unknown_length(t, lengths, sparse) for t in (X, Y)]
    check_blocks(name, blocks)


def test_counts_are_held_until_they_are_added(client, monkeypatch):
    """Workers have time to drop whatever nobody holds before it is asked for."""

    def run_late(tasks):
        time.sleep(0.5)
        return engine.run(tasks)

    monkeypatch.setattr(contingency, "run", run_late)
    check("LP", 2, sparse=False)


def test_rows_stay_on_the_workers(client, monkeypatch):
    """What comes back from the workers is small: no rows, one set of tables."""
    largest = 0

    def run(tasks, run=engine.run):
        nonlocal largest
        found = run(tasks)
        sizes = [np.size(part) for parts in found for part in parts]
        largest = max([largest, *sizes])
        return found

    monkeypatch.setattr("labelsieve.engines.blocks.run", run)
    rows = np.tile(X, (50, 1)), np.tile(Y, (50, 1))
    FIMF(3).fit(*(in_blocks(t, (5_000,) * 4) for t in rows))
    assert 0 < largest <= X.shape[1] * Y.shape[1]


def test_the_client_of_the_user_is_used(client):
    (kept,) = engine.keep([engine.task(sum, [1, 2])])
    assert engine.run([kept]) == [3]
    assert engine.cluster() is client


def test_no_client_is_started_by_the_library():
    script = (
        "import dask.array as da, numpy as np, sys\n"
        "from labelsieve import PMU\n"
        "PMU(1).fit(da.from_array(np.eye(4)), da.from_array(np.eye(4, dtype=int)))\n"
        "distributed = sys.modules.get('distributed')\n"
        "assert distributed is None or distributed.client._get_global_client() is None"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_worker_is_killed_in_the_middle(client, monkeypatch):
    expected = PMU(6).fit(X, Y)
    picks = []

    def kill_at_the_third(self, feature, go_on=Terms.interaction_with):
        picks.append(feature)
        if len(picks) == 3:
            victim = next(iter(client.run(os.getpid).values()))
            os.kill(victim, signal.SIGKILL)
        return go_on(self, feature)

    monkeypatch.setattr(Terms, "interaction_with", kill_at_the_third)
    found = PMU(6).fit(*(in_blocks(t, equal_blocks(7)) for t in (X, Y)))
    assert len(picks) >= 5
    np.testing.assert_array_equal(found.order_, expected.order_)
    np.testing.assert_allclose(found.scores_, expected.scores_, 1e-9, 1e-14)


def test_all_workers_are_killed(monkeypatch):
    """Workers that nobody starts again: an error says so, soon."""
    monkeypatch.setattr(engine, "PATIENCE_SECONDS", 2.0)
    monkeypatch.setattr(engine, "POLL_SECONDS", 0.5)
    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        workers = [start_worker(cluster.scheduler_address) for _ in range(2)]
        try:
            client.wait_for_workers(2, timeout=60)
            kill = kill_after_second_pick(workers)
            monkeypatch.setattr(Terms, "interaction_with", kill)
            with pytest.raises(ConnectionError, match="no worker for 2 seconds"):
                PMU(6).fit(*(in_blocks(t, equal_blocks(7)) for t in (X, Y)))
        finally:
            for worker in workers:
                worker.kill()
                worker.wait()


def test_work_that_is_cancelled(client):
    slow = in_blocks(X, equal_blocks(2)).map_blocks(slowly, dtype=float)
    before = set(client.futures)
    cancel = threading.Thread(target=cancel_new_work, args=(client, before))
    cancel.start()
    with pytest.raises(ConnectionError, match="Fit again when it is back"):
        PMU(3).fit(slow, in_blocks(Y, equal_blocks(2)))
    cancel.join()


def slowly(block):
    time.sleep(2)
    return block


def cancel_new_work(client, before):
    while not (new := set(client.futures) - before):
        time.sleep(0.05)
    client.cancel([Future(key, client) for key in new])


def start_worker(address):
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address]
    options = ["--no-nanny", "--nthreads", "1", "--no-dashboard"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([*command, *options], **quiet)


def kill_after_second_pick(workers):
    picks = []

    def interaction_with(self, feature, go_on=Terms.interaction_with):
        picks.append(feature)
        if len(picks) == 2:
            for worker in workers:
                worker.kill()
        return go_on(self, feature)

    return interaction_with


def test_a_block_that_kills_its_workers_is_named():
    class Lost:
        status = "error"

        def exception(self):
            from distributed import KilledWorker

            return KilledWorker("task", "worker", 3)

    with pytest.raises(ConnectionError, match="smaller partitions"):
        engine._refuse_lost([Lost()])
