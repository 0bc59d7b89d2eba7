# SPDX-License-Identifier: Apache-2.0
"""`narrows suite`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from narrows._internal.cli import known
from narrows._internal.cli.command import ASK, BAD_INPUT, DONE, EXPECTATION_FAILED, INTERNAL, Command
from narrows._internal.cli.options import ALGORITHM, CELLS, ITS_OWN, OF_RESUMED, RESUMED, backend, common, listed, sizes
from narrows._internal.plural import counted

if TYPE_CHECKING:
    from narrows._internal.cli.work import Work
    from narrows._internal.commands.suites import Measuring


def suite(arguments: argparse.Namespace) -> int:
    """Measure the criteria of a suite, and write its annex."""
    from narrows._internal.cli.work import Work
    from narrows._internal.commands.suites import Measuring

    work = Work(arguments)
    given = arguments.name, arguments.subject, work.options, arguments.size, arguments.rows
    if work.options.shard is not None:
        return work.shard(Measuring.shard(*given))
    return conclude(work, Measuring.prepare(*given), arguments)


def conclude(work: Work, job: Measuring, arguments: argparse.Namespace) -> int:
    """Do the job of a suite, and print its verdicts."""
    from narrows._internal.evaluation.rows import CELL_FAILED
    from narrows._internal.evaluation.verdict import is_broken
    from narrows._internal.external.source import is_external
    from narrows._internal.files.format import SUMMARY
    from narrows._internal.files.json_objects import to_json

    evaluation = job.evaluation
    if not arguments.json:
        cells = sum(part.cells for part in evaluation.parts)
        print(
            f"{evaluation.suite.title}: {evaluation.names[0]}\n{evaluation.size}: {counted(cells, 'cell')}\n",
            flush=True,
        )
    done = work.perform(job)
    summary, failed, why = done.result
    print(to_json(summary) if arguments.json else _table(summary))
    status = EXPECTATION_FAILED if is_broken(summary) else DONE
    if failed:
        lacking = [row for row in summary["rows"] if (row["reason"] or "").startswith(CELL_FAILED)]
        rows = f"{counted(len(lacking), 'row')} not measured for that" if lacking else "of references alone"
        print(f"{counted(failed, 'cell')} failed, {rows}: {why}", file=sys.stderr)
        for row in lacking[:MOST_NAMED]:
            at = ", ".join(f"{name}={level}" for name, level in row["condition"].items())
            print(f"not measured: {row['section']} {row['criterion']}{f', {at}' if at else ''}", file=sys.stderr)
        if len(lacking) > MOST_NAMED:
            print(f"and {len(lacking) - MOST_NAMED} more, in {job.folder / SUMMARY}", file=sys.stderr)
        status = BAD_INPUT if is_external(evaluation.subject) else INTERNAL
    return work.end(done, status)


def _table(summary: Mapping[str, Any]) -> str:
    from textwrap import shorten

    from narrows._internal.cli.table import align
    from narrows._internal.evaluation.verdict import by_criterion, counts, views

    seen = {name: by_criterion(rows) for name, rows in views(summary["rows"], summary["on"]).items()}
    several = len(seen) > 1
    lines = [["section", "criterion", *(["on"] if several else []), *SHORT.values()]]
    for section, criterion in by_criterion(summary["rows"]):
        for place, (name, of) in enumerate(seen.items()):
            first = ["", ""] if place else [section, shorten(criterion, WORDS, placeholder=" …")]
            numbers = [str(count or "") for count in counts(of[section, criterion]).values()]
            lines.append([*first, *([name] if several else []), *numbers])
    notes = [
        (f"{name}: " if several else "") + ", ".join(f"{count} {verdict}" for verdict, count in found.items() if count)
        for name, found in ((name, counts(each)) for name, each in views(summary["rows"], summary["on"]).items())
    ]
    alike = [summary["unlike"]] if summary["unlike"] else []
    return "\n".join([align(lines), "", *notes, *alike])


SHORT = {
    "broken": "broken",
    "worse": "worse",
    "within": "within",
    "better": "better",
    "not applicable": "n/a",
    "not measured": "not measured",
}
WORDS = 72
# Rows without a measure that are named.
MOST_NAMED = 10


def _options(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", help="name of a suite, or path of a suite file")
    command.add_argument("subject", metavar="SUBJECT", help=f"{ALGORITHM}, or queue")
    sizes(command, quick="some conditions and replications (the default)", full="all conditions and replications")
    what = "only these sections, as in 5.1.3,7.9; 7 includes 7.1, 7.2 and so on (default: all)"
    command.add_argument("--rows", metavar="SECTIONS", type=listed, default=[], help=what)
    backend(command, "; both: the kernel beside the simulator in every row")
    what = "set a key of every scenario before its conditions, as in transport.slow_start=standard (repeatable)"
    common(command, f"set {OF_RESUMED} shard", **ITS_OWN, set=what, jobs=CELLS, out=RESUMED)


COMMANDS = (
    Command(
        "suite",
        "evaluate an algorithm or queue by the criteria of a document, such as RFC 9743",
        ASK,
        _options,
        ("suite rfc9743 ./mine.py:Mine --rows 5.1 --out annex", "suite aqm 'codel(target=10ms)'"),
        {"name": known.suites, "subject": known.subjects},
        suite,
    ),
)
