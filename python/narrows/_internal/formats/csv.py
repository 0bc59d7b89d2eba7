# SPDX-License-Identifier: Apache-2.0
"""Every table of a run as CSV, for spreadsheets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from narrows._internal.files.parquet import read_parquet

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.files.run_folder import RunFolder


def write(run: RunFolder, folder: Path) -> list[Path]:
    """Write `NAME.csv` into `folder` for each `NAME.parquet`; a missing value is an empty cell."""
    import pyarrow as pa
    import pyarrow.csv

    written = []
    for source in run.tables():
        table = read_parquet(source)
        plain = [_plain(each) if pa.types.is_dictionary(each.type) else each for each in table.columns]
        file = folder / f"{source.stem}.csv"
        pyarrow.csv.write_csv(pa.table(plain, names=table.column_names), file)
        written.append(file)
    return written


def _plain(labels: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = labels.cast(pa.string())
    quoted = pc.binary_join_element_wise("'", texts, "")
    return pc.if_else(pc.match_substring_regex(texts, FORMULA), quoted, texts)


# Texts that a spreadsheet would take for a formula; an apostrophe before them prevents it.
FORMULA = r"^[-=+@\t\r]"
