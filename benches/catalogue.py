"""What every algorithm costs for an acknowledgement, and every queue for a packet.

Two programs tell each algorithm the same facts and offer each queue the same packets (`crates/cc/benches/per_ack.rs`,
`crates/lab/benches/per_packet.rs`). Instructions are counted by valgrind, without those of the telling: they are the
same in every run, and what is compared. Times are the least of some passes, with the telling. A run of the simulator
with each algorithm says what it comes to in the end.

Examples:
    .venv/bin/python benches/catalogue.py           # print the tables; exit status 1 if a cost lacks its reason
    .venv/bin/python benches/catalogue.py --write   # and write them into docs/performance.md and benches/catalogue.json
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
from narrows import core

if TYPE_CHECKING:
    from collections.abc import Sequence

Costs = dict[str, dict[str, float]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the tables and write them if asked to.

    Returns:
        0; 1 if something costs more than it may without a reason; 2 if what is asked for cannot be done here.
    """
    parser = argparse.ArgumentParser(description="Cost per ACK of every algorithm and per packet of every queue.")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md and benches/catalogue.json")
    parser.add_argument("--repeats", type=int, default=5, help="runs of the simulator with each algorithm")
    options = parser.parse_args(arguments)
    if options.repeats < 1:
        parser.error("--repeats must be at least 1")
    if which("valgrind") is None:
        sys.stderr.write("valgrind is not here, and counts the instructions: `apt-get install valgrind`\n")
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
    silent = [name for name in _dear(algorithms) if name not in REASONS]
    for name in silent:
        sys.stderr.write(f"{name} costs more than {MOST:g} times newreno, and no reason is given\n")
    return int(bool(silent))


def _micro(package: str, bench: str, reference: str) -> Costs:
    """Measure every entry of one catalogue by one of the two programs."""
    program = _program(package, bench)
    told = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()  # noqa: S603
    times = dict(zip(told[::2], map(float, told[1::2]), strict=True))
    counts = {name: _instructions(program, name) for name in times}
    # What does nothing may do even less than the one that stands for the telling.
    alone = {name: max(count - counts["-"], 0.0) for name, count in counts.items() if name != "-"}
    return {
        name: {
            "instructions": round(count, 1),
            "relative": round(count / alone[reference], 3),
            "ns": times[name],
            "telling_ns": times["-"],
        }
        for name, count in alone.items()
    }


def _program(package: str, bench: str) -> str:
    """Build one of the two programs and return where it is."""
    command = ["cargo", "bench", "--locked", "-p", package, "--bench", bench, "--no-run", "--message-format=json"]
    built = subprocess.run(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    found = [each["executable"] for each in messages if each.get("target", {}).get("name") == bench]
    return str(found[-1])


def _instructions(program: str, name: str) -> float:
    """Count the instructions that one packet more costs."""
    counts = []
    for packets in (FEW, MANY):
        # No cache is simulated and no file written: only the total is wanted.
        tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        command = [*tool, program, name, str(packets)]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stderr  # noqa: S603
        total = re.search(r"I +refs:\s+([\d,]+)", told)
        if total is None:
            raise RuntimeError(f"valgrind told no count: {told}")
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
    """Return both tables as Markdown, with what was measured on."""
    telling, offering = (next(iter(costs.values()))["telling_ns"] for costs in (algorithms, queues))
    what = (
        f"Measured on {machine()}. Telling alone takes {telling:.0f} ns for an acknowledgement, offering a packet "
        f"{offering:.0f} ns; both are in the times and not in the instructions."
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
        # Datagrams have another sender and fewer packets: their runs compare with nothing.
        to_newreno = f"{run / run_of_newreno:.2f}" if hosts[name] == "reliable" else ""
        lines.append(
            f"| `{name}` | {cost['instructions']:.0f} | {cost['relative']:.2f} | {cost['ns']:.1f} | {run:.0f} "
            f"| {to_newreno} |"
        )
    lines += ["", f"More than {MOST:g} times newreno, and why:", ""]
    lines += [f"* `{name}`: {REASONS.get(name, '**no reason is given**')}" for name in _dear(algorithms)]
    lines += ["", "| queue | instructions per packet | to droptail | ns per packet |", "|---|--:|--:|--:|"]
    lines += [
        f"| `{name}` | {cost['instructions']:.0f} | {cost['relative']:.2f} | {cost['ns']:.1f} |"
        for name, cost in queues.items()
    ]
    return "\n".join(lines)


def machine() -> str:
    """Say in general terms what this machine is."""
    cpuinfo = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", cpuinfo.read_text("utf-8")) if cpuinfo.exists() else None
    compiler = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]  # noqa: S607
    load = os.getloadavg()[0]
    processor = found[1].strip() if found else "a processor that does not tell its name"
    return f"{processor}, {os.cpu_count()} processors, load {load:.0f}, rustc {compiler}"


def _dear(algorithms: Costs) -> list[str]:
    return [name for name, cost in algorithms.items() if cost["relative"] > MOST]


def _insert(path: Path, text: str) -> None:
    """Put the tables between their marks."""
    begin, end = "<!-- catalogue -->", "<!-- end catalogue -->"
    before, rest = path.read_text(encoding="utf-8").split(begin)
    path.write_text(f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")


HERE = Path(__file__).parent
FEW, MANY = 20_000, 60_000
MOST = 2.0
CUBIC = "a cubic function of the time since the last loss, and the window that Reno would have, at every ACK"
REASONS = {
    "fast": "round-trip times are smoothed at every ACK, by a weight that the window gives, and a timer is kept",
    "fast-at": "as fast, and it measures the rate it gets",
    "bbr1": "a model of the path: at every ACK a filter of delivery rates, the gain cycle, a pacing rate and a window",
    "prague": "the share of marks is kept, and every ACK brings a pacing rate anew, from the window and the round trip",
    "bbr3": "a model of the path as `bbr1` has, bounds that losses set, and what was known of each packet as it left",
    "rcp": "a request goes with every packet, and every ACK brings the pacing rate anew",
    "htcp": "its increase is a polynomial of the time since the last loss, and it measures the rate it gets",
    "cubic-2005": CUBIC,
    "cubic-2008": CUBIC,
    "cubic": CUBIC,
    "cubic-linux": f"{CUBIC}, in Linux's integer arithmetic",
}

if __name__ == "__main__":
    sys.exit(main())
