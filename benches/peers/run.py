"""Narrows beside ns-2 and ns-3: processor time per packet-hop and memory per flow on the same dumbbells.

The tools run alternately on one processor, so that a slow moment meets all of them, and each is asked for the time of
its own simulation loop: not the building of the network, not the start of the program. Each counts the packet-hops it
did (one packet over one link) and the packets that crossed the bottleneck, so that it can be seen that the work was the
same. Debian's packages are taken; where they are missing they are installed, if that is permitted.

Every round runs each tool at each point once, and what is known is written after each, so that nothing is lost if the
command is ended. It ends by itself when another round would not fit into the time it may take. A run that fails is
reported, and its tool left out at that point from then on.

Examples:
    python3 benches/peers/run.py                        # all points, five rounds or twelve minutes
    python3 benches/peers/run.py --points a,d --write   # two points, and write docs/performance.md
    python3 benches/peers/run.py --scaling --write      # Narrows alone: large windows, many flows
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copy, which
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from instructions import build, compiler  # noqa: E402

Figures = dict[str, float]


@dataclass(frozen=True)
class Point:
    """One dumbbell."""

    flows: int
    mbps: int
    rtt_ms: int
    seconds: float
    """Simulated by Narrows and ns-2."""
    ns3_seconds: float

    def share(self) -> int:
        """Return a flow's share of the bandwidth-delay product, packets: where CUBIC ends slow start.

        ns-2's has no HyStart and would send a hundred times what the link takes.
        """
        return int(self.mbps * 1e3 * self.rtt_ms / 12_000) // self.flows

    def words(self, seconds: float) -> list[str]:
        """Return the arguments of the other tools' scripts."""
        return [str(self.flows), str(self.mbps), str(self.rtt_ms), str(seconds)]


@dataclass(frozen=True)
class Tool:
    """A simulator: its name and how one run of a point is started."""

    name: str
    command: Callable[[str, str], list[str]]


@dataclass
class Samples:
    """What one tool told of one point, by round."""

    runs: dict[int, Figures] = field(default_factory=dict)

    def middle(self, name: str) -> float:
        """Return the median of one figure."""
        return median(run[name] for run in self.runs.values())

    def cost(self, number: int) -> float:
        """Return nanoseconds per packet-hop in one round."""
        return self.runs[number]["cpu_s"] * 1e9 / self.runs[number]["packet_hops"]

    def costs(self) -> list[float]:
        """Return nanoseconds per packet-hop, round by round."""
        return [self.cost(number) for number in self.runs]

    def ratios(self, other: Samples) -> list[float]:
        """Return the ratios to another's costs in the same rounds, ascending."""
        return sorted(self.cost(number) / other.cost(number) for number in self.runs if number in other.runs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the tables and write them if asked to.

    Returns:
        0; 2 if what is asked for cannot be done here.
    """
    parser = argparse.ArgumentParser(description="Narrows, ns-2 and ns-3 on the same dumbbells.")
    parser.add_argument("--repeats", type=int, default=5, help="rounds: runs of each tool at each point, at most")
    parser.add_argument("--minutes", type=float, default=12, help="no round begins that would end later")
    parser.add_argument("--points", default=",".join(POINTS), help="some of a,b,c,d")
    parser.add_argument("--kinds", default="sack,cubic", help="some of sack,cubic")
    parser.add_argument("--tools", default="narrows,ns-2,ns-3", help="some of narrows,ns-2,ns-3")
    parser.add_argument("--scaling", action="store_true", help="measure Narrows over window size and number of flows")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    options = parser.parse_args(arguments)
    points, kinds, names = (each.split(",") for each in (options.points, options.kinds, options.tools))
    for given, known in ((points, list(POINTS)), (kinds, list(ALGORITHMS)), (names, ["narrows", "ns-2", "ns-3"])):
        if unknown := [each for each in given if each not in known]:
            parser.error(f"{', '.join(unknown)} is not one of {', '.join(known)}")
    if options.repeats < 1:
        parser.error("--repeats must be at least 1")
    if platform.system() != "Linux":
        sys.stderr.write("Processor time and memory are read as Linux tells them; this is another system.\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        # A copy, so that a build in the meantime does not change what is measured.
        program = copy(build(), folder)
        document = HERE.parent.parent / "docs" / "performance.md" if options.write else None
        if options.scaling:
            publish(document, "scaling", scaling(program, options.repeats))
            return 0
        tools = [tool for name in names if (tool := found(name, program, Path(folder))) is not None]
        if len(tools) < len(names):
            return 2
        beside(tools, [(kind, point) for kind in kinds for point in points], options, document)
    return 0


def found(name: str, program: str, folder: Path) -> Tool | None:
    """Return a tool; `None`, and say why, where it cannot be had."""
    if name == "narrows":
        return Tool(name, lambda point, kind: [program, *narrows_words(point, kind)])
    package, here = PACKAGES[name]
    if not here() and not installed(package, here):
        return None
    if name == "ns-2":
        script = str(HERE / "dumbbell.tcl")
        return Tool(name, lambda point, kind: ["ns", script, kind, *POINTS[point].words(POINTS[point].seconds)])
    driver = str(folder / "dumbbell")
    libraries = [f"-lns3-{each}" for each in ("applications", "point-to-point", "internet", "network", "core")]
    source = str(HERE / "dumbbell.cc")
    subprocess.run(["c++", "-O3", "-std=c++17", "-o", driver, source, *libraries], check=True)  # noqa: S603, S607
    return Tool(name, lambda point, kind: [driver, kind, *POINTS[point].words(POINTS[point].ns3_seconds)])


def installed(package: str, here: Callable[[], bool]) -> bool:
    """Install a Debian package, or say what is missing."""
    if which("apt-get"):
        as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        install = [*as_root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", package]
        subprocess.run(install, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)  # noqa: S603
    if here():
        return True
    sys.stderr.write(f"Debian's package {package} is not here and could not be installed: `apt-get install {package}`,")
    sys.stderr.write(" or leave the tool out with --tools.\n")
    return False


def narrows_words(point: str, kind: str) -> list[str]:
    """Return the arguments of Narrows's program."""
    words = [str(SCENARIOS / f"{point}.toml"), "1", f'flows.0.algorithm="{ALGORITHMS[kind]}"']
    return [*words, f'flows.0.initial_ssthresh="{POINTS[point].share()}pkt"'] if kind == "cubic" else words


def run(command: list[str]) -> Figures:
    """Run a tool once on the first processor and return what it told."""
    pinned = ["taskset", "-c", "0", *command]
    told = subprocess.run(pinned, capture_output=True, text=True, check=False)  # noqa: S603
    if told.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {told.returncode}: {told.stderr}")
    return {
        name: float(value) for name, value in re.findall(r"^= (\w+) ([\d.]+(?:e[-+]?\d+)?)$", told.stdout, re.MULTILINE)
    }


def beside(tools: list[Tool], cases: list[tuple[str, str]], options: argparse.Namespace, document: Path | None) -> None:
    """Measure all tools at all cases, and publish the table after every round."""
    samples = {(*case, tool.name): Samples() for case in cases for tool in tools}
    failed: set[tuple[str, str, str]] = set()
    begin = time.monotonic()
    longest = 0.0
    for number in range(options.repeats):
        started = time.monotonic()
        if number and started + longest - begin > options.minutes * 60:
            sys.stderr.write(f"No time for more than {number} rounds (--minutes).\n")
            break
        for kind, point in cases:
            for tool in tools:
                key = (kind, point, tool.name)
                if key in failed:
                    continue
                try:
                    samples[key].runs[number] = run(tool.command(point, kind))
                except (RuntimeError, OSError) as error:
                    failed.add(key)
                    sys.stderr.write(f"{kind} {point} {tool.name} is left out: {error}\n")
                else:
                    cost = samples[key].cost(number)
                    sys.stderr.write(f"round {number + 1}: {kind} {point} {tool.name}: {cost:.0f} ns per packet-hop\n")
        longest = max(longest, time.monotonic() - started)
        publish(document, "peers", table(samples, number + 1))


def table(samples: dict[tuple[str, str, str], Samples], rounds: int) -> str:
    """Return what is known after some rounds as a table."""
    what = (
        f"Measured on {machine()}; {rounds} runs of each tool at each point, alternately. A ratio is the median of "
        "those of runs next to each other, with the least and the greatest."
    )
    header = ["point", "tool, simulated", "ns per hop", "to Narrows", "packets over bottleneck", "utilisation", "loss"]
    header += ["KiB per flow", "to Narrows"]
    lines = [what, "", f"| {' | '.join(header)} |", "|---|---|--:|--:|--:|--:|--:|--:|--:|"]
    for (kind, point, name), told in samples.items():
        if not told.runs:
            lines.append(f"| {point}, {kind} | {name} | it failed | | | | | | |")
            continue
        ours = samples.get((kind, point, "narrows"), Samples())
        ratio, memory = "", ""
        if name != "narrows" and (ratios := told.ratios(ours)):
            ratio = f"**{median(ratios):.3g}** ({ratios[0]:.3g} to {ratios[-1]:.3g})"
            memory = f"{told.middle('memory_kib') / ours.middle('memory_kib'):.2g}"
        seconds = POINTS[point].ns3_seconds if name == "ns-3" else POINTS[point].seconds
        kib = told.middle("memory_kib") / POINTS[point].flows
        lines.append(
            f"| {point}, {kind} | {name}, {seconds:g} s | {median(told.costs()):.0f} | {ratio} "
            f"| {told.middle('bottleneck_packets'):.0f} | {told.middle('utilization'):.3f} "
            f"| {told.middle('loss_rate') * 100:.2g} % | {kib:.0f} | {memory} |"
        )
        if name == "ns-2" and kind == "sack" and (ratios := told.ratios(ours)):
            share = HTSIM_TO_NS2[point]
            lines.append(
                f"| {point}, newreno | csg-htsim, remembered | | {share * median(ratios):.3g} "
                f"({share:.2f} of ns-2's) | | | | | |"
            )
    return "\n".join(lines)


def publish(document: Path | None, mark: str, text: str) -> None:
    """Print a table and put it between its marks in the document, if one is given."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
    if document is not None:
        insert(document, mark, text)


def scaling(program: str, repeats: int) -> str:
    """Measure Narrows over the size of the window and the number of flows and return the tables."""
    windows = {window: [f'path.rtt="{window * 1.2e-3:g}ms"', *LARGE_WINDOW] for window in WINDOWS}
    flows = {count: [f"flows.0.count={count}", *MANY_FLOWS] for count in FLOWS}
    taken: dict[str, dict[int, Samples]] = {}
    for scenario, cases in (("d", windows), ("c", flows)):
        path = str(SCENARIOS / f"{scenario}.toml")
        taken[scenario] = {case: Samples() for case in cases}
        for number in range(repeats):
            for case, words in cases.items():
                taken[scenario][case].runs[number] = run([program, path, "1", *words])
    lines = [f"Measured on {machine()}; medians of {repeats} runs, cases alternately, SACK.", ""]
    for scenario, what in (("d", "one flow at 10 Gbps, window in packets"), ("c", "10 Gbps, 50 ms, flows")):
        first = median(next(iter(taken[scenario].values())).costs())
        lines += [
            f"| {what} | ns per hop | to the first | least | hops | loss | KiB per flow |",
            "|--:|--:|--:|--:|--:|--:|--:|",
        ]
        for case, told in taken[scenario].items():
            cost, count = median(told.costs()), case if scenario == "c" else 1
            lines.append(
                f"| {case} | {cost:.0f} | {cost / first:.2f} | {min(told.costs()):.0f} "
                f"| {told.middle('packet_hops') / 1e6:.1f} M | {told.middle('loss_rate') * 100:.2g} % "
                f"| {told.middle('memory_kib') / count:.0f} |"
            )
        lines.append("")
    return "\n".join(lines).rstrip()


def machine() -> str:
    """Say in general terms what this machine is."""
    model = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    name = model[1].strip() if model else platform.machine()
    return f"{name}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.0f}, rustc {compiler()}"


def insert(path: Path, mark: str, text: str) -> None:
    """Put the tables between their marks."""
    begin, end = f"<!-- {mark} -->", f"<!-- end {mark} -->"
    before, rest = path.read_text(encoding="utf-8").split(begin)
    path.write_text(f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")


SCENARIOS = HERE.parent / "scenarios"
POINTS = {
    "a": Point(10, 100, 50, 100, 10),
    "b": Point(100, 1_000, 50, 20, 2),
    "c": Point(1000, 10_000, 50, 3, 0.6),
    "d": Point(1, 1_000, 100, 20, 2),
}
# Nanoseconds per packet-hop of csg-htsim 841d9e7 (NewReno without SACK) to those of ns-2 with SACK, in one set of
# alternated runs; csg-htsim is in no distribution, so it is not run again.
HTSIM_TO_NS2 = {"a": 295 / 436, "b": 383 / 599, "c": 555 / 1208, "d": 330 / 1006}
ALGORITHMS = {"sack": "reno", "cubic": "cubic"}
PACKAGES: dict[str, tuple[str, Callable[[], bool]]] = {
    "ns-2": ("ns2", lambda: which("ns") is not None),
    "ns-3": ("libns3-dev", lambda: Path("/usr/include/ns3/point-to-point-module.h").exists()),
}
WINDOWS = (100, 1_000, 10_000, 100_000)
LARGE_WINDOW = ('path.rate="10Gbps"', 'duration="4s"')
FLOWS = (10, 100, 1_000, 10_000)
MANY_FLOWS = ('duration="2s"',)

if __name__ == "__main__":
    sys.exit(main())
