# SPDX-License-Identifier: Apache-2.0
"""Parquet files by path: Arrow takes a relative path with a colon in it for the address of a filesystem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pyarrow as pa


def read_parquet(file: Path, columns: Sequence[str] | None = None, filters: Sequence[Any] | None = None) -> pa.Table:
    """Read a table.

    Args:
        file: The file.
        columns: The columns that are read; None for all.
        filters: Conditions that rows must satisfy to be read, as of `pyarrow.parquet.read_table`; None for all rows.

    Raises:
        pyarrow.ArrowException: It is no such file.
        OSError: It cannot be read.
    """
    import pyarrow.parquet as pq

    chosen = None if columns is None else list(columns)
    if filters is not None:
        return pq.read_table(file.absolute(), columns=chosen, filters=list(filters))
    # Not as a data set, whose module takes longer to load than a short run to read.
    with pq.ParquetFile(file.absolute()) as opened:
        missing = sorted(set(chosen or ()) - set(opened.schema_arrow.names))
        if missing:
            raise pq.lib.ArrowInvalid(f"no column {', '.join(missing)}")
        table = opened.read(chosen)
    return table if chosen is None else table.select(chosen)


def write_parquet(table: pa.Table, file: Path, level: int | None = None) -> None:
    """Write a table, compressed by Zstandard at `level`, or its default."""
    import pyarrow.parquet as pq

    pq.write_table(table, file.absolute(), compression="zstd", compression_level=level)
