"""`narrows ab`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from narrows.cli.command import recorded
from narrows.cli.default_folder import folder_of
from narrows.cli.interrupt import Interrupt
from narrows.cli.progress import Display
from narrows.cli.status import DONE, EXPECTATION_FAILED
from narrows.cli.table import align
from narrows.cli.work import end
from narrows.commands.job import finish
from narrows.errors import InputError
from narrows.files.disk import write_whole
from narrows.files.format import SUMMARY, numbered
from narrows.files.manifest import to_json
from narrows.metrics import resolve
from narrows.metrics.criteria import read_margin
from narrows.report.trial.comment import MARKS, change, headline, remarks, sentence, values
from narrows.trial import scenarios
from narrows.trial.contest import contests
from narrows.trial.kept import Kept
from narrows.trial.run import LEAST, counts, is_worse, trial
from narrows.wording import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from narrows.trial.scenarios import Pair


def ab(arguments: argparse.Namespace) -> int:
    """Compare two algorithms by sequential trials, and say of each metric whether the second is worse."""
    _check_margin(arguments.margin)
    sides = scenarios.Sides(arguments.a, arguments.b, scenarios.read_backends(arguments.on))
    pairs, left_out = _pairs(arguments, sides)
    found = contests(pairs, arguments.measure)
    parts = [f"{each.a.digest} {each.b.digest} {each.a.seed}" for each in pairs]
    folder = arguments.out or folder_of("ab", [*parts, *arguments.measure])
    with Interrupt() as interrupt, Kept(folder, found) as kept:
        if kept.damaged:
            again = counted(kept.damaged, "line is", "lines are")
            print(f"{folder}: {again} damaged, and run again", file=sys.stderr)
        display = Display(interrupt, quiet=arguments.quiet)
        try:
            rows = trial(
                found,
                margin=arguments.margin,
                alpha=ALPHA,
                least=min(LEAST, arguments.replications),
                most=arguments.replications,
                jobs=arguments.jobs,
                watch=display,
                kept=kept,
            )
        finally:
            display.close()
        a, b = scenarios.names(sides)
        content = {
            "title": f"{b} against {a}",
            "a": a,
            "b": b,
            "on": list(sides.on),
            "left_out": left_out,
            "margin": arguments.margin,
            "alpha": ALPHA,
            "seed": pairs[0].a.seed,
            "interrupted": interrupt.requested,
            "verdicts": counts(rows),
            "rows": rows,
            "command": recorded(arguments.given),
        }
        summary = numbered(SUMMARY, content)
        write_whole(folder / SUMMARY, to_json(summary) + "\n")
        problem = finish(folder, stoppable=interrupt.at_once)
    print(to_json(summary) if arguments.json else _table(summary))
    if summary["interrupted"]:
        print("what had finished is kept, and the same command goes on", file=sys.stderr)
    return end(folder, problem, arguments, EXPECTATION_FAILED if is_worse(rows) else DONE)


def _check_margin(text: str) -> None:
    try:
        fault = not (text.endswith("%") and read_margin(text, ""))
    except ValueError:
        fault = True
    if fault:
        raise InputError(f"--margin {text}", "is no part of a value; allowed: from 0%, as in 2%")


def _pairs(arguments: argparse.Namespace, sides: scenarios.Sides) -> tuple[list[Pair], dict[str, str]]:
    for text in arguments.measure:
        resolve(text, "group")
    if arguments.suite is not None:
        return scenarios.of_suite(arguments.suite, sides, arguments.seed, trust=arguments.trust)
    if arguments.scenario:
        return scenarios.of_files(arguments.scenario, sides, arguments.seed, trust=arguments.trust), {}
    return scenarios.of_narrows(sides, arguments.seed), {}


def _table(summary: Mapping[str, Any]) -> str:
    body = [
        [
            f"{MARKS[row['verdict']]} {row['verdict']}",
            row["scenario"],
            f"{row['metric']} of {row['owner']}",
            values(row),
            change(row),
            str(row["replications"]),
        ]
        for row in summary["rows"]
    ]
    head = ["verdict", "scenario", "metric", "A → B", "change", "n"]
    notes = [f"left out: {name}: {reason}" for name, reason in summary["left_out"].items()]
    said = [headline(summary), sentence(summary), *remarks(summary)]
    return "\n".join([*said, "", align([head, *body]), *notes])


ALPHA = 0.05
