"""How many columns a file may speak of before memory is asked for."""

from __future__ import annotations

from labelsieve._plumbing.machine import available_memory
from labelsieve.datasets._errors import FormatError

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
