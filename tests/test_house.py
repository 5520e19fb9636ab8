"""Budgets: the size of the source, and what a first fit on a new machine compiles."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import labelsieve

SOURCE = Path(labelsieve.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
MOST_LINES = 40_000
MOST_KERNELS = 60
METHODS = ("Sieve", "FIMF", "PMU")
# Kernels that a first default fit of sparse text may compile.
MOST_COMPILED = 20
# The one place that calls Python's own warnings.warn.
WARNS = "_plumbing/messages.py"


def place(path):
    return path.relative_to(SOURCE).as_posix()


def own_warnings(code):
    """Lines that count stack levels, or that warn without the helper."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call):
            counted = any(word.arg == "stacklevel" for word in node.keywords)
            if counted or ast.unparse(node.func) == "warnings.warn":
                yield node.lineno


def test_the_source_keeps_its_budget():
    lines = [line for path in MODULES for line in path.read_text("utf-8").splitlines()]
    assert len(lines) <= MOST_LINES
    assert sum(line.startswith("@njit") for line in lines) <= MOST_KERNELS


def kernels_of_first_fits(fits, cache):
    """How many kernels each fit and those before it have compiled, in one process."""
    found = subprocess.run(
        [sys.executable, "-c", f"from benchmarks.cold import measure\n{fits}"],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    return [int(line.split()[2]) for line in found.stdout.splitlines()]


@pytest.mark.parametrize("method", METHODS)
def test_a_first_fit_of_text_compiles_little(method, tmp_path):
    (n_compiled,) = kernels_of_first_fits(f"measure('text', {method!r})", tmp_path)
    assert 0 < n_compiled <= MOST_COMPILED


def test_first_fits_of_dense_tables_compile_nothing(tmp_path):
    fits = [
        f"measure({table!r}, {method!r})"
        for table in ("digits", "frame", "unknown")
        for method in METHODS
    ]
    assert kernels_of_first_fits("\n".join(fits), tmp_path) == [0] * len(fits)


def test_warnings_go_through_the_helper():
    found = [
        f"{place(path)}:{line}"
        for path in MODULES
        if place(path) != WARNS
        for line in own_warnings(path.read_text("utf-8"))
    ]
    assert not found


def test_what_warns_is_found():
    assert list(own_warnings("warnings.warn('x')\nf(stacklevel=2)\nwarn('y')")) == [
        1,
        2,
    ]
