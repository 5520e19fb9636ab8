"""Where data sets lie: folders, archives, streams, what names say; what is wrong there.

Files are read through one limit and never unpacked to disk.
"""

from __future__ import annotations

import difflib
import gzip
import io
import lzma
import os
import re
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO

from labelsieve._utils.machine import UNFINISHED, available_memory


class FormatError(ValueError):
    """A file does not hold what its format promises.

    Parameters
    ----------
    path : str
        The file, or ``archive.zip/member``.
    line, column : int or None
        Where in the file, counted from 1; None where a place has no meaning.
    reason : str
        What was found, what was expected and the way out.

    Examples
    --------
    >>> from labelsieve.datasets import FormatError
    >>> print(FormatError("music.arff", 7, 3, "'x' is not a number"))
    music.arff, line 7, column 3: 'x' is not a number
    """

    def __init__(
        self, path: str, line: int | None, column: int | None, reason: str
    ) -> None:
        super().__init__(path, line, column, reason)
        self.path = path
        self.line = line
        self.column = column
        self.reason = reason

    def __str__(self) -> str:
        place = self.path
        if self.line is not None:
            place += f", line {self.line}"
        if self.column is not None:
            place += f", column {self.column}"
        return f"{place}: {self.reason}"


def fault(path: str, reason: str) -> FormatError:
    """What is wrong with a file where a place in it has no meaning."""
    return FormatError(path, None, None, reason)


def refuse_unfinished(text: bytes | bytearray, path: str) -> None:
    """Refuse a description whose data may be those of before, or of after."""
    if text == UNFINISHED:
        reason = (
            "the writing of this file and of its data was cut short, so they "
            "do not belong together; write the data set again"
        )
        raise fault(path, reason)


def shown(error: Exception) -> str:
    """Return what another library says of a damaged file, in one short line."""
    if isinstance(error, MemoryError):
        return "it asks for more memory than there is"
    return shorten(" ".join(str(error).split()) or type(error).__name__, 200)


def shorten(text: str, limit: int = 40) -> str:
    """Quote a piece of a file for a message, cut where it is very long."""
    return repr(text if len(text) <= limit else text[:limit] + "...")


# Numbers as hashed features have them are taken however small the file is; more than
# that are believed only of a file that has at least as many bytes.
ALWAYS_PLAUSIBLE = 2**26
# What any method keeps of a column: a score, its place, its rank and a few counts.
BYTES_PER_COLUMN = 64


def refuse_implausible(count: int, what: str, size: int, path: str) -> None:
    """Refuse a file of `size` bytes that speaks of `count` features, labels or rows."""
    if count > max(ALWAYS_PLAUSIBLE, size):
        reason = (
            f"{count:,} {what} in {size:,} bytes: their numbers are wrong, or the file "
            "is damaged"
        )
        raise fault(path, reason)
    if count * BYTES_PER_COLUMN > available_memory():
        raise fault(path, f"{count:,} {what} are more than this machine has memory for")


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


class Folder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.title = path.resolve().name

    def names(self) -> list[str]:
        """Return the names of the files inside the folder itself, sorted."""
        return sorted(entry.name for entry in self.path.iterdir() if entry.is_file())

    def has(self, name: str) -> bool:
        return (self.path / name).is_file()

    def read(self, name: str, max_bytes: int) -> bytearray:
        """Return the bytes of one file, unpacked where they are compressed."""
        with open(self.path / name, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            return _read_limited(stream, size, max_bytes, self.path_of(name))

    def path_of(self, name: str) -> str:
        """Return what an error message calls the file."""
        return str(self.path / name)


class Archive:
    """A zip file; members are read in memory, by their exact name."""

    def __init__(self, path: Path, content: bytearray | None = None) -> None:
        self.path = path
        self.title = path.stem
        self.content = content

    def names(self) -> list[str]:
        with self._open() as archive:
            return sorted(filter(_is_proper_file, archive.namelist()))

    def has(self, name: str) -> bool:
        return name in self.names()

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
            raise _unreadable(path, error) from None

    def path_of(self, name: str) -> str:
        return f"{self.path}/{name}"

    def _open(self) -> zipfile.ZipFile:
        content = self.path if self.content is None else io.BytesIO(self.content)
        try:
            return zipfile.ZipFile(content)
        except _DAMAGED as error:
            raise _unreadable(str(self.path), error) from None


def _unreadable(path: str, error: Exception) -> FormatError:
    return fault(path, f"the archive cannot be read: {error}")


class Stream:
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


# Where files lie side by side.
Place = Folder | Archive | Stream


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
        if _is_archive(path):
            return Archive(path), None
        return Folder(path.parent), path.name
    if path.exists():
        raise fault(str(path), NOT_A_FILE)
    for parent in path.parents:
        if parent.is_file() and _is_archive(parent):
            return Archive(parent), path.relative_to(parent).as_posix()
    raise FileNotFoundError(
        f"{path}: no such file or folder. In Python, find_dataset(name) looks data "
        "sets up by name."
    )


def read_text(path: str | os.PathLike[str], max_bytes: int) -> bytearray:
    place, name = locate(path)
    return decode_text(place.read(name or "", max_bytes), str(path))


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
    try:
        data.decode()
    except UnicodeDecodeError as error:
        where = position(data, error.start)
        raise FormatError(path, *where, "not UTF-8 text; save it as UTF-8") from None
    if not data.endswith(b"\n"):
        data += b"\n"
    return data


def position(data: bytearray, offset: int) -> tuple[int, int]:
    """Return line and column, counted from 1, of a byte offset."""
    start = data.rfind(b"\n", 0, offset) + 1
    text = data[start:offset].decode("utf-8", "replace")
    return data.count(b"\n", 0, offset) + 1, len(text) + 1


def first_row(data: bytearray, start: int = 0) -> bytearray:
    """Return the first line that is neither blank nor a comment of ARFF files."""
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        line = data[start:end].lstrip(b" \t\r\n")
        if line and line[:1] != b"%":
            return line + b"\n"
        start = end
    return bytearray()


def _is_archive(path: Path) -> bool:
    with open(path, "rb") as stream:
        return stream.read(4) in _ZIP


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
    return (_unpack if packed else _count_bytes)(stream, max_bytes, path)


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
            raise fault(path, f"more than the {room / 2**30:.1f} GiB of free memory")
    return data


def _unpack(stream: IO[bytes], max_bytes: int, path: str) -> bytearray:
    try:
        with gzip.GzipFile(fileobj=stream) as unpacked:
            return _count_bytes(unpacked, max_bytes, path)
    except EOFError:
        raise fault(path, "the gzip file is truncated") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise fault(path, f"damaged gzip file: {error}") from None


def _too_large(path: str, max_bytes: int) -> FormatError:
    reason = f"exceeds max_bytes={max_bytes}; raise max_bytes if you trust the file"
    return fault(path, reason)


# The format that a suffix says, unless the content says another.
FORMATS = {
    ".arff": "arff",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".jsonl": "json",
    ".ndjson": "json",
}

# The extreme classification repository's names of what LibSVM with a line of counts is.
_EXTREME = re.compile(r"(?:.+[-_])?(?:data|train|test)\.txt(?:\.gz)?", re.IGNORECASE)
_SPLIT = re.compile(r"(?:(.+)[-_])?(train|test)[0-9]*", re.IGNORECASE)


def suffix_of(name: str) -> str:
    """Return the suffix that gives the format, in lower case, compression aside."""
    return _unpacked(name).suffix.lower()


def stem_of(name: str) -> str:
    """Return the name of the data set that a file holds."""
    path = _unpacked(name)
    known = path.suffix.lower() in FORMATS or _EXTREME.fullmatch(path.name)
    return path.stem if known else path.name


def _unpacked(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    return path.with_suffix("") if path.suffix.lower() in (".gz", ".zip") else path


def split_of(stem: str) -> tuple[str, str | None]:
    """Return the data set's name and which part of its split a stem names."""
    match = _SPLIT.fullmatch(stem)
    return (match[1] or "", match[2].lower()) if match else (stem, None)


def sibling(place: Place, name: str, suffix: str) -> str | None:
    """Return the file beside a data file that bears its name and another suffix."""
    folder, stem = PurePosixPath(name).parent, stem_of(name)
    paths = [
        str(folder / f"{candidate}{suffix}{packed}")
        for candidate in (stem, split_of(stem)[0])
        for packed in ("", ".gz")
    ]
    return next(filter(place.has, paths), None)


def choose_files(place: Place) -> list[str]:
    """Return the file that is a folder's data set, or the parts that make it up."""
    listed = place.names()
    names = [name for name in listed if suffix_of(name) in FORMATS] or [
        name for name in listed if _EXTREME.fullmatch(PurePosixPath(name).name)
    ]
    whole = [name for name in names if split_of(stem_of(name))[1] is None]
    titled = [name for name in whole if stem_of(name) == place.title]
    for candidates in (whole, titled, [] if whole else names):
        if len(candidates) == 1:
            return candidates
    parts = {split_of(stem_of(name)): name for name in names}
    bases = {base for base, _ in parts}
    if not whole and len(bases) == 1 and len(parts) == len(names) == 2:
        base = bases.pop()
        return [parts[base, "train"], parts[base, "test"]]
    reason = f"no data set here; expected a file that ends in {', '.join(FORMATS)}"
    if names:
        reason = f"several data sets here, name one of them: {', '.join(names)}"
    raise fault(place.path_of(""), reason)


def files_read(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files that `load` opens; all of a folder, where it is one."""
    place = Path(path)
    if place.is_dir():
        return [entry for entry in place.iterdir() if entry.is_file()]
    if not place.exists():  # perhaps a member of an archive
        return [parent for parent in place.parents if parent.is_file()]
    description = ".xml" if suffix_of(place.name) == ".arff" else ".json"
    sidecar = sibling(Folder(place.parent), place.name, description)
    return [place] if sidecar is None else [place, place.parent / sidecar]


def find_dataset(name: str, folder: str | os.PathLike[str] | None = None) -> Path:
    """Return where a data set lies: its folder, or its file.

    Looks for ``name/`` and ``name.arff`` (or another known suffix, also compressed).
    ``name-train`` and ``name-test`` find the parts of a published split.

    Parameters
    ----------
    name : str
        The name of a data set, such as ``"emotions"`` or ``"emotions-train"``.
    folder : path, optional
        Where to look; by default in each folder of the environment variable
        ``LABELSIEVE_DATA`` and then in ``labelsieve_data`` in the home folder of the
        user.

    Returns
    -------
    pathlib.Path
        A path for :func:`load`.

    Examples
    --------
    >>> from labelsieve.datasets import find_dataset
    >>> find_dataset("no such data")
    Traceback (most recent call last):
        ...
    FileNotFoundError: no data set 'no such data' in ...
    """
    if not name or re.search(r"[/\\:\0]", name) or name in (".", ".."):
        raise ValueError(f"{name!r} is not the name of a data set; load() takes paths")
    listed = os.environ.get("LABELSIEVE_DATA", "").split(os.pathsep)
    homes = [*(Path(home) for home in listed if home), Path.home() / "labelsieve_data"]
    if folder is not None:
        homes = [Path(folder)]
    for home in homes:
        found = _look_in(home, name)
        if found is not None:
            return found
    known = [e.name for home in homes if home.is_dir() for e in home.iterdir()]
    close = difflib.get_close_matches(name, set(map(stem_of, known)))
    hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
    raise FileNotFoundError(
        f"no data set {name!r} in {', '.join(map(str, homes))}; {hint}"
        + ("set LABELSIEVE_DATA to" if folder is None else "give")
        + " the folder that holds your data sets"
    )


def _look_in(home: Path, name: str) -> Path | None:
    if (home / name).is_dir():
        return home / name
    files = [
        parent / f"{name}{suffix}{packed}"
        for parent in (home, home / split_of(name)[0])
        for suffix in FORMATS
        for packed in ("", ".gz", ".zip")
    ]
    return next(filter(Path.is_file, [*files, home / f"{name}.zip"]), None)
