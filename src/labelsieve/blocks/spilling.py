"""Results of tasks that would fill the memory, kept in files and read by pages."""

from __future__ import annotations

import mmap
import pickle
import shutil
import tempfile
import uuid
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Arrays begin at multiples of this many bytes, as processors like it.
ALIGNMENT = 64


@dataclass(frozen=True)
class Spilled:
    """An object in a file: its arrays as they are in memory, the rest beside them."""

    path: str
    frame: bytes
    ends: tuple[tuple[int, int], ...]

    def load(self) -> Any:
        """The object; its arrays are pages of the file, read when touched."""
        if not self.ends or self.ends[-1][1] == 0:
            return pickle.loads(self.frame, buffers=[b""] * len(self.ends))
        with open(self.path, "rb") as file:
            pages = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
        buffers = [pages[low:high] for low, high in self.ends]
        return pickle.loads(self.frame, buffers=buffers)

    def remove(self) -> None:
        """Delete the file; what was loaded from it stays."""
        Path(self.path).unlink(missing_ok=True)


class SpillFolder:
    """A private folder for spilled objects, gone with this object."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="labelsieve-")
        self._remove = weakref.finalize(self, shutil.rmtree, self.path, True)

    def close(self) -> None:
        """Remove the folder."""
        self._remove()


def spill(content: Any, folder: str | None) -> Any:
    """Write an object to the folder and return where it is; itself without one."""
    if folder is None:
        return content
    buffers: list[pickle.PickleBuffer] = []
    frame = pickle.dumps(content, protocol=5, buffer_callback=buffers.append)
    path = Path(folder) / uuid.uuid4().hex
    ends = []
    with path.open("wb") as file:
        for buffer in buffers:
            file.write(b"\0" * (-file.tell() % ALIGNMENT))
            low = file.tell()
            file.write(buffer.raw())
            ends.append((low, file.tell()))
    return Spilled(str(path), frame, tuple(ends))


def load(content: Any) -> Any:
    """The object, read from its file where it was spilled."""
    return content.load() if isinstance(content, Spilled) else content
