# SPDX-License-Identifier: Apache-2.0
"""Compares Narrows with ns-2, ns-3 and csg-htsim: processor time per packet-hop, memory per flow, the same dumbbells.

The tools run alternately on one processor, so that a temporary slowdown affects all of them. Each reports the processor
time of its simulation loop, without program start and construction of the network, the number of packet-hops (one
packet over one link) and the number of packets that crossed the bottleneck, which shows whether the work was the same.
Debian's packages are used, and installed if they are missing and that is permitted. With `--htsim DIR` csg-htsim is
built from its sources in that folder and runs, too; with `--ns3 DIR` ns-3 is built from there instead.

Every round runs each tool at each point once, and the results are written after each round, so that none are lost if
the command is stopped. No round starts that would exceed the time limit. A tool that fails at a point is reported and
left out at that point.

Examples:
    python3 benches/peers/run.py                        # all points, five rounds or twelve minutes
    python3 benches/peers/run.py --points a,d --write   # two points, and write docs/performance.md
    python3 benches/peers/run.py --htsim ../csg-htsim   # csg-htsim, too, from sources in that folder
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

from peers import sources  # noqa: E402

Figures = dict[str, float]


@dataclass(frozen=True)
class Point:
    """One dumbbell."""

    flows: int
    mbps: int
    rtt_ms: int
    seconds: float
    """Simulated time of Narrows and ns-2, seconds."""
    ns3_seconds: float

    def share(self) -> int:
        """Return a flow's share of the bandwidth-delay product in packets, at which CUBIC ends slow start.

        CUBIC in ns-2 has no HyStart and would send a hundred times the capacity of the link.
        """
        return int(self.mbps * 1e3 * self.rtt_ms / 12_000) // self.flows

    def words(self, seconds: float) -> list[str]:
        """Return the arguments of the scripts of ns-2 and ns-3."""
        return [str(self.flows), str(self.mbps), str(self.rtt_ms), str(seconds)]


@dataclass(frozen=True)
class Tool:
    """A simulator: its name, and the command that runs a point with an algorithm."""

    name: str
    command: Callable[[str, str], list[str]]


@dataclass
class Samples:
    """The figures of one tool at one point, by round."""

    runs: dict[int, Figures] = field(default_factory=dict)

    def middle(self, name: str) -> float:
        """Return the median of a figure over rounds."""
        return median(run[name] for run in self.runs.values())

    def cost(self, number: int) -> float:
        """Return nanoseconds per packet-hop in one round."""
        return self.runs[number]["cpu_s"] * 1e9 / self.runs[number]["packet_hops"]

    def costs(self) -> list[float]:
        """Return nanoseconds per packet-hop, round by round."""
        return [self.cost(number) for number in self.runs]

    def ratios(self, other: Samples) -> list[float]:
        """Return the ratios of these costs to those of another tool in the same rounds, ascending."""
        return sorted(self.cost(number) / other.cost(number) for number in self.runs if number in other.runs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and write them with `--write`.

    Returns:
        0; 2 if the system is not Linux or a tool is missing.
    """
    parser = argparse.ArgumentParser(description="Narrows, ns-2 and ns-3 on the same dumbbells.")
    parser.add_argument("--repeats", type=int, default=5, help="rounds: runs of each tool at each point, at most")
    parser.add_argument("--minutes", type=float, default=12, help="no round starts that would end later")
    parser.add_argument("--points", default=",".join(POINTS), help="some of a,b,c,d")
    parser.add_argument("--kinds", default="sack,cubic", help="some of sack,cubic")
    parser.add_argument("--tools", default="narrows,ns-2,ns-3", help="some of narrows,ns-2,ns-3")
    parser.add_argument(
        "--htsim", type=Path, metavar="DIR", help="folder with the sources of csg-htsim, which runs, too"
    )
    parser.add_argument("--ns3", type=Path, metavar="DIR", help="folder with the sources of ns-3, instead of a package")
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
        sys.stderr.write("Processor time and memory are read from Linux's /proc; this is another system.\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        # A copy, so that a build in the meantime does not change the measured program.
        program = copy(build(), folder)
        document = HERE.parent.parent / "docs" / "performance.md" if options.write else None
        if options.scaling:
            publish(document, "scaling", scaling(program, options.repeats))
            return 0
        names += [HTSIM] if options.htsim else []
        try:
            tools = [tool for name in names if (tool := found(name, program, Path(folder), options)) is not None]
        except sources.SourceError as error:
            sys.stderr.write(f"{error}\n")
            return 2
        if len(tools) < len(names):
            return 2
        compare(tools, [(kind, point) for kind in kinds for point in points], options, document)
    return 0


def found(name: str, program: str, folder: Path, options: argparse.Namespace) -> Tool | None:
    """Return a tool; if it is not available, print the reason and return None.

    Raises:
        SourceError: It cannot be built from the sources that are given.
    """
    if name == "narrows":
        return Tool(name, lambda point, kind: [program, *narrows_words(point, kind)])
    if name == HTSIM:
        htsim = folder / "dumbbell_htsim"
        sources.htsim(options.htsim, HERE / "dumbbell_htsim.cpp", htsim)
        return Tool(name, lambda point, kind: [str(htsim), kind, *POINTS[point].words(POINTS[point].seconds)])
    driver = str(folder / "dumbbell")
    source = HERE / "dumbbell.cc"
    if name == "ns-3" and options.ns3:
        sources.ns3(options.ns3, source, Path(driver))
        return Tool(name, lambda point, kind: [driver, kind, *POINTS[point].words(POINTS[point].ns3_seconds)])
    package, here = PACKAGES[name]
    if not here() and not installed(package, here):
        return None
    if name == "ns-2":
        script = str(HERE / "dumbbell.tcl")
        return Tool(name, lambda point, kind: ["ns", script, kind, *POINTS[point].words(POINTS[point].seconds)])
    libraries = [f"-lns3-{each}" for each in ("applications", "point-to-point", "internet", "network", "core")]
    subprocess.run(["c++", "-O3", "-std=c++17", "-o", driver, str(source), *libraries], check=True)  # noqa: S603, S607
    return Tool(name, lambda point, kind: [driver, kind, *POINTS[point].words(POINTS[point].ns3_seconds)])


def installed(package: str, here: Callable[[], bool]) -> bool:
    """Install a Debian package and return whether it is available; print a message if not."""
    if which("apt-get"):
        as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        install = [*as_root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", package]
        subprocess.run(install, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)  # noqa: S603
    if here():
        return True
    sys.stderr.write(f"Debian's package {package} is missing and could not be installed: `apt-get install {package}`,")
    sys.stderr.write(" or leave the tool out with --tools.\n")
    return False


def narrows_words(point: str, kind: str) -> list[str]:
    """Return the arguments of the program of Narrows."""
    words = [str(SCENARIOS / f"{point}.toml"), "1", f'flows.0.algorithm="{ALGORITHMS[kind]}"']
    return [*words, f'flows.0.initial_ssthresh="{POINTS[point].share()}pkt"'] if kind == "cubic" else words


def run(command: list[str]) -> Figures:
    """Run a tool once on the first processor and return the figures that it prints.

    Raises:
        RuntimeError: The tool failed.
    """
    pinned = ["taskset", "-c", "0", *command]
    done = subprocess.run(pinned, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return {
        name: float(value) for name, value in re.findall(r"^= (\w+) ([\d.]+(?:e[-+]?\d+)?)$", done.stdout, re.MULTILINE)
    }


def compare(
    tools: list[Tool], cases: list[tuple[str, str]], options: argparse.Namespace, document: Path | None
) -> None:
    """Measure all tools in all cases, and publish the table after every round."""
    # The TCP of csg-htsim has no CUBIC.
    samples = {
        (*case, tool.name): Samples() for case in cases for tool in tools if tool.name != HTSIM or case[0] == "sack"
    }
    failed: set[tuple[str, str, str]] = set()
    start = time.monotonic()
    longest = 0.0
    for number in range(options.repeats):
        started = time.monotonic()
        if number and started + longest - start > options.minutes * 60:
            sys.stderr.write(f"Stopped after {number} rounds (--minutes).\n")
            break
        for kind, point in cases:
            for tool in tools:
                key = (kind, point, tool.name)
                if key in failed or key not in samples:
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
    """Return the results of the rounds so far as a table."""
    what = (
        f"Measured on {machine()}; {rounds} runs of each tool at each point, alternately. A ratio is the median of "
        "the ratios of adjacent runs, with minimum and maximum."
    )
    header = [
        "point",
        "tool, simulated",
        "ns per hop",
        "packet transmissions/s",
        "to Narrows",
    ]
    header += ["packets over bottleneck", "utilisation", "loss", "KiB per flow", "to Narrows"]
    lines = [what, "", f"| {' | '.join(header)} |", "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for (kind, point, name), sample in samples.items():
        if not sample.runs:
            lines.append(f"| {point}, {kind} | {name} | failed | | | | | | | |")
            continue
        ours = samples.get((kind, point, "narrows"), Samples())
        ratio, memory = "", ""
        if name != "narrows" and (ratios := sample.ratios(ours)):
            ratio = f"**{median(ratios):.3g}** ({ratios[0]:.3g} to {ratios[-1]:.3g})"
            memory = f"{sample.middle('memory_kib') / ours.middle('memory_kib'):.2g}"
        seconds = POINTS[point].ns3_seconds if name == "ns-3" else POINTS[point].seconds
        kib = sample.middle("memory_kib") / POINTS[point].flows
        cost = median(sample.costs())
        rule = "newreno" if name == HTSIM else kind
        lines.append(
            f"| {point}, {rule} | {name}, {seconds:g} s | {cost:.0f} | {1e3 / cost:.3g} M | {ratio} "
            f"| {sample.middle('bottleneck_packets'):.0f} | {sample.middle('utilization'):.3f} "
            f"| {sample.middle('loss_rate') * 100:.2g} % | {kib:.0f} | {memory} |"
        )
        live = (kind, point, HTSIM) in samples
        if name == "ns-2" and kind == "sack" and not live and (ratios := sample.ratios(ours)):
            share = HTSIM_TO_NS2[point]
            lines.append(
                f"| {point}, newreno | csg-htsim, earlier | | | {share * median(ratios):.3g} "
                f"({share:.2f} of ns-2's) | | | | | |"
            )
    return "\n".join(lines)


def publish(document: Path | None, mark: str, text: str) -> None:
    """Print a table, and write it between its marks in the document if one is given."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
    if document is not None:
        insert(document, mark, text)


def scaling(program: str, repeats: int) -> str:
    """Measure Narrows over window size and number of flows, and return the tables."""
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
        for case, sample in taken[scenario].items():
            cost, count = median(sample.costs()), case if scenario == "c" else 1
            lines.append(
                f"| {case} | {cost:.0f} | {cost / first:.2f} | {min(sample.costs()):.0f} "
                f"| {sample.middle('packet_hops') / 1e6:.1f} M | {sample.middle('loss_rate') * 100:.2g} % "
                f"| {sample.middle('memory_kib') / count:.0f} |"
            )
        lines.append("")
    return "\n".join(lines).rstrip()


def machine() -> str:
    """Return the processor, the load and the compiler as text."""
    model = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    name = model[1].strip() if model else platform.machine()
    return f"{name}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.0f}, rustc {compiler()}"


def insert(path: Path, mark: str, text: str) -> None:
    """Replace the text between the marks."""
    start, end = f"<!-- {mark} -->", f"<!-- end {mark} -->"
    before, rest = path.read_text(encoding="utf-8").split(start)
    path.write_text(f"{before}{start}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")


SCENARIOS = HERE.parent / "scenarios"
POINTS = {
    "a": Point(10, 100, 50, 100, 10),
    "b": Point(100, 1_000, 50, 20, 2),
    "c": Point(1000, 10_000, 50, 3, 0.6),
    "d": Point(1, 1_000, 100, 20, 2),
}
HTSIM = "csg-htsim"
# Nanoseconds per packet-hop of csg-htsim 841d9e7 (NewReno without SACK) to those of ns-2 with SACK, in one set of
# alternating runs; csg-htsim is in no distribution, so these stand where its sources are not given.
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
