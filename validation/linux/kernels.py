# SPDX-License-Identifier: Apache-2.0
"""Compare the TCP of two kernels by `narrows ab`, and write the tables of docs/kernels.md.

Examples:
    narrows linux build --source linux-source-6.12_*.deb --name 6.12
    narrows linux build --source linux-source-7.3_*.deb --name 7.3
    .venv/bin/python validation/linux/kernels.py          # about twenty minutes of processor time; what has run is kept
    .venv/bin/python validation/linux/kernels.py --write  # also write the tables into docs/kernels.md
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows._internal.cli import program
from narrows._internal.report.trial.comment import MARKS, change

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PAGE = Path(__file__).parents[2] / "docs/kernels.md"
KERNELS = "linux:6.12,linux:7.3"
# The algorithms, each with what its scenarios need besides.
ALGORITHMS: dict[str, tuple[str, ...]] = {
    "cubic": (),
    "reno": (),
    "bbr1": (),
    "dctcp": ("transport.ecn=true", "path.queue.kind=step", "path.queue.threshold=10pkt"),
}
# A further trial: a round trip below 20 ms, where the delay of compressed acknowledgements differs.
SHORT = ("path.rtt=4ms", "path.queue.limit=60pkt", "duration=30s")
COLUMNS = ("goodput_bps", "delay_mean_s", "delay_p95_s", "loss_rate", "jain", "completion_time_p95_s")
HEADS = ("goodput", "mean delay", "95th percentile of delay", "loss", "Jain", "95th percentile of completion")


def main() -> int:
    """Run what has not run, and print or write the tables; return 0."""
    parser = argparse.ArgumentParser(description="compare the TCP of two kernels")
    parser.add_argument("--on", metavar="A,B", default=KERNELS, help="the kernels (%(default)s)")
    parser.add_argument("--replications", metavar="N", default="20", help="at most so many (%(default)s)")
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("runs/kernels"), help="folder (%(default)s)")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/kernels.md")
    options = parser.parse_args()
    found = {name: tried(name, sets, (), options) for name, sets in ALGORITHMS.items()}
    short = tried("cubic", SHORT, ("random-loss", "one-flow"), options)
    text = {"six": stated(found) + table(found), "short": table({"cubic": short})}
    sys.stdout.write("\n\n".join(text.values()) + "\n")
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        for name, each in text.items():
            mark = f"<!-- {name} -->\n"
            before, _, rest = page.partition(mark)
            page = f"{before}{mark}{each}\n{mark}{rest.partition(mark)[2]}"
        PAGE.write_text(page, encoding="utf-8")
    return 0


def tried(
    algorithm: str, sets: Sequence[str], scenarios: Sequence[str], options: argparse.Namespace
) -> Mapping[str, Any]:
    """Return the summary of a trial of one algorithm on both kernels, which is run or resumed first."""
    folder = options.out / "-".join([algorithm, *scenarios])
    files = (f"--scenario={Path(__file__).parents[2] / f'suites/changes/{name}.toml'}" for name in scenarios)
    how = ["--on", options.on, "--replications", options.replications, "--out", str(folder)]
    status = program.run(["ab", algorithm, *how, *files, *(f"--set={each}" for each in sets)])
    if status > 1:
        sys.exit(status)
    found: Mapping[str, Any] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return found


def stated(found: Mapping[str, Mapping[str, Any]]) -> str:
    """Return which kernels these are, and the number of verdicts of each kind."""
    [a, b] = next(iter(found.values()))["backends"]
    counts = [each["verdicts"] for each in found.values()]
    total = ", ".join(f"{sum(each[verdict] for each in counts)} {verdict}" for verdict in counts[0])
    return f"A is {a['kernel']}, B is {b['kernel']}, timer {a['timer_hz']} and {b['timer_hz']} Hz: {total}.\n\n"


def table(found: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a line for each algorithm, scenario and group: the change of each metric from A to B."""
    lines = [f"| | {' | '.join(HEADS)} | runs |", "|---|" + "--:|" * (len(HEADS) + 1)]
    for algorithm, summary in found.items():
        groups: dict[tuple[str, str], dict[str, Any]] = {}
        for row in summary["rows"]:
            groups.setdefault((row["scenario"], row["owner"]), {})[row["metric"]] = row
        for (scenario, owner), rows in groups.items():
            cells = [_cell(rows.get(metric)) for metric in COLUMNS]
            named = f"`{algorithm}`, {scenario}" + ("" if owner == "test" else f", {owner}")
            runs = max(row["replications"] for row in rows.values())
            lines.append(f"| {' | '.join([named, *cells, str(runs)])} |")
    return "\n".join(lines)


def _cell(row: Mapping[str, Any] | None) -> str:
    return "" if row is None else f"{MARKS[row['verdict']]} {change(row)}"


if __name__ == "__main__":
    sys.exit(main())
