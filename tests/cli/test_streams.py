"""Standard streams that are closed, full, endless or cut short."""

import io
import os
import signal
import subprocess
import sys
import time
import zipfile

import pytest
from tests.cli.conftest import assert_one_line_error, command_line
from tests.cli.test_main import READ_FROM_INPUT, _wait_for_call

from labelsieve.datasets import FormatError, file_content, load

OUT = b"labelsieve: error: standard output: Bad file descriptor\n"
IN = b"labelsieve: error: standard input: Bad file descriptor\n"


def run_without(streams, *words, cwd=None):
    """Run the command as a shell does with ``>&-`` and the like."""

    def close():
        for stream in streams:
            os.close(stream)

    return subprocess.run(
        command_line(*words), capture_output=True, cwd=cwd, preexec_fn=close
    )


@pytest.mark.parametrize(
    ("closed", "words", "code", "told"),
    [
        ([1], ("methods",), 2, OUT),
        ([1], ("--help",), 2, OUT),
        ([1], ("select", "builtin:segments", "-k", "2", "-o", "-"), 2, OUT),
        ([1], ("select", "builtin:segments", "-k", "2", "-o", "x", "--quiet"), 0, b""),
        ([1], ("describe", "none"), 2, None),
        ([0], ("methods",), 0, b""),
        ([0], ("describe", "-"), 2, IN),
        ([2], ("methods",), 0, b""),
        ([2], ("describe", "none"), 2, b""),
        ([2], ("no-such-command",), 2, b""),
        ([0, 1], ("methods",), 2, OUT),
        ([0, 1, 2], ("methods",), 2, b""),
    ],
)
def test_closed_streams(closed, words, code, told, tmp_path):
    done = run_without(closed, *words, cwd=tmp_path)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    if told is not None:
        assert done.stderr == told
    assert (done.stdout != b"") == (code == 0 and 1 not in closed)


@pytest.mark.parametrize("words", [("describe", "none"), ("no-such-command",)])
def test_errors_that_cannot_be_written(words, tmp_path):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command_line(*words), stderr=full, cwd=tmp_path)
    assert done.returncode == 2


def test_a_stream_is_read_up_to_the_limit(music):
    content = music.read_bytes()
    read = load(io.BytesIO(content), labels=-3, max_bytes=len(content))
    assert read.X.tolist() == load(music).X.tolist()
    endless = Endless()
    with pytest.raises(FormatError, match="standard input: exceeds max_bytes=10000"):
        load(endless, labels=-3, max_bytes=10_000)
    assert endless.given < 10**7


class Endless(io.RawIOBase):
    given = 0

    def readable(self):
        return True

    def readinto(self, buffer):
        buffer[:] = b"0" * len(buffer)
        self.given += len(buffer)
        return len(buffer)


def test_nothing_is_kept_on_disk(cli, music, dataset, tmp_path):
    """Neither what comes in nor what goes out passes through the folder of drafts."""
    env = {"TMPDIR": str(tmp_path / "none"), "TEMP": str(tmp_path / "none")}
    done = cli("describe", "-", "--labels=-3", stdin=music.read_bytes(), env=env)
    assert done.returncode == 0, done.err
    done = cli("convert", music, "-", "--to", "csv", env=env, cwd=tmp_path)
    assert done.stdout == file_content(dataset, "csv")
    assert not list(tmp_path.iterdir())


def test_an_archive_through_a_pipe(cli, music):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for file in music.parent.iterdir():
            archive.write(file, file.name)
    done = cli("describe", "-", stdin=packed.getvalue())
    assert done.returncode == 0, done.err
    assert done.out.split()[0] == "music"
    done = cli("describe", "-", stdin=packed.getvalue()[:-9])
    assert_one_line_error(done, "standard input: the archive cannot be read")


@pytest.mark.parametrize("pause", [0.0, 0.3, 1.0, None])
def test_terminated_while_reading(pause, music, tmp_path):
    process = subprocess.Popen(
        command_line("describe", "-", "--labels=-3"),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    process.stdin.write(music.read_bytes())
    process.stdin.flush()
    if pause is None:
        _wait_for_call(process.pid, READ_FROM_INPUT)
    else:
        time.sleep(pause)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    # Until the command is there, the signal ends Python itself.
    assert (process.returncode, err) in [
        (128 + signal.SIGTERM, b"labelsieve: terminated\n"),
        (-signal.SIGTERM, b""),
    ]
    assert process.returncode > 0 or pause is not None
    assert not list(tmp_path.iterdir())


def test_terminated_while_codes_are_on_disk(tmp_path):
    """What a command keeps in files goes with it."""
    script = """if True:
        import signal, sys
        from tempfile import TemporaryDirectory
        from labelsieve.cli import _describe, main

        def run(arguments):
            folder = TemporaryDirectory("", "labelsieve-")
            signal.raise_signal(signal.SIGTERM)

        _describe.run_methods = run
        sys.exit(main(["methods"]))
    """
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True)
    assert (done.returncode, done.stderr) == (143, b"labelsieve: terminated\n")
    assert not list(tmp_path.iterdir())
