"""`narrows suite`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from narrows.cli.command import recorded
from narrows.cli.interrupt import Interrupt
from narrows.cli.progress import Display
from narrows.cli.status import BAD_INPUT, DONE, EXPECTATION_FAILED, INTERNAL
from narrows.cli.table import align
from narrows.cli.work import end
from narrows.commands.job import finish
from narrows.errors import Interrupted
from narrows.evaluation import campaign
from narrows.evaluation.definition import find_suite
from narrows.evaluation.rows import CELL_FAILED, rows
from narrows.evaluation.summary import by_criterion, counts, is_broken, summarize, views
from narrows.external.source import is_external
from narrows.files.manifest import to_json, write_json
from narrows.reproduction.campaign import Whole, work
from narrows.run.jobs import processors
from narrows.study.executors.threads import Threads
from narrows.wording import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from narrows.commands.job import Problem
    from narrows.evaluation.campaign import Evaluation


def suite(arguments: argparse.Namespace) -> int:
    """Measure the criteria of a suite, and write its annex."""
    file = find_suite(arguments.name)
    given = (arguments.size, arguments.seed, arguments.replications, arguments.on, arguments.rows)
    evaluation = campaign.prepare(file, arguments.subject, *given, trust=arguments.trust)
    folder = arguments.out or _default(evaluation)
    campaign.open_folder(evaluation, folder)
    if not arguments.json:
        cells = sum(part.cells for part in evaluation.parts)
        print(
            f"{evaluation.suite.title}: {evaluation.names[0]}\n{arguments.size}: {counted(cells, 'cell')}\n", flush=True
        )
    failed, summary, problem = _work(arguments, evaluation, folder)
    print(to_json(summary) if arguments.json else _table(summary))
    status = EXPECTATION_FAILED if is_broken(summary) else DONE
    if failed:
        lacking = sum(1 for row in summary["rows"] if (row["reason"] or "").startswith(CELL_FAILED))
        why = campaign.failures(folder)[0].reason
        lacking_rows = f"{counted(lacking, 'row')} not measured for that" if lacking else "of references alone"
        print(f"{counted(failed, 'cell')} failed, {lacking_rows}: {why}", file=sys.stderr)
        status = BAD_INPUT if is_external(arguments.subject) else INTERNAL
    return end(folder, problem, arguments, status)


def _default(evaluation: Evaluation) -> Path:
    digits = evaluation.identity["cells"][:HASH_DIGITS]
    return Path("runs") / f"{evaluation.suite.name}-{evaluation.size}-{digits}"


def _work(
    arguments: argparse.Namespace, evaluation: Evaluation, folder: Path
) -> tuple[int, dict[str, Any], Problem | None]:
    jobs = arguments.jobs or processors()
    with Interrupt() as interrupt:
        display = Display(interrupt, quiet=arguments.quiet)
        whole = Whole(evaluation.parts, display.update, display.stopped)
        try:
            failed = work(evaluation.parts, campaign.place(folder), lambda: Threads(jobs), whole.of, retry=True)
        except Interrupted as stop:
            reason, _, _ = str(stop).rpartition("; go on with")
            again = ["narrows", *arguments.given]
            if arguments.out is None:
                again += ["--out", str(folder)]
            raise Interrupted(f"{reason or 'stopped'}; go on with `{shlex.join(again)}`") from None
        finally:
            display.close()
        content = {**summarize(evaluation, rows(evaluation, folder)), "command": recorded(arguments.given)}
        summary = numbered(SUMMARY, content)
        write_json(folder / "summary.json", summary)
        return failed, summary, finish(folder, stoppable=interrupt.at_once)


def _table(summary: Mapping[str, Any]) -> str:
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
    return "\n".join([align(lines), "", *notes])


SHORT = {
    "broken": "broken",
    "worse": "worse",
    "within": "within",
    "better": "better",
    "not applicable": "n/a",
    "not measured": "not measured",
}
HASH_DIGITS = 8
WORDS = 72
