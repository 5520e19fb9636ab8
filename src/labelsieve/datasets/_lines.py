"""The walk through a text file: usual lines by a kernel, the others one by one."""

from __future__ import annotations

from collections.abc import Callable

from labelsieve._plumbing.messages import reached

# So often may a kernel not advance before it is asked no more: the file is unusual.
_PATIENCE = 100


def read_lines(
    data: bytearray,
    start: int,
    number: int,
    read_usual: Callable[[int], int] | None,
    add: Callable[[str, int], None],
) -> None:
    """Read lines from a byte offset, which is the start of line `number`.

    `read_usual` reads as many lines as it can and returns where it stopped; `add`
    takes the text and the number of a line that it did not read.
    """
    patience = _PATIENCE
    while start < len(data):
        if read_usual and patience:
            stop = read_usual(start)
            patience -= stop == start
            number += data.count(b"\n", start, stop)
            start = stop
        end = data.find(b"\n", start) + 1 or len(data)
        if start < end:
            add(data[start:end].decode().rstrip("\r\n"), number)
        start, number = end, number + 1
        reached(start / len(data))
