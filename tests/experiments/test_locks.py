"""The locks of Windows, on a stand-in for its module of file locks."""

from __future__ import annotations

import errno
import importlib.util
import os
import sys
import types

import pytest

from labelsieve.experiments import store


class Locking:
    """What `msvcrt.locking` does: a byte belongs to one open file at a time."""

    LK_NBLCK, LK_UNLCK = 2, 0

    def __init__(self):
        self.holders = {}

    def locking(self, file, mode, n_bytes):
        assert n_bytes == 1
        byte = os.lseek(file, 0, os.SEEK_CUR)
        if mode == self.LK_UNLCK:
            assert self.holders.pop(byte) == file
        elif self.holders.setdefault(byte, file) != file:
            raise PermissionError(errno.EACCES, "Permission denied")


@pytest.fixture
def windows(monkeypatch):
    """The module as Windows would load it."""
    stand_in = types.SimpleNamespace(LK_NBLCK=2, LK_UNLCK=0, locking=Locking().locking)
    monkeypatch.setitem(sys.modules, "msvcrt", stand_in)
    spec = importlib.util.spec_from_file_location("windows_locks", store.__file__)
    module = importlib.util.module_from_spec(spec)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "win32")
        spec.loader.exec_module(module)
    return module


@pytest.fixture
def files(tmp_path):
    path = tmp_path / "file"
    path.touch()
    opened = [os.open(path, os.O_RDWR) for _ in range(2)]
    yield opened
    for file in opened:
        os.close(file)


def test_a_byte_is_locked_until_it_is_given_back(windows, files):
    one, two = files
    far = 2**54 + 5
    assert windows.try_lock(one, far)
    assert not windows.try_lock(two, far)
    assert windows.try_lock(two, far + 1)
    windows.unlock(one, far)
    assert windows.try_lock(two, far)


def test_a_file_is_waited_for(windows, files, monkeypatch):
    one, two = files
    waits = []

    def give_back(seconds):
        waits.append(seconds)
        windows.unlock_file(one)

    monkeypatch.setattr(windows.time, "sleep", give_back)
    windows.lock_file(one, shared=False)
    windows.lock_file(two, shared=True)
    assert len(waits) == 1


def test_without_locks_all_are_granted(windows, files, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOSYS, "no locks here")

    monkeypatch.setattr(windows.msvcrt, "locking", refuse)
    assert all(windows.try_lock(file, 3) for file in files)
