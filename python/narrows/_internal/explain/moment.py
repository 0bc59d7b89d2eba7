# SPDX-License-Identifier: Apache-2.0
"""Explains what happened to a flow around a given time, from a run's event log and, if there is one, its packet log."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows._internal import core
from narrows._internal.errors import InputError
from narrows._internal.explain.story import Sentence, Story
from narrows._internal.files.run_folder import RunFolder, single
from narrows._internal.frozen import frozen
from narrows._internal.metrics import access
from narrows._internal.metrics.perceived import perceived
from narrows._internal.statistics import mean_in
from narrows.metrics import card_of

if TYPE_CHECKING:
    import pyarrow as pa

    Row = dict[str, Any]


REACH_S = 1.0
"""How far from a moment a change of the window may be to explain it, unless a caller says otherwise, seconds."""


@frozen
class Explanation:
    """What happened to a flow around a moment.

    Attributes:
        flow: The flow as `group[number]`; a group without flows that are recorded over time.
        algorithm: Congestion control of the flow.
        replication: Number of the replication.
        at_s: The moment, seconds of the run; None for all of it.
        answer: One or two sentences: what changed the window, and why; of all of the run, how often it changed.
        sentences: Everything that led to it and followed, in order of time; of all of the run, each change.
    """

    flow: str
    algorithm: str
    replication: int
    at_s: float | None
    answer: str
    sentences: list[Sentence]

    def as_json(self) -> dict[str, Any]:
        """Return the explanation as plain data."""
        return asdict(self)


def explain(
    folder: Path, flow: str, at: str | None, replication: int | None = None, window: str = f"{REACH_S:g}s"
) -> Explanation:
    """Explain the events of a flow around a moment, or list every change of its window."""
    run = single(folder)
    number = run.replication(replication)
    at_s = None if at is None else _seconds("--at", at)
    reach_s = _seconds("--window", window)
    algorithms = {each["name"]: str(each["algorithm"]["name"]) for each in run.scenario["flows"]}
    duration_s = core.quantity(str(run.scenario["duration"]), "time")
    if at_s is not None and at_s > duration_s:
        raise InputError(f"--at {at}", f"is after the end of the run, {duration_s:g}s")
    if flow in algorithms and flow not in _recorded(run, number):
        # Of no moment more is known than of the run.
        return Explanation(flow, algorithms[flow], number, None, of_group(run, number, algorithms, flow), [])
    group, index, algorithm = _flow(run, flow, number)
    table = run.table("events", "has no log of events: run it with record.events=true")
    events = [
        row for row in table.to_pylist()
        if (row["replication"], row["group"], row["flow"]) == (number, group, index)
    ]  # fmt: skip
    packets = of_packets(run.optional("packets"), number, (group, index))
    story = Story(events, f"{group}[{index}]", algorithm, packets)
    answer, sentences = story.whole() if at_s is None else story.moment(at_s, reach_s)
    answer += _at_access_links(run, number, (group, index), at_s)
    return Explanation(story.flow, algorithm, number, at_s, answer, sentences)


def _at_access_links(run: RunFolder, replication: int, flow: tuple[str, int], at_s: float | None) -> str:
    """Return the sentence on packets queued at the flow's access links; empty if these are not its bottleneck."""
    group, index = flow
    summary = run.summary
    link = summary["groups"].get(group, {}).get("bottleneck")
    # At a moment, by the interval of the series around it; else by the means of the run.
    if at_s is None:
        own, behind = (
            mean_in(summary["groups"].get(group), access.DELAY),
            mean_in(summary["links"].get(link), LINK_DELAY),
        )
        when = "on average"
    else:
        table = run.optional("series")
        if table is None or access.SERIES not in table.column_names:
            return ""
        rows = table.select(["replication", "time_s", "name", access.SERIES, LINK_SERIES]).to_pylist()
        rows = [row for row in rows if row["replication"] == replication and row["time_s"] >= at_s]
        own = next((row[access.SERIES] for row in rows if row["name"] == f"{group}[{index}]"), None)
        behind = next((row[LINK_SERIES] for row in rows if row["name"] == link), None)
        when = "at this time"
    if not access.is_bottleneck(own, behind):
        return ""
    waited = f"{(own or 0.0) * 1e3:.3g} ms {when}"
    return f" Its packets waited {waited} at its access links, which have no limit and drop nothing."


def of_packets(table: pa.Table | None, replication: int, flow: tuple[str, int]) -> Callable[[Row], list[Row]] | None:
    """Return a function that gives the rows of the packet log about the segment of an event; None without a log."""
    if table is None:
        return None
    import pyarrow.compute as pc

    group, index = flow
    found: Mapping[tuple[str, float], list[Row]] = {}

    def rows_of(event: Row) -> list[Row]:
        nonlocal found
        if not found:
            chosen = table.filter(
                (pc.field("replication") == replication)
                & (pc.field("group") == group)
                & (pc.field("flow") == index)
                & pc.field("event").isin(["sent", "received"])
            )
            found = defaultdict(list)
            for row in chosen.select(["time_ps", "event", "kind", "number"]).to_pylist():
                found[row["kind"], row["number"]].append(row)
        return found.get((event["kind"], event["number"]), [])

    return rows_of


def _recorded(run: RunFolder, replication: int) -> set[str]:
    """Return the groups of which single flows are recorded."""
    rows = run.table("flows", "has no table of flows").select(["replication", "group"]).to_pylist()
    return {row["group"] for row in rows if row["replication"] == replication}


def _flow(run: RunFolder, text: str, replication: int) -> tuple[str, int, str]:
    """Return group, number within it, and algorithm of a flow."""
    table = run.table("flows", "has no table of flows")
    flows = [
        (row["group"], int(row["flow"]), row["algorithm"])
        for row in table.select(["replication", "group", "flow", "algorithm"]).to_pylist()
        if row["replication"] == replication
    ]
    if text.isdecimal() and int(text) < len(flows):
        return flows[int(text)]
    named = re.fullmatch(r"(.+?)(?:\[(\d+)\])?", text)
    for group, number, algorithm in flows:
        if named and (group, number) == (named[1], int(named[2] or 0)):
            return group, number, algorithm
    known = ", ".join(f"{group}[{number}]" for group, number, _ in flows[:MOST_NAMED])
    raise InputError(f"--flow {text}", f"unknown flow of {run.path}; allowed: 0 to {len(flows) - 1}, or {known}")


def _seconds(flag: str, text: str) -> float:
    try:
        return core.quantity(text, "time")
    except ValueError as error:
        raise InputError(f"{flag} {text}", f"{error}; a time has a unit, as in 12.3s") from None


def of_group(run: RunFolder, replication: int, algorithms: Mapping[str, str], group: str) -> str:
    """Describe the perceived metrics of a group, the link at which its packets waited, and the flows on that link."""
    groups, links = (
        {
            row[of]: row
            for row in run.table(f"{of}s", f"has no table of {of}s").to_pylist()
            if row["replication"] == replication
        }
        for of in ("group", "link")
    )
    bottlenecks = {name: each.get("bottleneck") for name, each in run.summary["groups"].items()}
    metrics, link = groups[group], bottlenecks[group]
    known = perceived(name for name, value in metrics.items() if value is not None)
    said = [f"{group} ({algorithms[group]}) has no record over time, as no group with an application has."]
    values = [f"{card_of(name, 'group')['label']} {_value(metrics, name, 'group')}" for name in known]
    said += [f"On average over replication {replication}: {'; '.join(values)}."] if values else []
    measured = links.get(link)
    if measured is None:
        return " ".join(said)
    said.append(
        f"Packets wait {_value(measured, 'queue_delay_mean_s', 'link')} at link {link}, which drops "
        f"{_value(measured, 'loss_rate', 'link')} of them and is used to {_value(measured, 'utilization', 'link')}."
    )
    beside = [name for name, other in bottlenecks.items() if other == link]
    shares = [f"{name} ({algorithms[name]}) {_value(groups[name], 'goodput_bps', 'group')}" for name in beside]
    return " ".join([*said, f"Goodputs over this link: {', '.join(shares)}."])


def _value(metrics: Mapping[str, Any], name: str, of: str) -> str:
    value, unit = metrics.get(name), card_of(name, of)["unit"]
    scale, written = WRITTEN.get(str(unit), (1.0, str(unit)))
    return "-" if value is None else f"{value / scale:.3g} {written}".strip()


MOST_NAMED = 10
LINK_DELAY, LINK_SERIES = "queue_delay_mean_s", "queue_delay_s"
WRITTEN = {"s": (1e-3, "ms"), "bps": (1e6, "Mbps"), "share": (0.01, "%")}
