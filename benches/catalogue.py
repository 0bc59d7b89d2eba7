# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of every algorithm per acknowledgement and of every queue per packet.

Two programs call each algorithm with the same events and offer each queue the same packets
(`crates/cc/benches/per_ack.rs`, `crates/lab/benches/per_packet.rs`). Valgrind counts the instructions; the count of the
calling loop is subtracted. Counts are the same in every run, so they are compared. Times are the minimum of several
passes and include the loop. A run of the simulator with each algorithm gives the cost within a whole simulation.

Examples:
    .venv/bin/python benches/catalogue.py           # print the tables; exit status 1 if a reason is missing
    .venv/bin/python benches/catalogue.py --write   # and write them to docs/performance.md and benches/catalogue.json
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import which
from statistics import median
from typing import TYPE_CHECKING, Any

import narrows as nw
from narrows._internal import core

if TYPE_CHECKING:
    from collections.abc import Sequence

Costs = dict[str, dict[str, float]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and write them with `--write`.

    Returns:
        0; 1 if a cost above the limit has no reason; 2 without valgrind.
    """
    parser = argparse.ArgumentParser(description="Cost per ACK of every algorithm and per packet of every queue.")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md and benches/catalogue.json")
    parser.add_argument("--repeats", type=int, default=5, help="runs of the simulator with each algorithm")
    options = parser.parse_args(arguments)
    if options.repeats < 1:
        parser.error("--repeats must be at least 1")
    if which("valgrind") is None:
        sys.stderr.write("valgrind is needed to count instructions: `apt-get install valgrind`\n")
        return 2
    algorithms = _micro("narrows-cc", "per_ack", "newreno")
    for name, ns in _runs(list(algorithms), options.repeats).items():
        algorithms[name]["run_ns_per_hop"] = ns
    queues = _micro("narrows-lab", "per_packet", "droptail")
    text = tables(algorithms, queues)
    sys.stdout.write(f"{text}\n")
    if options.write:
        costs = {"algorithms": algorithms, "queues": queues}
        (HERE / "catalogue.json").write_text(json.dumps(costs, indent=1) + "\n", encoding="utf-8")
        _insert(HERE.parent / "docs" / "performance.md", text)
    unexplained = [name for name in _expensive(algorithms) if name not in REASONS]
    for name in unexplained:
        sys.stderr.write(f"{name} costs more than {MOST:g} times newreno, and REASONS has no entry for it\n")
    return int(bool(unexplained))


def _micro(package: str, bench: str, reference: str) -> Costs:
    """Measure every entry of a catalogue with one of the two programs."""
    program = _program(package, bench)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()  # noqa: S603
    times = dict(zip(printed[::2], map(float, printed[1::2]), strict=True))
    counts = {name: _instructions(program, name) for name in times}
    # An entry that does nothing may take less than the reference entry of the loop, `-`.
    alone = {name: max(count - counts["-"], 0.0) for name, count in counts.items() if name != "-"}
    return {
        name: {
            "instructions": round(count, 1),
            "relative": round(count / alone[reference], 3),
            "ns": times[name],
            "loop_ns": times["-"],
        }
        for name, count in alone.items()
    }


def _program(package: str, bench: str) -> str:
    """Build one of the two programs and return its path."""
    command = ["cargo", "bench", "--locked", "-p", package, "--bench", bench, "--no-run", "--message-format=json"]
    built = subprocess.run(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    found = [each["executable"] for each in messages if each.get("target", {}).get("name") == bench]
    return str(found[-1])


def _instructions(program: str, name: str) -> float:
    """Return the instructions of one additional packet."""
    counts = []
    for packets in (FEW, MANY):
        # Only the total is needed: no simulated cache, no file.
        tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        command = [*tool, program, name, str(packets)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stderr  # noqa: S603
        total = re.search(r"I +refs:\s+([\d,]+)", printed)
        if total is None:
            raise RuntimeError(f"valgrind printed no count: {printed}")
        counts.append(int(total[1].replace(",", "")))
    return (counts[1] - counts[0]) / (MANY - FEW)


def _runs(names: list[str], repeats: int) -> dict[str, float]:
    """Return nanoseconds per packet-hop of a run of the simulator with each algorithm; runs alternate."""
    scenario = nw.load(HERE / "scenarios" / "catalogue.toml")
    taken: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(repeats):
        for name, costs in taken.items():
            run = scenario.compare([name], replications=1, jobs=1).runs[name]
            cost: dict[str, Any] = run.summary["performance"]
            costs.append(cost["cpu_s"] * 1e9 / cost["packet_hops"])
    return {name: round(median(costs), 1) for name, costs in taken.items()}


def tables(algorithms: Costs, queues: Costs) -> str:
    """Return both tables as Markdown, with the machine."""
    ack_loop, packet_loop = (next(iter(costs.values()))["loop_ns"] for costs in (algorithms, queues))
    what = (
        f"Measured on {machine()}. The loop alone takes {ack_loop:.0f} ns per acknowledgement and {packet_loop:.0f} ns "
        "per packet; the times include it, the instructions do not."
    )
    lines = [
        what,
        "",
        "| algorithm | instructions per ACK | to newreno | ns per ACK | run, ns per hop | run, to newreno |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    run_of_newreno = algorithms["newreno"]["run_ns_per_hop"]
    hosts = {card["name"]: card["transport"] for card in core.algorithms()}
    for name, cost in algorithms.items():
        run = cost["run_ns_per_hop"]
        # Datagrams have another sender and fewer packets, so their runs are not compared.
        to_newreno = f"{run / run_of_newreno:.2f}" if hosts[name] == "reliable" else ""
        lines.append(
            f"| `{name}` | {cost['instructions']:.0f} | {cost['relative']:.2f} | {cost['ns']:.1f} | {run:.0f} "
            f"| {to_newreno} |"
        )
    lines += ["", f"Reasons for a cost of more than {MOST:g} times newreno:", ""]
    lines += [f"* `{name}`: {REASONS.get(name, '**unknown**')}" for name in _expensive(algorithms)]
    lines += ["", "| queue | instructions per packet | to droptail | ns per packet |", "|---|--:|--:|--:|"]
    lines += [
        f"| `{name}` | {cost['instructions']:.0f} | {cost['relative']:.2f} | {cost['ns']:.1f} |"
        for name, cost in queues.items()
    ]
    return "\n".join(lines)


def machine() -> str:
    """Return the processor, the load and the compiler as text."""
    cpuinfo = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", cpuinfo.read_text("utf-8")) if cpuinfo.exists() else None
    compiler = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]  # noqa: S607
    load = os.getloadavg()[0]
    processor = found[1].strip() if found else "unknown processor"
    return f"{processor}, {os.cpu_count()} processors, load {load:.0f}, rustc {compiler}"


def _expensive(algorithms: Costs) -> list[str]:
    return [name for name, cost in algorithms.items() if cost["relative"] > MOST]


def _insert(path: Path, text: str) -> None:
    """Replace the text between the marks."""
    start, end = "<!-- catalogue -->", "<!-- end catalogue -->"
    before, rest = path.read_text(encoding="utf-8").split(start)
    path.write_text(f"{before}{start}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")


HERE = Path(__file__).parent
FEW, MANY = 20_000, 60_000
MOST = 2.0
CUBIC = "a cubic function of the time since the last loss, and the window of Reno, at every ACK"
REASONS = {
    "fast": "round-trip times are smoothed at every ACK with a weight that depends on the window; a timer",
    "fast-at": "as `fast`, and a measurement of throughput",
    "bbr1": "a model of the path: a filter of delivery rates, the gain cycle, pacing rate and window at every ACK",
    "prague": "an average of the fraction of marks, and at every ACK a pacing rate from window and round-trip time",
    "c4": "a model of the path: signs of congestion, with thresholds by the rate, pacing rate and window at every ACK",
    "bbr3": "a model of the path as in `bbr1`, bounds set by losses, and the state recorded for each sent packet",
    "ledbat": "the least of the last round-trip times and of the last minutes, and a quotient of delays, at every ACK",
    "ledbat-pp": "as `ledbat`, and the phases of slowdowns",
    "rcp": "every packet carries a request, and every ACK computes the pacing rate",
    "htcp": "the increase is a polynomial of the time since the last loss; a measurement of throughput",
    "cubic-2005": CUBIC,
    "cubic-2008": CUBIC,
    "cubic": CUBIC,
    "cubic-linux": f"{CUBIC}, in Linux's integer arithmetic",
    "bic-linux": "the search and its divisions whenever the window has changed, and a mean of packets per ACK",
    "htcp-linux": "as `htcp`, in Linux's integer arithmetic",
    "westwood-linux": "whole packets by division, and at every ACK the round-trip time in jiffies",
    "vegas-linux": "whole packets by division, and minima of round-trip times at every ACK",
    "veno": "the queue is estimated at every ACK, by a division",
    "nv": "the packets of each ACK, a mean of round-trip times, and a rate",
    "cdg": "minimum and maximum of round-trip times at every ACK",
    "vivace": "the monitor interval of every packet sent and acknowledged, with a regression of round-trip times",
    "allegro": "as `vivace`",
    "scream": "filters of the queueing delay and its variation, window, target and pacing rate at every ACK",
    "gcc": "the bytes that arrive and the gradient of their delay, with a power, at every ACK",
    "nada": "the bytes that arrive, and filters of the queueing delay, at every ACK",
    "copa": "three filters of round-trip times at every ACK, and the pacing rate",
    "africa": "the queue is estimated at every ACK, and the table of RFC 3649 searched",
    "vcp": "every packet carries a request, and every ACK raises the growth of an interval to a power",
    "bmcc": "as `vcp`, and the load is estimated at every ACK",
    "maxnet": "every packet carries a request, and every ACK computes the pacing rate, an exponential",
    "yeah": "minima of round-trip times over the round and the connection at every ACK",
}

if __name__ == "__main__":
    sys.exit(main())
