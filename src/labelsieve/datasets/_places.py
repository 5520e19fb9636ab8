"""Folders, archives and streams, read through one limit, never unpacked to disk."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO

from labelsieve._plumbing.machine import available_memory
from labelsieve.datasets._errors import FormatError

DEFAULT_MAX_BYTES = 4 * 1024**3
NOT_A_FILE = (
    "a pipe or a device, expected a file or a folder; write its content to a file "
    "first (the command takes - for the standard input)"
)

STREAM = "standard input"

_GZIP = b"\x1f\x8b"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_CHUNK = 1 << 20

# What the standard library raises on damaged, encrypted or exotic archives.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)


class Place:
    """Where files lie side by side: a folder, or a zip archive."""

    title: str

    def names(self) -> list[str]:
        """Return the names of the files inside the place itself, sorted."""
        raise NotImplementedError

    def has(self, name: str) -> bool:
        """Return whether there is a file of this name."""
        return name in self.names()

    def read(self, name: str, max_bytes: int) -> bytearray:
        """Return the bytes of one file, unpacked where they are compressed."""
        raise NotImplementedError

    def path_of(self, name: str) -> str:
        """Return what an error message calls the file."""
        raise NotImplementedError


class Folder(Place):
    """A folder on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.title = path.resolve().name

    def names(self) -> list[str]:
        return sorted(entry.name for entry in self.path.iterdir() if entry.is_file())

    def has(self, name: str) -> bool:
        return (self.path / name).is_file()

    def read(self, name: str, max_bytes: int) -> bytearray:
        with open(self.path / name, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            return _read_limited(stream, size, max_bytes, self.path_of(name))

    def path_of(self, name: str) -> str:
        return str(self.path / name)


class Archive(Place):
    """A zip file; members are read in memory, by their exact name."""

    def __init__(self, path: Path, content: bytearray | None = None) -> None:
        self.path = path
        self.title = path.stem
        self.content = content

    def names(self) -> list[str]:
        with self._open() as archive:
            return sorted(
                info.filename
                for info in archive.infolist()
                if _is_proper_file(info.filename)
            )

    def read(self, name: str, max_bytes: int) -> bytearray:
        path = self.path_of(name)
        try:
            with self._open() as archive, archive.open(name) as stream:
                size = archive.getinfo(name).file_size
                return _read_limited(stream, size, max_bytes, path)
        except FormatError:
            raise
        except KeyError:
            raise FileNotFoundError(f"{path}: the archive has no such member") from None
        except _DAMAGED as error:
            reason = f"the archive cannot be read: {error}"
            raise FormatError(path, None, None, reason) from None

    def path_of(self, name: str) -> str:
        return f"{self.path}/{name}"

    def _open(self) -> zipfile.ZipFile:
        try:
            content = self.content
            return zipfile.ZipFile(
                self.path if content is None else io.BytesIO(content)
            )
        except _DAMAGED as error:
            reason = f"the archive cannot be read: {error}"
            raise FormatError(str(self.path), None, None, reason) from None


class Stream(Place):
    """One file that came through a pipe."""

    title = "stdin"

    def __init__(self, content: bytearray) -> None:
        self.content = content

    def names(self) -> list[str]:
        return [self.title]

    def has(self, name: str) -> bool:
        return False

    def read(self, name: str, max_bytes: int) -> bytearray:
        if not self.content.startswith(_GZIP):
            return self.content
        return _unpack(io.BytesIO(self.content), max_bytes, STREAM)

    def path_of(self, name: str) -> str:
        return STREAM


def read_stream(stream: IO[bytes], max_bytes: int) -> Place:
    """Read all that comes through a pipe, a file or an archive, up to the limit."""
    try:
        content = _count_bytes(stream, max_bytes, STREAM)
    except OSError as error:
        raise OSError(error.errno, error.strerror, STREAM) from error
    is_archive = content.startswith(_ZIP)
    return Archive(Path(STREAM), content) if is_archive else Stream(content)


def locate(path: str | os.PathLike[str]) -> tuple[Place, str | None]:
    """Return the place of a path and, unless it is the place itself, the file's name.

    ``archive.zip/member`` is a member of an archive.
    """
    path = Path(path)
    if path.is_dir():
        return Folder(path), None
    if path.is_file():
        return (Archive(path), None) if _is_archive(path) else _in_folder(path)
    if path.exists():
        raise FormatError(str(path), None, None, NOT_A_FILE)
    for parent in path.parents:
        if parent.is_file() and _is_archive(parent):
            return Archive(parent), path.relative_to(parent).as_posix()
    raise FileNotFoundError(
        f"{path}: no such file or folder. In Python, find_dataset(name) looks data "
        "sets up by name."
    )


def decode_text(data: bytearray, path: str) -> bytearray:
    """Return the bytes of a text; refuse what is not UTF-8.

    A byte order mark is taken off, and the last line is ended like all others.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError(path, 1, 1, "the text is UTF-16; save it as UTF-8")
    if data.startswith(b"\xef\xbb\xbf"):
        del data[:3]
    nul = data.find(b"\0")
    if nul >= 0:
        raise FormatError(path, *position(data, nul), "NUL byte; this is not text")
    if not data.isascii():
        _check_utf8(data, path)
    if not data.endswith(b"\n"):
        data += b"\n"
    return data


def position(data: bytearray, offset: int) -> tuple[int, int]:
    """Return line and column, counted from 1, of a byte offset."""
    start = data.rfind(b"\n", 0, offset) + 1
    text = data[start:offset].decode("utf-8", "replace")
    return data.count(b"\n", 0, offset) + 1, len(text) + 1


def _is_archive(path: Path) -> bool:
    with open(path, "rb") as stream:
        return stream.read(4) in _ZIP


def _in_folder(path: Path) -> tuple[Place, str]:
    return Folder(path.parent), path.name


def _is_proper_file(member: str) -> bool:
    if not member or member.endswith("/"):  # nothing, or a folder
        return False
    parts = PurePosixPath(member.replace("\\", "/")).parts
    return ".." not in parts and not member.startswith(("/", "\\")) and ":" not in parts


def _read_limited(stream: IO[bytes], size: int, max_bytes: int, path: str) -> bytearray:
    if size > max_bytes:
        raise _too_large(path, max_bytes)
    packed = stream.read(2) == _GZIP
    stream.seek(0)
    if packed:
        return _unpack(stream, max_bytes, path)
    return _count_bytes(stream, max_bytes, path)


def _count_bytes(
    stream: IO[bytes] | gzip.GzipFile, max_bytes: int, path: str
) -> bytearray:
    """Return all bytes, counted while they come: sizes written in a file lie."""
    data = bytearray()
    room = available_memory()
    while chunk := stream.read(_CHUNK):
        data += chunk
        if len(data) > max_bytes:
            raise _too_large(path, max_bytes)
        if len(data) > room:
            reason = f"more than the {room / 2**30:.1f} GiB of free memory"
            raise FormatError(path, None, None, reason)
    return data


def _unpack(stream: IO[bytes], max_bytes: int, path: str) -> bytearray:
    try:
        with gzip.GzipFile(fileobj=stream) as unpacked:
            return _count_bytes(unpacked, max_bytes, path)
    except EOFError:
        raise FormatError(path, None, None, "the gzip file is truncated") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(path, None, None, f"damaged gzip file: {error}") from None


def _too_large(path: str, max_bytes: int) -> FormatError:
    reason = f"exceeds max_bytes={max_bytes}; raise max_bytes if you trust the file"
    return FormatError(path, None, None, reason)


def _check_utf8(data: bytearray, path: str) -> None:
    view = memoryview(data)
    start = 0
    while start < len(data):
        # Whole lines, so that no character is cut in two.
        end = data.find(b"\n", start + _CHUNK) + 1 or len(data)
        try:
            str(view[start:end], "utf-8")
        except UnicodeDecodeError as error:
            where = position(data, start + error.start)
            raise FormatError(
                path, *where, "not UTF-8 text; save it as UTF-8"
            ) from None
        start = end
