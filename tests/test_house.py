"""Budgets: the size of the source, and what a first fit on a new machine compiles."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import labelsieve

SOURCE = Path(labelsieve.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
MOST_LINES = 42_350
MOST_KERNELS = 33
METHODS = ("Sieve", "FIMF", "PMU")
# Kernels that first default fits of sparse text by all of them may compile.
MOST_COMPILED = 20
# The one place that calls Python's own warnings.warn.
WARNS = "_utils/messages.py"


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


def test_no_class_name_stands_twice():
    names = Counter(
        node.name
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert not [name for name, n in names.items() if n > 1]


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


def test_first_fits_of_text_compile_little(tmp_path):
    fits = "\n".join(f"measure('text', {method!r})" for method in METHODS)
    assert all(0 < n <= MOST_COMPILED for n in kernels_of_first_fits(fits, tmp_path))


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
