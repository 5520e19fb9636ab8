"""The real executable, and small data for it."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from labelsieve.cli import main
from labelsieve.datasets import Dataset, make_multilabel, save

EXECUTABLE = Path(sys.executable).with_name("labelsieve")


def command_line(*words):
    program = (
        [str(EXECUTABLE)]
        if EXECUTABLE.exists()
        else [sys.executable, "-m", "labelsieve"]
    )
    return [*program, *map(str, words)]


def run(*words, cwd=None, stdin=None, env=None):
    """Run the command; bytes in and text out, as a shell would."""
    done = subprocess.run(
        command_line(*words),
        input=stdin if stdin is not None else b"",
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "PYTHONUTF8": "1", **(env or {})},
        timeout=300,
    )
    done.out, done.err = done.stdout.decode(), done.stderr.decode()
    assert "\x1b" not in done.out + done.err  # nobody is at a terminal
    return done


@pytest.fixture(scope="session")
def cli():
    return run


@pytest.fixture
def call(capsysbinary, request):
    """The same in this process, for the many variants of one command."""

    def call_main(*words):
        code = main([str(word) for word in words])
        captured = capsysbinary.readouterr()
        done = subprocess.CompletedProcess(words, code, captured.out, captured.err)
        done.out, done.err = done.stdout.decode(), done.stderr.decode()
        request.node.add_report_section("call", "what the command said", done.err)
        assert "\x1b" not in done.out + done.err
        return done

    return call_main


@pytest.fixture
def call_into(capsysbinary):
    """The same with the descriptor of a file or pipe as standard output."""

    def call_main(output, *words):
        # What cannot be written is dropped with the file, as it is at the end.
        with open(output, "w", encoding="utf-8", closefd=False) as stream:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(sys, "stdout", stream)
                code = main([str(word) for word in words])
            with contextlib.suppress(OSError):
                stream.close()
        err = capsysbinary.readouterr().err
        done = subprocess.CompletedProcess(words, code, b"", err)
        done.out, done.err = "", err.decode()
        return done

    return call_main


@pytest.fixture(scope="session")
def dataset():
    """80 rows with names that need care."""
    X, Y, _ = make_multilabel(
        80, 3, n_relevant=4, n_redundant=2, n_interacting=0, n_noise=4, random_state=1
    )
    X = np.round(X, 3)
    names = [f"feature {i}" for i in range(8)] + ["<b>ж</b>", "per cent %"]
    return Dataset(X, Y, names, ["happy", "sad", "ängstlich"], "music")


@pytest.fixture(scope="session")
def music(dataset, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "music.arff"
    save(dataset, path)
    return path


@pytest.fixture(scope="session")
def broken(tmp_path_factory):
    path = tmp_path_factory.mktemp("broken") / "broken.arff"
    path.write_text("@relation 'b: -C 1'\n@attribute a numeric\n@data\nx\n")
    return path


@pytest.fixture(scope="session")
def results(cli, music, tmp_path_factory):
    """The folder of a small comparison, and what was printed."""
    folder = tmp_path_factory.mktemp("results")
    done = cli(
        *("compare", music, "--methods", "fimf,br+mi", "--splits", "2"),
        *("--sizes", "1-4", "-o", folder, "--json"),
    )
    assert done.returncode == 0, done.err
    return folder, json.loads(done.out)


def assert_one_line_error(done, *parts, code=2, out=""):
    """One line says what is wrong; `out` begins what was found before, if anything."""
    assert done.returncode == code, done.err
    assert done.out.startswith(out)
    assert bool(done.out) == bool(out)
    assert done.err.startswith("labelsieve"), done.err
    assert done.err.count("\n") == 1, done.err
    assert "Traceback" not in done.err
    for part in parts:
        assert part in done.err
