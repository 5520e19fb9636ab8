"""Files are written whole or not at all: the old one stays until the new one is."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping

Path = str | os.PathLike[str]

# Bytes as they are (Windows), in this process only (POSIX).
PLAIN = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)

# Neither JSON nor XML nor empty: no reader takes it for a description.
UNFINISHED = b"labelsieve was ended while it wrote this file and the data beside it\n"

# Names of files that this process has open already.
_OPEN_FILE = re.compile(r"/(?:dev|proc/self)/fd/([0-9]+)")
_STANDARD = {"/dev/stdout": 1, "/dev/stderr": 2}


def write_file(path: Path, content: bytes) -> None:
    """Write one file; see `write_files`."""
    write_files({path: content})


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write files: where one cannot be written, all stay as they were.

    All are written beside their places, forced to the disk and then moved there.
    Links are followed and permissions kept; devices and pipes are written to.
    """
    with _written(contents.items()) as drafts:
        for draft in drafts:
            draft.publish()


def write_described(path: Path, content: bytes, beside: Path, text: bytes) -> None:
    """Write a file, and the one beside it without which it would be misread.

    Two files cannot be moved in one step. Between the steps the file beside holds
    `UNFINISHED`, so that who reads it sees that the two do not belong together.
    """
    if is_special(beside):
        return write_files({beside: text, path: content})
    old = None
    if os.path.lexists(beside):
        with open(beside, "rb") as file:
            old = file.read()
    steps = ((beside, UNFINISHED), (path, content), (beside, text))
    with _written(steps) as (mark, data, description):
        mark.publish()
        try:
            data.publish()
        except OSError:  # nothing has changed: neither does what is beside it
            if old is None:
                os.unlink(beside)
            else:
                write_file(beside, old)
            raise
        description.publish()


@contextlib.contextmanager
def _written(contents: Iterable[tuple[Path, bytes]]) -> Iterator[list[_Draft]]:
    """Files that are written beside their places; what stays there goes again."""
    drafts = [_Draft(path, content) for path, content in contents]
    try:
        for draft in drafts:
            draft.write()
        yield drafts
    finally:
        for draft in drafts:
            draft.drop()


def is_special(path: Path) -> bool:
    """Whether a path is a device, a pipe or a file that is open already."""
    if _open_number(path) is not None:
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def write_all(file: int, data: bytes) -> None:
    """Write bytes to an open file, however many pieces the system makes of them."""
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


class _Draft:
    """The new content of a file until it takes the place of the old one."""

    def __init__(self, path: Path, content: bytes) -> None:
        self.path = os.fspath(path)
        self.content = content
        self.target = os.path.realpath(path)
        folder = os.path.dirname(self.target)
        self.scratch = os.path.join(folder, f".{secrets.token_hex(8)}.tmp")

    def write(self) -> None:
        """Write beside the place; devices and pipes wait for `publish`."""
        if is_special(self.path):
            return
        with _named(self.path):
            old = self._old()
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | PLAIN
            with _closed_after(os.open(self.scratch, flags, 0o666)) as file:
                if old is not None:
                    _keep_permissions(file, old)
                write_all(file, self.content)
                os.fsync(file)

    def publish(self) -> None:
        """Take the place of the old file in one step."""
        with _named(self.path):
            if not is_special(self.path):
                os.replace(self.scratch, self.target)
                return
            number = _open_number(self.path)
            opened = (
                os.open(self.path, os.O_WRONLY | PLAIN)
                if number is None
                else os.dup(number)
            )
            with _closed_after(opened) as file:
                write_all(file, self.content)

    def drop(self) -> None:
        """Leave nothing behind, whatever happened."""
        with contextlib.suppress(OSError):
            os.unlink(self.scratch)

    def _old(self) -> os.stat_result | None:
        try:
            old = os.stat(self.target)
        except FileNotFoundError:
            return None
        if stat.S_ISDIR(old.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        # A new file in its place would not ask the old one.
        if not os.access(self.target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return old


@contextlib.contextmanager
def _closed_after(file: int) -> Iterator[int]:
    try:
        yield file
    finally:
        os.close(file)


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    """Let errors name the file that was asked for, not the one beside it."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


def _open_number(path: Path) -> int | None:
    """The number of the open file that a path names, such as ``/dev/stdout``."""
    name = os.fspath(path)
    match = _OPEN_FILE.fullmatch(name)
    return int(match[1]) if match else _STANDARD.get(name)


def _keep_permissions(file: int, old: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        with contextlib.suppress(OSError):  # only root gives files away
            os.fchown(file, old.st_uid, old.st_gid)
        os.fchmod(file, stat.S_IMODE(old.st_mode))
