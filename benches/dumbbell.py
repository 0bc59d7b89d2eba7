# SPDX-License-Identifier: Apache-2.0
"""Measures the speed of the simulator: nanoseconds of processor time per packet-hop at four dumbbell points.

A packet-hop is one packet crossing one link. The points alternate, so that a temporary slowdown of the machine affects
all of them. The costs of other simulators are printed for comparison; they were measured at another time on another
machine and give only the order of magnitude.

Examples:
    .venv/bin/python benches/dumbbell.py --repeats 5
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import narrows as nw

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Sample:
    """One run of one point."""

    ns_per_hop: float
    events_per_hop: float
    hops: int
    utilization: float
    loss_rate: float

    @classmethod
    def take(cls, point: str) -> Sample:
        """Run a point once, in one thread, with the usual records."""
        summary: dict[str, Any] = nw.load(SCENARIOS / f"{point}.toml").run(replications=1, jobs=1).summary
        cost, link = summary["performance"], summary["links"]["bottleneck"]
        return cls(
            ns_per_hop=cost["cpu_s"] * 1e9 / cost["packet_hops"],
            events_per_hop=cost["events"] / cost["packet_hops"],
            hops=cost["packet_hops"],
            utilization=link["utilization"]["mean"],
            loss_rate=link["loss_rate"]["mean"],
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="Processor time per packet-hop at four dumbbell points.")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each point")
    options = parser.parse_args(arguments)
    if options.repeats < 1:
        parser.error("--repeats must be at least 1")
    samples: dict[str, list[Sample]] = {point: [] for point in POINTS}
    for _ in range(options.repeats):
        for point, taken in samples.items():
            taken.append(Sample.take(point))
    sys.stdout.write(table(samples))
    return 0


def table(samples: dict[str, list[Sample]]) -> str:
    """Return the measurements as a Markdown table, with repeats and load."""
    names = list(ELSEWHERE)
    header = ["point", "ns/hop, median", "least", "packet transmissions/s", "events/hop", "hops", "utilisation", "loss"]
    header += [f"{name}, elsewhere" for name in names]
    rows = [header, ["---", *["--:"] * (len(header) - 1)]]
    for point, taken in samples.items():
        costs, last = [each.ns_per_hop for each in taken], taken[-1]
        rows.append(
            [
                f"{point}: {POINTS[point]}",
                f"{median(costs):.0f}",
                f"{min(costs):.0f}",
                f"{1e3 / median(costs):.3g} M",
                f"{last.events_per_hop:.2f}",
                f"{last.hops / 1e6:.2f} M",
                f"{last.utilization:.3f}",
                f"{last.loss_rate:.2e}",
                *(f"{ELSEWHERE[name][point]}" for name in names),
            ]
        )
    load = os.getloadavg()[0]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    repeats = len(next(iter(samples.values())))
    notes = f"{repeats} runs of each point, alternating; load {load:.1f} on {os.cpu_count()} processors at the end"
    return "\n".join([*lines, "", notes, f"elsewhere: {SOURCE}", ""])


SCENARIOS = Path(__file__).parent / "scenarios"

POINTS = {
    "a": "100 Mbps, 50 ms, 10 flows",
    "b": "1 Gbps, 50 ms, 100 flows",
    "c": "10 Gbps, 50 ms, 1000 flows",
    "d": "1 Gbps, 100 ms, 1 flow",
}

# Medians, nanoseconds of processor time per packet-hop of the same points.
ELSEWHERE = {
    "ns-3": {"a": 11340, "b": 13530, "c": 17610, "d": 89900},
    "ns-2": {"a": 436, "b": 599, "c": 1208, "d": 1006},
    "htsim": {"a": 295, "b": 383, "c": 555, "d": 330},
    "bare loop": {"a": 50, "b": 54, "c": 74, "d": 40},
}
SOURCE = (
    "ns-3.37 optimised NewReno, ns-2.35 Sack1, csg-htsim 841d9e7 NewReno, and a bare event loop without queue "
    "disciplines, options or records; medians on a busy Xeon at 2.5 GHz, each good to 30 to 50 %"
)

if __name__ == "__main__":
    sys.exit(main())
