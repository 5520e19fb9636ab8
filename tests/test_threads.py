"""Threads: results in order, errors as they are, and nothing left running."""

import gc
import signal
import threading

import numpy as np
import pytest

from labelsieve._utils.machine import run_in_threads


@pytest.mark.parametrize("n_jobs", [1, 2, 5, -1])
def test_results_are_in_the_order_of_the_tasks(n_jobs):
    assert run_in_threads(str, range(40), n_jobs) == [str(i) for i in range(40)]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_comes_through_and_drops_what_has_not_started(n_jobs):
    done = []

    def fail(task):
        if task == 3:
            raise ValueError("three")
        done.append(task)

    with pytest.raises(ValueError, match="three"):
        run_in_threads(fail, range(1000), n_jobs)
    assert len(done) < 1000


@pytest.fixture
def no_garbage():
    """Collecting it runs code that would swallow an interrupt."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
def test_no_task_outlives_an_interrupted_call(no_garbage):
    caller, waiting, helping = threading.get_ident(), False, []

    def work(task):
        if threading.get_ident() != caller:
            helping.append(task)
        sum(range(3000))
        if threading.get_ident() != caller:
            helping.pop()

    def interrupt(number, frame):
        if waiting:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    n_interrupted = 0
    for delay in np.random.default_rng(0).uniform(1e-6, 6e-4, 2000):
        try:
            waiting = True
            signal.setitimer(signal.ITIMER_REAL, delay)
            run_in_threads(work, range(6), 2)
            waiting = False
        except KeyboardInterrupt:
            waiting = False
            n_interrupted += 1
            assert not helping
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    assert n_interrupted > 100
