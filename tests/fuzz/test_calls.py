"""Some random calls with each run; `python -m tests.fuzz.calls` makes many."""

from __future__ import annotations

import pytest

from tests.fuzz.calls import run

CALLS, PARTS = 300, 10


@pytest.mark.parametrize("part", range(PARTS))
def test_every_call_is_a_result_or_an_error_that_is_meant(part):
    """Part by part, so that the parts may run beside each other."""
    outcomes, failures = run(range(part, CALLS, PARTS))
    assert not failures, "\n\n".join(failures)
    assert outcomes["result"] > 0
    assert outcomes["ValueError"] > 0
