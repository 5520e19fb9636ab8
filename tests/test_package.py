"""The package as a whole: what importing costs, what is public, how it compiles."""

import logging
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import labelsieve


def run(code, **environment):
    import os

    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )


def test_importing_is_light():
    code = """
        import sys
        import labelsieve
        heavy = {"numba", "matplotlib", "pandas", "dask", "sklearn", "numpy"}
        print(sorted(heavy & set(sys.modules)))
    """
    assert run(code).stdout.strip() == "[]"


def test_importing_the_rooms_does_not_load_numba_or_matplotlib():
    code = """
        import sys
        import labelsieve.datasets, labelsieve.information, labelsieve.selectors
        print(sorted({"numba", "matplotlib", "dask"} & set(sys.modules)))
    """
    assert run(code).stdout.strip() == "[]"


def test_public_names_are_sorted_documented_and_there():
    assert labelsieve.__all__ == sorted(labelsieve.__all__)
    assert set(labelsieve.__all__) <= set(dir(labelsieve))
    for name in labelsieve.__all__:
        thing = getattr(labelsieve, name)
        assert thing.__doc__, name
        if isinstance(thing, type) and issubclass(thing, BaseEstimator):
            thing()  # every estimator can be made without arguments
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = labelsieve.nonsense


FIT = """
    import logging
    logging.basicConfig(level=logging.INFO)
    from labelsieve import PMU
    pmu = PMU(2).fit([[0, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 0]], [0, 1, 0, 1])
    print(pmu.order_.tolist(), pmu.scores_.tolist())
"""


def test_compilation_is_announced_once_and_then_read_from_disk(tmp_path):
    first = run(FIT, NUMBA_CACHE_DIR=str(tmp_path))
    assert first.stderr.count("compiling kernels for this machine") == 1
    second = run(FIT, NUMBA_CACHE_DIR=str(tmp_path))
    assert "compiling" not in second.stderr
    assert first.stdout == second.stdout


def test_a_cache_folder_that_cannot_be_written_changes_nothing_but_speed(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("a file where numba wants a folder")
    result = run(FIT, NUMBA_CACHE_DIR=str(blocked / "cache"))
    X = [[0, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 0]]
    pmu = labelsieve.PMU(2).fit(X, [0, 1, 0, 1])
    assert result.stdout.strip() == f"{pmu.order_.tolist()} {pmu.scores_.tolist()}"


def test_the_library_does_not_configure_logging():
    assert not logging.getLogger("labelsieve").handlers
    assert np.isfinite(labelsieve.FIMF().fit([[0], [1]], [0, 1]).scores_).all()
