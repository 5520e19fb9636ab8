"""Say no before the machine runs out of memory."""

from __future__ import annotations

import math
import os
from pathlib import Path

# Arrays below this size are not worth asking the machine what it has.
ALWAYS_TRIED = 2**28
# Where Linux tells a process in a container what it may take.
CONTROL_GROUP = "/sys/fs/cgroup"


def refuse_larger_than_memory(
    shape: tuple[int, ...], what: str, way_out: str, itemsize: int = 4
) -> None:
    """Raise MemoryError before an array is tried that this machine cannot hold."""
    n_bytes = math.prod(shape) * itemsize
    if n_bytes < ALWAYS_TRIED:
        return
    available = available_memory()
    if n_bytes > available:
        raise MemoryError(
            f"{what} of {' x '.join(map(str, shape))} cells needs "
            f"{n_bytes / 2**30:.1f} GiB, and {available / 2**30:.1f} GiB are free. "
            f"{way_out}"
        )


def available_memory() -> int:
    """Bytes that can be allocated now without swapping; a guess where unknown."""
    try:
        with open("/proc/meminfo") as lines:
            fields = dict(line.split(":", 1) for line in lines)
        free = int(fields["MemAvailable"].split()[0]) * 1024
        return min(free, _left_in_group(free))
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 16 * 2**30


def _left_in_group(free: int) -> int:
    """What a container may still take, `free` where nothing limits it."""
    try:
        limit, used, pages = (
            Path(CONTROL_GROUP, f"memory.{name}").read_text()
            for name in ("max", "current", "stat")
        )
        # Pages of files are given back when they are needed.
        cached = dict(line.split() for line in pages.splitlines())["inactive_file"]
        return max(0, int(limit) - int(used) + int(cached))
    except (OSError, KeyError, ValueError):
        return free
