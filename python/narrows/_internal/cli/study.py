# SPDX-License-Identifier: Apache-2.0
"""`narrows study`."""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows._internal.cli import options
from narrows._internal.cli.command import DESIGN, DONE, INTERNAL, Command
from narrows._internal.errors import InputError
from narrows._internal.plural import counted, span

if TYPE_CHECKING:
    from narrows._internal.cli.work import Work
    from narrows._internal.commands.job import Job
    from narrows._internal.commands.studies import Studied
    from narrows._internal.experiments.overlay import Choice
    from narrows._internal.experiments.plan import Plan
    from narrows._internal.experiments.store import Store
    from narrows._internal.experiments.stored import StoredStudy
    from narrows._internal.experiments.task import Executor


def run(arguments: argparse.Namespace) -> int:
    """Start a study: check it, create its folder, run its cells."""
    from narrows._internal.cli.work import Work
    from narrows._internal.commands.studies import from_file

    work = Work(arguments)
    asked = arguments.set, _choice(arguments), arguments.subject
    job = from_file(arguments.file, work.options, *asked, executor_of(arguments))
    _print_plan(job.study.plan, arguments)
    return _perform(work, job, arguments)


def resume(arguments: argparse.Namespace) -> int:
    """Resume a study that was interrupted."""
    from narrows._internal.cli.work import Work
    from narrows._internal.commands.studies import Studying, next_round
    from narrows._internal.experiments.stored import stored
    from narrows._internal.external.trust import of_results
    from narrows._internal.files.shape import fitting

    work = Work(arguments)
    if arguments.shard is not None or arguments.out is not None:
        return _perform(work, next_round(arguments.folder, work.options, executor_of(arguments)), arguments)
    # An executor may wait for a cluster, and the folder is known to be wrong at once.
    study = stored(arguments.folder, of_results(arguments.folder, trust=arguments.trust))
    job = Studying(arguments.folder, work.options, study, executor_of(arguments), arguments.retry)
    # The folder may come from somebody else, and its content may prevent a page.
    with fitting(arguments.folder):
        return _perform(work, job, arguments, given=True)


def merge(arguments: argparse.Namespace) -> int:
    """Join the shards of a study, a reproduction or a suite."""
    from narrows._internal.cli.work import Work
    from narrows._internal.commands.merging import Merging, merging
    from narrows._internal.commands.reproductions import Reproducing

    work = Work(arguments)
    job = merging(arguments.folders, work.options)
    if isinstance(job, Merging):
        return _perform(work, job, arguments)
    if isinstance(job, Reproducing):
        from narrows._internal.cli.reproduce import conclude

        return conclude(work, job, arguments)
    from narrows._internal.cli.suite import conclude as conclude_suite

    return conclude_suite(work, job, arguments)


def _perform(work: Work, job: Job[Studied], arguments: argparse.Namespace, *, given: bool = False) -> int:
    from narrows._internal.files.json_objects import to_json
    from narrows._internal.files.shape import UNFIT

    done = work.perform(job)
    print_failures(done.result.study.store)
    if given and done.problem is not None and isinstance(done.problem.__cause__, UNFIT):
        raise done.problem
    found = done.result.status
    if arguments.json:
        print(to_json(found._asdict()))
    else:
        share = done.result.study.share
        part = f"shard {share.shard}: " if share else ""
        print(
            f"{part}{found.finished} of {counted(found.cells, 'cell is', 'cells are')} finished, {found.failed} failed"
        )
        if share is None:
            _print_findings(done.result.study)
    return work.end(done, INTERNAL if found.failed else DONE)


def _print_findings(study: StoredStudy) -> None:
    """Print the first sentences with which the page of a study begins; the page has all."""
    from narrows._internal.cli.table import printable
    from narrows._internal.experiments.findings import findings
    from narrows._internal.experiments.store import independent
    from narrows._internal.report.study.sentences import answers

    found = answers(findings(study.plan, independent(study.table())))
    for sentence in found[:MOST_FINDINGS]:
        print(printable(sentence))
    if len(found) > MOST_FINDINGS:
        print(f"{counted(len(found) - MOST_FINDINGS, 'more finding is', 'more findings are')} on the page.")


def status(arguments: argparse.Namespace) -> int:
    """Print how many cells a study has, and how many have finished and failed."""
    from narrows._internal.experiments.stored import stored
    from narrows._internal.files.json_objects import to_json

    found = stored(arguments.folder).status()
    if arguments.json:
        print(to_json(found._asdict()))
        return DONE
    print(f"{found.finished} of {counted(found.cells, 'cell is', 'cells are')} finished, {found.failed} failed")
    if found.running is not None:
        print(f"process {found.running['pid']} on {found.running['host']} works on it since {found.running['since']}")
    elif found.finished + found.failed < found.cells:
        print(
            f"no process works on it; go on with `{shlex.join(['narrows', 'study', 'resume', str(arguments.folder)])}`"
        )
    return DONE


def query(arguments: argparse.Namespace) -> int:
    """Run an SQL query on the table `cells` and print its result."""
    from narrows._internal.cli.table import align
    from narrows._internal.experiments.query import query as ask
    from narrows._internal.files.json_objects import to_json

    names, rows = ask(arguments.folder, arguments.sql)
    if arguments.json:
        print(to_json([dict(zip(names, map(_plain, row), strict=True)) for row in rows]))
    elif names:
        print(align([names, *([_shown(value) for value in row] for row in rows)]))
    return DONE


def replay(arguments: argparse.Namespace) -> int:
    """Run one cell again and print its metrics, or why it fails."""
    from narrows._internal.cli.table import align
    from narrows._internal.experiments import campaign
    from narrows._internal.experiments.stored import stored
    from narrows._internal.experiments.task import Failed, Finished
    from narrows._internal.external.trust import of_results
    from narrows._internal.files.json_objects import to_json

    study = stored(arguments.folder, of_results(arguments.folder, trust=arguments.trust))
    done = campaign.replay(study, arguments.cell)
    row = {**done.point.levels, "algorithm": done.point.algorithm, "replication": done.replication}
    if isinstance(done.outcome, Failed):
        print(f"the cell fails: {done.outcome.error}", file=sys.stderr)
        return INTERNAL
    if not isinstance(done.outcome, Finished):
        print("the cell did not come to its end", file=sys.stderr)
        return INTERNAL
    same = None if done.before is None else done.before == done.outcome.digest
    if arguments.json:
        print(to_json({**row, **done.outcome.measured, "digest": done.outcome.digest, "same": same}))
    else:
        print(", ".join(f"{name} = {value}" for name, value in row.items() if value is not None))
        rows = [
            [f"{of.removesuffix('s')}.{owner}.{metric}", _shown(value)]
            for of, owners in done.outcome.measured.items()
            for owner, metrics in owners.items()
            for metric, value in metrics.items()
        ]
        print(align(rows))
        print({None: "it was never finished before", True: "the same bits as before", False: "OTHER BITS"}[same])
    return INTERNAL if same is False else DONE


def check(arguments: argparse.Namespace) -> int:
    """Check a study file and everything it refers to, and print the design."""
    from narrows._internal.cli.check import print_executed
    from narrows._internal.experiments.definition import read_study, with_marks
    from narrows._internal.experiments.plan import executed_by
    from narrows._internal.experiments.planner import make_plan
    from narrows._internal.files.json_objects import to_json

    study = read_study(arguments.file, arguments.seed, arguments.replications, _choice(arguments))
    changes = with_marks(study, arguments.set, arguments.subject, trust=arguments.trust)
    plan = make_plan(study, changes, trust=arguments.trust, execute=False)
    executes = executed_by(plan)
    if arguments.json:
        listed = [each.as_json() for each in executes]
        print(to_json({"cells": _cells(plan), "points": len(plan.points), "design": plan.design, "executes": listed}))
    else:
        _print_plan(plan, arguments)
        print_executed(executes)
    return DONE


def _choice(arguments: argparse.Namespace) -> Choice:
    from narrows._internal.experiments.overlay import Choice

    return Choice(arguments.size, arguments.variant)


def executor_of(arguments: argparse.Namespace) -> Executor:
    """Return the executor that the command line asks for."""
    from narrows._internal.cli.work import say
    from narrows._internal.experiments.executors.threads import Threads
    from narrows._internal.run.jobs import processors

    if arguments.executor == "dask" and arguments.address is None:
        raise InputError("--executor dask", "needs --address, the scheduler's, as in tcp://host:8786")
    if arguments.executor != "dask" and arguments.address is not None:
        raise InputError("--address", "is for --executor dask")
    if arguments.executor == "dask":
        from narrows._internal.experiments.executors.dask import Dask

        return Dask(arguments.address, say)
    return Threads(arguments.jobs or processors())


def _print_plan(plan: Plan, arguments: argparse.Namespace) -> None:
    from narrows._internal.experiments.design import describe
    from narrows._internal.run.options import recorded

    if arguments.json:
        return
    print(f"{plan.title}\n{describe(plan.design)}")
    if plan.replaced is not None:
        print(f"{plan.replaced.sentence} {plan.replaced.other(recorded(arguments.given))}")
    algorithms = len(plan.rows[0])
    replications = plan.replications
    times = str(replications.minimum)
    if replications.measure:
        times += f" to {replications.maximum}"
    print(
        f"{counted(len(plan.rows), 'combination')} x {counted(algorithms, 'algorithm')} x "
        f"{times} {'replication' if times == '1' else 'replications'}: {counted(_cells(plan), 'cell')}, "
        f"{span(replications.minimum * math.fsum(point.duration_s for point in plan.points))} of simulated time",
        end="",
    )
    print(", or more\n" if replications.measure else "\n", flush=True)


def _cells(plan: Plan) -> int:
    return len(plan.points) * plan.replications.minimum


def print_failures(store: Store) -> None:
    """Print why cells of a study failed, and the commands that replay them."""
    keys = sorted(store.failures())
    for key in keys[:MOST_FAILURES]:
        failure = store.failure(key)
        # As kept, it is for the folder of the study.
        words = [str(store.folder) if word == "." else word for word in shlex.split(failure["replay"])]
        print(f"failed: {failure['error']}\nreplay with: {shlex.join(words)}", file=sys.stderr)
    if len(keys) > MOST_FAILURES:
        print(f"and {len(keys) - MOST_FAILURES} more in {store.failed}", file=sys.stderr)


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold: None for a number that is not finite, text for dates and the like."""
    match value:
        case float() if value != value or value in {float("inf"), float("-inf")}:  # noqa: PLR0124  # NaN
            return None
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return [_plain(each) for each in value]
        case dict():
            return {str(key): _plain(each) for key, each in value.items()}
    # Decimal numbers, which SQL makes of sums and literals.
    return float(value) if hasattr(value, "as_integer_ratio") else str(value)


def _shown(value: Any) -> str:
    match value:
        case None:
            return "-"
        case float():
            return f"{value:.6g}"
    return str(value)


MOST_FAILURES = 5
MOST_FINDINGS = 2


def _overlay(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="study file")
    command.add_argument("--size", metavar="NAME", help="size declared in the study file (default: none)")
    command.add_argument("--variant", metavar="NAME", help="variant declared in the study file (default: none)")
    options.common(command, "subject")


def _run(command: argparse.ArgumentParser) -> None:
    _overlay(command)
    options.work(command)
    options.common(command, "shard")
    options.executor(command)


def _folder(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", metavar="DIR", type=Path, help="folder of the study")


def _resume(command: argparse.ArgumentParser) -> None:
    _folder(command)
    command.add_argument("--retry", action="store_true", help="rerun failed cells")
    options.executor(command)
    shard = "run what falls to machine I of N of the replications that all combinations need in addition"
    meanings = {"jobs": options.CELLS, "shard": shard, "out": f"with --shard: {options.PLACE}"}
    options.common(command, "trust jobs json quiet shard out", **meanings)


def _merge(command: argparse.ArgumentParser) -> None:
    command.add_argument("folders", metavar="DIR", type=Path, nargs="+", help="folder of a shard")
    options.common(command, "trust jobs out json quiet", jobs=options.CELLS)


def _status(command: argparse.ArgumentParser) -> None:
    _folder(command)
    options.common(command, "json")


def _query(command: argparse.ArgumentParser) -> None:
    _folder(command)
    what = "query, as in 'select algorithm, avg(goodput_bps) from cells group by all'"
    command.add_argument("sql", metavar="SQL", help=what)
    options.common(command, "json")


def _replay(command: argparse.ArgumentParser) -> None:
    _folder(command)
    command.add_argument("cell", metavar="CELL", help="key of the cell, or a unique prefix of it")
    options.common(command, "trust json")


def _check(command: argparse.ArgumentParser) -> None:
    _overlay(command)
    options.common(command, f"{options.OF_SCENARIO} trust")


COMMANDS = (
    Command(
        "study",
        "run designed experiments, which can be interrupted and resumed",
        DESIGN,
        examples=("study run study.toml --out results", "study query results 'select avg(goodput_bps) from cells'"),
        actions=(
            Command(
                "run",
                "start a new study",
                options=_run,
                examples=(
                    "study run study.toml --out results",
                    "study run study.toml --size full --jobs 2",
                    "study run study.toml --shard 3/7 --out shards/3",
                ),
                job=run,
            ),
            Command(
                "resume",
                "resume an interrupted study",
                options=_resume,
                examples=("study resume results", "study resume results --retry"),
                job=resume,
            ),
            Command(
                "merge",
                "join the shards of a study, reproduction or suite",
                options=_merge,
                examples=("study merge shards/* --out results",),
                job=merge,
            ),
            Command(
                "status",
                "show the progress of a study",
                options=_status,
                examples=("study status results --json",),
                job=status,
            ),
            Command(
                "query",
                "query the table `cells` of a study in SQL",
                options=_query,
                examples=("study query results 'select algorithm, avg(goodput_bps) from cells group by all'",),
                job=query,
            ),
            Command(
                "replay",
                "rerun one cell and print its metrics",
                options=_replay,
                examples=("study replay results 73c16e32",),
                job=replay,
            ),
            Command(
                "check",
                "check a study file and print its design, without executing anything",
                options=_check,
                examples=("study check study.toml",),
                job=check,
            ),
        ),
    ),
)
