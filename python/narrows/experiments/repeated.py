# SPDX-License-Identifier: Apache-2.0
"""Replications of a study that are the same run: without randomness they give no estimate of a spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


def independent(cells: pa.Table) -> pa.Table:
    """Return the cells that count as replications: only the first ones if all of each combination are the same run."""
    import pyarrow.compute as pc

    return cells.filter(pc.equal(cells["replication"], _first(cells))) if is_repeated(cells) else cells


def is_repeated(cells: pa.Table) -> bool:
    """Return whether there are several replications, and all replications of each combination are the same run."""
    if len(set(cells["replication"].to_pylist())) < _TWO:
        return False
    # The columns before the number of the replication, without the key of the cell, identify a combination.
    names = cells.column_names[1 : cells.column_names.index("replication")]
    digests: dict[tuple[object, ...], set[str]] = {}
    combinations = zip(*(cells[name].to_pylist() for name in names), strict=True)
    for combination, digest in zip(combinations, cells["digest"].to_pylist(), strict=True):
        digests.setdefault(combination, set()).add(digest)
    return all(len(each) == 1 for each in digests.values())


def _first(cells: pa.Table) -> int:
    first: int = min(cells["replication"].to_pylist())
    return first


NOTE = (
    "All replications of each combination are one and the same run, as nothing in it is random: they count as one, and "
    'give no interval and no verdict. Let the flows start at random times (start = "0s..1s"), draw their round-trip '
    'times, or set transport.send_delay = "1pkt".'
)
"""What is said of a study that is repeated."""
_TWO = 2
