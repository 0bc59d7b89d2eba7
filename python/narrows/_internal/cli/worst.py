# SPDX-License-Identifier: Apache-2.0
"""`narrows worst`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from narrows._internal.cli import known
from narrows._internal.cli.command import ASK, Command
from narrows._internal.cli.options import ALGORITHM, RESUMED, common
from narrows._internal.plural import counted


def worst(arguments: argparse.Namespace) -> int:
    """Search for environments in which an algorithm does worst against a reference."""
    from narrows._internal.cli.work import Work
    from narrows._internal.commands.searches import Searching
    from narrows._internal.files.json_objects import to_json

    work = Work(arguments)
    job = Searching.prepare(arguments.algorithm, work.options, arguments.against, arguments.budget)
    done = work.perform(job)
    print(to_json(done.result) if arguments.json else _table(done.result))
    return work.end(done)


def _table(atlas: Mapping[str, Any]) -> str:
    from textwrap import wrap

    from narrows._internal.cli.table import WIDTH

    tried, left = counted(atlas["evaluations"], "environment"), counted(len(atlas["unconfirmed"]), "find")
    note = f"{tried} tried; {left} not confirmed on fresh seeds"
    alike = ["", *wrap(atlas["unlike"], WIDTH)] if atlas["unlike"] else []
    return "\n".join([atlas["title"], note, *alike, *(line for find in atlas["found"] for line in _lines(find, atlas))])


def _lines(find: Mapping[str, Any], atlas: Mapping[str, Any]) -> list[str]:
    """Return a find on lines of its own, for an environment in words is as wide as a terminal."""
    from narrows._internal.cli.table import written
    from narrows._internal.rounding import plus_minus
    from narrows._internal.search.finds import score_text
    from narrows.metrics import resolve

    lines = [
        "",
        f"{find['scenario']}: {find['kind']} {score_text(find['score'], find['interval'])}",
        *_indented(find["words"]),
    ]
    for on, entry in (("", find), (f"on {atlas['on']}: ", find.get("linux"))):
        if entry is not None:
            unit, scale = written(resolve(find["metric"]).unit, [entry["measured"], entry["reference_measured"]])
            numbers = [
                f"{plus_minus({'mean': entry[name], 'ci95': None}, scale)} {unit}"
                for name in ("measured", "reference_measured")
            ]
            score = f"score {score_text(entry['score'], entry['interval'])}, " if on else ""
            text = f"{on}{score}{find['metric']} of {find['group']} {numbers[0]}, with {atlas['against']} {numbers[1]}"
            lines += _indented(text)
    return lines


def _indented(text: str) -> list[str]:
    from textwrap import wrap

    from narrows._internal.cli.table import WIDTH

    return wrap(text, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)


INDENT = "  "


def _options(command: argparse.ArgumentParser) -> None:
    command.add_argument("algorithm", metavar="ALG", help=ALGORITHM)
    what = "reference algorithm (default: cubic; for cubic itself bbr3, or bbr1 with --on linux)"
    command.add_argument("--against", metavar="REF", help=what)
    what = (
        "linux or linux:NAME: repeat each result on that kernel; the search uses the simulator (default: %(default)s)"
    )
    command.add_argument("--on", metavar="BACKEND", default="simulator", help=what)
    what = "time, or number of environments, which makes the result reproducible (default: %(default)s)"
    command.add_argument("--budget", metavar="BUDGET", default="10min", help=what)
    common(
        command,
        "set seed jobs out json quiet",
        set="set a key of every environment, as in transport.slow_start=standard (repeatable)",
        seed="seed of the search and its runs (default: 1)",
        out=RESUMED,
    )


COMMANDS = (
    Command(
        "worst",
        "search for the environments in which an algorithm performs worst",
        ASK,
        _options,
        ("worst ./mine.py:Mine --budget 2min", "worst bbr3 --against cubic --budget 200"),
        {"algorithm": known.algorithms},
        worst,
    ),
)
