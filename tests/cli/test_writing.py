"""Whatever fails while a file is written, the old one stays, and one line says why."""

import errno
import os
import resource
import shutil
import subprocess
import sys

import pytest
from tests.cli.conftest import assert_one_line_error, command_line

from labelsieve._utils import machine
from labelsieve.cli import _describe

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")
OLD = b"what was there before\n"

# Each command with the files that it writes: {} is the folder of the outputs.
WRITERS = {
    "ranking.csv": ("select", "DATA", "--quiet", "-o"),
    "ranking.json": ("select", "DATA", "--quiet", "-o"),
    "small.arff": ("select", "DATA", "-o", os.devnull, "--quiet", "--reduced"),
    "page.html": ("select", "DATA", "--splits", "2", "--quiet", "--report"),
    "data.arff": ("convert", "DATA"),
    "data.csv.gz": ("convert", "DATA"),
    "data.libsvm": ("convert", "DATA"),
    "data.parquet": ("convert", "DATA"),
    "report.html": ("report", "RESULTS", "-o"),
    "demo.html": ("demo", "-o"),
}
FAILURES = {
    "full disk": (OSError(errno.ENOSPC, "No space left on device"), 2),
    "error of the device": (OSError(errno.EIO, "Input/output error"), 2),
    "interrupt": (KeyboardInterrupt(), 130),
}


class SmallDemo:
    """Instead of the demonstration, which takes its time."""

    def page(self, command):
        return {"title": "demo", "kicker": "", "summary": [], "sections": []}


@pytest.fixture
def written(tmp_path, music, results, monkeypatch):
    """The words of a command whose output exists, and its folder."""
    monkeypatch.setattr(_describe, "run_demo", lambda *_: SmallDemo())

    def prepare(name):
        folder = tmp_path / "out"
        folder.mkdir()
        stem = name.partition(".")[0]
        for file in (name, f"{stem}.xml", f"{stem}.json"):
            (folder / file).write_bytes(OLD)
        known = {"DATA": music, "RESULTS": results[0]}
        words = [known.get(word, word) for word in WRITERS[name]]
        return [*words, folder / name], folder

    return prepare


# Every writer fails in two ways: one error of the disk, and an interrupt.
DISK = ("full disk", "error of the device")
FAILED = [(name, DISK[number % 2]) for number, name in enumerate(WRITERS)]
FAILED += [(name, "interrupt") for name in WRITERS]


@pytest.mark.parametrize(("name", "failure"), FAILED)
def test_old_files_stay(written, call, monkeypatch, name, failure):
    words, folder = written(name)
    error, code = FAILURES[failure]
    before = sorted(os.listdir(folder))

    def write(file, data):
        os.write(file, data[: len(data) // 2])
        raise error

    # The device before is written to, and must not fail.
    whole = machine.write_all
    monkeypatch.setattr(
        machine,
        "write_all",
        lambda f, d: (write if os.fstat(f).st_dev == disk else whole)(f, d),
    )
    disk = os.stat(folder).st_dev
    # What was selected is not lost with its page.
    out = "music: 1 of 10 features" if name == "page.html" else ""
    assert_one_line_error(call(*words), code=code, out=out)
    assert sorted(os.listdir(folder)) == before
    assert {(folder / file).read_bytes() for file in before} == {OLD}


@posix
@pytest.mark.parametrize("name", ["data.arff", "data.parquet"])
def test_the_limit_of_a_file(written, name):
    words, folder = written(name)
    before = sorted(os.listdir(folder))
    done = subprocess.run(
        command_line(*words),
        capture_output=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)),
    )
    done.out, done.err = done.stdout.decode(), done.stderr.decode()
    assert_one_line_error(done, f"{folder}", "File too large")
    assert sorted(os.listdir(folder)) == before
    assert (folder / name).read_bytes() == OLD


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("words", "unbuffered"),
    [
        (("--help",), ""),
        (("--help",), "1"),
        (("--version",), ""),
        (("select", "--help"), ""),
        (("methods",), ""),
        (("methods",), "1"),
        (("convert", "DATA", "-", "--to", "csv"), "1"),
    ],
)
def test_a_full_disk_behind_the_standard_output(words, unbuffered, music):
    words = [music if word == "DATA" else word for word in words]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command_line(*words),
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    done.out, done.err = "", done.stderr.decode()
    assert_one_line_error(done, "standard output: No space left on device")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    "words", [("describe", "DATA", "--json"), ("report", "RESULTS", "-o", "-")]
)
def test_what_a_full_disk_does_not_take(words, call_into, music, results):
    known = {"DATA": music, "RESULTS": results[0]}
    with open("/dev/full", "wb") as full:
        done = call_into(full.fileno(), *(known.get(word, word) for word in words))
    assert_one_line_error(done, "standard output: No space left on device")


@posix
@pytest.mark.parametrize("option", ["-o", "--report"])
def test_devices_are_written(call, music, option):
    words = ("select", music, "--splits", "2", "--quiet")
    assert call(*words, option, os.devnull).returncode == 0
    if os.path.exists("/dev/full"):
        done = call(*words, option, "/dev/full")
        out = "music: 1 of 10 features" if option == "--report" else ""
        assert_one_line_error(done, "/dev/full: No space left on device", out=out)


@posix
def test_a_device_takes_one_file(call, music):
    assert call("convert", music, os.devnull, "--to", "csv").returncode == 0
    assert not os.path.exists(f"{os.devnull}.json")
    done = call("convert", music, os.devnull, "--to", "mulan")
    assert_one_line_error(done, "takes one file and Mulan needs two")


@pytest.fixture
def copied(music, tmp_path):
    """The data in a folder of their own, as ARFF with XML and as CSV with JSON."""
    for file in (music, music.with_suffix(".xml")):
        shutil.copy(file, tmp_path / file.name)
    return tmp_path / music.name


@posix
@pytest.mark.parametrize("linked", ["", "symbolic", "hard"])
@pytest.mark.parametrize("what", ["", ".xml"])
@pytest.mark.parametrize(
    "words", [("select", "-o"), ("select", "--report"), ("select", "--reduced")]
)
def test_outputs_that_are_inputs(call, copied, words, what, linked):
    target = copied.with_suffix(what) if what else copied
    output = target
    if linked:
        output = copied.with_name("link.arff")
        (output.symlink_to if linked == "symbolic" else output.hardlink_to)(target)
    before = target.read_bytes()
    command, option = words
    done = call(command, copied, "--quiet", option, output)
    if option == "--reduced" and what and not linked:
        assert_one_line_error(done, "cannot infer the format")
    else:
        assert_one_line_error(done, "is also read from")
    assert target.read_bytes() == before


def test_converting_over_what_is_read(call, copied, results):
    folder = copied.parent
    assert_one_line_error(call("convert", copied, copied), "is also read from")
    assert_one_line_error(call("convert", folder, copied), "is also read from")
    assert call("convert", copied, folder / "music.csv").returncode == 0
    # Its description would be that of the other file.
    done = call("convert", folder / "music.csv", folder / "music.libsvm")
    assert_one_line_error(done, "music.json is also read from")
    page = results[0] / "results.json"
    done = call("report", results[0], "-o", page)
    assert_one_line_error(done, "is also read from")


def test_one_file_for_two_outputs(call, copied):
    output = copied.with_name("new.csv")
    done = call("select", copied, "-o", output, "--reduced", output)
    assert_one_line_error(done, "would be written twice")
    assert not output.exists()
