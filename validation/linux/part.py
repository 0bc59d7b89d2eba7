# SPDX-License-Identifier: Apache-2.0
"""Find the first packet at which the simulator and the kernel part, or two kernels.

Runs a scenario on both backends with the same seed and walks what its senders send and receive, in order of time from
the start of each flow. A step is a packet that leaves the sender or an acknowledgement that reaches it; the runs part
where the steps are of different kinds or segments, or where one is later than the other by more than the tolerance.

Examples:
    .venv/bin/python validation/linux/part.py validation/linux/alone-scenario.toml --set flows.judged.algorithm=westwood
    .venv/bin/python validation/linux/part.py FILE --only data --tolerance 2ms    # leave out acknowledgements
    .venv/bin/python validation/linux/part.py FILE --on linux:6.12,linux:7.3      # two kernels
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from narrows._internal.linux import library
from narrows._internal.run.scenario import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BACKENDS = ("simulator", "linux")
SHOWN = 6
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


class Step(NamedTuple):
    """A packet at a sender.

    Attributes:
        time: Seconds from the first packet that the sender sends.
        what: `data N` or `retransmission N` with the number of the segment from 0, `ack N` with that of the first one
            that has not been received.
    """

    time: float
    what: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both, and print where each flow parts, with the steps around it.

    Returns:
        0.
    """
    parser = argparse.ArgumentParser(description="find the first packet at which two backends part")
    parser.add_argument("scenario", metavar="FILE", help="scenario file")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="change of a key")
    parser.add_argument(
        "--on", metavar="BACKEND,BACKEND", type=_two, default=",".join(BACKENDS), help="the two (%(default)s)"
    )
    parser.add_argument("--only", choices=["all", "data"], default="all", help="which packets are walked (%(default)s)")
    parser.add_argument("--tolerance", type=_seconds, default="100us", help="difference of times (%(default)s)")
    options = parser.parse_args(arguments)
    library.find()
    runs = [_flows(options.scenario, [*options.set, "record.packets=true"], on) for on in options.on]
    for flow in sorted(runs[0].keys() & runs[1].keys()):
        ours, theirs = (chosen(run[flow], options.only) for run in runs)
        sys.stdout.write(f"{flow}\n{described(ours, theirs, parting(ours, theirs, options.tolerance), options.on)}\n")
    return 0


def steps(table: Mapping[str, Any]) -> dict[str, list[Step]]:
    """Return the steps of each flow from a packet log."""
    columns = {name: words(table[name]) for name in ("place", "event", "group", "kind")}
    at_sender = (columns["place"] == "sender") & np.isin(columns["kind"], ["data", "ack"])
    found: dict[str, list[Step]] = {}
    starts: dict[str, float] = {}
    for row in np.flatnonzero((columns["place"] == "sender") & (columns["event"] == "sent")):
        starts.setdefault(_flow(columns, table, int(row)), table["time_ps"][0][row] / 1e12)
    for row in np.flatnonzero(at_sender):
        flow = _flow(columns, table, int(row))
        kind = "retransmission" if table["retransmission"][0][row] else columns["kind"][row]
        what = f"{kind} {int(table['number'][0][row])}"
        found.setdefault(flow, []).append(Step(table["time_ps"][0][row] / 1e12 - starts[flow], what))
    return found


def parting(ours: Sequence[Step], theirs: Sequence[Step], tolerance: float) -> int | None:
    """Return the place of the first steps of different kinds or times; None if there are none.

    Args:
        ours: Steps of the one run.
        theirs: Steps of the other.
        tolerance: Difference of times that is none, seconds.
    """
    for place, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one.what != other.what or abs(one.time - other.time) > tolerance:
            return place
    shorter = min(len(ours), len(theirs))
    return shorter if len(ours) != len(theirs) else None


def described(
    ours: Sequence[Step], theirs: Sequence[Step], place: int | None, on: Sequence[str] = ("simulator", "kernel")
) -> str:
    """Return as text where the runs of two backends part: what came before, and the steps around it side by side."""
    if place is None:
        return f"  the same {len(ours)} steps"
    acks = [sum(_is_ack(step) for step in run[:place]) for run in (ours, theirs)]
    lines = [f"  part at step {place}, after {acks[0]} acknowledgements; {', '.join(on)}, difference in ms:"]
    for at in range(max(place - SHOWN, 0), min(place + SHOWN, len(ours), len(theirs))):
        one, other = ours[at], theirs[at]
        mark = ">" if at == place else " "
        lines.append(
            f"  {mark} {one.time:12.6f} {one.what:16} {other.time:12.6f} {other.what:16}"
            f" {(other.time - one.time) * 1e3:+.3f}"
        )
    return "\n".join(lines)


def _flows(scenario: str, sets: Sequence[str], on: str) -> dict[str, list[Step]]:
    run = load(scenario, sets, on=on).run(replications=1, jobs=1)
    return steps(next(iter(run.records.values())).tables["packets"])


def _flow(columns: Mapping[str, Any], table: Mapping[str, Any], row: int) -> str:
    return f"{columns['group'][row]}[{table['flow'][0][row]}]"


def words(column: tuple[Any, Sequence[str] | None]) -> Any:
    """Return a column of codes and their names as an array of words, empty where there is no value."""
    codes, names = column
    # A code beyond the names means "no value".
    return np.array([*(names or []), ""], dtype=object)[np.minimum(codes, len(names or []))]


def chosen(found: Sequence[Step], only: str) -> list[Step]:
    """Return the steps that are walked: `all`, or those of `data`."""
    return [step for step in found if only == "all" or not _is_ack(step)]


def _is_ack(step: Step) -> bool:
    return step.what.startswith("ack")


def _two(text: str) -> list[str]:
    found = text.split(",")
    if len(found) != 2:  # noqa: PLR2004  # those that are compared
        raise argparse.ArgumentTypeError(f"{text!r} is not two backends, as in linux:6.12,linux:7.3")
    return found


def _seconds(text: str) -> float:
    number = text.rstrip("smu")
    try:
        return float(number) * UNITS[text[len(number) :]]
    except (KeyError, ValueError):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time, as in 100us") from None


if __name__ == "__main__":
    sys.exit(main())
