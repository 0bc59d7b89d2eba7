# SPDX-License-Identifier: Apache-2.0
"""`narrows run` and `narrows compare`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from narrows._internal import core
from narrows._internal.cli import known, options
from narrows._internal.cli.colour import ROLES, paint, role_of
from narrows._internal.cli.command import BAD_INPUT, DONE, EXPECTATION_FAILED, INTERNAL, RUN, Command
from narrows._internal.cli.options import SCENARIO
from narrows._internal.core import RunError
from narrows._internal.errors import InputError

if TYPE_CHECKING:
    from narrows._internal.cli.work import Work
    from narrows._internal.run.execution import Planned
    from narrows._internal.run.results import Comparison, Run
    from narrows._internal.run.scenario import Scenario


def run(arguments: argparse.Namespace) -> int:
    """Run one scenario, write its folder, print its tables and check its expectations."""
    from narrows._internal.cli.work import Work
    from narrows._internal.linux import backend

    work = Work(arguments)
    scenario = _read(arguments.file, arguments)
    if arguments.on == backend.BOTH:
        return perform(work, scenario.planned_on_both(work.options), arguments)
    return perform(work, scenario.resolve(None, arguments.replications, arguments.seed), arguments)


def compare(arguments: argparse.Namespace) -> int:
    """Run a scenario once per algorithm or level, write the folder, print the tables and check the expectations."""
    from narrows._internal.cli.work import Work
    from narrows._internal.run.levels import read_levels

    if not (arguments.algorithms or arguments.vary):
        raise InputError("compare", "nothing to compare; allowed: algorithms, --vary KEY=LEVEL,LEVEL, or both")
    if scenarios := [each for each in arguments.algorithms if _is_scenario(each)]:
        raise InputError(f"compare {scenarios[0]}", f"is no algorithm; did you mean --scenario {scenarios[0]}?")
    _limit(arguments)
    work = Work(arguments)
    scenario = _like(arguments) if arguments.like else _read(arguments.scenario, arguments)
    scenario = scenario.with_subjects(arguments.subject)
    return perform(work, scenario.planned(arguments.algorithms, read_levels(arguments.vary), work.options), arguments)


def _limit(arguments: argparse.Namespace) -> None:
    """Take the limit of a comparison that ends when it is decided as its number of replications."""
    if not arguments.until_decided:
        if arguments.at_most is not None:
            raise InputError("--at-most", "limits the replications of --until-decided, which is not given")
    elif arguments.replications is not None:
        raise InputError("--replications", "is the number that --until-decided finds; allowed: --at-most N")
    else:
        arguments.replications = arguments.at_most


def _is_scenario(given: str) -> bool:
    """Return whether an argument names a scenario, in the place of an algorithm."""
    from narrows._internal.library import library

    if given.endswith(".toml"):
        return True
    return ":" not in given and given.partition("(")[0] not in known.algorithms() and given in library()


def _read(given: str, arguments: argparse.Namespace) -> Scenario:
    from narrows._internal.library import find_scenario
    from narrows._internal.run.scenario import read

    return read(find_scenario(given), arguments.set, trust=arguments.trust, on=arguments.on, queue=arguments.queue)


def _like(arguments: argparse.Namespace) -> Scenario:
    """Return the scenario of the path in a trace, at the best values."""
    from pathlib import Path

    from narrows._internal.run.scenario import Scenario
    from narrows._internal.trace.shown import show

    if Path(arguments.like).is_dir():
        raise InputError(
            f"--like {arguments.like}", "is a folder; `narrows ab` compares two algorithms on all its traces"
        )
    shown = show(Path(arguments.like))
    return Scenario(shown.scenario, arguments.like, overrides=arguments.set, on=arguments.on, queue=arguments.queue)


def perform(work: Work, planned: core.Scenario | Planned, arguments: argparse.Namespace) -> int:
    """Run a scenario or a comparison, write its folder, print its tables and return the exit status."""
    from narrows._internal.commands.runs import Running
    from narrows._internal.comparison import runs_of

    done = work.perform(Running.prepare(planned, work.options))
    summary = done.result.summary
    runs = runs_of(summary)
    _print(summary, runs, arguments)
    return work.end(done, _status(done.result, {"": summary} if runs is None else runs))


def _print(
    summary: Mapping[str, Any], runs: Mapping[str, Mapping[str, Any]] | None, arguments: argparse.Namespace
) -> None:
    from narrows._internal.cli.table import comparison_tables, explained, run_tables, wanted_table
    from narrows._internal.files.json_objects import to_json
    from narrows._internal.statistics import intervals_of
    from narrows.metrics import resolve

    if arguments.json:
        print(to_json(summary))
        return
    count = summary["replications"]
    note = "1 replication; --replications 5 gives 95 % intervals"
    if count > 1:
        note = f"{count} replications; {intervals_of(summary.get('at_most'))}: ± half of one, or [its ends]"
    print(f"{paint(summary['title'], 'heading')}\nseed {summary['seed']}, {note}\n")
    print(explained(run_tables(summary) if runs is None else comparison_tables(summary)), end="\n\n")
    if runs is not None:
        _print_compared(summary, arguments)
    each_run = {"": summary} if runs is None else runs
    if arguments.metrics:
        print(wanted_table(each_run, [resolve(text) for text in arguments.metrics]), end="\n\n")
    for name, each in each_run.items():
        _print_checks(name, each["checks"])
        for clause in each.get("expectations", []):
            # One that fails is the reason of the exit status, and printed with the messages.
            if clause["verdict"] != "fails":
                print(f"{paint('expected:', role_of(clause['verdict']))} {_of(name)}{_clause(clause)}")


def _print_checks(name: str, checks: list[dict[str, Any]]) -> None:
    """Print the checks of a run whose failure matters, and whether programs in real time had their packets on time."""
    for check in checks:
        said = f"{_of(name)}{check['name']}: {check['detail']}"
        if check["level"] in {"broken", "caution"}:
            print(f"{paint(check['level'] + ':', ROLES[check['level']])} {said}")
        elif check["name"] == PUNCTUALITY:
            print(said)


def _print_compared(summary: Mapping[str, Any], arguments: argparse.Namespace) -> None:
    """Print the findings, the other differences of the runs, and the groups whose algorithm was replaced."""
    from narrows._internal.cli.table import printable
    from narrows._internal.comparison import Replaced
    from narrows._internal.run.options import recorded
    from narrows._internal.run.sentences import compared

    for said in compared(summary):
        print(printable("".join(text for text, _ in said)).strip())
    if "unlike" in summary:
        print(f"{paint('caution:', ROLES['caution'])} {summary['unlike']}")
    if "replaced" in summary:
        found = Replaced(**summary["replaced"])
        print(f"{found.sentence} {found.other(recorded(arguments.given))}")


def _status(result: Run | Comparison, runs: Mapping[str, Mapping[str, Any]]) -> int:
    """Print the expectations and the runs that failed, and return the exit status."""
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
    return status


def _clause(clause: Mapping[str, Any]) -> str:
    from narrows._internal.rounding import plus_minus

    bounds = [
        f"{words} {clause[key]:g}"
        for key, words in (("at_least", "at least"), ("at_most", "at most"))
        if clause[key] is not None
    ]
    owner = clause["group"] or clause["link"]
    return f"{clause['measure']} of {owner} {' and '.join(bounds)}: {plus_minus(clause, 1.0)} ({clause['verdict']})"


def _of(name: str) -> str:
    return f"{name}: " if name else ""


def _run(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help=SCENARIO)
    options.work(command)
    options.backend(command, "; both: run on both and compare")
    _kernel_queues(command)


def _compare(command: argparse.ArgumentParser) -> None:
    what = "algorithm: NAME, NAME(parameter=value, ...) or FILE.py:CLASS"
    command.add_argument("algorithms", metavar="ALG", nargs="*", action=options.Distinct, help=what)
    command.add_argument(
        "--vary",
        metavar="KEY.PATH=LEVEL,LEVEL",
        action="append",
        default=[],
        help="levels of a key to compare on the same random numbers, as in path.queue=droptail,codel (repeatable); + "
        "joins keys that have the same levels, as in path.queue+path.reverse.queue=fq-codel,cake",
    )
    what = f"{SCENARIO} (default: %(default)s)"
    where = command.add_mutually_exclusive_group()
    where.add_argument("--scenario", metavar="FILE", default="two-flows", help=what)
    what = "trace of a real flow, as for `narrows import`: its path, at the best values, is the scenario"
    where.add_argument("--like", metavar="TRACE", help=what)
    options.common(command, "subject")
    command.add_argument(
        "--margin",
        dest="margins",
        metavar="METRIC=VALUE",
        action="append",
        default=[],
        help="margin below which a difference of a metric does not matter, as in goodput_bps=5%% or rtt_mean_s=1ms "
        "(repeatable)",
    )
    what = "add replications until every comparison of the sentences is decided: better, worse, or no difference that "
    command.add_argument("--until-decided", action="store_true", help=f"{what}matters")
    what = "greatest number of replications with --until-decided (default: 40)"
    command.add_argument("--at-most", metavar="N", type=options.whole(2, 10**6), help=what)
    options.work(command)
    options.backend(command, "; both: each run on both")
    _kernel_queues(command)


def _kernel_queues(command: argparse.ArgumentParser) -> None:
    what = "with --on linux: linux for the kernel's queue disciplines, linux:KIND for this one on every bottleneck"
    command.add_argument("--queue", metavar="QUEUES", default="", help=what)


# A check of runs in real time (`crates/records/src/checks.rs`), whose numbers are of interest whenever it was made.
PUNCTUALITY = "packets on time"

COMMANDS = (
    Command(
        "run",
        "run a scenario",
        RUN,
        _run,
        ("run two-flows --replications 5", "run wi-fi --set path.rate=20Mbps --set 'path.queue=fq-codel' --out wifi"),
        {"file": known.scenarios},
        run,
    ),
    Command(
        "compare",
        "run a scenario once per algorithm, or per level of a key",
        RUN,
        _compare,
        (
            "compare cubic bbr3 --scenario two-flows --replications 5",
            "compare cubic --vary path.queue=droptail,fq-codel --scenario home",
            "compare cubic bbr3 --scenario two-flows --until-decided --at-most 100",
            "compare cubic ./mine.py:Mine './mine.py:Mine(a=2)'",
        ),
        {"algorithms": known.algorithms},
        compare,
    ),
)
