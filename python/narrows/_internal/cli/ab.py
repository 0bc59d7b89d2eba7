# SPDX-License-Identifier: Apache-2.0
"""`narrows ab`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from narrows._internal.cli import known
from narrows._internal.cli.command import ASK, DONE, EXPECTATION_FAILED, Command
from narrows._internal.cli.options import PLACE, SCENARIO, common, emulation, metrics, whole

if TYPE_CHECKING:
    from narrows._internal.cli.github import Step
    from narrows._internal.trial.programs import Emulated


def ab(arguments: argparse.Namespace) -> int:
    """Compare two algorithms by sequential trials, and decide for each metric whether the second is worse."""
    from narrows._internal.cli.github import Step

    step = Step(arguments.given) if arguments.github else None
    with step.failing() if step else nullcontext():
        return _ab(arguments, step)


def _ab(arguments: argparse.Namespace, step: Step | None) -> int:
    from narrows._internal.cli.work import Work
    from narrows._internal.commands.trials import Trying
    from narrows._internal.files.folder import check_place
    from narrows._internal.files.json_objects import to_json
    from narrows._internal.trial.run import is_worse

    work = Work(arguments)
    source = arguments.scenario if arguments.suite is None else arguments.suite
    asked = arguments.a, arguments.b, work.options, source, arguments.margin, arguments.subject
    job = Trying.prepare(*asked, _emulated(arguments), arguments.like)
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


def _emulated(arguments: argparse.Namespace) -> Emulated | None:
    """Return what both sides of a trial of commands have in common; None for a trial of algorithms."""
    from narrows._internal.cli.emulate import command_of
    from narrows._internal.errors import InputError
    from narrows._internal.trial.programs import Emulated

    common = command_of(arguments.words)
    if not arguments.emulate:
        for given, name in ((arguments.far, "--far"), (common, "--"), *((each, "--read") for each in arguments.read)):
            if given:
                raise InputError(name, "belongs to a trial of commands, with --emulate")
        return None
    return Emulated(
        common, arguments.far, arguments.group, arguments.algorithm or "", arguments.download, arguments.read
    )


def _table(summary: Mapping[str, Any]) -> str:
    from narrows._internal.cli.table import align
    from narrows._internal.report.trial.comment import MARKS, change, headline, remarks, sentence, values

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


def _options(command: argparse.ArgumentParser) -> None:
    command.add_argument("a", metavar="A", help="present algorithm, as for `narrows compare`")
    command.add_argument(
        "b", metavar="B", nargs="?", help="changed algorithm; without it A is compared on two backends"
    )
    where = command.add_mutually_exclusive_group()
    where.add_argument("--suite", metavar="NAME", help="use the cells and metrics of a suite")
    what = f"{SCENARIO} (repeatable; default: six of the library)"
    where.add_argument("--scenario", metavar="FILE", action="append", default=[], help=what)
    what = "trace of a real flow, as for `narrows import`, or a folder of traces: its path is the scenario (repeatable)"
    where.add_argument("--like", metavar="TRACE", action="append", default=[], help=what)
    what = "simulator, linux or linux:NAME, or one for each side, as in linux:6.12,linux:7.3 (default: %(default)s)"
    command.add_argument("--on", metavar="BACKEND[,BACKEND]", default="simulator", help=what)
    what = (
        "A and B are commands that run in real time: of the far host if a command of the near host stands behind --, "
        "and else of the near host; the other host's command is the same for both"
    )
    command.add_argument("--emulate", action="store_true", help=what)
    emulation(command)
    what = "non-inferiority margin, as a fraction of the value of A (default: %(default)s)"
    command.add_argument("--margin", metavar="PART", default="1%", help=what)
    metrics(command, "test this metric of each group instead of the default ones (repeatable)")
    what = "maximum number of replications; a scenario stops when it is decided (default: %(default)s)"
    command.add_argument("--replications", metavar="N", type=whole(2, 10**6), default=40, help=what)
    what = "in a step of a GitHub workflow: annotate the run, and write the job's summary and the step's outputs"
    command.add_argument("--github", action="store_true", help=what)
    common(
        command,
        "subject set seed jobs out trust json quiet",
        set="set a key of every scenario, as in transport.slow_start=standard (repeatable)",
        seed="seed instead of the seeds of the scenarios",
        out=f"{PLACE} (default: runs/ab-HASH)",
    )


COMMANDS = (
    Command(
        "ab",
        "test whether a change of an algorithm makes anything worse, for a CI job",
        ASK,
        _options,
        (
            "ab cubic 'cubic(beta=0.72)'",
            "ab cubic ./mine.py:Mine --suite rfc9743 --margin 2%",
            "ab cubic bbr3 --like capture.pcapng",
            "ab --emulate ./server-1 ./server-2 --scenario dsl.toml --download -- curl -so page http://far:8000/",
        ),
        {"a": known.algorithms, "b": known.algorithms},
        ab,
    ),
)
