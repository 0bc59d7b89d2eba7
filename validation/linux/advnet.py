# SPDX-License-Identifier: Apache-2.0
"""Judge the statements that AdvNet has published on the congestion controls of Linux, on the kernel in simulated time.

The score of a target beside a reference on a path is (reference - target) / max(reference, target) of their utilities,
and a utility is throughput^w (1 / delay)^(1 - w), as in that repository (scoring/scoring.py; constants of normalisation
cancel). The score of a pair is the greatest of all paths.

Examples:
    .venv/bin/python validation/linux/advnet.py               # three minutes of processor time; what has run is kept
    .venv/bin/python validation/linux/advnet.py --size smoke  # the two published paths alone, half a minute
    .venv/bin/python validation/linux/advnet.py --write       # also write the tables into advnet.md
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow.parquet as pq

from narrows._internal.cli import program
from narrows._internal.linux import cache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    # Throughput in bits per second and mean one-way delay in seconds, by algorithm and path.
    Measured = Mapping[str, Mapping[str, tuple[float, float]]]

HERE = Path(__file__).parent
PAGE = HERE / "advnet.md"
MARK = "<!-- table -->\n"
EQUAL, THROUGHPUT = 0.5, 1.0


class Scores(NamedTuple):
    """The scores of every target with one weight.

    Attributes:
        least: The smallest score beside any reference.
        mean: The mean over the references: the measure by which AdvNet ranks, the smaller the more robust.
        greatest: The greatest.
        every: That beside each reference.
    """

    least: float
    mean: float
    greatest: float
    every: tuple[float, ...]

    def above(self, value: float) -> str:
        """Return beside how many references the score is above a value, in words."""
        return f"beside {sum(each > value for each in self.every)} of {len(self.every)}"


class Statement(NamedTuple):
    """A published statement: its words, whether it holds (for equal weights, and none on delay), and what was found."""

    words: str
    holds: Callable[[Mapping[str, Scores], Mapping[str, Scores]], bool]
    found: Callable[[Mapping[str, Scores], Mapping[str, Scores]], str]


def main() -> int:
    """Run the study unless it has run, and print or write the scores and the verdicts; return 0."""
    parser = argparse.ArgumentParser(description="judge the statements of AdvNet on the kernel")
    parser.add_argument("--size", choices=["smoke", "all"], default="all", help="paths (%(default)s)")
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("runs/advnet"), help="folder (%(default)s)")
    parser.add_argument("--write", action="store_true", help="write the tables into advnet.md, beside this file")
    options = parser.parse_args()
    folder = options.out.with_name(f"{options.out.name}-{options.size}")
    size = ["--size", options.size] if options.size == "smoke" else []
    how = (
        ["resume", str(folder)] if folder.exists() else ["run", str(HERE / "advnet.toml"), "--out", str(folder), *size]
    )
    status = program.run(["study", *how])
    if status:
        return status
    text = judged(measured(folder))
    sys.stdout.write(text + "\n")
    if options.write:
        kernel = cache.find(cache.DEFAULT)
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARK)
        stated = f"Kernel {kernel.version}, timer {kernel.timer_hz} Hz.\n\n{text}\n"
        PAGE.write_text(before + MARK + stated + MARK + rest.partition(MARK)[2], encoding="utf-8")
    return 0


def measured(folder: Path) -> Measured:
    """Return what the cells of the study in `folder` measured."""
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for cell in pq.read_table(folder / "cells.parquet").to_pylist():
        values = cell["group.test.goodput_bps"], cell["group.test.delay_mean_s"]
        found.setdefault(cell["algorithm"].removeprefix("linux:"), {})[cell["environment"]] = values
    return found


def score(target: tuple[float, float], reference: tuple[float, float], weight: float) -> float:
    """Return the score of a target beside a reference on one path, -1 to 1.

    Args:
        target: Throughput, bits per second, and delay, seconds, of the target.
        reference: Those of the reference.
        weight: Weight of throughput, 0 to 1; that of delay is the rest.
    """
    ours, theirs = (math.pow(rate, weight) * math.pow(delay, weight - 1.0) for rate, delay in (target, reference))
    return (theirs - ours) / max(theirs, ours)


def scores(found: Measured, weight: float) -> dict[str, Scores]:
    """Return the scores of every algorithm as the target, over all others as the reference."""
    made = {}
    for target, paths in found.items():
        worst = [
            max(score(values, others[path], weight) for path, values in paths.items())
            for reference, others in found.items()
            if reference != target
        ]
        made[target] = Scores(min(worst), sum(worst) / len(worst), max(worst), tuple(worst))
    return made


def ranked(found: Mapping[str, Scores]) -> list[str]:
    """Return the algorithms, the most robust first."""
    return sorted(found, key=lambda name: found[name].mean)


def judged(found: Measured) -> str:
    """Return the verdicts on the statements and the scores as Markdown."""
    equal, throughput = scores(found, EQUAL), scores(found, THROUGHPUT)
    lines = ["| statement | here | holds |", "|---|---|---|"]
    for each in STATEMENTS:
        verdict = "yes" if each.holds(equal, throughput) else "**no**"
        lines.append(f"| {each.words} | {each.found(equal, throughput)} | {verdict} |")
    paths = len(next(iter(found.values())))
    lines += [
        "",
        f"Mean score as the target, over 16 references, of {paths} paths; in parentheses the least and the greatest.",
    ]
    lines += ["", "| algorithm | equal weights | no weight on delay |", "|---|--:|--:|"]
    for name in ranked(equal):
        cells = (
            f"{each.mean:.3f} ({each.least:.3f} … {each.greatest:.3f})" for each in (equal[name], throughput[name])
        )
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _place(name: str, found: Mapping[str, Scores]) -> str:
    return f"`{name}` is number {ranked(found).index(name) + 1} of {len(found)}"


STATEMENTS = (
    Statement(
        "at equal weights `cdg` is the most robust",
        lambda equal, _: ranked(equal)[0] == "cdg",
        lambda equal, _: f"{_place('cdg', equal)}; first is `{ranked(equal)[0]}`",
    ),
    Statement(
        "without a weight on delay `lp` and `htcp` are preferable: here, the two most robust",
        lambda _, rate: set(ranked(rate)[:2]) == {"lp", "htcp"},
        lambda _, rate: f"{_place('lp', rate)}, {_place('htcp', rate)}; first are {_first(rate)}",
    ),
    Statement(
        "without a weight on delay `bbr` as the target scores above 0.8 beside every reference",
        lambda _, rate: rate["bbr"].least > 0.8,  # noqa: PLR2004  # the figure of the statement
        lambda _, rate: f"{rate['bbr'].above(0.8)}, mean {rate['bbr'].mean:.3f}",
    ),
    Statement(
        "without a weight on delay `vegas` as the target scores above 0.9: here, in the mean",
        lambda _, rate: rate["vegas"].mean > 0.9,  # noqa: PLR2004  # the figure of the statement
        lambda _, rate: f"{rate['vegas'].above(0.9)}, mean {rate['vegas'].mean:.3f}",
    ),
)


def _first(found: Mapping[str, Scores]) -> str:
    return ", ".join(f"`{name}`" for name in ranked(found)[:3])


if __name__ == "__main__":
    sys.exit(main())
