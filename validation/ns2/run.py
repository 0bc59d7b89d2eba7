# SPDX-License-Identifier: Apache-2.0
"""Run scenarios in ns-2 and in Narrows, and print the differences.

Examples:
    .venv/bin/python validation/ns2/run.py
    .venv/bin/python validation/ns2/run.py r2-red r8-sack --seeds 10
    .venv/bin/python validation/ns2/run.py r2-red --store
"""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import counterpart
import numpy as np

from narrows._internal.quantiles import t_quantile

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from judgement import half_interval, scenario, values  # noqa: E402  # it lies beside this folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def main(words: Sequence[str] | None = None) -> int:
    """Run what is asked for; return 0 unless ns-2 is absent or cannot run it."""
    parser = argparse.ArgumentParser(description="Run scenarios in ns-2 and in Narrows, and print the differences.")
    parser.add_argument("scenario", nargs="*", help="as r2-red; all that reference.toml names agents for unless given")
    parser.add_argument("--seeds", type=int, help="how many runs in ns-2; 5 unless the entry says otherwise")
    parser.add_argument("--store", action="store_true", help="write ns-2's figures into reference.toml")
    options = parser.parse_args(words)
    # An entry that names no agents was measured by other means than `dumbbell.tcl`.
    entries = {entry["case"]: entry for entry in _read()["scenarios"] if "agents" in entry}
    unknown = set(options.scenario) - set(entries)
    if unknown:
        parser.error(
            f"no agents in reference.toml for {', '.join(sorted(unknown))}; there are for {', '.join(entries)}"
        )
    try:
        sys.stdout.write(f"ns-{counterpart.version()}\n")
        for name in options.scenario or entries:
            entry = entries[name]
            seeds = options.seeds or entry.get("seeds", DEFAULT_SEEDS)
            theirs = _in_ns2(entry, seeds)
            sys.stdout.write(f"\n{name}, {seeds} seeds against {entry['replications']} replications\n")
            sys.stdout.writelines(_lines(entry, theirs))
            sys.stdout.flush()
            if options.store:
                _store(entry, seeds, theirs)
    except counterpart.Ns2Error as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def difference(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    """Return the difference of two means and half of its 95 % interval.

    Source: Welch, Biometrika 34, 1947: variances differ, the degrees of freedom by Satterthwaite's equation, rounded
    down.
    """
    apart = float(np.mean(ours) - np.mean(theirs))
    shares = [float(np.var(each, ddof=1)) / len(each) if len(each) > 1 else 0.0 for each in (ours, theirs)]
    error = sum(shares)
    if error == 0.0:
        return apart, 0.0
    counts = (len(ours), len(theirs))
    degrees = error**2 / sum(share**2 / (count - 1) for share, count in zip(shares, counts, strict=True) if share)
    return apart, t_quantile(math.floor(degrees)) * math.sqrt(error)


def _in_ns2(entry: Mapping[str, Any], seeds: int) -> list[list[float]]:
    """Return the value of every seed for every figure of an entry."""
    resolved = tomllib.loads(scenario("ns2", entry["case"]).resolve().resolved)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = list(pool.map(lambda seed: counterpart.simulate(resolved, entry["agents"], seed), range(1, seeds + 1)))
    return [[run[figure["of"], figure["measure"]] for run in runs] for figure in entry["figures"]]


def _lines(entry: Mapping[str, Any], theirs: Sequence[Sequence[float]]) -> list[str]:
    run = scenario("ns2", entry["case"]).run(replications=entry["replications"])
    rows = [("measure", "ns-2", "ours", "difference", "stored")]
    for figure, judged in zip(entry["figures"], theirs, strict=True):
        ours = values(run, figure["of"], figure["measure"])
        apart, half = difference(ours, judged)
        mean = float(np.mean(judged))
        part = f" ({100 * apart / mean:+.1f} %)" if mean else ""
        stored = f"{figure['value']:.4g}" if "value" in figure else ""
        rows.append(
            (
                f"{figure['of']} {figure['measure']}",
                f"{mean:.4g} ± {half_interval(judged):.1g}",
                f"{np.mean(ours):.4g} ± {half_interval(ours):.1g}",
                f"{apart:+.3g} ± {half:.1g}{part}",
                stored,
            )
        )
    return [f"  {cells[0]:<32}{cells[1]:>22}{cells[2]:>22}{cells[3]:>32}{cells[4]:>12}\n" for cells in rows]


def _store(entry: Mapping[str, Any], seeds: int, theirs: Sequence[Sequence[float]]) -> None:
    """Write an entry with ns-2's figures in the place of the one that `reference.toml` has."""
    agents = ", ".join(f'{group} = "{agent}"' for group, agent in entry["agents"].items())
    lines = [
        f'case = "{entry["case"]}"',
        f"replications = {entry['replications']}",
        f"agents = {{ {agents} }}",
        f"seeds = {seeds}",
        f"measured = {datetime.now(UTC).date()}",
    ]
    for figure, runs in zip(entry["figures"], theirs, strict=True):
        lines += [
            "",
            "[[scenarios.figures]]",
            f'of = "{figure["of"]}"',
            f'measure = "{figure["measure"]}"',
            f"value = {float(f'{np.mean(runs):.7g}')}",
            f"runs = [{', '.join(str(float(f'{run:.7g}')) for run in runs)}]",
        ]
        if "tolerance" in figure:
            ((kind, bound),) = figure["tolerance"].items()
            lines.append(f"tolerance = {{ {kind} = {bound} }}")
    text = REFERENCE.read_text(encoding="utf-8")
    old = re.compile(rf'case = "{re.escape(entry["case"])}"\n.*?(?=\n+\[\[scenarios\]\]|\n*\Z)', re.DOTALL)
    REFERENCE.write_text(old.sub(lambda _: "\n".join(lines), text, count=1), encoding="utf-8")


def _read() -> dict[str, Any]:
    return tomllib.loads(REFERENCE.read_text(encoding="utf-8"))


REFERENCE = HERE / "reference.toml"
DEFAULT_SEEDS = 5

if __name__ == "__main__":
    sys.exit(main())
