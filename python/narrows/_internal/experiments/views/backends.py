# SPDX-License-Identifier: Apache-2.0
"""A study on two backends: every measure of every point on both, and the difference replication by replication."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from narrows._internal.experiments.measures import Column
from narrows._internal.experiments.store import independent
from narrows._internal.experiments.views.view import number
from narrows._internal.linux.backend import BOTH, LINUX, SIMULATOR
from narrows._internal.metrics.criteria import range_of
from narrows._internal.statistics import Estimate, estimate, paired
from narrows.metrics import card_of

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.experiments.plan import Plan

    Values = Mapping[int, float]


def beside(
    plan: Plan, command: str | None, summaries: Mapping[str, Mapping[str, Any]], tables: Mapping[str, pa.Table]
) -> dict[str, Any]:
    """Return the summary of a matrix or deployment on both backends, from the plan of either study."""
    return {
        "title": plan.title,
        "kind": summaries[SIMULATOR]["kind"],
        "on": BOTH,
        "seed": plan.seed,
        "replications": max(len(set(each["replication"].to_pylist())) for each in tables.values()),
        "command": command,
        **summaries,
        "differences": differences(plan, tables),
    }


def differences(plan: Plan, tables: Mapping[str, pa.Table]) -> list[dict[str, Any]]:
    """Return every measure of every point on both backends."""
    rows = {on: independent(table).to_pylist() for on, table in tables.items()}
    found = []
    for point in plan.points:
        condition = {name: point.levels[name] for name in plan.factors}
        at = {name: str(level) for name, level in condition.items()}
        here = {on: [row for row in each if at == {name: str(row[name]) for name in at}] for on, each in rows.items()}
        measures = {}
        for column in plan.columns:
            values = {on: {row["replication"]: number(row[column.name]) for row in each} for on, each in here.items()}
            entry = _entry(column, values[SIMULATOR], values[LINUX])
            if entry is not None:
                measures[column.name] = entry
        found.append({"condition": condition, "measures": measures})
    return found


def _entry(column: Column, simulator: Values, kernel: Values) -> dict[str, Estimate] | None:
    within = range_of(card_of(column.measure, column.of))
    shared = sorted(simulator.keys() & kernel.keys())
    entry = {
        SIMULATOR: estimate(simulator.values(), within),
        LINUX: estimate(kernel.values(), within),
        "difference": paired([kernel[each] for each in shared], [simulator[each] for each in shared], within),
    }
    return None if all(each["mean"] is None for each in entry.values()) else entry
