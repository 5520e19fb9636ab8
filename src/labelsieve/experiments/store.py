"""Results on disk: one line of JSON for each finished cell, safe against all ends."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import lzma
import os
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from labelsieve._utils.machine import PLAIN, is_special, write_all, write_file
from labelsieve._utils.messages import warn

Record = dict[str, Any]
# How far a store was read: the state of the folded file, and bytes of the lines.
Position = tuple[tuple[int, ...] | None, int]
# What a file that somebody has edited may lead to.
DAMAGED = (ValueError, LookupError, TypeError, AttributeError, RuntimeError)


class StoreError(OSError):
    """Results could not be read or written; all that was written before is kept.

    Examples
    --------
    >>> import os
    >>> from labelsieve.experiments.store import Store
    >>> Store(f"{os.devnull}/cells.jsonl").append([{"key": "a"}])
    Traceback (most recent call last):
        ...
    labelsieve.experiments.store.StoreError: cannot write results to ...
    """


class Store:
    """An append-only file of results by key.

    Lines are appended whole, under a lock, and forced to the disk; what a killed
    writer left behind is dropped. Several processes may use one file at a time. Each
    line has a checksum: one that was edited counts as missing.

    A compressed file of the same name with ``.xz`` may lie beside it: its results are
    read first, and `fold` puts the lines into it.

    Parameters
    ----------
    path : path
        The file; it and its folder are made when the first result is appended.
    position : Position
        Where to begin reading: results before that are taken for missing.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from labelsieve.experiments.store import Store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(pathlib.Path(folder) / "cells.jsonl")
    ...     store.append([{"key": "a", "value": 1}])
    ...     Store(store.path).read()
    {'a': {'key': 'a', 'value': 1}}
    """

    def __init__(
        self, path: str | os.PathLike[str], position: Position = (None, 0)
    ) -> None:
        self.path = Path(path)
        self.folded = self.path.with_name(self.path.name + ".xz")
        self._records: dict[str, Record] = {}
        self._forgotten: set[str] = set()
        self.position = position
        self._claims: int | None = None

    def read(self) -> dict[str, Record]:
        """Return all results by key, reading what was added since the last call."""
        torn = b""
        with _explaining(f"cannot read results from {self.path}"):
            try:
                # While the lock is shared nobody writes: an incomplete line is a ruin.
                with _open_locked(self.path, os.O_RDONLY) as file:
                    torn = self._read_locked(file)
            except FileNotFoundError:
                self._read_folded()
        if torn:
            warn(
                f"{self.path}: the last line is incomplete, as after a crash, and is "
                "left out; its cell will be computed again."
            )
        return self._records

    def append(self, records: Sequence[Record]) -> None:
        """Add results; a key that another process has added meanwhile is left out.

        A result replaces an earlier one that failed.
        """
        with _explaining(f"cannot write results to {self.path}", self._records):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _open_locked(self.path, os.O_RDWR | os.O_CREAT) as file:
                if self._read_locked(file):
                    # The writer of an incomplete line held the lock, and is dead.
                    os.ftruncate(file, self.position[1])
                self._write(file, [r for r in records if self._is_news(r)])

    def fold(self) -> None:
        """Put all lines into the compressed file, where there is one.

        A process that ends in between leaves them in both, and nothing is lost.
        """
        if not self.folded.exists() or not self.path.exists():
            return
        with (
            _explaining(f"cannot write results to {self.folded}", self._records),
            _open_locked(self.path, os.O_RDWR) as file,
        ):
            if os.fstat(file).st_size == 0:
                return
            self.position = None, 0
            self._forgotten.clear()
            self._read_locked(file)
            write_file(self.folded, lzma.compress(b"\n".join(_folded(self._records))))
            os.ftruncate(file, 0)
            self.position = _state(self.folded), 0

    def forget(self, key: str) -> None:
        """Take a result for missing, so that another one may be appended."""
        self._records.pop(key, None)
        self._forgotten.add(key)

    def claim(self, key: str) -> bool:
        """Try to reserve a key for this process, until `release` or its end."""
        try:
            if self._claims is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                flags = os.O_RDWR | os.O_CREAT | PLAIN
                self._claims = os.open(f"{self.path}.lock", flags, 0o666)
        except OSError:
            return True  # `append` will say that nothing can be written here
        # The lock of a byte vanishes with its process, whatever ends it.
        return try_lock(self._claims, _offset(key))

    def release(self, key: str) -> None:
        """Give a reserved key back."""
        if self._claims is not None:
            with contextlib.suppress(OSError):
                unlock(self._claims, _offset(key))

    def _is_news(self, record: Record) -> bool:
        known = self._records.get(record["key"])
        return known is None or ("error" in known and "error" not in record)

    def _read_locked(self, file: int) -> bytes:
        """Read what is new, and return what is left of an incomplete last line."""
        self._read_folded()
        state, start = self.position
        with open(file, "rb", closefd=False) as stream:
            stream.seek(start)
            data = stream.read()
        end = data.rfind(b"\n") + 1
        damaged = []
        for line in data[:end].splitlines():
            key, record = _from_line(line)
            if record is None:
                damaged.append((key, line))
            else:
                self._records[key] = record
        # What was computed again stands further down.
        lost = [line for key, line in damaged if key not in self._records]
        if lost:
            warn(
                f"{self.path}: {len(lost)} lines are not as they were written and are "
                f"left out; their cells are computed again. The first: {lost[0][:60]!r}"
            )
        self.position = state, start + end
        return data[end:]

    def _read_folded(self) -> None:
        """Read the compressed file if it is another: lines begin anew after it."""
        state = _state(self.folded)
        if state == self.position[0]:
            return
        try:
            lines = lzma.decompress(self.folded.read_bytes()) if state else b""
            added = {}
            for record in map(json.loads, lines.splitlines()):
                record["key"] = record.get("key") or key_of(record["cell"])
                added[record["key"]] = record
        except (OSError, EOFError, lzma.LZMAError, *DAMAGED) as error:
            raise StoreError(
                f"cannot read results from {self.folded}: {error}. Put back the file "
                "as it was, or remove it to compute its cells again."
            ) from error
        for key in self._forgotten & added.keys():
            del added[key]
        self._records.update(added)
        self.position = state, 0

    def _write(self, file: int, records: Sequence[Record]) -> None:
        lines = b"".join(to_line(record) for record in records)
        end = os.lseek(file, 0, os.SEEK_END)
        try:
            write_all(file, lines)
            os.fsync(file)
        except BaseException:
            # Half a line would only be dropped later: do it now, if possible.
            with contextlib.suppress(OSError):
                os.ftruncate(file, end)
            raise
        for record in records:
            self._records[record["key"]] = record
            self._forgotten.discard(record["key"])
        self.position = self.position[0], end + len(lines)


def key_of(cell: Any) -> str:
    """A digest of what determines a result."""
    return hashlib.sha256(_to_json(cell)).hexdigest()[:32]


def _folded(records: dict[str, Record]) -> list[bytes]:
    """Lines that compress well: what is alike side by side, keys that follow left out.

    Their order does not depend on when they were computed.
    """
    found = []
    for key, record in records.items():
        line = dict(record)
        cell = line.get("cell")
        if key == key_of(cell):
            del line["key"]
        place = {**cell, "classifier": ""} if isinstance(cell, dict) else key
        found.append((_to_json(place), _to_json(line)))
    return [line for _, line in sorted(found)]


def to_line(record: Record) -> bytes:
    """Return a record as one line of JSON with sorted keys and a checksum."""
    return _to_json({**record, "checksum": zlib.crc32(_to_json(record))}) + b"\n"


def _from_line(line: bytes) -> tuple[str, Record | None]:
    """The key of a line, and its record where it is as it was written."""
    try:
        record = json.loads(line)
        checksum, key = record.pop("checksum"), record["key"]
        is_sound = isinstance(key, str) and checksum == zlib.crc32(_to_json(record))
    except DAMAGED:
        return "", None
    return str(key), record if is_sound else None


def _to_json(record: Any) -> bytes:
    return json.dumps(record, sort_keys=True, separators=(",", ":")).encode()


def _state(path: Path) -> tuple[int, ...] | None:
    """What distinguishes a file from its successor; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextlib.contextmanager
def _explaining(what: str, kept: dict[str, Record] | None = None) -> Iterator[None]:
    """StoreError for what the system refuses; `kept` are the results so far."""
    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        text = f"{what}: {error.strerror or error}"
        if kept is not None:
            text += (
                f". The {len(kept)} results written so far are kept; run the same "
                "command again when this is repaired, and it goes on from there."
            )
        raise StoreError(text) from error


@contextlib.contextmanager
def _open_locked(path: Path, flags: int) -> Iterator[int]:
    if is_special(path):
        raise OSError("a pipe or a device, expected a file")
    file = os.open(path, flags | PLAIN, 0o666)
    try:
        lock_file(file, shared=not flags & os.O_RDWR)
        try:
            yield file
        finally:
            unlock_file(file)
    finally:
        os.close(file)


def _offset(key: str) -> int:
    """A byte of the lock file for each key; the file itself stays empty."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:7], "big") >> 1


# Locks on open files that end with their process. A byte may be locked where the file
# has none. Where a file system knows no locks, all of them are granted: that costs only
# the chance of repeated work.
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
