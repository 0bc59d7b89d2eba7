# SPDX-License-Identifier: Apache-2.0
"""The analysis of designed experiments: pure functions over the table of a study's finished cells.

A study's cells are a table with a row per cell: `cell` (its key), a column per factor, `algorithm`, `replication`, and
a column per response. Any table that speaks Arrow will do (Arrow, polars, pandas, DuckDB). Nothing here draws or
writes; what comes back is plain data.

Heavy libraries are loaded by the function that needs them, so importing this package is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from narrows.analysis import compare, ranks, variance

__all__ = ["compare", "ranks", "variance"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"narrows.analysis.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
