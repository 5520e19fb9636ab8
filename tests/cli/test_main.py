"""What all commands promise: help, exit codes, one-line errors, clean pipes."""

import contextlib
import ctypes
import fcntl
import importlib
import io
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.conftest import assert_one_line_error, command_line

from labelsieve.cli import _describe, main
from labelsieve.datasets import save

COMMANDS = (
    "demo",
    "select",
    "describe",
    "convert",
    "methods",
    "compare",
    "report",
    "reproduce",
)
# Number of the system call on x86-64, and the file that is read or written.
READ_FROM_INPUT, WRITE_TO_OUTPUT = ["0", "0x0"], ["1", "0x1"]


def test_output_that_takes_text_only():
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(["methods"]) == 0
    assert "sieve" in out.getvalue()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(command, capsys):
    assert main([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert "examples:" in out
    assert f"labelsieve {command}" in out
    assert max(map(len, out.splitlines())) <= 88


def test_help_and_version(cli):
    help = cli("--help")
    assert help.returncode == 0
    assert all(command in help.out for command in COMMANDS)
    version = cli("--version")
    assert version.out.startswith("labelsieve 0.")


def test_help_is_light():
    code = (
        "import sys, labelsieve.cli; "
        "heavy = {'numpy', 'sklearn', 'numba', 'matplotlib', 'jinja2'}; "
        "sys.exit(len(heavy & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("no-such-command",),
        ("select",),
        ("select", "x.arff", "--no-such-option"),
        ("select", "x.arff", "-k", "many"),
        ("select", "x.arff", "-k", "0"),
        ("select", "x.arff", "-k", "1.5"),
        ("select", "x.arff", "-k", "cv-2se"),
        ("select", "--stability", "x.arff"),
        ("select", "x.arff", "--p-values", "1"),
        ("select", "x.arff", "--jobs", "two"),
        ("select", "x.arff", "--set", "n_bins"),
        ("compare", "x.arff", "--sizes", "5-1"),
        ("compare", "x.arff", "--sizes", "1-99999999999"),
        ("compare", "x.arff", "--sizes", "1-999999999999999999999999"),
        ("compare", "x.arff", "--sizes", "1,99999999999"),
        ("compare", "x.arff", "--methods", ","),
        ("convert", "x.arff", "-", "--to", "docx"),
        ("reproduce", "unknown"),
    ],
)
def test_bad_options_are_one_line(words, capsys):
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("labelsieve")
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_that_a_command_does_not_have(command, call):
    needed = {"convert": ("a.arff", "b.csv"), "reproduce": ("pmu",)}
    words = {"demo": (), "methods": (), **needed}.get(command, ("x.arff",))
    assert_one_line_error(call(command, *words, "--no-such-option"), "--help")


def test_a_bad_option_through_the_executable(cli):
    assert_one_line_error(cli("methods", "--no-such-option"), "--help")


@pytest.mark.parametrize("command", ["select", "describe", "convert", "compare"])
def test_broken_file(command, call, broken, tmp_path):
    out = tmp_path / "out.csv"
    rest = {"convert": [out], "compare": ["-o", out]}.get(command, [])
    assert_one_line_error(call(command, broken, *rest), "broken.arff")


def test_a_broken_file_through_the_executable(cli, broken):
    assert_one_line_error(cli("describe", broken), "broken.arff")


@pytest.mark.parametrize("command", ["select", "describe", "convert", "compare"])
def test_missing_file(command, call, tmp_path):
    rest = {
        "convert": [tmp_path / "out.csv"],
        "compare": ["-o", tmp_path / "out"],
    }.get(command, [])
    assert_one_line_error(call(command, tmp_path / "none.arff", *rest), "none.arff")


@pytest.mark.parametrize("labels", ["tags", "a,b", "x.xml"])
@pytest.mark.parametrize("suffix", [".svm", ".csv"])
def test_labels_that_a_format_does_not_have(labels, suffix, call, dataset, tmp_path):
    save(dataset, tmp_path / f"data{suffix}")
    done = call("describe", tmp_path / f"data{suffix}", "--labels", labels)
    assert_one_line_error(done, "label")


def test_debug_shows_the_traceback(call, broken):
    done = call("describe", broken, "--debug")
    assert done.returncode == 2
    assert "Traceback" in done.err


def test_internal_error_is_one(monkeypatch, capsys):
    def fail(arguments):
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(_describe, "run_methods", fail)
    assert main(["methods"]) == 1
    err = capsys.readouterr().err
    assert "internal error: RuntimeError: two lines" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "words", [("select", "-"), ("describe", "-"), ("convert", "-", "out.csv")]
)
def test_interrupted_while_reading(words, tmp_path):
    process = start(*words, cwd=tmp_path, stdin=subprocess.PIPE)
    _wait_for_call(process.pid, READ_FROM_INPUT)
    assert_interrupts(process)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "words",
    [
        ("methods", "--json"),
        ("report", "RESULTS", "-o", "-"),
        ("convert", "builtin:segments", "-", "--to", "csv"),
    ],
)
def test_interrupted_while_nobody_reads(words, results, tmp_path):
    words = [str(results[0]) if word == "RESULTS" else word for word in words]
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    process = start(*words, cwd=tmp_path, stdout=write)
    os.close(write)
    _wait_for_call(process.pid, WRITE_TO_OUTPUT)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    os.close(read)
    assert err == b"labelsieve: interrupted\n"
    assert process.returncode == 130


@pytest.mark.parametrize(
    "words",
    [
        ("demo",),
        ("compare", "MUSIC", "--splits", "500"),
        ("select", "MUSIC", "--quality", "--splits", "500"),
        ("select", "MUSIC", "--stability", "100000", "--jobs", "2"),
        ("select", "MUSIC", "--p-values", "100000", "--jobs", "2"),
        ("reproduce", "pmu", "--data-folder", "."),
    ],
)
def test_interrupted_while_working(words, music, dataset, tmp_path):
    words = [str(music) if word == "MUSIC" else word for word in words]
    (tmp_path / "yeast").mkdir()
    save(dataset, tmp_path / "yeast" / "yeast.arff")
    process = start(*words, cwd=tmp_path)
    _wait_until_it_works(process.pid)
    assert_interrupts(process)


INTERRUPTED_AT_IMPORT = """
import signal, sys
from labelsieve.cli import main

class Trap:
    def find_spec(self, name, path, target=None):
        if name == sys.argv[1]:
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Trap())
sys.exit(main(["select", "builtin:segments", "-k", "3"]))
"""


HALF_MADE_WHEN_INTERRUPTED = """
import signal, sys
from labelsieve.cli import main

class HalfMade:
    def __del__(self):
        self.what_init_would_have_made

class Trap:
    def find_spec(self, name, path, target=None):
        if name == "labelsieve.cli._select":
            sys.meta_path.remove(self)
            try:
                signal.raise_signal(signal.SIGINT)
            finally:
                HalfMade()  # is freed now

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Trap())
freed_at_the_end = HalfMade()
sys.exit(main(["select", "builtin:segments", "-k", "3"]))
"""


def test_what_an_interrupt_left_half_made_says_nothing():
    words = [sys.executable, "-c", HALF_MADE_WHEN_INTERRUPTED]
    done = subprocess.run(words, capture_output=True)
    assert (done.stdout, done.stderr) == (b"", b"labelsieve: interrupted\n")
    assert done.returncode == 130


@pytest.mark.parametrize(
    "module",
    [
        "labelsieve.cli._interrupts",
        "labelsieve.cli._main",
        "argparse",
        "labelsieve.cli._select",
        "labelsieve.datasets",
        "numpy",
        "scipy.sparse",
        "sklearn",
    ],
)
def test_interrupted_while_importing(module):
    words = [sys.executable, "-c", INTERRUPTED_AT_IMPORT, module]
    done = subprocess.run(words, capture_output=True)
    assert (done.stdout, done.stderr) == (b"", b"labelsieve: interrupted\n")
    assert done.returncode == 130


INTERRUPTED_IN_EXEC = """
import signal, sys
from labelsieve.cli import _describe, main

def run(arguments):
    exec("signal.raise_signal(signal.SIGINT)")

_describe.run_methods = run
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(["methods"]))
"""


def test_interrupted_in_text_that_is_run():
    """Python would end by the signal, whoever catches the KeyboardInterrupt."""
    words = [sys.executable, "-c", INTERRUPTED_IN_EXEC]
    done = subprocess.run(words, capture_output=True)
    assert done.stderr == b"labelsieve: interrupted\n"
    assert done.returncode == 130


@pytest.fixture
def interruptible():
    """A shell that runs the tests in the background has them ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_in_disguise(interruptible, monkeypatch, capsys):
    def load(arguments):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as error:
            raise ImportError("initialization failed") from error

    monkeypatch.setattr(_describe, "run_methods", load)
    assert main(["methods"]) == 130
    assert capsys.readouterr().err == "labelsieve: interrupted\n"


def test_an_interrupt_that_an_import_swallows(interruptible, monkeypatch, capsys):
    def load(arguments):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        importlib.import_module("another_module")

    monkeypatch.setattr(_describe, "run_methods", load)
    found = list(sys.meta_path)
    assert main(["methods"]) == 130
    assert capsys.readouterr().err == "labelsieve: interrupted\n"
    assert sys.meta_path == found


def test_an_interrupt_in_a_callback_from_c(interruptible, monkeypatch, capsys):
    """Where it cannot be raised, it is raised a moment later."""

    def work(arguments):
        interrupt = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))
        interrupt()
        end = time.monotonic() + 10
        while time.monotonic() < end:  # one long sleep would not be woken up
            time.sleep(0.01)

    monkeypatch.setattr(_describe, "run_methods", work)
    assert main(["methods"]) == 130
    assert capsys.readouterr().err == "labelsieve: interrupted\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def start(*words, **places):
    return subprocess.Popen(
        command_line(*words),
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **places},
        preexec_fn=heed_interrupts,
    )


def heed_interrupts():
    """Undo what a shell does that runs the tests in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def assert_interrupts(process):
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert err == b"labelsieve: interrupted\n"
    # What was selected by then, and was only to be measured, is there as a whole.
    assert out == b"" or out.startswith(b"music: 1 of 10 features selected")
    assert out == b"" or out.endswith(b"%).\n")
    assert process.returncode == 130


def _wait_until_it_works(pid):
    """Wait until all is imported: some libraries swallow an interrupt while loading."""
    maps, end = Path(f"/proc/{pid}/maps"), time.monotonic() + 20
    if not maps.exists():
        time.sleep(4)
        return
    loaded, since = 0, time.monotonic()
    while time.monotonic() < end and time.monotonic() - since < 1:
        time.sleep(0.05)
        text = maps.read_text()
        if text.count(".so") != loaded or "sklearn" not in text:
            loaded, since = text.count(".so"), time.monotonic()


def _wait_for_call(pid, wanted):
    """Wait until the process is in a system call; where that is hidden, long enough."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            call = Path(f"/proc/{pid}/syscall").read_text().split()
        except OSError:
            call = []
        if call[:2] == wanted:
            return
        time.sleep(0.05)


@pytest.mark.parametrize(
    "words",
    [
        ("methods", "--json"),
        ("select", "builtin:segments", "-k", "2"),
        ("convert", "builtin:segments", "-", "--to", "csv"),
    ],
)
def test_a_closed_pipe_and_the_end_of_the_process(words):
    read, write = os.pipe()
    os.close(read)
    words = command_line(*words)
    done = subprocess.run(words, stdout=write, stderr=subprocess.PIPE, timeout=120)
    os.close(write)
    assert done.returncode == 0
    assert done.stderr == b""


@pytest.mark.parametrize(
    "words",
    [
        ("describe", "builtin:segments"),
        ("select", "builtin:segments", "-k", "2", "-o", "-"),
        ("compare", "MUSIC", "-m", "fimf", "--splits", "2", "--sizes", "1,2"),
        ("report", "RESULTS"),
        ("report", "RESULTS", "-o", "-"),
        ("reproduce", "pmu", "--quick", "--data-folder", "."),
        ("demo",),
    ],
)
def test_closed_pipe(words, call_into, music, dataset, results, tmp_path, monkeypatch):
    places = {"MUSIC": str(music), "RESULTS": str(results[0])}
    words = [places.get(word, word) for word in words]
    (tmp_path / "yeast").mkdir()
    save(dataset, tmp_path / "yeast" / "yeast.arff")
    monkeypatch.setattr(_describe, "N_SPLITS", 2)
    monkeypatch.setenv("LABELSIEVE_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    read, write = os.pipe()
    os.close(read)
    done = call_into(write, *words)
    os.close(write)
    assert done.returncode == 0
    assert done.err == ""


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_progress_on_a_terminal_only(quiet, music, tmp_path):
    watcher, terminal = pty.openpty()
    words = ("-k", "cv", "--stability", "5", "--p-values", "5", *quiet)
    done = subprocess.run(
        command_line("select", music, *words),
        stdout=subprocess.PIPE,
        stderr=terminal,
        timeout=120,
    )
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):  # the end of a terminal that has been closed
        while part := os.read(watcher, 4096):
            shown += part
    os.close(watcher)
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    for title in (b"SizeCV: 5 of 5", b"StabilitySelection: 5 of 5", b"permutations: 5"):
        assert (title in shown) == (not quiet)


def test_terminal_that_speaks_no_unicode(cli, music):
    done = cli("select", music, env={"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
