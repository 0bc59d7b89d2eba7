# SPDX-License-Identifier: Apache-2.0
"""`[[expect]]`: bounds on metrics of a scenario, checked against their confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows.statistics import EQUAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def judge(expectations: Sequence[Mapping[str, Any]], summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Judge the `[[expect]]` clauses of a scenario."""
    return [
        {**clause, key: name, **_judge(clause, summary[f"{key}s"][name])}
        for clause in expectations
        for key, name in _owners(clause, summary)
    ]


def _owners(clause: Mapping[str, Any], summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    if clause["link"] is not None:
        return [("link", clause["link"])]
    if clause["group"] is not None:
        return [("group", clause["group"])]
    groups = summary["groups"]
    if clause["measure"] in OF_FINITE:
        # Nothing is expected of endless flows, unless there are no others.
        groups = [name for name in groups if groups[name]["completed_flows"]["mean"] is not None] or groups
    return [("group", name) for name in groups]


def _judge(clause: Mapping[str, Any], measures: Mapping[str, Any]) -> dict[str, Any]:
    measured = measures[clause["measure"]]
    # If all replications have the same value, it replaces the interval.
    ends = None if measured.get("interval_method") == EQUAL else measured["ci95"]
    found = verdict(measured["mean"], ends, clause["at_least"], clause["at_most"])
    return {"mean": measured["mean"], "ci95": measured["ci95"], "verdict": found}


def verdict(mean: float | None, ci95: Sequence[float] | None, at_least: float | None, at_most: float | None) -> str:
    """Return the verdict on an estimate: `holds`, `fails` or `inconclusive`."""
    if mean is None:
        return "fails"
    low, high = ci95 or (mean, mean)
    if (at_least is None or low >= at_least) and (at_most is None or high <= at_most):
        return "holds"
    if (at_least is not None and high < at_least) or (at_most is not None and low > at_most):
        return "fails"
    return "inconclusive"


OF_FINITE = (
    "completed_flows",
    "abandoned_flows",
    "refused_flows",
    "flow_goodput_bps",
    "completion_time_s",
    "completion_time_p50_s",
    "completion_time_p95_s",
    "completion_time_p99_s",
    "slowdown",
)
"""Metrics of which no endless flow has a value."""
