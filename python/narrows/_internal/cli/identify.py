# SPDX-License-Identifier: Apache-2.0
"""`narrows identify`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from narrows._internal.cli.command import ASK, DONE, Command
from narrows._internal.cli.options import common

if TYPE_CHECKING:
    from narrows._internal.trace.identify import Answer


def identify(arguments: argparse.Namespace) -> int:
    """Print which congestion control algorithm governed a flow of a trace."""
    from narrows._internal.commands import identifying
    from narrows._internal.files.json_objects import to_json

    found = identifying.of_file(arguments.file, arguments.flow, arguments.jobs)
    if arguments.svg is not None:
        identifying.write_picture(found, arguments.svg)
    print(to_json(found.as_json()) if arguments.json else _text(found.flow.name, found.answer))
    return DONE


def _text(name: str, answer: Answer) -> str:
    from textwrap import wrap

    from narrows._internal.cli.table import WIDTH

    lines = [name, *wrap(answer.sentence, WIDTH)]
    if answer.distances:
        wide = max(map(len, answer.distances))
        shown = list(answer.distances.items())[:SHOWN]
        lines += ["", f"{'algorithm':{wide}}  distance", *(f"{each:{wide}}  {far:8.1f}" for each, far in shown)]
    return "\n".join(lines)


SHOWN = 8


def _options(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="TRACE", type=Path, help="trace of one or more flows")
    what = "number of the flow, the one with most payload being 0 (default: %(default)s)"
    command.add_argument("--flow", metavar="N", type=int, default=0, help=what)
    what = "draw the flow beside the nearest simulated one into this file"
    command.add_argument("--svg", metavar="FILE", type=Path, help=what)
    common(command, "jobs json", jobs="number of simulations in parallel (default: one per processor)")


COMMANDS = (
    Command(
        "identify",
        "identify the congestion control algorithm of a flow of a trace",
        ASK,
        _options,
        ("identify trace.pcapng --svg evidence.svg",),
        job=identify,
    ),
)
