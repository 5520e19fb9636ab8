"""Files are written whole or not at all, where links lead and as permissions say."""

import errno
import os
import resource
import stat
import subprocess
import sys
import threading

import pytest

from labelsieve._utils import machine
from labelsieve._utils.machine import write_file, write_files

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")


def failing(error):
    """Write half, then fail."""

    def write(file, data):
        os.write(file, data[: len(data) // 2])
        raise error

    return write


def test_new_and_old_files(tmp_path):
    path = tmp_path / "a.txt"
    write_file(path, b"one")
    assert path.read_bytes() == b"one"
    write_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt(), ValueError()]
)
def test_a_failure_leaves_all_files_as_they_were(tmp_path, monkeypatch, error):
    old, other = tmp_path / "old", tmp_path / "other"
    old.write_bytes(b"old")
    whole = machine.write_all

    def write(file, data):
        (whole if data == b"new" else failing(error))(file, data)

    monkeypatch.setattr(machine, "write_all", write)
    with pytest.raises(type(error)) as caught:
        write_files({old: b"new", other: b"more"})
    if isinstance(error, OSError):
        assert caught.value.filename == str(other)
        assert caught.value.errno == errno.ENOSPC
    assert old.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["old"]


@posix
def test_the_limit_of_a_file(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    code = f"""
import resource
from labelsieve._utils.machine import write_file
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
write_file({str(path)!r}, b"x" * 1000)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert f"File too large: '{path}'" in done.stderr.decode()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 100


@posix
def test_permissions_are_kept_and_new_files_have_the_usual_ones(tmp_path):
    usual, kept = tmp_path / "usual", tmp_path / "kept"
    usual.write_bytes(b"")
    expected = stat.S_IMODE(usual.stat().st_mode)
    usual.unlink()
    write_file(usual, b"x")
    assert stat.S_IMODE(usual.stat().st_mode) == expected
    kept.write_bytes(b"")
    kept.chmod(0o640)
    write_file(kept, b"x")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640


@posix
def test_links_are_followed(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    link, dangling = tmp_path / "link", tmp_path / "dangling"
    (folder / "a").write_bytes(b"old")
    link.symlink_to(folder / "a")
    dangling.symlink_to("folder/b")
    write_files({link: b"new", dangling: b"made"})
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert (folder / "a").read_bytes() == b"new"
    assert (folder / "b").read_bytes() == b"made"


@posix
def test_what_may_not_be_written(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        write_file(tmp_path, b"x")
    with pytest.raises(FileNotFoundError, match="missing/a"):
        write_file(tmp_path / "missing" / "a", b"x")
    # Root may write everywhere, so the system is not asked.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match=str(path)):
        write_file(path, b"x")
    assert path.read_bytes() == b"old"


@posix
def test_pipes_and_devices_are_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, b"through")
    reader.join()
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write_file(os.devnull, b"x")
    if os.path.exists("/dev/full"):
        with pytest.raises(OSError, match="/dev/full") as caught:
            write_file("/dev/full", b"x")
        assert caught.value.errno == errno.ENOSPC


@posix
def test_the_standard_output_by_its_name_is_written_in_turn(tmp_path):
    code = """
import sys
from labelsieve._utils.machine import write_file
sys.stdout.write("first "); sys.stdout.flush()
write_file("/dev/stdout", b"second ")
write_file("/dev/fd/1", b"third ")
sys.stdout.write("fourth")
"""
    with open(tmp_path / "out", "wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "first second third fourth"
    assert os.listdir(tmp_path) == ["out"]
