# SPDX-License-Identifier: Apache-2.0
"""Explains what happened to a flow around a given time, from a run's event log and, if there is one, its packet log."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows._internal import core
from narrows._internal.errors import InputError
from narrows._internal.explain import network
from narrows._internal.explain.client import Client, clients_of, worst_of
from narrows._internal.explain.story import Sentence, Story
from narrows._internal.files.run_folder import RunFolder, compared, single
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
        values: Of a client of an application, the numbers of the answer by name, with units as in the tables
            `clients`, `client_events` and `series`.
        run: Name of the run of a comparison in which a client's worst moment was; empty for a run alone.
    """

    flow: str
    algorithm: str
    replication: int
    at_s: float | None
    answer: str
    sentences: list[Sentence]
    values: dict[str, Any] = field(default_factory=dict)
    run: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the explanation as plain data."""
        return asdict(self)


def explain(
    folder: Path, flow: str, at: str | None, replication: int | None = None, window: str = f"{REACH_S:g}s"
) -> Explanation:
    """Explain a flow around a moment, or list every change of its window; of an application, by its worst moment.

    Of an application in a comparison, it is the worst moment of all its runs.
    """
    runs = compared(folder)
    if not runs:
        return _of_run(folder, flow, at, replication, window)
    worst = None if at is not None else _worst_run(runs, flow, replication, seconds_of("--window", window))
    if worst is None:
        options = ["--flow", flow, *([] if at is None else ["--at", at])]
        commands = "; ".join(shlex.join(["narrows", "why", str(run.path), *options]) for run in runs.values())
        problem = "is the folder of a comparison; allowed: a client of an application without --at, or one of its runs"
        raise InputError(str(folder), f"{problem}: {commands}")
    found = _of_run(runs[worst].path, flow, at, replication, window)
    return replace(found, run=worst, answer=f"Of {len(runs)} runs it was worst in {worst}. {found.answer}")


def _worst_run(runs: Mapping[str, RunFolder], flow: str, replication: int | None, reach_s: float) -> str | None:
    """Return the run with the worst moment of the clients with a name; None if a run does not record any."""
    found: dict[str, tuple[float, float]] = {}
    for name, run in runs.items():
        number = run.replication(replication)
        clients = _clients(run, number, _algorithms(run), flow)
        if not clients:
            return None
        worst = worst_of(clients, reach_s, warmup_of(run, number))
        if worst is not None:
            found[name] = worst[1].badness
    return max(found, key=found.__getitem__, default=None)


def _algorithms(run: RunFolder) -> dict[str, str]:
    return {each["name"]: str(each["algorithm"]["name"]) for each in run.scenario["flows"]}


def _of_run(folder: Path, flow: str, at: str | None, replication: int | None, window: str) -> Explanation:
    import pyarrow.compute as pc

    run = single(folder)
    number = run.replication(replication)
    at_s = None if at is None else seconds_of("--at", at)
    reach_s = seconds_of("--window", window)
    algorithms = _algorithms(run)
    duration_s = core.quantity(str(run.scenario["duration"]), "time")
    if at_s is not None and at_s > duration_s:
        raise InputError(f"--at {at}", f"is after the end of the run, {duration_s:g}s")
    clients = _clients(run, number, algorithms, flow)
    if clients:
        moment = network.Moment(number, at_s or 0.0, reach_s, algorithms)
        return _of_clients(run, clients, moment, anywhere=at_s is None)
    if flow in algorithms and flow not in _recorded(run, number):
        # Of no moment more is known than of the run.
        return Explanation(flow, algorithms[flow], number, None, of_group(run, number, algorithms, flow), [])
    group, index, algorithm = _flow(run, flow, number)
    table = run.table("events", "has no log of events: run it with record.events=true")
    of_flow = (pc.field("replication") == number) & (pc.field("group") == group) & (pc.field("flow") == index)
    events = table.filter(of_flow).to_pylist()
    packets = of_packets(run.optional("packets"), number, (group, index))
    story = Story(events, f"{group}[{index}]", algorithm, packets)
    if at_s is None:
        answer, sentences = story.whole()
        if len(story.changes) > 1:
            answer += f" The deepest cut: {story.change(story.deepest())[0]}"
    else:
        answer, sentences = story.moment(at_s, reach_s)
    answer += _at_access_links(run, number, (group, index), at_s)
    return Explanation(story.flow, algorithm, number, at_s, answer, sentences)


def _clients(run: RunFolder, replication: int, algorithms: Mapping[str, str], flow: str) -> list[Client]:
    """Return the recorded clients that a name means: all of a group, or one; none if it is not of an application."""
    import pyarrow.compute as pc

    series = run.optional("clients")
    named = re.fullmatch(r"(.+?)(?:\[(\d+)\])?", flow)
    if series is None or named is None or named[1] not in algorithms:
        return []
    group, number = named[1], None if named[2] is None else int(named[2])
    known = series.filter((pc.field("replication") == replication) & (pc.field("group") == group))
    numbers = sorted(set(known["client"].to_pylist()))
    if not numbers:
        return []
    if number is not None and number not in numbers:
        allowed = f"{group}, or {group}[0] to {group}[{numbers[-1]}]; record.clients says how many are recorded"
        raise InputError(f"--flow {flow}", f"unknown client of {run.path}; allowed: {allowed}")
    table = run.optional("client_events")
    events = [] if table is None else table.filter(
        (pc.field("replication") == replication) & (pc.field("group") == group)
    ).to_pylist()  # fmt: skip
    return clients_of(group, algorithms[group], known.to_pylist(), events, number)


def _of_clients(run: RunFolder, clients: Sequence[Client], moment: network.Moment, *, anywhere: bool) -> Explanation:
    """Explain a moment of the client for which it was worst; `anywhere` takes the worst moment of all."""
    reach_s = moment.reach_s
    client, said = clients[0], ""
    if anywhere:
        found = worst_of(clients, reach_s, warmup_of(run, moment.replication))
        if found is None:
            answer = f"Its user perceived nothing in replication {moment.replication}."
            return Explanation(client.name, client.algorithm, moment.replication, None, answer, [])
        client, worst = found
        moment = replace(moment, at_s=worst.at_s)
        said = f"The worst moment of {client.group if len(clients) > 1 else client.name} was at {worst.at_s:.4g} s. "
    elif len(clients) > 1:
        near = worst_of([each.near(moment.at_s, reach_s) for each in clients], reach_s)
        client = next((each for each in clients if near and each.name == near[0].name), client)
    known, values = client.perceived(moment.at_s, reach_s)
    where, more = network.around(run, client, moment)
    decided, sentences = client.decision(moment.at_s, reach_s)
    sentences = sorted([*client.said(moment.at_s, reach_s), *sentences], key=lambda each: each.time_s)
    answer = said + " ".join(filter(None, (known, where, decided)))
    now = client.at(moment.at_s)
    values |= more | {name: now[name] for name in ("permitted_bps", "cwnd_packets", "srtt_s")}
    return Explanation(client.name, client.algorithm, moment.replication, moment.at_s, answer, sentences, values)


def warmup_of(run: RunFolder, replication: int) -> float:
    """Return the end of the warm-up of a replication, seconds."""
    found = run.summary.get("warmup", {}).get("end_s")
    if found:
        return float(found[run.replications.index(replication)])
    return core.quantity(str(run.scenario.get("warmup", "0s")), "time")


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
    names = [f"{group}[{number}]" for group, number, _ in flows[:MOST_NAMED]]
    one_by_one = {group for group, *_ in flows}
    names += [name for each in run.scenario["flows"] if (name := str(each["name"])) not in one_by_one]
    numbers = [f"0 to {len(flows) - 1}"] if flows else []
    allowed = ", or ".join([*numbers, ", ".join(names)])
    raise InputError(f"--flow {text}", f"unknown flow of {run.path}; allowed: {allowed}")


def seconds_of(flag: str, text: str) -> float:
    """Return the time that an option gives, seconds."""
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
    said = [f"{group} ({algorithms[group]}) has no record over time: {NO_RECORD}."]
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
NO_RECORD = "only single flows have one, and clients of applications, as many as record.clients says"
LINK_DELAY, LINK_SERIES = "queue_delay_mean_s", "queue_delay_s"
WRITTEN = {"s": (1e-3, "ms"), "bps": (1e6, "Mbps"), "share": (0.01, "%")}
