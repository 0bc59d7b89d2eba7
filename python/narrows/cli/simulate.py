"""`narrows run` and `narrows compare`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from narrows.cli.colour import ROLES, paint, role_of
from narrows.cli.command import recorded
from narrows.cli.default_folder import default_folder, is_whole
from narrows.cli.interrupt import Interrupt
from narrows.cli.progress import Display
from narrows.cli.status import BAD_INPUT, DONE, EXPECTATION_FAILED, INTERNAL
from narrows.cli.table import comparison_tables, plus_minus, run_tables, wanted_table
from narrows.cli.work import end
from narrows.commands.job import finish
from narrows.compared import ALGORITHMS, BACKENDS, LEVELS
from narrows.core import RunError
from narrows.errors import InputError, Interrupted, OutputError
from narrows.files.folder import check_place
from narrows.files.manifest import to_json
from narrows.library import find_scenario
from narrows.linux import backend
from narrows.metrics import resolve
from narrows.metrics.criteria import given_margins
from narrows.run import execution
from narrows.run.levels import read_levels
from narrows.run.scenario import read

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from narrows.commands.job import Problem
    from narrows.core import Scenario
    from narrows.run.jobs import Watch
    from narrows.run.results import Comparison, Run
    from narrows.run.scenario import Scenario as Written

    Result = TypeVar("Result", Run, Comparison)


def run(arguments: argparse.Namespace) -> int:
    """Run one scenario, write its folder, print its tables and check its expectations."""
    if arguments.on == backend.BOTH:
        return _run_on_both(arguments)
    resolved = _read(arguments.file, arguments).resolve(None, arguments.replications, arguments.seed)
    execution.wanted_of(arguments.measure, [resolved])
    folder = _place(arguments, [resolved])
    result, problem = _work(
        lambda watch: execution.run(resolved, arguments.jobs, watch, arguments.measure), folder, arguments
    )
    _print(result.summary, run_tables, {"": result.summary}, arguments)
    return _finish(result, folder, {"": result.summary}, arguments, problem)


def _run_on_both(arguments: argparse.Namespace) -> int:
    resolved = _read(arguments.file, arguments).resolve_on_both(arguments.replications, arguments.seed)
    execution.wanted_of(arguments.measure, list(resolved.values()))
    folder = _place(arguments, list(resolved.values()))
    result, problem = _work(
        lambda watch: execution.compare(resolved, arguments.jobs, watch, arguments.measure, of=BACKENDS),
        folder,
        arguments,
    )
    summaries = result.summary[BACKENDS]
    _print(result.summary, comparison_tables, summaries, arguments)
    return _finish(result, folder, summaries, arguments, problem)


def _read(given: str, arguments: argparse.Namespace) -> Written:
    found = find_scenario(given)
    return read(
        found.file, [*found.changes, *arguments.set], trust=arguments.trust, on=arguments.on, queue=arguments.queue
    )


def compare(arguments: argparse.Namespace) -> int:
    """Run a scenario once per algorithm or level, write the folder, print the tables and check the expectations."""
    if not (arguments.algorithms or arguments.vary):
        raise InputError("compare", "has nothing to compare; allowed: algorithms, --vary KEY=LEVEL,LEVEL, or both")
    scenario = _read(arguments.scenario, arguments)
    crossed = None
    if arguments.vary or arguments.on == backend.BOTH:
        levels = read_levels(arguments.vary)
        crossed = scenario.resolve_crossed(arguments.algorithms, levels, arguments.replications, arguments.seed)
        resolved = crossed.scenarios
    else:
        resolved = scenario.resolve_each(arguments.algorithms, arguments.replications, arguments.seed)
    execution.wanted_of(arguments.measure, list(resolved.values()))
    given_margins(arguments.margin)
    folder = _place(arguments, list(resolved.values()))
    of = ALGORITHMS if crossed is None else LEVELS
    result, problem = _work(
        lambda watch: execution.compare(
            resolved, arguments.jobs, watch, arguments.measure, arguments.margin, of, crossed
        ),
        folder,
        arguments,
    )
    summaries = result.summary[of]
    _print(result.summary, comparison_tables, summaries, arguments)
    return _finish(result, folder, summaries, arguments, problem)


def _place(arguments: argparse.Namespace, resolved: list[Scenario]) -> Path:
    folder: Path = arguments.out or default_folder(resolved)
    check_place(folder, replace=arguments.out is None)
    return folder


def _work(
    work: Callable[[Watch], Result], folder: Path, arguments: argparse.Namespace
) -> tuple[Result, Problem | None]:
    """Return the results, which are saved, and why there is no report of them; None if there is."""
    with Interrupt() as interrupt:
        display = Display(interrupt, quiet=arguments.quiet)
        try:
            result = work(display)
        finally:
            display.close()
        # A folder named after what it holds, and whole, already has what this interrupted run would put there.
        if result.interrupted and is_whole(folder):
            return result, Interrupted(KEPT)
        _save(result, folder, arguments)
        return result, finish(folder, stoppable=interrupt.at_once)


def _save(result: Run | Comparison, folder: Path, arguments: argparse.Namespace) -> None:
    command = recorded(arguments.given)
    try:
        result.keep(folder, command, replace=arguments.out is None)
    except OutputError as error:
        # The disk is full, or another process has taken the place meanwhile.
        try:
            spare = Path(tempfile.mkdtemp(prefix="narrows-"))
            result.save(spare, command)
        except (OSError, OutputError):
            raise error from None
        raise OutputError(f"{error}; the results are in {spare}") from error


def _print(
    summary: Mapping[str, Any],
    tables: Callable[[Mapping[str, Any]], str],
    runs: Mapping[str, Mapping[str, Any]],
    arguments: argparse.Namespace,
) -> None:
    if arguments.json:
        print(to_json(summary))
        return
    count = summary["replications"]
    note = "1 replication; --replications 5 gives 95 % intervals"
    if count > 1:
        note = f"{count} replications; 95 % intervals: ± half of one, or [its ends]"
    print(f"{paint(summary['title'], 'heading')}\nseed {summary['seed']}, {note}\n")
    print(tables(summary), end="\n\n")
    if arguments.measure:
        print(wanted_table(runs, [resolve(text) for text in arguments.measure]), end="\n\n")
    for name, each in runs.items():
        for check in each["checks"]:
            if check["level"] in {"broken", "caution"}:
                level = paint(f"{check['level']}:", ROLES[check["level"]])
                print(f"{level} {_of(name)}{check['name']}: {check['detail']}")
        for clause in each.get("expectations", []):
            # One that fails is the reason of the exit status, and printed with the messages.
            if clause["verdict"] != "fails":
                print(f"{paint('expected:', role_of(clause['verdict']))} {_of(name)}{_clause(clause)}")


def _finish(
    result: Run | Comparison,
    folder: Path,
    runs: Mapping[str, Mapping[str, Any]],
    arguments: argparse.Namespace,
    problem: Problem | None,
) -> int:
    status = DONE
    for name, each in runs.items():
        for clause in each.get("expectations", []):
            if clause["verdict"] == "fails":
                failed = paint("expectation failed:", "bad", sys.stderr)
                print(f"{failed} {_of(name)}{_clause(clause)}", file=sys.stderr)
                status = EXPECTATION_FAILED
    for name, error in getattr(result, "failed", {}).items():
        print(f"{paint('failed:', 'bad', sys.stderr)} {name}: {error}", file=sys.stderr)
        status = max(status, INTERNAL if isinstance(error, RunError) else BAD_INPUT)
    return end(folder, problem, arguments, status)


def _clause(clause: Mapping[str, Any]) -> str:
    bounds = [
        f"{words} {clause[key]:g}"
        for key, words in (("at_least", "at least"), ("at_most", "at most"))
        if clause[key] is not None
    ]
    owner = clause["group"] or clause["link"]
    return f"{clause['measure']} of {owner} {' and '.join(bounds)}: {plus_minus(clause, 1.0)} ({clause['verdict']})"


def _of(name: str) -> str:
    return f"{name}: " if name else ""


KEPT = "what had finished is kept"
