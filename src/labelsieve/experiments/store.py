"""Results on disk: one line of JSON for each finished cell, safe against all ends."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from labelsieve._plumbing.files import PLAIN, is_special, write_all
from labelsieve._plumbing.messages import warn
from labelsieve.experiments._locks import lock_file, try_lock, unlock, unlock_file

Record = dict[str, Any]


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
    writer left behind is dropped. Several processes may use one file at a time.

    Parameters
    ----------
    path : path
        The file; it and its folder are made when the first result is appended.
    position : int
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

    def __init__(self, path: str | os.PathLike[str], position: int = 0) -> None:
        self.path = Path(path)
        self._records: dict[str, Record] = {}
        self.position = position  # bytes read so far
        self._claims: int | None = None

    def read(self) -> dict[str, Record]:
        """Return all results by key, reading what was added since the last call."""
        try:
            # While the lock is shared nobody writes: an incomplete line is a ruin.
            with _open_locked(self.path, os.O_RDONLY) as file:
                added = _read_from(file, self.position)
        except FileNotFoundError:
            return self._records
        except OSError as error:
            raise StoreError(
                f"cannot read results from {self.path}: {error.strerror or error}"
            ) from error
        whole, torn = _split_whole_lines(added)
        for record in self._parse(whole):
            self._records[record["key"]] = record
        self.position += len(whole)
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
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _open_locked(self.path, os.O_RDWR | os.O_CREAT) as file:
                _drop_torn_end(file)
                self._read_locked(file)
                self._write(file, [r for r in records if self._is_news(r)])
        except OSError as error:
            raise StoreError(
                f"cannot write results to {self.path}: {error.strerror or error}. The "
                f"{len(self._records)} results written so far are kept; run the same "
                "command again when this is repaired, and it goes on from there."
            ) from error

    def forget(self, key: str) -> None:
        """Take a result for missing, so that another one may be appended."""
        self._records.pop(key, None)

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

    def _read_locked(self, file: int) -> None:
        added = _read_from(file, self.position)
        for record in self._parse(added):
            self._records[record["key"]] = record
        self.position += len(added)

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
        self.position = end + len(lines)

    def _parse(self, lines: bytes) -> Iterator[Record]:
        for line in lines.splitlines():
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                record = None
            if not isinstance(record, dict) or not isinstance(record.get("key"), str):
                warn(f"{self.path}: a line is no result and is left out: {line[:60]!r}")
                continue
            yield record


def to_line(record: Record) -> bytes:
    """Return a record as one line of JSON with sorted keys."""
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), allow_nan=True)
    return text.encode() + b"\n"


def _split_whole_lines(data: bytes) -> tuple[bytes, bytes]:
    end = data.rfind(b"\n") + 1
    return data[:end], data[end:]


@contextlib.contextmanager
def _open_locked(path: Path, flags: int) -> Iterator[int]:
    if is_special(path):
        raise StoreError("a pipe or a device, expected a file")
    file = os.open(path, flags | PLAIN, 0o666)
    try:
        lock_file(file, shared=not flags & os.O_RDWR)
        try:
            yield file
        finally:
            unlock_file(file)
    finally:
        os.close(file)


def _read_from(file: int, position: int) -> bytes:
    os.lseek(file, position, os.SEEK_SET)
    blocks = []
    while block := os.read(file, 1 << 24):
        blocks.append(block)
    return b"".join(blocks)


def _drop_torn_end(file: int) -> None:
    """Cut off an incomplete last line: its writer held the lock, and is dead."""
    end = os.lseek(file, 0, os.SEEK_END)
    start = end
    while start > 0:
        start = max(start - 4096, 0)
        os.lseek(file, start, os.SEEK_SET)
        block = os.read(file, min(4096, end - start))
        newline = block.rfind(b"\n")
        if newline >= 0:
            start += newline + 1
            break
    if start < end:
        os.ftruncate(file, start)


def _offset(key: str) -> int:
    """A byte of the lock file for each key; the file itself stays empty."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:7], "big") >> 1
