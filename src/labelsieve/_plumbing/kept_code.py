"""Compiled code on disk: a file for each kernel, types of arguments and processor.

Numba numbers its files and keeps an index of them. Two processes that compile the same
kernel for other types at the same time take the same number, and one of them finds the
code of the other under its types, then and ever after. Here the name says what it is.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

from labelsieve._plumbing.files import write_file


class CodeFiles:
    """The files of one kernel, in place of numba's index and numbered files.

    Parameters
    ----------
    cache : FunctionCache
        Numba's cache of the kernel, which knows the folder and the state of the source.
    """

    def __init__(self, cache: FunctionCache) -> None:
        implementation = cache._impl
        self._base = os.path.join(cache.cache_path, implementation.filename_base)
        self._made_by = numba.__version__, implementation.locator.get_source_stamp()

    def save(self, key: Any, data: Any) -> None:
        """Keep the code; the file of an older source or numba gives way."""
        written = pickle.dumps(self._made_by) + dumps(key) + dumps(data)
        write_file(self._path(key), written)

    def load(self, key: Any) -> Any:
        """The code that was kept, None where it is to be compiled."""
        try:
            with open(self._path(key), "rb") as file:
                # What another numba wrote may not be read any further.
                if pickle.load(file) != self._made_by or pickle.load(file) != key:
                    return None
                return pickle.load(file)
        except FileNotFoundError:
            return None
        except OSError:
            raise
        except Exception:  # damaged: unpickling raises errors of any kind
            return None

    def _path(self, key: Any) -> str:
        """Where code for these types and this processor is, whatever its source."""
        types, processor, _ = key
        digest = hashlib.sha256(repr((types, processor)).encode()).hexdigest()
        return f"{self._base}.{digest[:16]}.nbc"
