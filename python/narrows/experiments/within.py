# SPDX-License-Identifier: Apache-2.0
"""The ranges of the metrics of a study, limited by their cards and by its scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.experiments.store import MEASURED
from narrows.metrics import card_of
from narrows.metrics.criteria import range_of
from narrows.metrics.possible import most_of

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows.experiments.measures import Column
    from narrows.experiments.plan import Plan
    from narrows.statistics import Range


def within(plan: Plan, cells: pa.Table, column: Column) -> Range:
    """Return the values that a metric of a study can have in its cells.

    The capacity of the bottleneck limits a goodput, the capacity of the link a rate, and the length of the run a time
    that ends in the run.
    """
    owners = [column.owner] if column.owner else _tested(plan, column.of)
    found = [_most(cells, f"{column.of}.{owner}", column.measure) for owner in owners]
    if card_of(column.measure, column.of)["unit"] == "s" and column.of == "group" and column.measure not in UNLIMITED:
        found += [max((point.duration_s for point in plan.points), default=None)]
    known = [each for each in found if each is not None]
    return range_of(card_of(column.measure, column.of), None, max(known) if known else None)


def _tested(plan: Plan, of: str) -> list[str]:
    known = (point.subjects if of == "group" else point.bottlenecks for point in plan.points)
    return list(dict.fromkeys(owner for owners in known for owner in owners))


def _most(cells: pa.Table, owner: str, measure: str) -> float | None:
    """Return the greatest value of a rate, by the capacity that the cells have measured beside it."""
    import pyarrow.compute as pc

    if measure not in CAPACITY or MEASURED not in cells.column_names:
        return None
    rates, parts = (
        pc.map_lookup(cells[MEASURED], f"{owner}.{name}", "first").to_pylist() if name else [1.0] * cells.num_rows
        for name in CAPACITY[measure]
    )
    return most_of(rates, parts)


# The metrics that determine the capacity that limits a metric: the second is the first as a share of the capacity.
CAPACITY = {"goodput_bps": ("goodput_bps", "goodput_fraction"), "rate_bps": ("capacity_bps", None)}
# A wait at access links is counted at its start, and may end after the run.
UNLIMITED = frozenset({"access_queue_delay_mean_s"})
