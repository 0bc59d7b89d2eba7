# SPDX-License-Identifier: Apache-2.0
"""The state of the links around a client at a moment: the queue, its losses, and the flow that held it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from narrows._internal.explain.client import Client, mbps, ms
from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    from narrows._internal.explain.story import Row
    from narrows._internal.files.run_folder import RunFolder


@frozen
class Moment:
    """A moment of a run that is to be explained."""

    replication: int  # number of the replication
    at_s: float  # the moment, seconds of the run
    reach_s: float  # how far from it an event may be to explain it, seconds
    algorithms: Mapping[str, str]  # congestion control of each group


def around(run: RunFolder, client: Client, moment: Moment) -> tuple[str, dict[str, Any]]:
    """Return where packets waited at a moment, what was lost, and whose packets these were; and the numbers in it."""
    at_s, reach_s = moment.at_s, moment.reach_s
    series = _rows(run, "series", moment.replication)
    bottlenecks = {name: each.get("bottleneck") for name, each in run.summary["groups"].items()}
    own = bottlenecks.get(client.group)
    links = _at(row for row in series if row["kind"] == "link" and row["time_s"] >= at_s)
    # Requests and acknowledgements go the other way, so the longest queue counts, whichever link has it.
    name = max(links, key=lambda link: (links[link]["queue_delay_s"] or 0.0, link == own), default=None)
    if name is None:
        return "", {}
    link = links[name]
    near = [
        row for row in series if row["name"] == name and row["kind"] == "link" and abs(row["time_s"] - at_s) <= reach_s
    ]
    arrived, dropped, marked = (
        round(sum(row[column] or 0.0 for row in near))
        for column in ("arrived_packets", "dropped_packets", "marked_packets")
    )
    lost = client.losses(at_s, reach_s)
    values = {
        "link": name, "queue_delay_s": link["queue_delay_s"], "queue_packets": link["queue_packets"],
        "arrived_packets": arrived, "dropped_packets": dropped, "lost_packets": sum(lost.values()),
    }  # fmt: skip
    waited = f"waited {ms(link['queue_delay_s'])}" if link["queue_delay_s"] is not None else "did not wait"
    said = f"At link {name} packets {waited} ({link['queue_packets']:.3g} in the queue)"
    said += f", and {dropped} of {arrived} were lost within {reach_s:g} s" if dropped else ", and none was lost"
    said += f", {lost[name]} of them of {client.name}" if dropped and lost.get(name) else ""
    said += f"; {marked} were marked" if marked else ""
    said += "."
    said += "".join(f" Link {place} lost {count} of its packets." for place, count in lost.items() if place != name)
    if own is not None and own != name and own in links:
        said += f" At its bottleneck {own} they waited {ms(links[own]['queue_delay_s'])}."
    holder, shares = _holders(run, moment, client.group, name, series)
    if holder is None:
        return said, values
    who = f"{holder} ({moment.algorithms.get(holder.partition('[')[0], '?')})"
    row = shares[holder]
    values |= {"holder": holder, "holder_bps": row["throughput_bps"], "rate_bps": link["rate_bps"]}
    in_flight = row.get("in_flight_packets")
    flight = "" if in_flight is None else f" with {in_flight:.0f} packets in flight"
    said += f" {who} held it: it sent {mbps(row['throughput_bps'])}{flight}, and the link {mbps(link['rate_bps'])}."
    return said, values


def _holders(
    run: RunFolder, moment: Moment, group: str, link: str, series: Sequence[Row]
) -> tuple[str | None, dict[str, Row]]:
    """Return the other flow, or group, that sent most over a link at a moment, and the rows of all of them."""
    over = {name for name, each in run.summary["groups"].items() if each.get("bottleneck") == link}
    shares = _at(
        row for row in series if row["kind"] == "flow" and row["group"] in over and row["time_s"] >= moment.at_s
    )
    one_by_one = {row["group"] for row in shares.values()}
    for table in ("applications", "census"):
        for row in _rows(run, table, moment.replication):
            if row["group"] in over - one_by_one and row["time_s"] >= moment.at_s:
                shares.setdefault(row["group"], row)
    others = [name for name in shares if name != group and shares[name]["throughput_bps"]]
    return max(others, key=lambda name: shares[name]["throughput_bps"], default=None), shares


def _at(rows: Iterable[Row]) -> dict[str, Row]:
    """Return the first row of each name."""
    found: dict[str, Row] = {}
    for row in rows:
        found.setdefault(row["name"], row)
    return found


def _rows(run: RunFolder, name: str, replication: int) -> list[Row]:
    table = run.optional(name)
    return [] if table is None else [row for row in table.to_pylist() if row["replication"] == replication]
