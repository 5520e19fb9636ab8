"""What a build adds: addresses to the metadata, the documentation to the wheel.

Addresses are those of the place that builds a release: they are no part of the source,
which may live anywhere. `LABELSIEVE_SOURCE` is the address of the repository and
`LABELSIEVE_DOCUMENTATION` that of the built pages.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
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


class Documentation(BuildHookInterface):
    """Puts the guides into the wheel, as Markdown: `labelsieve.__docs_dir__`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the pages, except to editable installations."""
        if version == "standard":
            build_data["force_include"].update(guides(Path(self.root)))


def guides(root: Path) -> dict[str, str]:
    """Return for each page of the documentation where it is in the wheel."""
    docs = root / "docs"
    pages = [
        *docs.glob("*.md"),
        *docs.glob("methods/*.md"),
        *docs.glob("coming-*/*.md"),
    ]
    return {
        str(page): f"labelsieve/_docs/{page.relative_to(docs).as_posix()}"
        for page in sorted(pages)
    }
