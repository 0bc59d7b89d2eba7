"""`narrows study`."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

from narrows.cli.check import print_executed
from narrows.cli.command import recorded
from narrows.cli.default_folder import folder_of
from narrows.cli.interrupt import Interrupt
from narrows.cli.progress import Display
from narrows.cli.status import DONE, INTERNAL
from narrows.cli.table import align
from narrows.cli.work import end
from narrows.commands.job import finish
from narrows.errors import InputError, ReportError
from narrows.external.trust import Trust, of_results
from narrows.files.folder import check_place
from narrows.files.manifest import MANIFEST, to_json
from narrows.files.sealed import read_sealed
from narrows.files.shape import UNFIT, fitting
from narrows.run.jobs import processors
from narrows.study import campaign
from narrows.study.definition import read_study
from narrows.study.design import describe
from narrows.study.overlay import Choice
from narrows.study.plan import Plan, executed_by, make_plan, trust_of
from narrows.study.store import Store
from narrows.study.task import Failed, Finished
from narrows.study.views.summary import write_summary
from narrows.wording import counted

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from narrows.commands.job import Problem
    from narrows.study.definition import Study
    from narrows.study.executor import Executor


def run(arguments: argparse.Namespace) -> int:
    """Start a study: check it, create its folder, run its cells."""
    check_executor(arguments)
    if arguments.out is not None:
        campaign.refuse_begun(arguments.out)
        check_place(arguments.out, replace=False)
    study = _read(arguments)
    plan = make_plan(study, arguments.set, arguments.measure, trust=arguments.trust)
    folder = arguments.out or folder_of(plan.title, [plan.key(point, 0) for point in plan.points])
    executor = executor_of(arguments)
    _print_plan(plan, arguments)
    campaign.begin(study, plan, folder)
    with Interrupt() as interrupt:
        found = work(arguments, folder, executor, trust_of(plan, folder), interrupt)
        problem = finish(folder, stoppable=interrupt.at_once)
    return _end(found, problem, folder, arguments)


def resume(arguments: argparse.Namespace) -> int:
    """Resume a study that was interrupted."""
    check_executor(arguments)
    before = campaign.status(arguments.folder)
    trust = of_results(arguments.folder, trust=arguments.trust)
    problem: Problem | None = None
    with Interrupt() as interrupt, fitting(arguments.folder):
        found = work(arguments, arguments.folder, executor_of(arguments), trust, interrupt, retry=arguments.retry)
        ran = arguments.retry or found[:SETTLED] != before[:SETTLED]
        if ran or not _is_reported(arguments.folder):
            problem = finish(arguments.folder, stoppable=interrupt.at_once)
        # The folder may be another's, and what is in it the reason.
        if isinstance(problem, ReportError) and isinstance(problem.__cause__, UNFIT):
            raise problem
    return _end(found, problem, arguments.folder, arguments)


def status(arguments: argparse.Namespace) -> int:
    """Print how many cells a study has, and how many have finished and failed."""
    found = campaign.status(arguments.folder)
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
    from narrows.study.query import query as ask

    names, rows = ask(arguments.folder, arguments.sql)
    if arguments.json:
        print(to_json([dict(zip(names, map(_plain, row), strict=True)) for row in rows]))
    elif names:
        print(align([names, *([_shown(value) for value in row] for row in rows)]))
    return DONE


def replay(arguments: argparse.Namespace) -> int:
    """Run one cell again and print its metrics, or why it fails."""
    done = campaign.replay(arguments.folder, arguments.cell, of_results(arguments.folder, trust=arguments.trust))
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
            [f"{of.removesuffix('s')}.{owner}.{measure}", _shown(value)]
            for of, owners in done.outcome.measured.items()
            for owner, measures in owners.items()
            for measure, value in measures.items()
        ]
        print(align(rows))
        print({None: "it was never finished before", True: "the same bits as before", False: "OTHER BITS"}[same])
    return INTERNAL if same is False else DONE


def check(arguments: argparse.Namespace) -> int:
    """Check a study file and everything it refers to, and print the design."""
    plan = make_plan(_read(arguments), arguments.set, trust=arguments.trust, execute=False)
    executes = executed_by(plan)
    if arguments.json:
        listed = [each.as_json() for each in executes]
        print(to_json({"cells": _cells(plan), "points": len(plan.points), "design": plan.design, "executes": listed}))
    else:
        _print_plan(plan, arguments)
        print_executed(executes)
    return DONE


def _read(arguments: argparse.Namespace) -> Study:
    choice = Choice(arguments.size, arguments.variant)
    return read_study(arguments.file, arguments.seed, arguments.replications, choice)


class _Shown:
    """Shows the progress of a study and relays interrupts."""

    def __init__(self, display: Display) -> None:
        self.display = display

    def update(self, progress: campaign.Progress) -> None:
        """Show the progress."""
        failed = f", {progress.failed} failed" if progress.failed else ""
        settled = progress.finished + progress.failed
        note = f"{settled} of {counted(progress.cells, 'cell')}{failed}, {progress.cells_per_s:.3g} cells/s"
        self.display.update(progress.fraction, note)

    def stopped(self) -> bool:
        """Return whether a stop was requested."""
        return self.display.stopped()


def work(  # noqa: PLR0913  # what the command line says
    arguments: argparse.Namespace,
    folder: Path,
    executor: Executor,
    trust: Trust,
    interrupt: Interrupt,
    *,
    retry: bool = False,
) -> campaign.Status:
    """Run the cells of a study that have not finished, with progress and failures on standard error.

    Args:
        arguments: The parsed command line.
        folder: The folder of the study.
        executor: Where the cells run.
        trust: What the scenarios of the folder may execute and read.
        interrupt: Stops the work.
        retry: Whether failed cells run again.
    """
    display = Display(interrupt, quiet=arguments.quiet)
    try:
        found = campaign.work(
            folder,
            executor,
            _Shown(display),
            retry=retry,
            command=recorded(arguments.given),
            conclude=write_summary,
            trust=trust,
            say=lambda text: print(text, file=sys.stderr, flush=True),
        )
    finally:
        display.close()
    _print_failures(folder)
    return found


def _end(found: campaign.Status, problem: Problem | None, folder: Path, arguments: argparse.Namespace) -> int:
    if arguments.json:
        print(to_json(found._asdict()))
    else:
        print(f"{found.finished} of {counted(found.cells, 'cell is', 'cells are')} finished, {found.failed} failed")
    return end(folder, problem, arguments, INTERNAL if found.failed else DONE)


def _is_reported(folder: Path) -> bool:
    """Return whether the report of a study cites the digest of its results."""
    digest, report = read_sealed(folder / MANIFEST)["digest"], folder / REPORT
    return bool(digest) and report.is_file() and digest in report.read_text(encoding="utf-8")


def check_executor(arguments: argparse.Namespace) -> None:
    """Check that an address is given for Dask and for no other executor.

    Raises:
        InputError: It is not.
    """
    if arguments.executor == "dask" and arguments.address is None:
        raise InputError("--executor dask", "needs --address, the scheduler's, as in tcp://host:8786")
    if arguments.executor != "dask" and arguments.address is not None:
        raise InputError("--address", "is for --executor dask")


def executor_of(arguments: argparse.Namespace) -> Executor:
    """Return the executor that the command line asks for."""
    if arguments.executor == "dask":
        from narrows.study.executors.dask import Dask

        return Dask(arguments.address, lambda text: print(text, file=sys.stderr, flush=True))
    from narrows.study.executors.threads import Threads

    return Threads(arguments.jobs or processors())


def _print_plan(plan: Plan, arguments: argparse.Namespace) -> None:
    if arguments.json:
        return
    print(f"{plan.title}\n{describe(plan.design)}")
    algorithms = len(plan.rows[0])
    replications = plan.replications
    times = str(replications.minimum)
    if replications.measure:
        times += f" to {replications.maximum}"
    print(
        f"{counted(len(plan.rows), 'combination')} x {counted(algorithms, 'algorithm')} x "
        f"{times} {'replication' if times == '1' else 'replications'}: {counted(_cells(plan), 'cell')}",
        end="",
    )
    print(" or more\n" if replications.measure else "\n", flush=True)


def _cells(plan: Plan) -> int:
    return len(plan.points) * plan.replications.minimum


def _print_failures(folder: Path) -> None:
    store = Store(folder)
    keys = sorted(store.failures())
    for key in keys[:MOST_FAILURES]:
        failure = store.failure(key)
        print(f"failed: {failure['error']}\nreplay with: {failure['replay']}", file=sys.stderr)
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
REPORT = "report.html"
# Entries of the state of a study that say what has run.
SETTLED = 3
