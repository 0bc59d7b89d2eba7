# SPDX-License-Identifier: Apache-2.0
"""The commands that read results, or hand them on."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from narrows._internal.cli import known
from narrows._internal.cli.command import DONE, EXPECTATION_FAILED, READ, RUN, Command
from narrows._internal.cli.options import common, millimetres, replication, time

if TYPE_CHECKING:
    from narrows._internal.experiments.layout import Asked
    from narrows._internal.trace.shown import Shown


def playground(arguments: argparse.Namespace) -> int:
    """Write a page that runs a scenario in a browser, and print its path."""
    from narrows._internal.commands.playground import write

    print(write(arguments.file, arguments.out or Path("playground.html")))
    return DONE


def report(arguments: argparse.Namespace) -> int:
    """Build the page of results, or the index of a folder of results, and print its path."""
    from narrows._internal.commands import page
    from narrows._internal.errors import InputError
    from narrows._internal.files.manifest import MANIFEST, check_folder
    from narrows._internal.files.shape import fitting

    folder: Path = arguments.folder
    with fitting(folder):
        if (folder / MANIFEST).is_file():
            check_folder(folder)
        if not arguments.paragraph:
            print(page.build(folder))
            return DONE
        text = page.paragraph(folder)
    if not text:
        raise InputError(str(folder), "its page has no paragraph; allowed: results of a command, with data")
    print(text)
    return DONE


def figure(arguments: argparse.Namespace) -> int:
    """Write a figure of a page into a file and print its caption; without a name, list the figures."""
    from narrows._internal.errors import InputError
    from narrows._internal.files.json_objects import to_json
    from narrows._internal.opened.figures import pictures_in, write, write_response

    asked = _asked(arguments)
    if asked is None and arguments.name is None:
        found = pictures_in(arguments.folder)
        if arguments.json:
            print(
                to_json([{"name": each.name, "title": each.title, "caption": each.caption} for each in found.values()])
            )
            return DONE
        wide = max(map(len, found), default=0)
        for each in found.values():
            print(f"{each.name:{wide}}  {each.title}")
        return DONE
    if asked is None:
        place, shown = write(arguments.folder, arguments.name, arguments.out, arguments.width, arguments.replication)
    elif arguments.name is not None or arguments.replication is not None:
        given = f"--replication {arguments.replication}" if arguments.name is None else arguments.name
        raise InputError(given, "belongs to a figure of the page; --y and --x describe another one")
    else:
        place, shown = write_response(arguments.folder, asked, arguments.out, arguments.width, arguments.experiment)
    if arguments.json:
        print(to_json({"file": str(place), "name": shown.name, "title": shown.title, "caption": shown.caption}))
        return DONE
    print(place)
    print(f"\nCaption: {shown.title}. {shown.caption}")
    return DONE


def _asked(arguments: argparse.Namespace) -> Asked | None:
    """Return the figure against factors that the options describe; None without any."""
    from narrows._internal.errors import InputError
    from narrows._internal.experiments.layout import Asked

    given = {name: getattr(arguments, name) for name in ("y", "x", "lines", "panels", "where", "average", "experiment")}
    named = [name for name, value in given.items() if value]
    if not named:
        return None
    if missing := [name for name in ("y", "x") if name not in named]:
        needed = {"y": "--y METRIC", "x": "--x FACTOR"}
        raise InputError(f"--{named[0]}", f"needs {' and '.join(needed[name] for name in missing)}, too")
    at = {}
    for text in given["where"]:
        factor, equals, level = text.partition("=")
        if not equals or factor in at:
            raise InputError(f"--where {text}", "expected FACTOR=LEVEL, once for each factor")
        at[factor] = level
    return Asked(given["y"], given["x"], given["lines"], given["panels"], at, given["average"])


def why(arguments: argparse.Namespace) -> int:
    """Print an explanation of the events of a flow around a moment."""
    from shutil import get_terminal_size
    from textwrap import fill

    from narrows._internal.api import why as explain
    from narrows._internal.files.json_objects import to_json

    options = {"replication": arguments.replication, "window": arguments.window}
    found = explain(arguments.folder, arguments.flow, arguments.at, **options)
    if arguments.json:
        print(to_json(found.as_json()))
        return DONE
    width = get_terminal_size().columns
    print(fill(found.answer, width), end="\n\n" if found.sentences else "\n")
    for each in found.sentences:
        stamp = f"{each.time_s:10.4f} s  "
        print(fill(each.text, width, initial_indent=stamp, subsequent_indent=" " * len(stamp)))
    return DONE


def export(arguments: argparse.Namespace) -> int:
    """Write a run in the form of another tool, and print the file or the folder."""
    from narrows._internal.api import export as write

    options = {name: value for name in ("at", "replication") if (value := getattr(arguments, name, None)) is not None}
    print(write(arguments.form, arguments.folder, arguments.out, **options))
    return DONE


def import_trace(arguments: argparse.Namespace) -> int:
    """Print the path in a trace and write it as a scenario, or write the rates in it as a table."""
    from narrows._internal.errors import InputError

    if arguments.lines:
        return _import_tc(arguments)
    if arguments.out is not None and arguments.out.suffix == ".csv":
        return _import_rates(arguments)
    if arguments.step is not None:
        raise InputError("--step", "belongs to a table of rates: --out FILE.csv")
    if arguments.out is not None and arguments.out.suffix not in {".toml", ".html"}:
        forms = "FILE.toml, a scenario, FILE.html, a page, or FILE.csv, rates over time"
        raise InputError(f"--out {arguments.out}", f"has no form that is written; allowed: {forms}")
    return _import_path(arguments)


def _import_path(arguments: argparse.Namespace) -> int:
    """Print the path in a trace, and write the scenario if a file is given."""
    from narrows._internal.api import import_trace as read
    from narrows._internal.cli.table import printable
    from narrows._internal.files.json_objects import to_json

    shown = read(arguments.file, arguments.out, source=arguments.source, flow=arguments.flow)
    if arguments.json:
        print(to_json(shown.as_json()))
        return DONE
    _print_shown(shown)
    if arguments.out is not None:
        print()
        use = f": narrows compare cubic bbr3 --scenario {arguments.out}" if arguments.out.suffix == ".toml" else ""
        print(printable(f"{arguments.out}{use}"))
    return DONE


def _print_shown(shown: Shown) -> None:
    """Print the flows of a trace, and each quantity of the path of one with its interval and its basis."""
    from shutil import get_terminal_size
    from textwrap import fill

    from narrows._internal.cli.colour import paint
    from narrows._internal.cli.table import printable
    from narrows._internal.plural import counted

    trace = shown.trace
    width = get_terminal_size().columns
    print(paint(printable(f"{trace.file.name}: {shown.flow.name}"), "heading"))
    of = f"{trace.form}; {counted(len(trace.flows), 'flow')} with payload"
    print(fill(printable("; ".join([of, *trace.left_out])), width), end="\n\n")
    rows = shown.rows
    wide = max(len(name) for name, _, _ in rows)
    for name, value, basis in rows:
        print(f"{name:{wide}}  {value}")
        print(
            paint(
                fill(printable(basis), width, initial_indent=" " * (wide + 2), subsequent_indent=" " * (wide + 2)),
                "note",
            )
        )


def _import_rates(arguments: argparse.Namespace) -> int:
    """Write the rates of a capture or of a result of iperf3 as a table, and print their description."""
    from narrows._internal.api import import_rates as read
    from narrows._internal.plural import counted

    rates = read(arguments.file, arguments.out, source=arguments.source, step_s=arguments.step)
    mean = rates.mean_bps() / 1e6
    print(f"{arguments.out}: {counted(len(rates.bps), 'rate')}, {mean:.3g} Mbps on average ({rates.what})")
    return DONE


def _import_tc(arguments: argparse.Namespace) -> int:
    """Write the scenario of lines of `tc`, or print it."""
    from narrows._internal.api import import_tc
    from narrows._internal.errors import InputError

    if str(arguments.file) != TC:
        raise InputError(arguments.lines[0], f"stands behind a file; only {TC} is followed by lines")
    if arguments.source is not None or arguments.step is not None:
        option = "--from" if arguments.source is not None else "--step"
        raise InputError(option, "belongs to a capture or a result of iperf3")
    found = import_tc("\n".join(arguments.lines), arguments.out)
    print(arguments.out or found, end="\n" if arguments.out else "")
    return DONE


def pack(arguments: argparse.Namespace) -> int:
    """Write a folder of results into one file and print its path."""
    from narrows._internal import api

    print(api.pack(arguments.folder, arguments.out))
    return DONE


def verify(arguments: argparse.Namespace) -> int:
    """Repeat packed results, and print whether they are the same and what differs."""
    from narrows._internal import api
    from narrows._internal.cli.work import Work
    from narrows._internal.files.json_objects import to_json
    from narrows._internal.plural import counted

    work = Work(arguments)
    with work.watched():
        options = work.options
        verdict = api.verify(arguments.file, jobs=options.jobs, watch=options.watch, trust=options.trust)
    status = DONE if verdict.same else EXPECTATION_FAILED
    if arguments.json:
        print(to_json(verdict.as_json()))
        return status
    equal = sum(each.found == each.stored for each in verdict.repeated)
    words = "the same" if verdict.same else "different"
    wrong = sum(each.part in {"number", "records"} for each in verdict.differences)
    numbers = counted(wrong, "number is another", "numbers are others") if wrong else NUMBERS
    print(f"{words}: {verdict.title} ({verdict.kind}; {equal} of {len(verdict.repeated)} digests are equal, {numbers})")
    for each in verdict.repeated[:MOST]:
        name = f"{each.name}: " if each.name else ""
        print(f"  {name}{each.stored}" if each.found == each.stored else f"  {name}{each.stored}, here {each.found}")
    if len(verdict.repeated) > MOST:
        print(f"  and {len(verdict.repeated) - MOST} more; --json has all")
    for difference in verdict.differences:
        line = f"{difference.part}: {difference.what} {difference.detail}"
        print(line, file=sys.stdout if verdict.same else sys.stderr)
    print("not compared:")
    for left in verdict.not_compared:
        print(f"  {left.what}: {left.why}")
    return status


def _playground(command: argparse.ArgumentParser) -> None:
    what = "scenario file, name of a scenario of the library, or run folder (default: %(default)s)"
    command.add_argument("file", metavar="FILE", nargs="?", default="two-flows", help=what)
    command.add_argument("--out", metavar="PAGE.html", type=Path, help="file of the page (default: playground.html)")


def _report(command: argparse.ArgumentParser) -> None:
    what = "folder of a run, comparison or study, or a folder of such folders"
    command.add_argument("folder", metavar="DIR", type=Path, help=what)
    what = "print methods and results as a paragraph for the text of a paper, in place of the path of the page"
    command.add_argument("--paragraph", action="store_true", help=what)


def _figure(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", metavar="DIR", type=Path, help="folder of results with a report")
    command.add_argument("name", metavar="NAME", nargs="?", help="name of the figure, as cwnd; none lists all")
    what = "draw this metric of a study, matrix, deployment or reproduction: a column, or group.NAME.METRIC"
    command.add_argument("--y", metavar="METRIC", help=what)
    what = "factor on the axis; each other one with several levels is named below"
    command.add_argument("--x", metavar="FACTOR", help=what)
    what = "a line for each level (default: algorithm, if there are several)"
    command.add_argument("--lines", metavar="FACTOR", help=what)
    for name, metavar, what in (
        ("panels", "FACTOR", "a panel for each level"),
        ("where", "FACTOR=LEVEL", "only this level"),
        ("average", "FACTOR", "the mean over all levels"),
    ):
        command.add_argument(f"--{name}", metavar=metavar, action="append", default=[], help=f"{what}; can be repeated")
    what = "experiment of a reproduction (default: the only one with the metric and the factors)"
    command.add_argument("--experiment", metavar="NAME", help=what)
    what = "file ending in .pdf, .svg, .png or .pgf (default: NAME.pdf)"
    command.add_argument("--out", metavar="FILE", type=Path, help=what)
    what = "width in millimetres; up to 110 the panels fit one column (default: 160)"
    command.add_argument("--width", metavar="MM", type=millimetres, default=160.0, help=what)
    replication(command, " of a figure over time")
    command.add_argument("--json", action="store_true", help="print file, title and caption as JSON")


def _why(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "folder",
        metavar="DIR",
        type=Path,
        help="run folder, or a comparison, of which it takes the worst run; or a trace: a capture, qlog, output of "
        "ss -tin, a result of iperf3 or NDT7",
    )
    what = "flow or client: its number from 0, GROUP or GROUP[NUMBER]; of a trace also its name (default: %(default)s)"
    command.add_argument("--flow", metavar="F", default="0", help=what)
    what = "simulated time, as in 12.3s (default: every change of the window; of a client, its worst moment)"
    command.add_argument("--at", metavar="TIME", help=what)
    replication(command)
    what = "how far before and after that time to look (default: %(default)s)"
    command.add_argument("--window", metavar="TIME", default="1s", help=what)
    common(command, "json")


def _pcapng(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", metavar="DIR", type=Path, help="folder of a run with record.packets = true")
    command.add_argument(
        "--at",
        metavar="POINT",
        action="append",
        help="observation point, an interface of the capture: sender, receiver, a link, 'LINK dropped', or all "
        "(repeatable; default: sender)",
    )
    command.add_argument("--out", metavar="FILE", type=Path, help="file to write (default: DIR/packets.pcapng)")
    command.set_defaults(form="pcapng")
    replication(command)


def _csv(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", metavar="DIR", type=Path, help="folder of a run")
    command.add_argument("--out", metavar="DIR", type=Path, help="folder for the tables (default: DIR/csv)")
    command.set_defaults(form="csv")


def _qlog(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", metavar="DIR", type=Path, help="folder of a run with series of flows")
    command.add_argument("--out", metavar="DIR", type=Path, help="folder for a file per flow (default: DIR/qlog)")
    command.set_defaults(form="qlog")
    replication(command)


def _import(command: argparse.ArgumentParser) -> None:
    what = (
        "trace of a real flow: a capture (pcapng or pcap), qlog, sampled `ss -tin`, a result of iperf3 or NDT7 in "
        f"JSON, or a table of tcp_info; or {TC}, with lines behind it"
    )
    command.add_argument("file", metavar="FILE", type=Path, help=what)
    what = f"with {TC} in place of the file: lines such as 'tc qdisc add dev eth0 root netem delay 50ms', as a scenario"
    command.add_argument("lines", metavar="LINE", nargs="*", help=what)
    what = "file to write: FILE.toml, a scenario, FILE.html, a page, or FILE.csv, rates over time"
    command.add_argument("--out", metavar="FILE", type=Path, help=what)
    command.add_argument(
        "--from",
        metavar="ADDRESS",
        dest="source",
        help="address that sends the flow, or client or server of iperf3 (for rates required if there are several)",
    )
    what = "number of the flow, from 0, in the order of their bytes (default: 0)"
    command.add_argument("--flow", metavar="N", type=int, default=0, help=what)
    command.add_argument("--json", action="store_true", help="print the path as JSON")
    what = "time over which packets of a capture are counted (default: 100ms)"
    command.add_argument("--step", metavar="TIME", type=time, help=what)


def _pack(command: argparse.ArgumentParser) -> None:
    what = "folder of a run, comparison, study, suite, reproduction, trial or atlas"
    command.add_argument("folder", metavar="DIR", type=Path, help=what)
    command.add_argument("--out", metavar="FILE", type=Path, help="file to write (default: NAME.zip)")


def _verify(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", type=Path, help="file written by `narrows pack`")
    common(command, "jobs trust json", trust="execute Python files and commands of the packed results")


MOST = 10
TC = "tc"
NUMBERS = "all that was compared is equal"
COMMANDS = (
    Command(
        "playground",
        "write a web page that runs a scenario in the browser",
        RUN,
        _playground,
        ("playground two-flows --out page.html",),
        {"file": known.scenarios},
        playground,
    ),
    Command(
        "report",
        "rebuild the report of results, or the index of a folder of results",
        READ,
        _report,
        ("report runs/mine", "report runs/mine --paragraph", "report runs"),
        job=report,
    ),
    Command(
        "figure",
        "write a figure of a report as PDF, SVG, PNG or PGF, for a paper",
        READ,
        _figure,
        (
            "figure runs/mine",
            "figure runs/mine cwnd --out cwnd.pdf",
            "figure runs/study --y goodput_fraction --x path.queue.limit --lines path.rtt --panels algorithm",
        ),
        job=figure,
    ),
    Command(
        "why",
        "explain what happened to a flow or a client around a given time",
        READ,
        _why,
        ("why runs/mine --flow call", "why runs/mine --flow 'cubic[0]' --at 12.3s", "why trace.pcapng --at 12.3s"),
        job=why,
    ),
    Command(
        "export",
        "export a run in the format of another tool",
        READ,
        examples=("export pcapng runs/mine --at sender --at receiver",),
        metavar="FORM",
        actions=(
            Command(
                "pcapng",
                "write the packet log as a capture, for Wireshark",
                options=_pcapng,
                examples=("export pcapng runs/mine --at sender --at receiver",),
                job=export,
            ),
            Command(
                "csv",
                "write every table as CSV, for spreadsheets",
                options=_csv,
                examples=("export csv runs/mine --out tables",),
                job=export,
            ),
            Command(
                "qlog",
                "write packets, losses, states and windows of each flow as qlog, for qvis",
                options=_qlog,
                examples=("export qlog runs/mine",),
                job=export,
            ),
        ),
    ),
    Command(
        "import",
        "show the path in a trace of a real flow, and write it as a scenario; or a link from lines of tc",
        READ,
        _import,
        (
            "import capture.pcapng --out path.toml",
            "import connection.qlog",
            "import iperf3.json --out rates.csv",
            "import tc 'tc qdisc add dev eth0 root netem delay 50ms loss 1%' --out link.toml",
        ),
        job=import_trace,
    ),
    Command("pack", "pack results into one file", READ, _pack, ("pack runs/mine --out mine.zip",), job=pack),
    Command("verify", "rerun packed results and compare them", READ, _verify, ("verify mine.zip",), job=verify),
)
