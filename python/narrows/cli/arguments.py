# SPDX-License-Identifier: Apache-2.0
"""The arguments of all commands. The module of a command is imported when the command runs, for a fast start."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows.cli.argument_types import Distinct, Version, listed, millimetres, time, whole
from narrows.cli.examples import GROUPS, examples
from narrows.cli.parser import Parser
from narrows.cli.status import BAD_INPUT

if TYPE_CHECKING:
    from collections.abc import Callable


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

    run = _add(commands, "run", "simulate:run", "run a scenario")
    run.add_argument("file", metavar="FILE", help="scenario file, or name of a scenario of the library")
    _add_work_flags(run)
    _add_on(run, "; both: run on both and compare")
    _add_kernel_queues(run)

    compare = _add(commands, "compare", "simulate:compare", "run a scenario once per algorithm, or per level of a key")
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
    _common(compare, "subject")
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

    check = _add(commands, "check", "check:check", "check a scenario and describe it, without executing anything")
    check.add_argument("file", metavar="FILE", help="scenario file, or name of a scenario of the library")
    _common(check, f"{OF_SCENARIO} trust")
    _add_on(check)

    listing = _add(
        commands, "list", "catalogue:list_kind", "list algorithms, queues, scenarios, studies, metrics or presets"
    )
    listing.add_argument("kind", choices=KINDS, help="what to list")
    listing.add_argument("--json", action="store_true", help="print the result as JSON")

    show = _add(
        commands, "show", "catalogue:show", "print the card of an algorithm, queue or preset, or a scenario file"
    )
    show.add_argument("name", metavar="NAME", help="name of an algorithm, queue, preset or scenario")
    show.add_argument("--json", action="store_true", help="print the result as JSON")

    report = _add(
        commands, "report", "report:report", "rebuild the report of results, or the index of a folder of results"
    )
    report.add_argument(
        "folder", metavar="DIR", type=Path, help="folder of a run, comparison or study, or a folder of such folders"
    )

    _add_uses(commands)

    doctor = _add(commands, "doctor", "doctor:doctor", "check which optional tools are installed")
    doctor.add_argument("--json", action="store_true", help="print the result as JSON")

    playground = _add(
        commands, "playground", "playground:playground", "write a web page that runs a scenario in the browser"
    )
    playground.add_argument(
        "file", metavar="FILE", nargs="?", default="two-flows",
        help="scenario file, name of a scenario of the library, or run folder (default: %(default)s)",
    )  # fmt: skip
    playground.add_argument("--out", metavar="PAGE.html", type=Path, help="file of the page (default: playground.html)")

    new = _add(commands, "new", "new:new", "create a new algorithm with its test, or a new study with claims")
    new.add_argument("kind", choices=["algorithm", "claims"], help="what to create")
    new.add_argument("name", metavar="NAME", help="its name, of lower-case letters, digits and _")
    new.add_argument(
        "--rust",
        action="store_true",
        help="for an algorithm: create a crate in the source tree instead of a Python file",
    )

    _add_shell(commands)
    _add(commands, "schema", "check:schema", "print the JSON Schema of the scenario file")
    return top


def _group(commands: argparse._SubParsersAction[Parser], name: str, summary: str) -> Parser:
    path = f"{commands._prog_prefix} {name}".partition(" ")[2].strip()  # noqa: SLF001  # argparse has no public name for it
    return commands.add_parser(name, help=summary, description=summary, epilog=examples(path), allow_abbrev=False)


def _commands(top: argparse.ArgumentParser) -> int:
    top.print_help(sys.stderr)
    return BAD_INPUT


def _add_study(commands: argparse._SubParsersAction[Parser]) -> None:
    summary = "run designed experiments, which can be interrupted and resumed"
    study = _group(commands, "study", summary)
    actions = study.add_subparsers(metavar="ACTION", required=True)

    run = _add(actions, "run", "study:run", "start a new study")
    run.add_argument("file", metavar="FILE", help="study file")
    _add_overlay_flags(run)
    _common(run, "subject")
    _add_work_flags(run)
    _add_executor_flags(run)

    resume = _add(actions, "resume", "study:resume", "resume an interrupted study")
    resume.add_argument("folder", metavar="DIR", type=Path, help="folder of the study")
    resume.add_argument("--retry", action="store_true", help="rerun failed cells")
    _add_executor_flags(resume)
    _common(resume, "trust jobs json quiet", jobs=CELLS)

    status = _add(actions, "status", "study:status", "show the progress of a study")
    status.add_argument("folder", metavar="DIR", type=Path, help="folder of the study")
    _common(status, "json")

    query = _add(actions, "query", "study:query", "query the table `cells` of a study in SQL")
    query.add_argument("folder", metavar="DIR", type=Path, help="folder of the study")
    query.add_argument(
        "sql", metavar="SQL", help="query, as in 'select algorithm, avg(goodput_bps) from cells group by all'"
    )
    _common(query, "json")

    replay = _add(actions, "replay", "study:replay", "rerun one cell and print its metrics")
    replay.add_argument("folder", metavar="DIR", type=Path, help="folder of the study")
    replay.add_argument("cell", metavar="CELL", help="key of the cell, or a unique prefix of it")
    _common(replay, "trust json")

    check = _add(actions, "check", "study:check", "check a study file and print its design, without executing anything")
    check.add_argument("file", metavar="FILE", help="study file")
    _add_overlay_flags(check)
    _common(check, f"subject {OF_SCENARIO} trust")


def _add_linux(commands: argparse._SubParsersAction[Parser]) -> None:
    summary = "build and list Linux kernels whose TCP runs scenarios in simulated time"
    linux = _group(commands, "linux", summary)
    actions = linux.add_subparsers(metavar="ACTION", required=True)

    build = _add(
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
    _common(build, "jobs quiet json", jobs="number of parallel compiler processes (default: 2)")
    build.set_defaults(jobs=2)

    status = _add(actions, "status", "linux:status", "list the kernels that are built")
    _common(status, "json")


def _add_shell(commands: argparse._SubParsersAction[Parser]) -> None:
    completion = _add(commands, "completion", "shell:completion", "print a completion script for a shell")
    completion.add_argument("shell", choices=["bash", "zsh", "fish"], help="the shell")
    _add(commands, "man", "shell:man", "print the manual page")


def _add_why(commands: argparse._SubParsersAction[Parser]) -> None:
    why = _add(commands, "why", "why:why", "explain what happened to a flow around a given time")
    why.add_argument("folder", metavar="DIR", type=Path, help="run folder")
    why.add_argument(
        "--flow",
        metavar="F",
        default="0",
        help="flow: its number from 0, GROUP or GROUP[NUMBER] (default: %(default)s)",
    )
    why.add_argument("--at", metavar="TIME", help="simulated time, as in 12.3s (default: every change of the window)")
    why.add_argument(
        "--replication",
        metavar="N",
        type=whole(0, 10**6),
        help="number of the replication, from 0 (default: the first)",
    )
    why.add_argument(
        "--window",
        metavar="TIME",
        default="1s",
        help="how far before and after that time to look (default: %(default)s)",
    )
    _common(why, "json")


def _add_share(commands: argparse._SubParsersAction[Parser]) -> None:
    pack = _add(commands, "pack", "share:pack", "pack results into one file")
    pack.add_argument(
        "folder", metavar="DIR", type=Path, help="folder of a run, comparison, study, suite or reproduction"
    )
    pack.add_argument("--out", metavar="FILE", type=Path, help="file to write (default: NAME.zip)")

    verify = _add(commands, "verify", "share:verify", "rerun packed results and compare them")
    verify.add_argument("file", metavar="FILE", type=Path, help="file written by `narrows pack`")
    _common(verify, "jobs trust json", trust="execute Python files and commands of the packed results")


def _add_overlay_flags(command: argparse.ArgumentParser) -> None:
    command.add_argument("--size", metavar="NAME", help="size declared in the study file (default: none)")
    command.add_argument("--variant", metavar="NAME", help="variant declared in the study file (default: none)")


def _add_views(commands: argparse._SubParsersAction[Parser]) -> None:
    matrix = _add(commands, "matrix", "views:matrix", "run every pair of algorithms: shares, harm, delay")
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

    deploy = _add(commands, "deploy", "views:deploy", "replace one algorithm by another in a growing share of flows")
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
    _common(command, f"{OF_SCENARIO} jobs out")
    _add_on(command, "; both: a study on each, side by side")
    _add_executor_flags(command)


def _add_uses(commands: argparse._SubParsersAction[Parser]) -> None:
    for add in (_add_figure, _add_exchange, _add_why, _add_share):
        add(commands)


def _add_figure(commands: argparse._SubParsersAction[Parser]) -> None:
    figure = _add(
        commands, "figure", "figure:figure", "write a figure of a report as PDF, SVG, PNG or PGF, for a paper"
    )
    figure.add_argument("folder", metavar="DIR", type=Path, help="folder of results with a report")
    figure.add_argument("name", metavar="NAME", nargs="?", help="name of the figure, as cwnd; none lists all")
    figure.add_argument(
        "--out", metavar="FILE", type=Path, help="file ending in .pdf, .svg, .png or .pgf (default: NAME.pdf)"
    )
    figure.add_argument(
        "--width", metavar="MM", type=millimetres, default=160.0,
        help="width in millimetres; up to 110 the panels are those of a column (default: 160)",
    )  # fmt: skip
    figure.add_argument("--json", action="store_true", help="print file, title and caption as JSON")


def _add_exchange(commands: argparse._SubParsersAction[Parser]) -> None:
    summary = "export a run in the format of another tool"
    export = _group(commands, "export", summary)
    forms = export.add_subparsers(metavar="FORM", required=True)

    pcapng = _add(forms, "pcapng", "export:export", "write the packet log as a capture, for Wireshark")
    pcapng.add_argument("folder", metavar="DIR", type=Path, help="folder of a run with record.packets = true")
    pcapng.add_argument(
        "--at",
        metavar="POINT",
        action="append",
        help="observation point, an interface of the capture: sender, receiver, a link, 'LINK dropped', or all "
        "(repeatable; default: sender)",
    )
    pcapng.add_argument("--out", metavar="FILE", type=Path, help="file to write (default: DIR/packets.pcapng)")

    csv = _add(forms, "csv", "export:export", "write every table as CSV, for spreadsheets")
    csv.add_argument("folder", metavar="DIR", type=Path, help="folder of a run")
    csv.add_argument("--out", metavar="DIR", type=Path, help="folder for the tables (default: DIR/csv)")

    qlog = _add(
        forms, "qlog", "export:export", "write packets, losses, states and windows of each flow as qlog, for qvis"
    )
    qlog.add_argument("folder", metavar="DIR", type=Path, help="folder of a run with series of flows")
    qlog.add_argument("--out", metavar="DIR", type=Path, help="folder for a file per flow (default: DIR/qlog)")

    for form in (pcapng, csv, qlog):
        form.set_defaults(form=form.prog.split()[-1])
    for form in (pcapng, qlog):
        form.add_argument(
            "--replication",
            metavar="N",
            type=whole(0, 10**6),
            help="number of the replication, from 0 (default: the first)",
        )

    read = _add(
        commands, "import", "export:read", "read rates over time from a capture or a result of iperf3, for a link"
    )
    read.add_argument("file", metavar="FILE", type=Path, help="capture (pcapng or pcap), or result of iperf3 in JSON")
    read.add_argument("--out", metavar="FILE.csv", type=Path, required=True, help="file to write")
    read.add_argument(
        "--from",
        metavar="ADDRESS",
        dest="source",
        help="source address of the packets of a capture that count, or client or server of iperf3 "
        "(required if there are several)",
    )
    read.add_argument(
        "--step", metavar="TIME", type=time, help="time over which packets of a capture are counted (default: 100ms)"
    )


def _add_reproduce(commands: argparse._SubParsersAction[Parser]) -> None:
    reproduce = _add(
        commands, "reproduce", "reproduce:reproduce", "reproduce a published study and evaluate its claims"
    )
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
    _common(reproduce, OF_RESUMED, **ITS_OWN, jobs=CELLS, out=RESUMED)


def _add_questions(commands: argparse._SubParsersAction[Parser]) -> None:
    _add_suite(commands)
    _add_ab(commands)
    _add_worst(commands)


def _add_suite(commands: argparse._SubParsersAction[Parser]) -> None:
    suite = _add(
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
    _common(suite, f"set {OF_RESUMED}", **ITS_OWN, set=what, jobs=CELLS, out=RESUMED)


def _add_ab(commands: argparse._SubParsersAction[Parser]) -> None:
    ab = _add(commands, "ab", "ab:ab", "test whether a change of an algorithm makes anything worse, for a CI job")
    ab.add_argument("a", metavar="A", help="present algorithm, as for `narrows compare`")
    ab.add_argument("b", metavar="B", help="changed algorithm")
    where = ab.add_mutually_exclusive_group()
    where.add_argument("--suite", metavar="NAME", help="use the cells and metrics of a suite")
    where.add_argument(
        "--scenario",
        metavar="FILE",
        action="append",
        default=[],
        help="scenario file, or name of a scenario of the library (repeatable; default: six of the library)",
    )
    each = "simulator, linux or linux:NAME, or one for each side, as in linux,linux:mine (default: %(default)s)"
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
    _common(
        ab,
        "subject set seed jobs out trust json quiet",
        set="set a key of every scenario, as in transport.slow_start=standard (repeatable)",
        seed="seed instead of those of the scenarios",
        out=f"{PLACE} (default: runs/ab-HASH)",
    )


def _add_worst(commands: argparse._SubParsersAction[Parser]) -> None:
    worst = _add(commands, "worst", "worst:worst", "search for the environments in which an algorithm performs worst")
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
    _common(
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


def _common(command: argparse.ArgumentParser, names: str, **meanings: str) -> None:
    """Add options that several commands have.

    Args:
        command: The command.
        names: Their names in `COMMON`, with spaces.
        meanings: Help texts that differ for this command, by name.
    """
    for name in names.split():
        flag = COMMON[name]
        command.add_argument(f"--{name}", **{**flag, "help": meanings.get(name, flag["help"])})


def _add(commands: argparse._SubParsersAction[Parser], name: str, target: str, summary: str) -> argparse.ArgumentParser:
    command = _group(commands, name, summary)
    command.set_defaults(command=_late(target), parser=command)
    return command


def _late(target: str) -> Callable[[argparse.Namespace], int]:
    module, function = target.split(":")

    def command(arguments: argparse.Namespace) -> int:
        status: int = getattr(import_module(f"narrows.cli.{module}"), function)(arguments)
        return status

    return command


def _add_metrics(command: argparse.ArgumentParser, meaning: str) -> None:
    command.add_argument("--metric", dest="metrics", metavar="METRIC", action="append", default=[], help=meaning)
    # Its former name.
    command.add_argument("--measure", dest="metrics", action="append", help=argparse.SUPPRESS)


def _add_work_flags(command: argparse.ArgumentParser) -> None:
    _add_metrics(command, "compute an additional metric, as in 'cov(bin=10s)' (repeatable)")
    _common(command, f"{OF_SCENARIO} jobs out trust")


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
PLACE = "folder for the results"
RESUMED = "folder for the results; unfinished results in it are resumed"
ITS_OWN = {"seed": "seed instead of its own", "replications": "number of replications instead of its own"}
# The options of what runs a scenario, and of what can be resumed.
OF_SCENARIO = "set seed replications json quiet"
OF_RESUMED = "seed replications jobs out trust json quiet"
COMMON: dict[str, dict[str, Any]] = {
    "set": {
        "metavar": "KEY.PATH=VALUE",
        "action": "append",
        "default": [],
        "help": "set a key of the scenario (repeatable)",
    },
    "subject": {
        "metavar": "GROUP",
        "action": "append",
        "default": [],
        "help": "flow group whose algorithm is replaced, in place of those that the scenario marks (repeatable)",
    },
    "seed": {"metavar": "N", "type": whole(0, 2**63 - 1), "help": "seed instead of that of the scenario"},
    "replications": {
        "metavar": "N",
        "type": whole(1, 10**6),
        "help": "number of replications instead of that of the scenario",
    },
    "jobs": {
        "metavar": "N",
        "type": whole(1, 4096),
        "help": "number of runs in parallel (default: one per processor)",
    },
    "out": {"metavar": "DIR", "type": Path, "help": f"{PLACE} (default: runs/TITLE-HASH)"},
    "trust": {
        "action": "store_true",
        "help": "execute Python files outside the folder of the given file that are not named on the command line, and "
        "commands in files; for a folder of results, all Python files and commands in it",
    },
    "json": {"action": "store_true", "help": "print the result as JSON"},
    "quiet": {"action": "store_true", "help": "show no progress"},
}
