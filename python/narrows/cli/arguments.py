# SPDX-License-Identifier: Apache-2.0
"""The arguments of all commands. The module of a command is imported when the command runs, for a fast start."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from narrows.cli.adding import PLACE, add, common, group
from narrows.cli.argument_types import Distinct, Version, listed, time, whole
from narrows.cli.examples import GROUPS, examples
from narrows.cli.parser import Parser
from narrows.cli.result_arguments import add_uses
from narrows.cli.status import BAD_INPUT


def parser() -> argparse.ArgumentParser:
    """Return the parser.

    Its result has the chosen command as `command`, a function of the arguments, and the parser of it as `parser`.
    """
    top = Parser(
        prog="narrows",
        description="A laboratory for Internet congestion control.",
        epilog=f"{examples('')}\n\n{EXIT_STATUS}",
        groups=GROUPS,
        allow_abbrev=False,
    )
    top.add_argument("--version", action=Version, nargs=0, help="print the version and exit")
    top.set_defaults(command=lambda _: _commands(top), parser=top)
    commands = top.add_subparsers(metavar="COMMAND")

    run = add(commands, "run", "simulate:run", "run a scenario")
    run.add_argument("file", metavar="FILE", help="scenario file, or name of a scenario of the library")
    _add_work_flags(run)
    _add_on(run, "; both: run on both and compare")
    _add_kernel_queues(run)

    compare = add(commands, "compare", "simulate:compare", "run a scenario once per algorithm, or per level of a key")
    compare.add_argument(
        "algorithms",
        metavar="ALG",
        nargs="*",
        action=Distinct,
        help="algorithm: NAME, NAME(parameter=value, ...) or FILE.py:CLASS",
    )
    compare.add_argument(
        "--vary",
        metavar="KEY.PATH=LEVEL,LEVEL",
        action="append",
        default=[],
        help="levels of a key to compare on the same random numbers, as in path.queue=droptail,codel (repeatable)",
    )
    compare.add_argument(
        "--scenario",
        metavar="FILE",
        default="two-flows",
        help="scenario file, or name of a scenario of the library (default: %(default)s)",
    )
    common(compare, "subject")
    compare.add_argument(
        "--margin",
        dest="margins",
        metavar="METRIC=VALUE",
        action="append",
        default=[],
        help="margin below which a difference of a metric does not matter, as in goodput_bps=5%% or rtt_mean_s=1ms "
        "(repeatable)",
    )
    _add_work_flags(compare)
    _add_on(compare, "; both: each run on both")
    _add_kernel_queues(compare)

    _add_study(commands)
    _add_linux(commands)
    _add_reproduce(commands)
    _add_questions(commands)
    _add_views(commands)

    check = add(commands, "check", "check:check", "check a scenario and describe it, without executing anything")
    check.add_argument("file", metavar="FILE", help="scenario file, or name of a scenario of the library")
    common(check, f"{OF_SCENARIO} trust")
    _add_on(check)

    listing = add(
        commands, "list", "catalogue:list_kind", "list algorithms, queues, scenarios, studies, metrics or presets"
    )
    listing.add_argument("kind", choices=KINDS, help="what to list")
    listing.add_argument("--json", action="store_true", help="print the result as JSON")

    show = add(
        commands, "show", "catalogue:show", "print the card of an algorithm, queue or preset, or a scenario file"
    )
    show.add_argument("name", metavar="NAME", help="name of an algorithm, queue, preset or scenario")
    show.add_argument("--json", action="store_true", help="print the result as JSON")

    report = add(
        commands, "report", "report:report", "rebuild the report of results, or the index of a folder of results"
    )
    report.add_argument(
        "folder", metavar="DIR", type=Path, help="folder of a run, comparison or study, or a folder of such folders"
    )

    add_uses(commands)

    doctor = add(commands, "doctor", "doctor:doctor", "check which optional tools are installed")
    doctor.add_argument("--json", action="store_true", help="print the result as JSON")

    playground = add(
        commands, "playground", "playground:playground", "write a web page that runs a scenario in the browser"
    )
    playground.add_argument(
        "file", metavar="FILE", nargs="?", default="two-flows",
        help="scenario file, name of a scenario of the library, or run folder (default: %(default)s)",
    )  # fmt: skip
    playground.add_argument("--out", metavar="PAGE.html", type=Path, help="file of the page (default: playground.html)")

    new = add(commands, "new", "new:new", "create a new algorithm with its test, or a new study with claims")
    new.add_argument("kind", choices=["algorithm", "claims"], help="what to create")
    new.add_argument("name", metavar="NAME", help="its name, of lower-case letters, digits and _")
    language = new.add_mutually_exclusive_group()
    for option, what in LANGUAGES.items():
        made = f"for an algorithm: create {what} instead of a Python file"
        language.add_argument(f"--{option}", dest="language", action="store_const", const=option, help=made)

    _add_shell(commands)
    add(commands, "schema", "check:schema", "print the JSON Schema of the scenario file")
    return top


def _commands(top: argparse.ArgumentParser) -> int:
    top.print_help(sys.stderr)
    return BAD_INPUT


def _add_study(commands: argparse._SubParsersAction[Parser]) -> None:
    summary = "run designed experiments, which can be interrupted and resumed"
    study = group(commands, "study", summary)
    actions = study.add_subparsers(metavar="ACTION", required=True)

    run = add(actions, "run", "study:run", "start a new study")
    run.add_argument("file", metavar="FILE", help="study file")
    _add_overlay_flags(run)
    common(run, "subject")
    _add_work_flags(run)
    common(run, "shard")
    _add_executor_flags(run)

    resume = add(actions, "resume", "study:resume", "resume an interrupted study")
    resume.add_argument("folder", metavar="DIR", type=Path, help="folder of the study")
    resume.add_argument("--retry", action="store_true", help="rerun failed cells")
    _add_executor_flags(resume)
    common(resume, "trust jobs json quiet shard out", jobs=CELLS, shard=NEXT_ROUND, out=f"with --shard: {PLACE}")

    merge = add(actions, "merge", "study:merge", "join the shards of a study, reproduction or suite")
    merge.add_argument("folders", metavar="DIR", type=Path, nargs="+", help="folder of a shard")
    common(merge, "trust jobs out json quiet", jobs=CELLS)

    status = add(actions, "status", "study:status", "show the progress of a study")
    status.add_argument("folder", metavar="DIR", type=Path, help="folder of the study")
    common(status, "json")

    query = add(actions, "query", "study:query", "query the table `cells` of a study in SQL")
    query.add_argument("folder", metavar="DIR", type=Path, help="folder of the study")
    query.add_argument(
        "sql", metavar="SQL", help="query, as in 'select algorithm, avg(goodput_bps) from cells group by all'"
    )
    common(query, "json")

    replay = add(actions, "replay", "study:replay", "rerun one cell and print its metrics")
    replay.add_argument("folder", metavar="DIR", type=Path, help="folder of the study")
    replay.add_argument("cell", metavar="CELL", help="key of the cell, or a unique prefix of it")
    common(replay, "trust json")

    check = add(actions, "check", "study:check", "check a study file and print its design, without executing anything")
    check.add_argument("file", metavar="FILE", help="study file")
    _add_overlay_flags(check)
    common(check, f"subject {OF_SCENARIO} trust")


def _add_linux(commands: argparse._SubParsersAction[Parser]) -> None:
    summary = "build and list Linux kernels whose TCP runs scenarios in simulated time"
    linux = group(commands, "linux", summary)
    actions = linux.add_subparsers(metavar="ACTION", required=True)

    build = add(
        actions, "build", "linux:build", "build a kernel, and the network library that it loads, in the user's cache"
    )
    build.add_argument(
        "--source",
        metavar="FILE",
        help="kernel source: an archive, Debian package or folder (default: the newest in /usr/src)",
    )
    build.add_argument(
        "--name",
        metavar="NAME",
        default="default",
        help="name of the kernel, for --on linux:NAME (default: %(default)s)",
    )
    build.add_argument(
        "--hz", metavar="N", type=whole(100, 1000), default=250, help="timer frequency in Hz (default: %(default)s)"
    )
    common(build, "jobs quiet json", jobs="number of parallel compiler processes (default: 2)")
    build.set_defaults(jobs=2)

    status = add(actions, "status", "linux:status", "list the kernels that are built")
    common(status, "json")


def _add_shell(commands: argparse._SubParsersAction[Parser]) -> None:
    completion = add(commands, "completion", "shell:completion", "print a completion script for a shell")
    completion.add_argument("shell", choices=["bash", "zsh", "fish"], help="the shell")
    add(commands, "man", "shell:man", "print the manual page")


def _add_overlay_flags(command: argparse.ArgumentParser) -> None:
    command.add_argument("--size", metavar="NAME", help="size declared in the study file (default: none)")
    command.add_argument("--variant", metavar="NAME", help="variant declared in the study file (default: none)")


def _add_views(commands: argparse._SubParsersAction[Parser]) -> None:
    matrix = add(commands, "matrix", "views:matrix", "run every pair of algorithms: shares, harm, delay")
    matrix.add_argument(
        "algorithms", metavar="ALG", nargs="+", action=Distinct, help="algorithm, as for `narrows compare`"
    )
    for name, default, meaning in (
        ("rates", "10Mbps,100Mbps", "rates of the bottleneck"),
        ("rtts", "20ms,100ms", "two-way propagation delays"),
        ("buffers", "1bdp,4bdp", "queue limits"),
        ("queues", "droptail", "queue disciplines, with parameters as in 'red(gentle=true)'"),
    ):
        matrix.add_argument(
            f"--{name}", metavar="LIST", type=listed, default=default, help=f"{meaning} (default: %(default)s)"
        )
    matrix.add_argument(
        "--flows",
        metavar="N",
        type=whole(1, 1000),
        default=1,
        help="number of flows per algorithm (default: %(default)s)",
    )
    matrix.add_argument(
        "--within",
        metavar="PART",
        help="add replications until the half-width of each share's interval is at most this part of the fair share "
        "(default: 5%%)",
    )
    matrix.add_argument(
        "--maximum",
        metavar="N",
        type=whole(2, 10**6),
        help="maximum number of replications with --within (default: 20)",
    )
    _add_view_flags(matrix)

    deploy = add(commands, "deploy", "views:deploy", "replace one algorithm by another in a growing share of flows")
    deployed = "deployed change: an algorithm as for `narrows compare`, pacing, or connections=N (N in place of one)"
    deploy.add_argument("algorithm", metavar="ALG", help=deployed)
    deploy.add_argument(
        "--against", metavar="ALG", default="cubic", help="algorithm that is replaced (default: %(default)s)"
    )
    deploy.add_argument(
        "--fractions",
        metavar="LIST",
        type=listed,
        default="5,25,50,75,95",
        help="percentages of flows with the change; 0 and 100 are added (default: %(default)s)",
    )
    deploy.add_argument(
        "--flows",
        metavar="N",
        type=whole(2, 1000),
        help="total number of flows (default: 20, or more if the fractions require it)",
    )
    _add_view_flags(deploy)


def _add_view_flags(command: argparse.ArgumentParser) -> None:
    common(command, f"{OF_SCENARIO} jobs out")
    _add_on(command, "; both: a study on each, side by side")
    _add_executor_flags(command)


def _add_reproduce(commands: argparse._SubParsersAction[Parser]) -> None:
    reproduce = add(commands, "reproduce", "reproduce:reproduce", "reproduce a published study and evaluate its claims")
    what = "name of a study, as in --list, or a folder with a study of your own"
    reproduce.add_argument("name", metavar="NAME|DIR", nargs="?", help=what)
    reproduce.add_argument("--list", action="store_true", help="list the studies and their verdicts")
    _add_sizes(
        reproduce,
        quick="short runs (the default)",
        medium="the durations of the publication, and only the cells that claims need; takes hours",
        full="all cells; may take hours",
    )
    more = "afterwards, add seeds to the cells of undecided claims for this time, as in 30min or 2h"
    reproduce.add_argument("--decide", metavar="TIME", type=time, help=more)
    reproduce.add_argument(
        "--judge", action="store_true", help="evaluate the claims from finished experiments, without running any"
    )
    common(reproduce, f"{OF_RESUMED} shard", **ITS_OWN, jobs=CELLS, out=RESUMED)


def _add_questions(commands: argparse._SubParsersAction[Parser]) -> None:
    _add_suite(commands)
    _add_ab(commands)
    _add_worst(commands)


def _add_suite(commands: argparse._SubParsersAction[Parser]) -> None:
    suite = add(
        commands,
        "suite",
        "suite:suite",
        "evaluate an algorithm or queue by the criteria of a document, such as RFC 9743",
    )
    suite.add_argument("name", metavar="NAME", help="name of a suite, or path of a suite file")
    suite.add_argument("subject", metavar="SUBJECT", help="algorithm, as for `narrows compare`, or queue")
    _add_sizes(suite, quick="some conditions and replications (the default)", full="all conditions and replications")
    what = "only these sections, as in 5.1.3,7.9; 7 includes 7.1, 7.2 and so on (default: all)"
    suite.add_argument("--rows", metavar="SECTIONS", type=listed, default=[], help=what)
    _add_on(suite, "; both: the kernel beside the simulator in every row")
    what = "set a key of every scenario before its conditions, as in transport.slow_start=standard (repeatable)"
    common(suite, f"set {OF_RESUMED} shard", **ITS_OWN, set=what, jobs=CELLS, out=RESUMED)


def _add_ab(commands: argparse._SubParsersAction[Parser]) -> None:
    ab = add(commands, "ab", "ab:ab", "test whether a change of an algorithm makes anything worse, for a CI job")
    ab.add_argument("a", metavar="A", help="present algorithm, as for `narrows compare`")
    ab.add_argument("b", metavar="B", nargs="?", help="changed algorithm; without it A is compared on two backends")
    where = ab.add_mutually_exclusive_group()
    where.add_argument("--suite", metavar="NAME", help="use the cells and metrics of a suite")
    where.add_argument(
        "--scenario",
        metavar="FILE",
        action="append",
        default=[],
        help="scenario file, or name of a scenario of the library (repeatable; default: six of the library)",
    )
    each = "simulator, linux or linux:NAME, or one for each side, as in linux:6.12,linux:7.3 (default: %(default)s)"
    ab.add_argument("--on", metavar="BACKEND[,BACKEND]", default="simulator", help=each)
    what = "non-inferiority margin, as a fraction of the value of A (default: %(default)s)"
    ab.add_argument("--margin", metavar="PART", default="1%", help=what)
    _add_metrics(ab, "test this metric of each group instead of the default ones (repeatable)")
    ab.add_argument(
        "--replications",
        metavar="N",
        type=whole(2, 10**6),
        default=40,
        help="maximum number of replications; a scenario stops when it is decided (default: %(default)s)",
    )
    what = "in a step of a GitHub workflow: annotate the run, and write the job's summary and the step's outputs"
    ab.add_argument("--github", action="store_true", help=what)
    common(
        ab,
        "subject set seed jobs out trust json quiet",
        set="set a key of every scenario, as in transport.slow_start=standard (repeatable)",
        seed="seed instead of those of the scenarios",
        out=f"{PLACE} (default: runs/ab-HASH)",
    )


def _add_worst(commands: argparse._SubParsersAction[Parser]) -> None:
    worst = add(commands, "worst", "worst:worst", "search for the environments in which an algorithm performs worst")
    worst.add_argument("algorithm", metavar="ALG", help="algorithm, as for `narrows compare`")
    worst.add_argument(
        "--against",
        metavar="REF",
        help="reference algorithm (default: cubic; for cubic itself bbr3, or bbr1 with --on linux)",
    )
    what = (
        "linux or linux:NAME: repeat each result on that kernel; the search uses the simulator (default: %(default)s)"
    )
    worst.add_argument("--on", metavar="BACKEND", default="simulator", help=what)
    worst.add_argument(
        "--budget",
        metavar="BUDGET",
        default="10min",
        help="time, or number of environments, which makes the result reproducible (default: %(default)s)",
    )
    what = "set a key of every environment, as in transport.slow_start=standard (repeatable)"
    common(
        worst,
        "set seed jobs out json quiet",
        set=what,
        seed="seed of the search and its runs (default: 1)",
        out=RESUMED,
    )


def _add_executor_flags(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--executor", choices=EXECUTORS, default="threads", help="where cells are run (default: %(default)s)"
    )
    command.add_argument("--address", metavar="URL", help="address of the Dask scheduler, as in tcp://host:8786")


def _add_sizes(command: argparse.ArgumentParser, **meanings: str) -> None:
    sizes = command.add_mutually_exclusive_group()
    for name, meaning in meanings.items():
        sizes.add_argument(f"--{name}", dest="size", action="store_const", const=name, default="quick", help=meaning)


def _add_metrics(command: argparse.ArgumentParser, meaning: str) -> None:
    command.add_argument("--metric", dest="metrics", metavar="METRIC", action="append", default=[], help=meaning)
    # Its former name.
    command.add_argument("--measure", dest="metrics", action="append", help=argparse.SUPPRESS)


def _add_work_flags(command: argparse.ArgumentParser) -> None:
    _add_metrics(command, "compute an additional metric, as in 'cov(bin=10s)' (repeatable)")
    common(command, f"{OF_SCENARIO} jobs out trust")


def _add_on(command: argparse.ArgumentParser, more: str = "") -> None:
    command.add_argument(
        "--on",
        metavar="BACKEND",
        default="simulator",
        help=f"backend: simulator, linux or linux:NAME{more} (default: %(default)s)",
    )


def _add_kernel_queues(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--queue",
        metavar="QUEUES",
        default="",
        help="with --on linux: linux for the kernel's queue disciplines, linux:KIND for this one on every bottleneck",
    )


EXIT_STATUS = """\
exit status:
  0  success
  1  an expectation of a scenario or a claim of a study failed (not an inconclusive one)
  2  invalid input
  3  interrupted, with finished work saved
  4  internal error"""
EXECUTORS = ("threads", "dask")
KINDS = ("algorithms", "queues", "scenarios", "studies", "metrics", "presets")
# What an option means for some commands.
CELLS = "number of cells in parallel (default: one per processor)"
RESUMED = "folder for the results; unfinished results in it are resumed"
ITS_OWN = {"seed": "seed instead of its own", "replications": "number of replications instead of its own"}
NEXT_ROUND = "run what falls to machine I of N of the replications that all combinations need in addition"
# The options of what runs a scenario, and of what can be resumed.
OF_SCENARIO = "set seed replications json quiet"
OF_RESUMED = "seed replications jobs out trust json quiet"

# What `narrows new algorithm` creates, by option.
LANGUAGES = {
    "c": "a folder with a controller in C",
    "rust": "a folder with a controller in Rust; in the source tree, a crate of it",
    "wasm": "a folder with a controller for WebAssembly in Rust",
}
