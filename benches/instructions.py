# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of whole runs of the simulator and compares them with the accepted counts.

Valgrind counts short runs (`benches/scenarios/instructions/`). Counts do not depend on other load, so one run is
enough. They are valid for one compiler, which `benches/instructions.toml` names.

Examples:
    python3 benches/instructions.py             # exit status 1 if a run takes over 5 % more than accepted
    python3 benches/instructions.py --accept    # accept the current counts
    python3 benches/instructions.py --profile   # also print the functions with the highest counts
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Count:
    """The instructions of one run."""

    instructions: int
    packet_hops: int
    functions: Counter[str]
    """Instructions of each function, including inlined code and excluding calls."""

    def top(self) -> dict[str, int]:
        """Return the functions with the highest counts."""
        return dict(self.functions.most_common(KEPT))


def main(arguments: Sequence[str] | None = None) -> int:
    """Count and compare.

    Returns:
        0; 1 if a run exceeds the accepted count by more than the allowance.
    """
    parser = argparse.ArgumentParser(description="Instructions of whole runs, compared with the accepted counts.")
    parser.add_argument("--accept", action="store_true", help="write the counts to benches/instructions.toml")
    parser.add_argument("--profile", action="store_true", help="print the functions with the highest counts")
    options = parser.parse_args(arguments)
    if which("valgrind") is None:
        sys.stderr.write("Instructions are not counted: valgrind is not installed (`apt-get install valgrind`).\n")
        return 0
    program = build()
    counts = {path.stem: count(program, path) for path in sorted(SCENARIOS.glob("*.toml"))}
    if options.profile:
        for name, each in counts.items():
            sys.stdout.write(f"{name}: {each.instructions / each.packet_hops:.0f} instructions per packet-hop\n")
            sys.stdout.writelines(f"{share(each, own):>8}  {function}\n" for function, own in each.top().items())
    if options.accept:
        ACCEPTED.write_text(written(counts), encoding="utf-8")
        return 0
    accepted = tomllib.loads(ACCEPTED.read_text(encoding="utf-8"))
    findings = [line for name, each in counts.items() for line in compare(name, each, accepted["points"].get(name))]
    worse = any(line.startswith(WORSE) for line in findings)
    sys.stdout.writelines(f"{line}\n" for line in findings)
    if not worse:
        return 0
    if accepted["rustc"] != compiler():
        sys.stdout.write(f"Counted for rustc {accepted['rustc']}; this is {compiler()}: not a failure.\n")
        return 0
    sys.stdout.write("To accept the increase: `make accept-instructions`, with the reason in the commit.\n")
    return 1


def build() -> str:
    """Build the program that runs one scenario and return its path."""
    # With the extension, the features of all crates are those of `make build`, and its crates are not compiled again.
    packages = ["-p", "narrows-lab", "-p", "narrows-python"]
    command = ["cargo", "bench", "--profile", "light", "--locked", "--quiet", *packages, "--bench", "whole_run"]
    command += ["--no-run", "--message-format=json-render-diagnostics"]
    built = subprocess.run(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    found = [each["executable"] for each in messages if each.get("target", {}).get("name") == "whole_run"]
    return str(found[-1])


def count(program: str, scenario: Path) -> Count:
    """Run a scenario once under valgrind.

    Raises:
        RuntimeError: The run failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        # Environment and addresses affect the count through hashes and alignment.
        fixed = ["env", "-i", *(["setarch", "-R"] if which("setarch") else [])]
        tool = [str(which("valgrind")), "--tool=callgrind", f"--callgrind-out-file={out}"]
        command = [*fixed, *tool, program, str(scenario)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise RuntimeError(f"{scenario.name} did not run: {done.stderr}")
        functions = own_costs(out.read_text(encoding="utf-8").splitlines())
    hops = int(done.stdout.split("= packet_hops ")[1].split()[0])
    return Count(functions.total(), hops, functions)


def own_costs(lines: Iterable[str]) -> Counter[str]:
    """Return the instructions of each function in a callgrind file, excluding calls."""
    names: dict[str, str] = {}
    costs: Counter[str] = Counter()
    function, skip = "", False
    for line in lines:
        if line.startswith("fn="):
            function = resolve(line[3:], names)
        elif line.startswith("cfn="):
            resolve(line[4:], names)
        elif line.startswith("calls="):
            skip = True
        elif COST.match(line):
            if not skip:
                costs[function] += int(line.split()[1])
            skip = False
    return costs


def resolve(text: str, names: dict[str, str]) -> str:
    """Return the name of a function; callgrind writes it once, then only its number."""
    number, _, name = text.partition(" ")
    if name:
        # The numbers of closures and of versions of a function change with every build.
        names[number] = re.sub(r"'\d+$|\.llvm\.\d+|::h[0-9a-f]{16}$", "", name)
    return names[number]


def compare(name: str, now: Count, before: dict[str, object] | None) -> list[str]:
    """Return the lines of a report that compares one run with its accepted count."""
    per_hop = now.instructions / now.packet_hops
    if before is None:
        return [f"{WORSE}{name}: {per_hop:.0f} instructions per packet-hop, no accepted count"]
    accepted = int(str(before["instructions"]))
    change = now.instructions / accepted - 1
    line = f"{name}: {per_hop:.0f} instructions per packet-hop, {change:+.1%} of the whole run"
    if change <= ALLOWED:
        hint = "; `make accept-instructions` accepts the decrease" if change < -ALLOWED else ""
        return [f"{line}{hint}"]
    functions = before["functions"]
    if not isinstance(functions, dict):
        raise TypeError(f"{ACCEPTED.name} has no functions for {name}")
    grown = {each: own - functions.get(each, 0) for each, own in now.functions.items()}
    most = sorted(grown.items(), key=lambda item: -item[1])[:SHOWN]
    where = [f"    {rise / accepted:+.1%}  {each}" for each, rise in most if rise > 0]
    return [f"{WORSE}{line}, allowed {ALLOWED:+.0%}", *where]


def share(count: Count, own: int) -> str:
    """Return the share of a function in a run, as text."""
    return f"{own / count.instructions:.1%}"


def written(counts: dict[str, Count]) -> str:
    """Return the file of accepted counts."""
    lines = ["# Instructions of whole runs, written by `make accept-instructions`.", "", f'rustc = "{compiler()}"']
    for name, each in counts.items():
        lines += ["", f"[points.{name}]", f"instructions = {each.instructions}", f"packet_hops = {each.packet_hops}"]
        lines += ["", f"[points.{name}.functions]"]
        lines += [f"{json.dumps(function)} = {own}" for function, own in each.top().items()]
    return "\n".join(lines) + "\n"


def compiler() -> str:
    """Return the version of the compiler."""
    return subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]  # noqa: S607


HERE = Path(__file__).resolve().parent
SCENARIOS = HERE / "scenarios" / "instructions"
ACCEPTED = HERE / "instructions.toml"
ALLOWED = 0.05
KEPT = 40
SHOWN = 6
WORSE = "MORE  "
COST = re.compile(r"[+\-*\d]")

if __name__ == "__main__":
    sys.exit(main())
