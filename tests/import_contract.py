"""The contract that packages are imported by their public API, for import-linter.

What a package offers stands in its `__init__.py`. Kernels are an exception: they bring
numba, so they are imported where they are called. Modules of `_utils` are imported
one by one.
"""

from __future__ import annotations

from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

WITHOUT_API = "_utils"


class PublicApiContract(Contract):
    """Nobody imports a module inside another package."""

    package = fields.StringField()

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Find the imports that go around a public API."""
        found = [
            (importer, imported)
            for importer in sorted(graph.modules)
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            if self._goes_around(importer, imported)
        ]
        return ContractCheck(kept=not found, metadata={"found": found})

    def _goes_around(self, importer: str, imported: str) -> bool:
        path = imported.split(".")
        if path[0] != self.package or len(path) < 3 or path[1] == WITHOUT_API:
            return False
        if path[-1].endswith("kernels") and len(path) == 3:
            return False
        return importer.split(".")[1:2] != path[1:2]

    def render_broken_contract(self, check: Any) -> None:
        """Name them."""
        for importer, imported in check.metadata["found"]:
            package = ".".join(imported.split(".")[:2])
            output.print_error(f"{importer} imports {imported}: import from {package}.")
