"""The addresses in the metadata: those of the place that builds a release.

They are no part of the source, which may live anywhere. `LABELSIEVE_SOURCE` is the
address of the repository and `LABELSIEVE_DOCUMENTATION` that of the built pages.
"""

import os
from collections.abc import Mapping
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Addresses(MetadataHookInterface):
    """Adds the addresses that the environment tells."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the field `urls`."""
        metadata["urls"] = addresses(os.environ)


def addresses(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the name and the address of each page that the environment tells of."""
    found = {}
    if pages := environment.get("LABELSIEVE_DOCUMENTATION", "").rstrip("/"):
        found["Documentation"] = pages
    if source := environment.get("LABELSIEVE_SOURCE", "").rstrip("/"):
        found["Source"] = source
        found["Issues"] = f"{source}/issues"
        found["Changelog"] = f"{source}/blob/main/CHANGELOG.md"
    return found
