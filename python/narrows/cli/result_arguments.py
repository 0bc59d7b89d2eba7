# SPDX-License-Identifier: Apache-2.0
"""The arguments of the commands that read results, or hand them on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from narrows.cli.adding import add, common, group
from narrows.cli.argument_types import millimetres, time, whole

if TYPE_CHECKING:
    import argparse

    from narrows.cli.parser import Parser


def add_uses(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add figure, export, import, why, pack and verify."""
    for each in (_add_figure, _add_exchange, _add_why, _add_share):
        each(commands)


def _add_figure(commands: argparse._SubParsersAction[Parser]) -> None:
    figure = add(commands, "figure", "figure:figure", "write a figure of a report as PDF, SVG, PNG or PGF, for a paper")
    figure.add_argument("folder", metavar="DIR", type=Path, help="folder of results with a report")
    figure.add_argument("name", metavar="NAME", nargs="?", help="name of the figure, as cwnd; none lists all")
    figure.add_argument(
        "--out", metavar="FILE", type=Path, help="file ending in .pdf, .svg, .png or .pgf (default: NAME.pdf)"
    )
    figure.add_argument(
        "--width", metavar="MM", type=millimetres, default=160.0,
        help="width in millimetres; up to 110 the panels are those of a column (default: 160)",
    )  # fmt: skip
    figure.add_argument(
        "--replication",
        metavar="N",
        type=whole(0, 10**6),
        help="number of the replication of a figure over time, from 0 (default: the first)",
    )
    figure.add_argument("--json", action="store_true", help="print file, title and caption as JSON")


def _add_exchange(commands: argparse._SubParsersAction[Parser]) -> None:
    summary = "export a run in the format of another tool"
    export = group(commands, "export", summary)
    forms = export.add_subparsers(metavar="FORM", required=True)

    pcapng = add(forms, "pcapng", "export:export", "write the packet log as a capture, for Wireshark")
    pcapng.add_argument("folder", metavar="DIR", type=Path, help="folder of a run with record.packets = true")
    pcapng.add_argument(
        "--at",
        metavar="POINT",
        action="append",
        help="observation point, an interface of the capture: sender, receiver, a link, 'LINK dropped', or all "
        "(repeatable; default: sender)",
    )
    pcapng.add_argument("--out", metavar="FILE", type=Path, help="file to write (default: DIR/packets.pcapng)")

    csv = add(forms, "csv", "export:export", "write every table as CSV, for spreadsheets")
    csv.add_argument("folder", metavar="DIR", type=Path, help="folder of a run")
    csv.add_argument("--out", metavar="DIR", type=Path, help="folder for the tables (default: DIR/csv)")

    qlog = add(
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

    read = add(
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


def _add_why(commands: argparse._SubParsersAction[Parser]) -> None:
    why = add(commands, "why", "why:why", "explain what happened to a flow around a given time")
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
    common(why, "json")


def _add_share(commands: argparse._SubParsersAction[Parser]) -> None:
    pack = add(commands, "pack", "share:pack", "pack results into one file")
    pack.add_argument(
        "folder",
        metavar="DIR",
        type=Path,
        help="folder of a run, comparison, study, suite, reproduction, trial or atlas",
    )
    pack.add_argument("--out", metavar="FILE", type=Path, help="file to write (default: NAME.zip)")

    verify = add(commands, "verify", "share:verify", "rerun packed results and compare them")
    verify.add_argument("file", metavar="FILE", type=Path, help="file written by `narrows pack`")
    common(verify, "jobs trust json", trust="execute Python files and commands of the packed results")
