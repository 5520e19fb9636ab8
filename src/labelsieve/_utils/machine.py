"""What the machine gives: threads, memory and files.

No more threads and memory than asked for; files are written whole or not at all: the
old one stays until the new one is.
"""

from __future__ import annotations

import _thread
import errno
import functools
import gc
import math
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Task = TypeVar("Task")
Result = TypeVar("Result")
# Arrays below this size are not worth asking the machine what it has.
ALWAYS_TRIED = 2**28
# Where Linux says to a process in a container what it may take.
CONTROL_GROUP = "/sys/fs/cgroup"
Place = str | os.PathLike[str]

# Bytes as they are (Windows), in this process only (POSIX).
PLAIN = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)

# Neither JSON nor XML nor empty: no reader takes it for a description.
UNFINISHED = b"labelsieve was ended while it wrote this file and the data beside it\n"

# Names of files that this process has open already.
_OPEN_FILE = re.compile(r"/(?:dev|proc/self)/fd/([0-9]+)")
_STANDARD = {"/dev/stdout": 1, "/dev/stderr": 2}

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):
        """Like that of Python 3.12: threads with other instances do not wait."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            value = vars(instance)[self.attrname] = self.func(instance)
            return value


def n_threads(n_jobs: int | None) -> int:
    """Return how many threads are meant: -1 is one for each processor."""
    if n_jobs == 0:
        raise ValueError("n_jobs must be 1 or more, -1 for all processors, or None.")
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def run_in_threads(
    function: Callable[[Task], Result], tasks: Sequence[Task], n_jobs: int | None
) -> list[Result]:
    """Return ``[function(task) for task in tasks]``, computed by `n_jobs` threads.

    The results keep the order of the tasks, so a caller that adds them up gets the
    same floating-point sum for every `n_jobs`. The calling thread works too: for
    two jobs one thread is started. An exception, Ctrl-C included, drops the tasks
    that have not started and comes through as it is.
    """
    # Asking joblib costs more than short tasks do.
    alone = len(tasks) < 2 and n_jobs != 0
    workers = 1 if alone else min(n_threads(n_jobs), len(tasks))
    if workers <= 1:
        return [function(task) for task in tasks]
    positions = iter(range(len(tasks)))
    results: dict[int, Result] = {}
    errors: list[BaseException] = []
    stopped = False

    def work() -> None:
        # Taking the next position from an iterator over a range is atomic.
        while not (stopped or errors) and (at := next(positions, None)) is not None:
            try:
                results[at] = function(tasks[at])
            except BaseException as error:
                errors.append(error)

    def help(lock: _thread.LockType) -> None:
        # Who gets the lock after all was stopped knows that no task is running: a
        # thread that starts later finds nothing to do.
        with lock:
            work()

    helping = [_thread.allocate_lock() for _ in range(workers - 1)]
    try:
        for lock in helping:
            # Not threading.Thread: its start() waits until the thread runs.
            _thread.start_new_thread(help, (lock,))
        work()
    finally:
        # Also when Ctrl-C comes between two tasks.
        stopped = True
        _wait_for(helping)
    if errors:
        raise errors[0]
    return [results[at] for at in range(len(tasks))]


def _wait_for(helping: list[_thread.LockType]) -> None:
    """Let no task outlive its call, also when Ctrl-C comes while waiting."""
    try:
        for lock in helping:
            with lock:
                pass
    except KeyboardInterrupt:
        _wait_for(helping)
        raise


def one_thread_inside() -> AbstractContextManager[object]:
    """Leave threads to `n_jobs`: those of BLAS and OpenMP would fight them.

    The sums of BLAS also depend on how many threads it uses.
    """
    return _thread_pools().limit(limits=1)


@functools.cache
def _thread_pools() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    # Only libraries that are loaded are found, and finding them takes milliseconds.
    import_module("scipy.linalg")
    return ThreadpoolController()


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


@contextmanager
def paused_collector() -> Iterator[None]:
    """Let the collector rest: it would look at all new lists again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def write_file(path: Place, content: bytes) -> None:
    write_files({path: content})


def write_files(contents: Mapping[Place, bytes]) -> None:
    """Write files: where one cannot be written, all stay as they were.

    All are written beside their places, forced to the disk and then moved there.
    Links are followed and permissions kept; devices and pipes are written to.
    """
    with _written(contents.items()) as drafts:
        for draft in drafts:
            draft.publish()


def write_described(path: Place, content: bytes, sidecar: Place, text: bytes) -> None:
    """Write a file, and the one beside it without which it would be misread.

    Two files cannot be moved in one step. Between the steps the file beside holds
    `UNFINISHED`, so that who reads it sees that the two do not belong together.
    """
    if is_special(sidecar):
        return write_files({sidecar: text, path: content})
    old = None
    if os.path.lexists(sidecar):
        with open(sidecar, "rb") as file:
            old = file.read()
    steps = ((sidecar, UNFINISHED), (path, content), (sidecar, text))
    with _written(steps) as (mark, data, description):
        mark.publish()
        try:
            data.publish()
        except OSError:  # nothing has changed: neither does what is beside it
            if old is None:
                os.unlink(sidecar)
            else:
                write_file(sidecar, old)
            raise
        description.publish()


@contextmanager
def _written(contents: Iterable[tuple[Place, bytes]]) -> Iterator[list[_Draft]]:
    """Files that are written beside their places; what stays there goes again."""
    drafts = [_Draft(path, content) for path, content in contents]
    try:
        for draft in drafts:
            draft.write()
        yield drafts
    finally:
        for draft in drafts:
            draft.drop()


def is_special(path: Place) -> bool:
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

    def __init__(self, path: Place, content: bytes) -> None:
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
            with open(os.open(self.scratch, flags, 0o666), "wb", 0) as opened:
                file = opened.fileno()
                if old is not None and hasattr(os, "fchown"):
                    with suppress(OSError):  # only root gives files away
                        os.fchown(file, old.st_uid, old.st_gid)
                    os.fchmod(file, stat.S_IMODE(old.st_mode))
                write_all(file, self.content)
                os.fsync(file)

    def publish(self) -> None:
        """Take the place of the old file in one step."""
        with _named(self.path):
            if not is_special(self.path):
                os.replace(self.scratch, self.target)
                return
            number = _open_number(self.path)
            if number is None:
                number = os.open(self.path, os.O_WRONLY | PLAIN)
            else:
                number = os.dup(number)
            with open(number, "wb", 0):
                write_all(number, self.content)

    def drop(self) -> None:
        """Leave nothing behind, whatever happened."""
        with suppress(OSError):
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


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Let errors name the file that was asked for, not the one beside it."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


def _open_number(path: Place) -> int | None:
    """The number of the open file that a path names, such as ``/dev/stdout``."""
    name = os.fspath(path)
    match = _OPEN_FILE.fullmatch(name)
    return int(match[1]) if match else _STANDARD.get(name)
