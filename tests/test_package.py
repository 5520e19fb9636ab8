"""The package as a whole: what importing costs, what is public, how it compiles."""

import io
import logging
import os
import shutil
import subprocess
import sys
import textwrap

import numba
import numpy as np
import pytest
from sklearn.base import BaseEstimator

import labelsieve
from labelsieve._utils import compile, messages


def run(code, **environment):
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
        print(sorted(name for name in sys.modules if name.startswith("labelsieve")))
    """
    expected = ["[]", "['labelsieve', 'labelsieve._methods']"]
    assert run(code).stdout.splitlines() == expected


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
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'$"):
        _ = labelsieve.nonsense


def test_names_are_listed_once():
    _ = labelsieve.PMU  # what was used is both public and there
    assert len(dir(labelsieve)) == len(set(dir(labelsieve)))


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("Seive", "Sieve"), ("pmu", "PMU"), ("permutation_pvalues", "permutation_p_val")],
)
def test_mistyped_names_are_asked_about(wrong, right):
    with pytest.raises(AttributeError, match=f"did you mean '{right}"):
        getattr(labelsieve, wrong)
    assert not hasattr(labelsieve, wrong)


FIT = """
    import logging
    logging.basicConfig(level=logging.INFO)
    import scipy.sparse as sp
    from labelsieve import PMU
    X = sp.random(900, 400, 0.02, "csr", random_state=0)
    pmu = PMU(2, verbose={}).fit(X, (X[:, :4].toarray() > 0).astype(int))
    print(pmu.order_.tolist(), pmu.scores_.tolist())
"""
TOLD = "labelsieve: compiling PMU for this processor, once (some seconds)\n"


def test_compilation_is_announced_once_and_then_read_from_disk(tmp_path):
    """In the log, and to those who asked for it, with no terminal there, too."""
    first = run(FIT.format(True), NUMBA_CACHE_DIR=str(tmp_path))
    logged = "INFO:labelsieve:compiling PMU for this processor, once\n"
    assert first.stderr.count(logged) == first.stderr.count(TOLD) == 1
    assert "\x1b" not in first.stderr
    second = run(FIT.format(False), NUMBA_CACHE_DIR=str(tmp_path))
    assert "compiling" not in second.stderr
    assert first.stdout == second.stdout


KERNEL = """
from labelsieve._utils import compile, messages
compile.PATIENCE = 0.0
with messages.status("PMU"):
    _ = compile.njit(lambda number: number + 1)(1)

"""


@pytest.mark.parametrize(("options", "said"), [((), 0), (("-i",), 1)])
def test_compilation_is_told_at_the_prompt(tmp_path, options, said):
    """Who sits there is told, wherever that is shown; a script is not."""
    done = subprocess.run(
        [sys.executable, *options],
        input=KERNEL,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert done.stderr.count(TOLD) == said
    assert "\x1b" not in done.stderr


class Watched(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("patience", "silent", "said"), [(0.0, False, 1), (60.0, False, 0), (0.0, True, 0)]
)
def test_compilation_is_told_if_it_takes_long(monkeypatch, patience, silent, said):
    listener = compile._Compiling()
    monkeypatch.setattr(compile, "PATIENCE", patience)
    monkeypatch.setattr(messages, "_silent", silent)
    monkeypatch.setattr(sys, "stderr", Watched())
    with messages.status("PMU"):
        for _ in range(3):
            listener.on_start(None)
            listener.on_start(None)  # a kernel that the other one calls
            listener.on_end(None)
            listener.on_end(None)
    text = sys.stderr.getvalue()
    assert text.count("labelsieve: compiling PMU for this processor, once") == said
    assert messages.current_status() is None


def test_nobody_watches_a_file(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    messages.notify("something")
    assert sys.stderr.getvalue() == ""


def test_seconds_of_compiling_do_not_count(monkeypatch):
    before = compile.working_seconds()
    monkeypatch.setattr(compile._compiling, "seconds", compile._compiling.seconds + 5)
    assert compile.working_seconds() < before


def test_a_cache_folder_that_cannot_be_written_changes_nothing_but_speed(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("a file where numba wants a folder")
    result = run(SMALL_KERNEL, NUMBA_CACHE_DIR=str(blocked / "cache"))
    assert result.stderr.count(NOTHING_KEPT) == 1
    assert result.stdout == "2\n"


# The mechanism is the same for all kernels, and this one is compiled at once.
SMALL_KERNEL = """
    from labelsieve._utils.compile import njit
    print(njit(lambda number: number + 1)(1))
"""
NOTHING_KEPT = "compiled kernels cannot be kept on disk"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit of file sizes")
def test_a_full_disk_is_told_once_and_changes_nothing_but_speed(tmp_path):
    limited = """
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    """
    cache = tmp_path / "cache"
    result = run(limited + SMALL_KERNEL, NUMBA_CACHE_DIR=str(cache))
    assert result.stderr.count(NOTHING_KEPT) == 1
    assert "File too large" in result.stderr
    assert "<string>" in result.stderr  # the line of the user
    assert result.stdout == "2\n"
    assert not [file for file in cache.rglob("*") if ".tmp." in file.name]


def add(first, second):
    return first + second


def test_a_disk_that_cannot_be_written_at_all_is_told_once(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder can be made below")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(compile._Cache, "said", False)
    with pytest.warns(UserWarning, match=NOTHING_KEPT) as caught:
        assert [compile.njit(add)(1, 2) for _ in range(2)] == [3, 3]
    assert [warning.filename for warning in caught] == [__file__]


def test_two_processes_may_compile_the_same_kernel_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    one, other = compile.njit(add), compile.njit(add)
    replace = os.replace

    def let_the_other_compile(source, target):
        monkeypatch.setattr(os, "replace", replace)
        assert other(1.5, 2.0) == 3.5
        replace(source, target)

    monkeypatch.setattr(os, "replace", let_the_other_compile)
    assert one(1, 2) == 3
    again = compile.njit(add)
    assert (again(1.5, 2.0), again(1, 2)) == (3.5, 3)
    assert sum(again.stats.cache_hits.values()) == 2


def test_damaged_code_is_compiled_again(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert compile.njit(add)(1, 2) == 3
    (file,) = tmp_path.rglob("*.nbc")
    content = file.read_bytes()
    for cut in (0, 20, len(content) // 2):
        file.write_bytes(content[:cut])
        assert compile.njit(add)(1, 2) == 3
    again = compile.njit(add)
    assert again(1, 2) == 3
    assert sum(again.stats.cache_hits.values()) == 1


def test_an_edited_kernel_of_another_module_is_compiled_again(tmp_path):
    """And code of sources of long ago is removed."""
    shared = tmp_path / "labelsieve" / "shared_kernels.py"
    package = os.path.dirname(labelsieve.__file__)
    shutil.copytree(package, shared.parent, ignore=shutil.ignore_patterns("*.nbc"))
    source = """
        from labelsieve._utils.compile import njit
        @njit
        def helper(number):
            return number + {}
    """
    caller = shared.with_name("calling_kernels.py")
    caller.write_text(
        "from labelsieve._utils.compile import njit\n"
        "from labelsieve.shared_kernels import helper\n"
        "@njit\n"
        "def caller(number):\n"
        "    return 2 * helper(number)\n"
    )
    code = """
        from labelsieve.calling_kernels import caller
        print(caller(1), sum(caller.stats.cache_hits.values()))
    """
    cache = tmp_path / "cache"
    places = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(cache)}
    # Two edits of a second look alike to Python.
    places["PYTHONDONTWRITEBYTECODE"] = "1"
    for number, hits in [(1, 0), (1, 1), (2, 0), (1, 1), (3, 0), (4, 0), (5, 0)]:
        shared.write_text(textwrap.dedent(source.format(number)))
        assert run(code, **places).stdout.split() == [f"{2 + 2 * number}", f"{hits}"]
    assert len(list(cache.iterdir())) == 1 + compile.OLD_FOLDERS


MODERATE = """
    import sys
    import numpy as np
    import pandas as pd
    from sklearn.datasets import load_digits
    from labelsieve import Discretizer
    from labelsieve.discretization import code_labels
    from labelsieve.reading import read_labels
    random = np.random.default_rng(0)
    X = random.normal(size=(800, 30))
    X[random.random(X.shape) < 0.05] = np.nan
    frame = pd.DataFrame(X).rename(columns="x{}".format)
    frame["colour"] = random.choice(["red", "green", "blue"], 800)
    digits, y = load_digits(return_X_y=True)
    unknown = np.where(X[:, :5] > 0, 1.0, X[:, :5] * 0)
    wide = random.normal(size=(100, 15_000)).astype(np.float32)
    for table in (digits, X, frame, wide):
        for n_bins in (2, 3, 20):
            Discretizer(n_bins).fit_transform(table)
    for labels in (y, unknown, unknown > 0, random.random((5000, 50)) < 0.1):
        code_labels(read_labels(labels, labels))
    print("numba" in sys.modules)
"""


def test_tables_of_moderate_size_are_coded_without_compiling():
    assert run(MODERATE).stdout.split() == ["False"]


EVERYTHING = """
    import numpy as np
    import scipy.sparse as sp
    from labelsieve import FIMF, PMU, MLkNN, Sieve, make_selector
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 5))
    Y = (X[:, :3] + rng.normal(size=(70, 3)) > 0).astype(int)
    for table in (X, X > 0, sp.csr_matrix(X > 0.8), np.digitize(X, [0.0, 1.0])):
        for selector in (PMU(3), FIMF(3), Sieve(3), make_selector("br+relieff")):
            print(selector.fit(table, Y).scores_.tolist())
        print(MLkNN(3).fit(table, Y).predict(table).sum(axis=0).tolist())
"""


def test_kernels_run_as_plain_python():
    slow = run(EVERYTHING, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="error")
    assert slow.stdout == run(EVERYTHING).stdout


def test_files_are_read_by_plain_python(tmp_path):
    """With bytes that wrap around, as in C."""
    file = tmp_path / "large.csv"
    lines = (f"{i / 7},{i % 3},{i % 2}" for i in range(12_000))
    file.write_text("\n".join(["a,b,label", *lines]))
    code = f"""
    from labelsieve.datasets import load
    data = load({str(file)!r}, labels=["label"])
    print(data.X.sum(axis=0).tolist(), data.Y.sum())
    """
    slow = run(code, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="error")
    assert slow.stdout == run(code).stdout


def test_the_library_does_not_configure_logging():
    assert not logging.getLogger("labelsieve").handlers
    assert np.isfinite(labelsieve.FIMF().fit([[0], [1]], [0, 1]).scores_).all()
