"""Opens Parquet files that stay on disk; what is damaged is said when it is read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import pyarrow as pa
import pyarrow.parquet as pq
from dask.dataframe.io.parquet.arrow import ArrowDatasetEngine

from labelsieve.datasets._dataset import first_repeated
from labelsieve.datasets._errors import FormatError, shorten, shown
from labelsieve.datasets._parquet import KEY

LISTS = (pa.types.is_list, pa.types.is_large_list)


def open_frame(files: Sequence[Path]) -> tuple[Any, bytes | None]:
    """Return the rows of all files as a Dask frame, and what describes them."""
    description = _check_footers(files)
    try:
        frame = dd.read_parquet([str(file) for file in files], engine=_Engine)
        frame.npartitions  # noqa: B018  makes the plan, which reads the files' ends
    except FormatError:
        raise
    except Exception as error:
        raise _damaged(str(files[0].parent), error) from None
    return frame, description


class _Engine(ArrowDatasetEngine):
    """Reads blocks of rows; what pyarrow finds wrong names the file."""

    @classmethod
    def read_partition(cls, fs: Any, pieces: Any, *args: Any, **kwargs: Any) -> Any:
        """Return some row groups as a frame."""
        try:
            return super().read_partition(fs, pieces, *args, **kwargs)
        except Exception as error:
            raise _damaged(_file_of(pieces), error) from None


def _check_footers(files: Sequence[Path]) -> bytes | None:
    """Refuse what cannot be features and labels before any row is read."""
    first: pa.Schema | None = None
    n_rows = 0
    for file in files:
        try:
            metadata = pq.read_metadata(file)
            schema = metadata.schema.to_arrow_schema()
        except Exception as error:
            raise _damaged(str(file), error) from None
        first = schema if first is None else first
        n_rows += metadata.num_rows
        _check_columns(schema, first, str(file))
    if n_rows == 0 or first is None:
        raise FormatError(str(files[0]), None, None, "there is no row")
    return (first.metadata or {}).get(KEY)


def _check_columns(schema: pa.Schema, first: pa.Schema, path: str) -> None:
    if schema.names != first.names or first_repeated(schema.names) is not None:
        reason = "the columns are not those of the first file, or two have one name"
        raise FormatError(path, None, None, reason)
    for field in schema:
        if not _is_value(field.type):
            reason = (
                f"column {shorten(field.name)} holds {field.type}, expected numbers, "
                "dates, text or tags"
            )
            raise FormatError(path, None, None, reason)


def _is_value(kind: Any) -> bool:
    known = pa.types
    if known.is_dictionary(kind):
        return _is_value(kind.value_type)
    return any(
        is_kind(kind)
        for is_kind in (
            known.is_boolean,
            known.is_integer,
            known.is_floating,
            known.is_decimal,
            known.is_string,
            known.is_large_string,
            known.is_temporal,
            *LISTS,  # of tags
        )
    )


def refuse_lists(file: Path, features: Sequence[str]) -> None:
    """FormatError for a feature whose cells are lists: only labels may be tags."""
    schema = pq.read_metadata(file).schema.to_arrow_schema()
    for name in features:
        kind = schema.field(name).type
        if any(is_kind(kind) for is_kind in LISTS):
            reason = (
                f"column {shorten(name)} holds {kind}, expected numbers, dates or "
                "text; lists are tags, which only labels are"
            )
            raise FormatError(str(file), None, None, reason)


def _file_of(pieces: Any) -> str:
    """The file of the first piece that Dask hands over."""
    piece = pieces[0] if isinstance(pieces, list) else pieces
    named = piece.get("piece", piece) if isinstance(piece, dict) else piece
    return str(named[0] if isinstance(named, tuple | list) else named)


def _damaged(path: str, error: Exception) -> FormatError:
    reason = f"damaged Parquet file: {shown(error)}"
    return FormatError(path, None, None, reason)
