# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of a packet-hop from ten flows to a hundred thousand, for endless flows and for transfers.

Each size is run for two durations after the same start, and the difference is reported: the cost of building the
network, of connection establishment and of slow start is the same in both. Valgrind counts instructions once, as they
are the same in every run; times are the minimum of several runs, with alternating sizes. Flows have the same rate and
round-trip time at every size, so that only their number changes.

Examples:
    python3 benches/linearity.py                       # print the tables
    python3 benches/linearity.py --write               # and write them to docs/performance.md
    python3 benches/linearity.py --sizes 10,1000 --repeats 1
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from instructions import build, compiler

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Figures = dict[str, float]


@dataclass(frozen=True)
class Case:
    """A scenario at one size.

    Attributes:
        kind: `"staying"` (endless flows) or `"coming"` (transfers), a table each.
        size: Number of flows, or mean number of active transfers.
    """

    kind: str
    size: int

    def settings(self) -> list[str]:
        """Return the changes of the scenario, as for `--set`."""
        rate = f"path.rate={self.size * FLOW_BPS}bps"
        if self.kind == STAYING:
            return [rate, f"flows.0.count={self.size}"]
        interval_ns = TRANSFER_BITS * 1_000_000_000 // (self.size * FLOW_BPS * LOAD_PERCENT // 100)
        return [rate, f"flows.0.source.interval={interval_ns}ns", f"flows.0.source.concurrent={self.size * 10}"]

    def durations(self) -> tuple[float, float]:
        """Return both durations in simulated seconds: the start alone, and the start with enough packet-hops after."""
        packets_per_s = self.size * FLOW_BPS / (8 * 1500)
        return START_S, START_S + max(LEAST_S, HOPS / (packets_per_s * HOPS_PER_PACKET))


@dataclass(frozen=True)
class Row:
    """Costs of a case.

    Attributes:
        hops: Packet-hops in the difference.
        instructions: Per packet-hop; None without valgrind.
        nanoseconds: Processor time per packet-hop, minimum of all runs.
        memory_kib: Peak memory of the longer run.
    """

    hops: float
    instructions: float | None
    nanoseconds: float
    memory_kib: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and write them with `--write`."""
    parser = argparse.ArgumentParser(description="Cost per packet-hop by number of flows.")
    parser.add_argument("--sizes", default="10,100,1000,10000,100000", help="numbers of flows")
    parser.add_argument("--repeats", type=int, default=3, help="runs of which the shortest time is used")
    parser.add_argument("--write", action="store_true", help="write the tables to docs/performance.md")
    options = parser.parse_args(arguments)
    cases = [Case(kind, int(size)) for kind in TABLES for size in options.sizes.split(",")]
    program = build()
    with tempfile.TemporaryDirectory() as folder:
        for kind, text in SCENARIOS.items():
            (Path(folder) / f"{kind}.toml").write_text(text, encoding="utf-8")
        rows = measure(program, Path(folder), cases, options.repeats)
    text = table(rows)
    sys.stdout.write(text)
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        start, end = page.index(BEGIN) + len(BEGIN), page.index(END)
        PAGE.write_text(f"{page[:start]}\n{text}{page[end:]}", encoding="utf-8")
    return 0


def measure(program: str, folder: Path, cases: Sequence[Case], repeats: int) -> dict[Case, Row]:
    """Run every case and return its costs per packet-hop."""
    least: dict[tuple[Case, float], Figures] = {}
    for _ in range(repeats):
        for case in cases:
            for duration in case.durations():
                figures = run([program], folder, case, duration)
                before = least.get((case, duration), figures)
                least[case, duration] = min(before, figures, key=lambda each: each["cpu_s"])
    rows = {}
    for case in cases:
        short, long = (least[case, duration] for duration in case.durations())
        hops = long["packet_hops"] - short["packet_hops"]
        counted = instructions(program, folder, case)
        nanoseconds = (long["cpu_s"] - short["cpu_s"]) / hops * 1e9
        rows[case] = Row(hops, counted and counted / hops, nanoseconds, long["memory_kib"])
    return rows


def run(command: Sequence[str], folder: Path, case: Case, duration: float) -> Figures:
    """Run a case once and return the figures that the program prints, and the count of valgrind if it is in `command`.

    Raises:
        RuntimeError: The run failed.
    """
    settings = [*case.settings(), f"duration={duration:.6f}s"]
    words = [*command, str(folder / f"{case.kind}.toml"), "1", *settings]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise RuntimeError(f"{case} did not run: {done.stderr}")
    found = re.findall(r"^= (\w+) ([-+\d.eE]+)$", done.stdout, re.MULTILINE)
    figures = {name: float(value) for name, value in found}
    counted = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if counted:
        figures["instructions"] = float(counted[1].replace(",", ""))
    return figures


def instructions(program: str, folder: Path, case: Case) -> float | None:
    """Return the instructions in the difference of a case's two durations; None without valgrind."""
    valgrind = which("valgrind")
    if valgrind is None:
        return None
    tool = [valgrind, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program]
    short, long = (run(tool, folder, case, duration)["instructions"] for duration in case.durations())
    return long - short


def table(rows: Mapping[Case, Row]) -> str:
    """Return a Markdown table for each kind of flows."""
    load = f"load {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors"
    lines = [f"Measured with rustc {compiler()}, one thread, {load}.", ""]
    for kind, title in TABLES.items():
        own = {case.size: row for case, row in rows.items() if case.kind == kind}
        if not own:
            continue
        first = own[min(own)]
        lines += [
            f"| {title} | instructions per hop | to the first | ns per hop | to the first | hops | KiB per flow |"
        ]
        lines += ["|--:|--:|--:|--:|--:|--:|--:|"]
        for size, row in own.items():
            counted, ratio = "-", "-"
            if row.instructions is not None and first.instructions is not None:
                counted, ratio = f"{row.instructions:.0f}", f"{row.instructions / first.instructions:.2f}"
            slower = row.nanoseconds / first.nanoseconds
            cells = [f"{size}", counted, ratio, f"{row.nanoseconds:.0f}", f"{slower:.2f}"]
            cells += [f"{row.hops / 1e6:.1f} M", f"{row.memory_kib / size:.3g}"]
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


STAYING = "staying"
COMING = "coming"
TABLES = {STAYING: "endless flows", COMING: "active transfers, about"}

# Share of the link per flow.
FLOW_BPS = 500_000
TRANSFER_BITS = 8 * 30_000
LOAD_PERCENT = 80
# All flows have started by then.
START_S = 2.0
LEAST_S = 0.4
HOPS = 2e6
# Data over three links, and half as many acknowledgements in the reverse direction.
HOPS_PER_PACKET = 4.5

SCENARIOS = {
    STAYING: """
        duration = "1s"
        path = { rate = "1Mbps", rtt = "100ms", delay = "20ms", queue = { kind = "droptail", limit = "1bdp" } }
        record = { flows = "none" }
        [[flows]]
        algorithm = "newreno"
        start = "0s..1s"
        rtt = { kind = "uniform", minimum = "50ms", maximum = "150ms" }
    """,
    COMING: """
        duration = "1s"
        path = { rate = "1Mbps", rtt = "100ms", delay = "20ms", queue = { kind = "droptail", limit = "1bdp" } }
        record = { flows = "none", transfers = "none" }
        [[flows]]
        algorithm = "newreno"
        rtt = { kind = "uniform", minimum = "50ms", maximum = "150ms" }
        size = { kind = "exponential", mean = "30kB" }
        source = { kind = "poisson", interval = "1s" }
    """,
}

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
BEGIN = "<!-- linearity -->"
END = "<!-- end linearity -->"

if __name__ == "__main__":
    sys.exit(main())
