# SPDX-License-Identifier: Apache-2.0
"""The analysis of designed experiments: pure functions over the table of a study's finished cells.

A study's cells are a table with a row per cell: `cell` (its key), a column per factor, `algorithm`, `replication`, and
a column per response. Any table that speaks Arrow will do (Arrow, polars, pandas, DuckDB). Nothing here draws or
writes; what comes back is plain data.

Heavy libraries are loaded by the function that needs them, so importing this package is cheap.
"""

from narrows.analysis import compare, ranks, variance

__all__ = ["compare", "ranks", "variance"]
