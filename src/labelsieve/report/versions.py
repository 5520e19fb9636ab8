"""What a result was computed with."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def versions() -> dict[str, str]:
    """Return the versions that can matter for a result.

    Examples
    --------
    >>> from labelsieve.report.versions import versions
    >>> sorted(versions())[:3]
    ['Python', 'labelsieve', 'numba']
    """
    from labelsieve import __version__

    found = {"labelsieve": __version__, "Python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    found["system"] = f"{platform.system()} {platform.machine()}"
    return found
