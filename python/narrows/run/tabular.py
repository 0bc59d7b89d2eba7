# SPDX-License-Identifier: Apache-2.0
"""The interface of results for plots: a summary, and tables by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from narrows.comparison import ALGORITHMS, BACKENDS, LEVELS

if TYPE_CHECKING:
    import pyarrow as pa


class Tabular(Protocol):
    """Results with the contents of `summary.json` and Arrow tables."""

    @property
    def summary(self) -> Any:
        """The contents of `summary.json`."""

    def table(self, name: str) -> pa.Table:
        """Return the table with this name."""


def runs_in(table: pa.Table) -> list[str]:
    """Return the name of the run of each row of a table of a comparison; empty texts of a run."""
    column = next((name for name in COLUMNS.values() if name in table.column_names), None)
    return [str(each) for each in table[column].to_pylist()] if column else [""] * int(table.num_rows)


# The first column of a table of all runs, by the kind of comparison.
COLUMNS = {ALGORITHMS: "subject", BACKENDS: "backend", LEVELS: "level"}
