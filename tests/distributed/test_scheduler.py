"""A Dask scheduler that ends is told in one line, soon."""

import contextlib
import logging
import os
import signal
import subprocess
import sys
import time

import pytest

from distributed import Client
from labelsieve import PMU
from labelsieve.blocks.engine import RUNNING
from tests.distributed.data import equal_blocks, in_blocks, table

X, Y = table()
LOST = "connection to the Dask scheduler .* was lost.* Fit again when it is back"


@pytest.fixture
def doomed(tmp_path):
    """A cluster of three processes, and the client of its scheduler."""
    file = str(tmp_path / "scheduler.json")
    words = ("dask_scheduler", "--port", "0", "--no-dashboard")
    scheduler = start_process(*words, "--scheduler-file", file)
    words = ("dask_worker", "--no-nanny", "--nthreads", "1", "--no-dashboard")
    worker = start_process(*words, "--scheduler-file", file)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    client = Client(scheduler_file=file, timeout=60)
    try:
        client.wait_for_workers(1, timeout=60)
        yield scheduler, client
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
        client.close(timeout=1)


def ended(block, process):
    """The block, after the end of a process."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    time.sleep(1)
    return block


def test_the_scheduler_ends_while_it_works(doomed):
    lazy = in_blocks(X, equal_blocks(4)).map_blocks(ended, doomed[0].pid, dtype=float)
    begin = time.monotonic()
    with pytest.raises(ConnectionError, match=LOST):
        PMU(3).fit(lazy, in_blocks(Y, equal_blocks(4)))
    assert time.monotonic() - begin < 20


@pytest.mark.parametrize("is_known", [False, True])
def test_the_scheduler_has_ended(doomed, is_known):
    scheduler, client = doomed
    scheduler.kill()
    scheduler.wait()
    while is_known and client.status == RUNNING:
        time.sleep(0.02)
    begin = time.monotonic()
    with pytest.raises(ConnectionError, match=LOST):
        PMU(3).fit(*(in_blocks(t, equal_blocks(4)) for t in (X, Y)))
    assert time.monotonic() - begin < 20


def start_process(module, *options):
    command = [sys.executable, "-m", f"distributed.cli.{module}", *options]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, **quiet)
