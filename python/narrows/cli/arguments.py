"""The arguments of all commands. The module of a command is imported when the command runs, for a fast start."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows.cli.status import BAD_INPUT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def parser() -> argparse.ArgumentParser:
    """Return the parser.

    Its result has the chosen command as `command`, a function of the arguments, and the parser of it as `parser`.
    """
    top = argparse.ArgumentParser(
        prog="narrows",
        description="A laboratory for Internet congestion control.",
        epilog="Exit status: 0 done; 1 an expectation of a scenario or a claim of a study failed (one that is "
        "inconclusive did not); 2 bad input; 3 interrupted, and what had finished is kept; 4 internal error.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    top.set_defaults(command=lambda _: _commands(top), parser=top)
    commands = top.add_subparsers(metavar="COMMAND")

    run = _add(commands, "run", "simulate:run", "run a scenario")
    run.add_argument("file", metavar="FILE", help="scenario file, or the name of one of the library")
    _add_work_flags(run)
    _add_on(run, "; both to compare the two")
    _add_kernel_queues(run)

    compare = _add(commands, "compare", "simulate:compare", "run a scenario once per algorithm, or level of a key")
    compare.add_argument(
        "algorithms",
        metavar="ALG",
        nargs="*",
        action=_Distinct,
        help="name, name(parameter=value, ...), or FILE.py:CLASS",
    )
    compare.add_argument(
        "--vary",
        metavar="KEY.PATH=LEVEL,LEVEL",
        action="append",
        default=[],
        help="compare levels of a key on the same random numbers, as in path.queue=droptail,codel (repeatable)",
    )
    compare.add_argument("--scenario", metavar="FILE", default="two-flows", help="scenario file or name (%(default)s)")
    compare.add_argument(
        "--margin",
        dest="margins",
        metavar="METRIC=VALUE",
        action="append",
        default=[],
        help="what a difference must exceed to matter, as in goodput_bps=5%% or rtt_mean_s=1ms (repeatable)",
    )
    _add_work_flags(compare)
    _add_on(compare, "; both for each run on both")
    _add_kernel_queues(compare)

    _add_study(commands)
    _add_linux(commands)
    _add_reproduce(commands)
    _add_questions(commands)
    _add_views(commands)

    check = _add(commands, "check", "check:check", "parse and resolve a scenario; execute nothing")
    check.add_argument("file", metavar="FILE", help="scenario file, or the name of one of the library")
    _common(check, f"{OF_SCENARIO} trust")
    _add_on(check)

    listing = _add(commands, "list", "catalogue:list_kind", "say what there is")
    listing.add_argument("kind", choices=KINDS)
    listing.add_argument("--json", action="store_true", help="print a list of objects")

    show = _add(commands, "show", "catalogue:show", "print a card (algorithm, queue, preset) or a scenario's file")
    show.add_argument("name", metavar="NAME")
    show.add_argument("--json", action="store_true", help="print an object")

    report = _add(commands, "report", "report:report", "build a report again, or the index of a folder of results")
    report.add_argument("folder", metavar="DIR", type=Path, help="folder of a run, comparison or study, or of several")

    _add_export(commands)

    _add_why(commands)
    _add_share(commands)

    doctor = _add(commands, "doctor", "doctor:doctor", "say what is there and what is missing")
    doctor.add_argument("--json", action="store_true", help="print a list of objects")

    playground = _add(commands, "playground", "playground:playground", "write a page that runs a scenario in a browser")
    playground.add_argument(
        "file", metavar="FILE", nargs="?", default="two-flows",
        help="scenario file, name of one of the library, or run folder (%(default)s)",
    )  # fmt: skip
    playground.add_argument("--out", metavar="PAGE.html", type=Path, help="the page (playground.html)")

    new = _add(commands, "new", "new:new", "write a new algorithm and its test, or a study with claims of one's own")
    new.add_argument("kind", choices=["algorithm", "claims"])
    new.add_argument("name", metavar="NAME", help="lower-case letters, digits and _")
    new.add_argument(
        "--rust", action="store_true", help="algorithm: a crate in the source tree instead of a Python file"
    )

    _add_shell(commands)
    _add(commands, "schema", "check:schema", "print the JSON Schema of the scenario file")
    return top


def _commands(top: argparse.ArgumentParser) -> int:
    top.print_help(sys.stderr)
    return BAD_INPUT


def _add_study(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    summary = "designed experiments that survive interruption"
    study = commands.add_parser("study", help=summary, description=summary, allow_abbrev=False)
    actions = study.add_subparsers(metavar="ACTION", required=True)

    run = _add(actions, "run", "study:run", "begin a study and run it")
    run.add_argument("file", metavar="FILE", help="study file")
    _add_overlay_flags(run)
    _add_work_flags(run)
    _add_executor_flags(run)

    resume = _add(actions, "resume", "study:resume", "go on with a study that was interrupted")
    resume.add_argument("folder", metavar="DIR", type=Path)
    resume.add_argument("--retry", action="store_true", help="run failed cells once more")
    _add_executor_flags(resume)
    _common(resume, "trust jobs json quiet", jobs=CELLS)

    status = _add(actions, "status", "study:status", "say how far a study is")
    status.add_argument("folder", metavar="DIR", type=Path)
    _common(status, "json")

    query = _add(actions, "query", "study:query", "ask the table `cells` in SQL")
    query.add_argument("folder", metavar="DIR", type=Path)
    query.add_argument("sql", metavar="SQL", help="as in 'select algorithm, avg(goodput_bps) from cells group by all'")
    _common(query, "json")

    replay = _add(actions, "replay", "study:replay", "run one cell once more and print what it measures")
    replay.add_argument("folder", metavar="DIR", type=Path)
    replay.add_argument("cell", metavar="CELL", help="its key, or how that begins")
    _common(replay, "trust json")

    check = _add(actions, "check", "study:check", "check a study file and print its design; execute nothing")
    check.add_argument("file", metavar="FILE", help="study file")
    _add_overlay_flags(check)
    _common(check, f"{OF_SCENARIO} trust")


def _add_linux(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    summary = "kernels whose TCP runs scenarios in simulated time"
    linux = commands.add_parser("linux", help=summary, description=summary, allow_abbrev=False)
    actions = linux.add_subparsers(metavar="ACTION", required=True)

    build = _add(
        actions, "build", "linux:build", "build a kernel, and the network that it loads, into the user's cache"
    )
    build.add_argument(
        "--source",
        metavar="FILE",
        help="archive, Debian package or folder of a kernel's source (the newest of /usr/src)",
    )
    build.add_argument("--name", metavar="NAME", default="default", help="as after `--on linux:` (%(default)s)")
    build.add_argument("--hz", metavar="N", type=_whole(100, 1000), default=250, help="timer frequency (%(default)s)")
    _common(build, "jobs quiet json", jobs="compilers at a time (2)")
    build.set_defaults(jobs=2)

    status = _add(actions, "status", "linux:status", "say which kernels are built")
    _common(status, "json")


def _add_shell(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    completion = _add(commands, "completion", "shell:completion", "print a script that completes commands in a shell")
    completion.add_argument("shell", choices=["bash", "zsh", "fish"])
    _add(commands, "man", "shell:man", "print the manual page")


def _add_why(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    why = _add(commands, "why", "why:why", "say what happened to a flow around a moment")
    why.add_argument("folder", metavar="DIR", type=Path, help="run folder")
    why.add_argument("--flow", metavar="F", required=True, help="its number from 0, GROUP or GROUP[NUMBER]")
    why.add_argument("--at", metavar="TIME", required=True, help="time of the run, as in 12.3s")
    why.add_argument("--replication", metavar="N", type=_whole(0, 10**6), help="its number (the first)")
    why.add_argument("--window", metavar="TIME", default="1s", help="how far from it to look (%(default)s)")
    _common(why, "json")


def _add_share(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    pack = _add(commands, "pack", "share:pack", "make one file of a run, comparison or study")
    pack.add_argument("folder", metavar="DIR", type=Path)
    pack.add_argument("--out", metavar="FILE", type=Path, help="the file (NAME.zip)")

    verify = _add(commands, "verify", "share:verify", "repeat packed results and say whether they are the same")
    verify.add_argument("file", metavar="FILE", type=Path, help="a file that `narrows pack` wrote")
    _common(verify, "jobs trust json", trust="execute the Python files and the commands in it")


def _add_overlay_flags(command: argparse.ArgumentParser) -> None:
    command.add_argument("--size", metavar="NAME", help="one of the file's sizes (none: the description as it stands)")
    command.add_argument("--variant", metavar="NAME", help="one of the file's variants")


def _add_views(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    matrix = _add(commands, "matrix", "views:matrix", "put every algorithm beside every other: shares, harm and delay")
    matrix.add_argument("algorithms", metavar="ALG", nargs="+", action=_Distinct, help="as after `compare`")
    for name, default, meaning in (
        ("rates", "10Mbps,100Mbps", "of the bottleneck"),
        ("rtts", "20ms,100ms", "two-way propagation delays"),
        ("buffers", "1bdp,4bdp", "limits of the queue"),
        ("queues", "droptail", "queues, with parameters as in 'red(gentle=true)'"),
    ):
        matrix.add_argument(f"--{name}", metavar="LIST", type=_listed, default=default, help=f"{meaning} (%(default)s)")
    matrix.add_argument("--flows", metavar="N", type=_whole(1, 1000), default=1, help="of each side (%(default)s)")
    matrix.add_argument(
        "--within",
        metavar="PART",
        help="add replications until each share of a pair is known to this part of the fair share (5%%)",
    )
    matrix.add_argument("--maximum", metavar="N", type=_whole(2, 10**6), help="of replications then (20)")
    _add_view_flags(matrix)

    deploy = _add(commands, "deploy", "views:deploy", "let an algorithm replace another one in more and more flows")
    deployed = "what is deployed: an algorithm as after `compare`, pacing, or connections=N (N in place of one)"
    deploy.add_argument("algorithm", metavar="ALG", help=deployed)
    deploy.add_argument("--against", metavar="ALG", default="cubic", help="what is there (%(default)s)")
    deploy.add_argument(
        "--fractions",
        metavar="LIST",
        type=_listed,
        default="5,25,50,75,95",
        help="per cent of the flows that have moved, 0 and 100 always among them (%(default)s)",
    )
    deploy.add_argument(
        "--flows", metavar="N", type=_whole(2, 1000), help="in all (20, or as many more as the fractions need)"
    )
    _add_view_flags(deploy)


def _add_view_flags(command: argparse.ArgumentParser) -> None:
    _common(command, f"{OF_SCENARIO} jobs out")
    _add_on(command, "; both for a study on each, side by side")
    _add_executor_flags(command)


def _add_export(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    summary = "write a run in the form of another tool"
    export = commands.add_parser("export", help=summary, description=summary, allow_abbrev=False)
    forms = export.add_subparsers(metavar="FORM", required=True)

    pcapng = _add(forms, "pcapng", "export:export", "the packet log as a capture, for Wireshark")
    pcapng.add_argument("folder", metavar="DIR", type=Path, help="folder of a run with record.packets = true")
    pcapng.add_argument(
        "--at",
        metavar="POINT",
        action="append",
        help="sender, receiver, a link, 'LINK dropped', or all: each is an interface (repeatable; sender)",
    )
    pcapng.add_argument("--out", metavar="FILE", type=Path, help="the capture (DIR/packets.pcapng)")

    csv = _add(forms, "csv", "export:export", "every table as CSV, for spreadsheets")
    csv.add_argument("folder", metavar="DIR", type=Path, help="folder of a run")
    csv.add_argument("--out", metavar="DIR", type=Path, help="folder for the tables (DIR/csv)")

    qlog = _add(forms, "qlog", "export:export", "packets, losses, states and windows of each flow as qlog, for qvis")
    qlog.add_argument("folder", metavar="DIR", type=Path, help="folder of a run with series of flows")
    qlog.add_argument("--out", metavar="DIR", type=Path, help="folder for a file per flow (DIR/qlog)")

    for form in (pcapng, csv, qlog):
        form.set_defaults(form=form.prog.split()[-1])
    for form in (pcapng, qlog):
        form.add_argument("--replication", metavar="N", type=_whole(0, 10**6), help="which, from 0 (the first)")


def _add_reproduce(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    reproduce = _add(commands, "reproduce", "reproduce:reproduce", "run a published study and judge its claims")
    what = "the study, as --list names it, or the folder of one's own"
    reproduce.add_argument("name", metavar="NAME|DIR", nargs="?", help=what)
    reproduce.add_argument("--list", action="store_true", help="say which studies there are, and what was found")
    _add_sizes(
        reproduce,
        quick="(default)",
        medium="the source's own durations, and only the cells that claims ask for; hours",
        full="everything; may take hours",
    )
    more = "then add seeds to the cells of open claims for so long, as in 30min or 2h"
    reproduce.add_argument("--decide", metavar="TIME", type=_time, help=more)
    reproduce.add_argument("--judge", action="store_true", help="run nothing; judge the experiments that are finished")
    _common(reproduce, OF_RESUMED, **ITS_OWN, jobs=CELLS, out=RESUMED)


def _add_questions(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    _add_suite(commands)
    _add_ab(commands)
    _add_worst(commands)


def _add_suite(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    suite = _add(commands, "suite", "suite:suite", "measure the criteria of a document, such as RFC 9743")
    suite.add_argument("name", metavar="NAME", help="the suite, or the path of a suite file")
    suite.add_argument("subject", metavar="SUBJECT", help="an algorithm as after `compare`, or a queue")
    _add_sizes(suite, quick="(default)", full="all conditions and replications")
    what = "these sections alone, as in 5.1.3,7.9; 7 means 7.1, 7.2 and so on (all)"
    suite.add_argument("--rows", metavar="SECTIONS", type=_listed, default=[], help=what)
    _add_on(suite, "; both for the kernel beside the simulator in every row")
    _common(suite, OF_RESUMED, **ITS_OWN, jobs=CELLS, out=RESUMED)


def _add_ab(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    ab = _add(commands, "ab", "ab:ab", "say whether a change of an algorithm makes anything worse, for a CI job")
    ab.add_argument("a", metavar="A", help="what there is: an algorithm as after `compare`")
    ab.add_argument("b", metavar="B", help="the change")
    where = ab.add_mutually_exclusive_group()
    where.add_argument("--suite", metavar="NAME", help="the cells and metrics of a suite")
    where.add_argument(
        "--scenario",
        metavar="FILE",
        action="append",
        default=[],
        help="scenario file, or the name of one of the library (repeatable; six that come with Narrows)",
    )
    each = "simulator, linux or linux:NAME, or one for each side, as in linux,linux:mine (%(default)s)"
    ab.add_argument("--on", metavar="BACKEND[,BACKEND]", default="simulator", help=each)
    what = "how much worse does not matter, as a part of the value of A (%(default)s)"
    ab.add_argument("--margin", metavar="PART", default="1%", help=what)
    _add_metrics(ab, "judge this metric of each group instead of the usual ones (repeatable)")
    ab.add_argument(
        "--replications",
        metavar="N",
        type=_whole(2, 10**6),
        default=40,
        help="at most; a scenario stops when it is decided (%(default)s)",
    )
    _common(ab, "seed jobs out trust json quiet", seed="instead of the scenarios' own", out=f"{PLACE} (runs/ab-HASH)")


def _add_worst(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    worst = _add(commands, "worst", "worst:worst", "search for environments in which an algorithm does worst")
    worst.add_argument("algorithm", metavar="ALG", help="as after `compare`")
    worst.add_argument(
        "--against", metavar="REF", help="the reference (cubic; for cubic itself bbr3, or bbr1 with --on linux)"
    )
    what = "linux or linux:NAME: repeat every find on the kernel, too; the search is the simulator's (%(default)s)"
    worst.add_argument("--on", metavar="BACKEND", default="simulator", help=what)
    worst.add_argument(
        "--budget",
        metavar="BUDGET",
        default="10min",
        help="a time, or a number of environments, with which the atlas is the same again (%(default)s)",
    )
    _common(worst, "seed jobs out json quiet", seed="of everything (1)", out=RESUMED)


def _add_executor_flags(command: argparse.ArgumentParser) -> None:
    command.add_argument("--executor", choices=EXECUTORS, default="threads", help="where cells run (%(default)s)")
    command.add_argument("--address", metavar="URL", help="Dask's scheduler, as in tcp://host:8786")


def _add_sizes(command: argparse.ArgumentParser, **meanings: str) -> None:
    sizes = command.add_mutually_exclusive_group()
    for name, meaning in meanings.items():
        sizes.add_argument(f"--{name}", dest="size", action="store_const", const=name, default="quick", help=meaning)


def _common(command: argparse.ArgumentParser, names: str, **meanings: str) -> None:
    """Add options that several commands have.

    Args:
        command: The command.
        names: Their names in `COMMON`, with spaces.
        meanings: What some of them mean for this command.
    """
    for name in names.split():
        flag = COMMON[name]
        command.add_argument(f"--{name}", **{**flag, "help": meanings.get(name, flag["help"])})


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, target: str, summary: str
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
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
    _add_metrics(command, "add a metric, as in 'cov(bin=10s)' (repeatable)")
    _common(command, f"{OF_SCENARIO} jobs out trust")


def _add_on(command: argparse.ArgumentParser, more: str = "") -> None:
    command.add_argument(
        "--on", metavar="BACKEND", default="simulator", help=f"simulator, linux or linux:NAME{more} (%(default)s)"
    )


def _add_kernel_queues(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--queue",
        metavar="QUEUES",
        default="",
        help="with --on linux: linux for the kernel's queue disciplines, linux:KIND for one on every bottleneck",
    )


def _listed(text: str) -> list[str]:
    from narrows.run.list_arguments import split

    return split(text)


def _whole(minimum: int, maximum: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = minimum - 1
        if not minimum <= number <= maximum:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {minimum} to {maximum}")
        return number

    return parse


def _time(text: str) -> float:
    """Return a time, as in 90s, 30min or 2h, in seconds."""
    for unit, factor in (("min", 60.0), ("h", 3600.0), ("s", 1.0)):
        if text.endswith(unit):
            with suppress(ValueError):
                value = float(text.removesuffix(unit))
                if 0 < value < float("inf"):
                    return value * factor
    raise argparse.ArgumentTypeError(f"{text!r} is no time such as 90s, 30min or 2h")


class _Distinct(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        del option_string
        names = [str(value) for value in values or []]
        from narrows.run.scenario import given_twice

        twice = given_twice(names)
        if twice is not None:
            parser.error(f"{twice} is given twice: a comparison names each algorithm once")
        setattr(namespace, self.dest, names)


class _Version(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        del namespace, values, option_string
        from importlib.metadata import version

        print(f"narrows {version('narrows')}")
        parser.exit()


EXECUTORS = ("threads", "dask")
KINDS = ("algorithms", "queues", "scenarios", "studies", "metrics", "presets")
# What an option means for some commands.
CELLS = "cells at a time (one per processor)"
PLACE = "folder for the results"
RESUMED = "folder; one with unfinished results is resumed"
ITS_OWN = {"seed": "instead of its own", "replications": "instead of its own"}
# The options of what runs a scenario, and of what can be resumed.
OF_SCENARIO = "set seed replications json quiet"
OF_RESUMED = "seed replications jobs out trust json quiet"
COMMON: dict[str, dict[str, Any]] = {
    "set": {
        "metavar": "KEY.PATH=VALUE",
        "action": "append",
        "default": [],
        "help": "change a key of the scenario (repeatable)",
    },
    "seed": {"metavar": "N", "type": _whole(0, 2**63 - 1), "help": "instead of the scenario's own"},
    "replications": {"metavar": "N", "type": _whole(1, 10**6), "help": "instead of the scenario's own"},
    "jobs": {"metavar": "N", "type": _whole(1, 4096), "help": "runs at a time (one per processor)"},
    "out": {"metavar": "DIR", "type": Path, "help": f"{PLACE} (runs/TITLE-HASH)"},
    "trust": {
        "action": "store_true",
        "help": "execute Python files that are neither in the folder of the given file or below it, nor named here, "
        "and commands in files; of a folder of results all of both",
    },
    "json": {"action": "store_true", "help": "print the result as JSON"},
    "quiet": {"action": "store_true", "help": "no progress"},
}
