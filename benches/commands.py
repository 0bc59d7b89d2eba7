# SPDX-License-Identifier: Apache-2.0
"""What a user waits for: the processor time of whole commands, and what part of it is not the simulation.

Each command runs several times, alternately with the others, and the least time of all counts: processor time of the
command and of all processes that it starts, from its beginning to its report. A second checkout of the package, as of
an earlier commit, runs beside it with `--beside`, with the simulator of this one.

Examples:
    .venv/bin/python benches/commands.py                      # all commands, three times
    .venv/bin/python benches/commands.py --only run,compare --repeats 9
    git worktree add ../before HEAD~20
    .venv/bin/python benches/commands.py --beside ../before/python
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Case:
    """A command.

    Attributes:
        what: What it is, for the table.
        arguments: Its arguments, after `python`.
        files: Texts of the files that it needs, by name.
        cells: Cells of a study; 0 for another command.
    """

    what: str
    arguments: tuple[str, ...]
    files: tuple[tuple[str, str], ...] = ()
    cells: int = 0


@dataclass(frozen=True)
class Cost:
    """What a command has taken: seconds of processor time, those of its simulation, and bytes of its page."""

    cpu_s: float
    simulated_s: float
    page_bytes: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a table.

    Returns:
        0.
    """
    parser = argparse.ArgumentParser(description="Processor time of whole commands.")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each command")
    parser.add_argument("--only", default=",".join(CASES), help=f"some of {','.join(CASES)}")
    parser.add_argument("--beside", type=Path, help="folder with another `narrows`, without extension, to compare with")
    options = parser.parse_args(arguments)
    chosen = options.only.split(",")
    if unknown := [each for each in chosen if each not in CASES]:
        parser.error(f"{', '.join(unknown)} is not one of {', '.join(CASES)}")
    if options.repeats < 1:
        parser.error("--repeats must be at least 1")
    with tempfile.TemporaryDirectory() as folder:
        places = {"": None, **({"before": _beside(options.beside, Path(folder))} if options.beside else {})}
        found: dict[tuple[str, str], list[Cost]] = {}
        for number in range(options.repeats):
            for name in chosen:
                for which, place in places.items():
                    cost = run(CASES[name], Path(folder) / f"{number}-{name}-{which}", place)
                    found.setdefault((name, which), []).append(cost)
    sys.stdout.write(table(found, load=os.getloadavg()[0]) + "\n")
    return 0


def run(case: Case, folder: Path, package: Path | None) -> Cost:
    """Run a command in a new folder.

    Args:
        case: The command.
        folder: The folder, which is made.
        package: Folder of the package that runs; None for the installed one.

    Raises:
        CalledProcessError: The command failed.
    """
    folder.mkdir()
    for name, text in case.files:
        (folder / name).write_text(text, encoding="utf-8")
    environment = {**os.environ, **({"PYTHONPATH": str(package)} if package else {})}
    # As for a user, whose modules are compiled at their first import.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(  # noqa: S603
        [sys.executable, *case.arguments], cwd=folder, env=environment, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    page = folder / "out/report.html"
    return Cost(
        cpu_s=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        simulated_s=_simulated_s(folder / "out"),
        page_bytes=page.stat().st_size if page.is_file() else 0,
    )


def table(found: dict[tuple[str, str], list[Cost]], load: float) -> str:
    """Return the least costs as a table."""
    lines = [
        f"Least of {max(map(len, found.values()))} runs, alternately, at load {load:.0f}.",
        "",
        "| command | processor time, s | simulation, s | besides it | ms a cell besides it | page, kB |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for (name, which), costs in found.items():
        case, least = CASES[name], min(costs, key=lambda cost: cost.cpu_s - cost.simulated_s)
        rest = least.cpu_s - least.simulated_s
        cells = f"{rest / case.cells * 1e3:.2f}" if case.cells else ""
        share = f"{rest / least.cpu_s * 100:.0f} %" if least.simulated_s else ""
        page = f"{least.page_bytes / 1e3:.0f}" if least.page_bytes else ""
        what = f"{case.what}, {which}" if which else case.what
        lines.append(f"| {what} | {least.cpu_s:.3f} | {least.simulated_s or 0:.3f} | {share} | {cells} | {page} |")
    return "\n".join(lines)


def _simulated_s(folder: Path) -> float:
    """Return the processor time of the simulation loops of a run, a comparison or a study."""
    if (folder / "cells.parquet").is_file():
        import pyarrow.parquet as pq

        return float(sum(pq.read_table(folder / "cells.parquet", columns=["cpu_s"])["cpu_s"].to_pylist()))
    inner = [*folder.glob("*/summary.json")] or [*folder.glob("summary.json")]
    return sum(float(json.loads(file.read_text("utf-8"))["performance"]["cpu_s"]) for file in inner)


def _beside(other: Path, folder: Path) -> Path:
    """Return a folder with another package and the extension of this one."""
    import narrows

    package = folder / "beside"
    package.mkdir()
    (package / "narrows").mkdir()
    for each in (other / "narrows").iterdir():
        (package / "narrows" / each.name).symlink_to(each.resolve())
    for extension in Path(narrows.__file__).parent.glob("_core*.so"):
        place = package / "narrows" / extension.name
        place.unlink(missing_ok=True)
        place.symlink_to(extension)
    return package


SECOND = """\
title = "A second"
duration = "1s"
[path]
rate = "10Mbps"
rtt = "40ms"
[[flows]]
name = "flows"
algorithm = "newreno"
count = 2
"""
THOUSAND = """\
title = "A thousand flows"
duration = "10s"
[path]
rate = "1Gbps"
rtt = "40ms"
[[flows]]
name = "flows"
algorithm = "newreno"
count = 1000
start = "0s..2s"
[record]
flows = "all"
"""
CELL = """\
title = "A cell"
duration = "200ms"
[path]
rate = "2Mbps"
rtt = "10ms"
[[flows]]
name = "flows"
algorithm = "subject"
"""
CELLS = 2000
STUDY = f"""\
title = "Cells"
scenario = "cell.toml"
algorithms = ["newreno", "cubic"]
replications = {CELLS // 20}
[factors]
"path.rate" = ["2Mbps", "3Mbps", "4Mbps", "5Mbps", "6Mbps"]
"path.rtt" = ["10ms", "20ms"]
"""
NARROWS = ("-m", "narrows")
OUT = ("--out", "out", "--quiet")
COMPARED = ("newreno", "cubic", "bbr3")
CASES = {
    "import": Case("`import narrows`", ("-c", "import narrows")),
    "help": Case("`narrows --help`", (*NARROWS, "--help")),
    "run": Case("`narrows run`, one simulated second", (*NARROWS, "run", "s.toml", *OUT), (("s.toml", SECOND),)),
    "thousand": Case(
        "`narrows run`, a thousand flows with series", (*NARROWS, "run", "s.toml", *OUT), (("s.toml", THOUSAND),)
    ),
    "compare": Case(
        "`narrows compare` of three, five replications", (*NARROWS, "compare", *COMPARED, "--replications", "5", *OUT)
    ),
    "study": Case(
        f"`narrows study run`, {CELLS} cells",
        (*NARROWS, "study", "run", "study.toml", *OUT),
        (("cell.toml", CELL), ("study.toml", STUDY)),
        CELLS,
    ),
    "matrix": Case(
        "`narrows matrix` of three, two combinations, two replications",
        (
            *NARROWS, "matrix", *COMPARED, "--rates", "10Mbps", "--rtts", "20ms", "--buffers", "1bdp,4bdp",
            "--replications", "2", "--set", "duration=10s", "--set", "warmup=2s", *OUT,
        ),
    ),
}  # fmt: skip

if __name__ == "__main__":
    sys.exit(main())
