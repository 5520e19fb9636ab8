"""The one error that a damaged or hostile file ends in, and what a file may claim."""

from __future__ import annotations

from labelsieve._plumbing.machine import UNFINISHED, available_memory


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


def refuse_unfinished(text: bytes | bytearray, path: str) -> None:
    """Refuse a description whose data may be those of before, or of after."""
    if text == UNFINISHED:
        reason = (
            "the writing of this file and the data beside it was cut short, so they "
            "do not belong together; write the data set again"
        )
        raise FormatError(path, None, None, reason)


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
        raise FormatError(path, None, None, reason)
    if count * BYTES_PER_COLUMN > available_memory():
        reason = f"{count:,} {what} are more than this machine has memory for"
        raise FormatError(path, None, None, reason)
