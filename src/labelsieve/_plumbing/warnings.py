"""Warnings that point to the line of the user, however deep they are given."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

# What has been said since `told_once` began, None outside of it.
_said: ContextVar[set[str] | None] = ContextVar("said", default=None)

# Who stands between a user's line and ours: pipelines, searches, wrappers of `fit`,
# the compiler, and imports at first use.
BETWEEN = frozenset(
    {
        "_frozen_importlib",
        "_frozen_importlib_external",
        "contextlib",
        "dask",
        "distributed",
        "importlib",
        "joblib",
        "labelsieve",
        "numba",
        "sklearn",
        "threadpoolctl",
    }
)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called into the library, as if it stood there."""
    said = _said.get()
    if said is not None:
        if message in said:
            return
        said.add(message)
    frame = _user_frame()
    names = frame.f_globals
    warnings.warn_explicit(
        message,
        category,
        filename=frame.f_code.co_filename,
        lineno=frame.f_lineno,
        module=names.get("__name__", "<unknown>"),
        registry=names.setdefault("__warningregistry__", {}),
    )


@contextmanager
def told_once() -> Iterator[None]:
    """Give each warning once in here, or in a function that this decorates.

    What fits a selector several times would say the same each time.
    """
    if _said.get() is not None:
        yield
        return
    token = _said.set(set())
    try:
        yield
    finally:
        _said.reset(token)


def _user_frame() -> FrameType:
    """The innermost frame of other code; in a thread of a pool, the outermost."""
    frame = sys._getframe()
    while _package(frame) in BETWEEN and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _package(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0]
