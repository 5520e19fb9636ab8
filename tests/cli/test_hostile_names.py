"""Names that would control a terminal are shown without doing so, by every command."""

import contextlib
import io
import json
import os
import pty
import shutil
import subprocess
import sys

import numpy as np
import pytest
from tests.cli.conftest import command_line

from labelsieve.cli import _describe, main
from labelsieve.datasets import Dataset, make_multilabel, save

# Title, colour, clear, move: with the escape character, and as one character of C1;
# a bell, a backspace, a line that overwrites, text from right to left.
EVIL = "\x1b]0;owned\x07\x1b[31m\x9b2Ja\b\rb\u202ec\u2028\x85\x7f"
FORGED = "x\nlabelsieve: error: forged"


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Data sets whose names, features, labels, words and files are hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    X, Y, _ = make_multilabel(
        60, 3, n_relevant=3, n_redundant=1, n_interacting=0, n_noise=2, random_state=1
    )
    X = np.round(X, 2)
    X[:, 0] = np.arange(60) % 2
    X[:, 5] = X[:, 4]  # a copy, which describe names
    features = [f"{EVIL}{number}" for number in range(5)] + [FORGED]
    labels = [f"{EVIL}label{number}" for number in range(3)]
    words = {features[0]: (f"{EVIL}no", f"{EVIL}yes")}
    data = Dataset(X, Y, features, labels, f"{EVIL}music", words)
    # A file name has neither a slash nor, on some systems, what is no Unicode.
    name = EVIL.replace("/", "")
    files = {
        "ARFF": (f"{name}a.arff", "meka"),
        "CSV": (f"{name}c.csv", "csv"),
        "PARQUET": (f"{name}p.parquet", "parquet"),
    }
    made = {}
    for word, (file, format) in files.items():
        made[word] = str(folder / file)
        save(data, made[word], format=format)
    broken = folder / f"{name}broken.arff"
    broken.write_text(
        f"@relation 'b: -C 1'\n@attribute '{EVIL}' numeric\n@data\n{EVIL}\n"
    )
    damaged = folder / f"{name}damaged.parquet"
    damaged.write_bytes(b"PAR1" + EVIL.encode() + b"PAR1")
    (folder / f"{name}some").mkdir()
    shutil.copy(made["PARQUET"], folder / f"{name}some" / "a.parquet")
    made |= {
        "BROKEN": str(broken),
        "DAMAGED": str(damaged),
        "FOLDER": str(folder / f"{name}some"),
        "NONE": str(folder / f"{name}none.arff"),
        "FEATURE": features[1],
        "EVIL": EVIL,
        "RESULTS": str(folder / f"{name}results"),
        "OUT": str(folder / f"{name}out"),
    }
    words = ("compare", made["ARFF"], "--methods", "br+mi,fimf", "--splits", "2")
    words += ("--sizes", "1-2", "-o", made["RESULTS"])
    done = subprocess.run(command_line(*words), capture_output=True)
    assert done.returncode == 0, done.stderr
    return made


QUICK = ("--methods", "br+mi,fimf", "--splits", "2", "--sizes", "1-2")
COMMANDS = [
    ("select", "ARFF", "-k", "3"),
    ("select", "ARFF", "-k", "3", "--json"),
    ("select", "ARFF", "-k", "3", "-o", "-"),
    ("select", "ARFF", "-k", "3", "-o", "OUT.csv"),
    ("select", "ARFF", "-k", "3", "-o", "OUT.txt"),
    ("select", "ARFF", "-k", "3", "-o", "-", "--raw"),
    ("select", "ARFF", "-k", "2", "--label-specific", "1"),
    ("select", "ARFF", "-k", "2", "--stability", "3", "--p-values", "3"),
    ("select", "ARFF", "-k", "2", "--quality", "--splits", "2"),
    ("select", "ARFF", "-k", "2", "--report", "OUT.html", "--splits", "2"),
    ("select", "ARFF", "-k", "2", "--reduced", "OUT.csv"),
    ("select", "ARFF", "-k", "2", "--include", "FEATURE"),
    ("select", "ARFF", "-k", "2", "--include", "EVIL"),
    ("select", "ARFF", "-k", "2", "--exclude", "EVIL*"),
    ("select", "ARFF", "-k", "2", "--drop", "EVIL"),
    ("select", "ARFF", "--method", "EVIL"),
    ("select", "ARFF", "--method", "rfs", "-k", "2"),
    ("select", "ARFF", "--set", "EVIL=1"),
    ("select", "ARFF", "-k", "EVIL"),
    ("select", "ARFF", "--labels", "EVIL", "-k", "2"),
    ("select", "ARFF", "--labels", "EVIL,none"),
    ("select", "ARFF", "--unknown", "EVIL"),
    ("select", "ARFF", "--text", "FEATURE"),
    ("select", "ARFF", "--text", "EVIL"),
    ("select", "CSV", "-k", "2"),
    ("select", "CSV", "--labels", "EVIL", "--separator", "EVIL"),
    ("select", "PARQUET", "-k", "2"),
    ("select", "FOLDER", "-k", "2", "--engine", "dask", "--method", "fimf"),
    ("select", "FOLDER", "--engine", "dask", "--scheduler", "EVIL"),
    ("select", "FOLDER", "--engine", "dask", "--drop", "EVIL"),
    ("select", "BROKEN"),
    ("select", "DAMAGED", "--labels", "1"),
    ("select", "NONE"),
    ("select", "NONE", "--debug"),
    ("select", "EVIL"),
    ("EVIL",),
    ("describe", "ARFF"),
    ("describe", "ARFF", "CSV"),
    ("describe", "ARFF", "--json"),
    ("describe", "BROKEN"),
    ("describe", "BROKEN", "--debug"),
    ("convert", "ARFF", "OUT.csv"),
    ("convert", "ARFF", "-", "--to", "csv"),
    ("convert", "ARFF", "-", "--to", "meka"),
    ("convert", "ARFF", "-", "--to", "parquet"),
    ("convert", "ARFF", "OUT.unknown"),
    ("convert", "ARFF", "ARFF"),
    ("methods", "EVIL"),
    ("compare", "ARFF", *QUICK, "-o", "OUT1"),
    ("compare", "ARFF", *QUICK, "-o", "OUT1", "--json"),
    ("compare", "CSV", *QUICK, "--labels=-3", "-o", "OUT2", "--report", "OUT2.html"),
    ("compare", "ARFF", "--classifiers", "EVIL"),
    ("compare", "ARFF", "--groups", "EVIL", *QUICK, "-o", "OUT3"),
    ("compare", "EVIL", "-o", "OUT4"),
    ("report", "RESULTS"),
    ("report", "RESULTS", "-o", "-"),
    ("report", "NONE"),
    ("reproduce", "pmu", "--quick", "--data-folder", "NONE", "-o", "OUT5"),
    ("reproduce", "EVIL"),
    ("leaderboard", "--data-folder", "NONE", "-o", "OUT6"),
    ("leaderboard", "-m", "EVIL"),
    ("demo", "-o", "OUT7/page.html"),
]


def filled(words, places):
    for word in words:
        for name, place in places.items():
            word = word.replace(name, place)
        yield word


def on_a_terminal(words):
    """What a terminal gets, both streams, and the exit code."""
    watcher, terminal = pty.openpty()
    done = subprocess.Popen(
        command_line(*words), stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal
    )
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):  # the end of a terminal that has been closed
        while part := os.read(watcher, 1 << 16):
            shown += part
    os.close(watcher)
    return shown.decode(), done.wait(timeout=120)


class Terminal(io.TextIOWrapper):
    """A terminal that remembers all it got."""

    def __init__(self):
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def isatty(self):
        return True

    def shown(self):
        return self.buffer.getvalue().decode()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_terminal_is_not_controlled(words, places, monkeypatch):
    monkeypatch.setattr(_describe, "N_SPLITS", 2)
    monkeypatch.setenv("LABELSIEVE_DATA", places["NONE"])  # no data sets but ours
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    code = main(list(filled(words, places)))
    assert_harmless(terminal.shown(), code)
    if words[0] != "convert":  # whose output is data
        lines = terminal.shown().split("\n")
        assert not [line for line in lines if line.startswith(FORGED[2:])]


@pytest.mark.parametrize("words", [COMMANDS[0], ("describe", "BROKEN")], ids=" ".join)
def test_a_real_terminal_is_not_controlled(words, places):
    assert_harmless(*on_a_terminal(list(filled(words, places))))


def assert_harmless(shown, code):
    assert code in (0, 2), shown
    # What labelsieve itself sends: the line of progress is drawn again.
    ours = shown.replace("\r\n", "\n").replace("\r\x1b[K", "")
    assert ours
    assert not {c for c in ours if not c.isprintable()} - {"\n"}, ours


def test_json_keeps_names_as_they_are(places, call):
    done = call("select", places["ARFF"], "-k", "3", "--json")
    assert all(name.startswith(EVIL) for name in json.loads(done.out)["features"][:2])
    assert done.out.strip().isprintable()
