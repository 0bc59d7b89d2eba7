# SPDX-License-Identifier: Apache-2.0
"""`narrows ab`."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from narrows.cli.github import Step
from narrows.cli.status import DONE, EXPECTATION_FAILED
from narrows.cli.table import align
from narrows.cli.work import Work
from narrows.commands.trials import Trying
from narrows.files.folder import check_place
from narrows.files.json_objects import to_json
from narrows.report.trial.comment import MARKS, change, headline, remarks, sentence, values
from narrows.trial.run import is_worse

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping


def ab(arguments: argparse.Namespace) -> int:
    """Compare two algorithms by sequential trials, and say of each metric whether the second is worse."""
    step = Step(arguments.given) if arguments.github else None
    with step.failing() if step else nullcontext():
        return _ab(arguments, step)


def _ab(arguments: argparse.Namespace, step: Step | None) -> int:
    work = Work(arguments)
    source = arguments.scenario if arguments.suite is None else arguments.suite
    asked = arguments.a, arguments.b, work.options, source, arguments.margin, arguments.subject
    job = Trying.prepare(*asked)
    if step:
        # A workflow continues no trial: it did not make the files that are there.
        check_place(job.folder, replace=False)
    done = work.perform(job)
    summary = done.result
    print(to_json(summary) if arguments.json else _table(summary))
    if summary["interrupted"]:
        print("what had finished is kept, and the same command goes on", file=sys.stderr)
    status = work.end(done, EXPECTATION_FAILED if is_worse(summary["rows"]) else DONE)
    if step:
        step.report(summary, done.folder, status)
    return status


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
