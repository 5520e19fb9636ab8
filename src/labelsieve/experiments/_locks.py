"""Locks on open files that end with their process, on POSIX and on Windows.

A byte may be locked where the file has none. Where a file system knows no locks, all
of them are granted: that costs only the chance of repeated work.
"""

from __future__ import annotations

import errno
import os
import sys
import time

TAKEN = (errno.EACCES, errno.EAGAIN)

if sys.platform == "win32":
    import msvcrt

    # Windows keeps others from reading what is locked: a byte behind all results.
    BEHIND = 2**31 - 2  # offsets have 31 bits
    SECONDS_BETWEEN_TRIES = 0.01

    def lock_file(file: int, shared: bool) -> None:
        """Wait until nobody else has locked the file."""
        while not try_lock(file, BEHIND):
            time.sleep(SECONDS_BETWEEN_TRIES)

    def unlock_file(file: int) -> None:
        """Give the file back."""
        unlock(file, BEHIND)

    def try_lock(file: int, byte: int) -> bool:
        """Lock a byte, unless another process has it."""
        os.lseek(file, byte % 2**31, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            return error.errno not in TAKEN
        return True

    def unlock(file: int, byte: int) -> None:
        """Give a byte back."""
        os.lseek(file, byte % 2**31, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def lock_file(file: int, shared: bool) -> None:
        """Wait until nobody else has locked the file, or all others share it too."""
        fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)

    def unlock_file(file: int) -> None:
        """Give the file back."""
        fcntl.flock(file, fcntl.LOCK_UN)

    def try_lock(file: int, byte: int) -> bool:
        """Lock a byte, unless another process has it."""
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except OSError as error:
            return error.errno not in TAKEN
        return True

    def unlock(file: int, byte: int) -> None:
        """Give a byte back."""
        fcntl.lockf(file, fcntl.LOCK_UN, 1, byte)
