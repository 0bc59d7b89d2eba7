# SPDX-License-Identifier: Apache-2.0
"""`narrows worst`."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from narrows.cli.table import WIDTH, written
from narrows.cli.work import Work
from narrows.commands.searches import Searching
from narrows.files.json_objects import to_json
from narrows.metrics import resolve
from narrows.plural import counted
from narrows.rounding import plus_minus
from narrows.search.finds import score_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping


def worst(arguments: argparse.Namespace) -> int:
    """Search for environments in which an algorithm does worst against a reference."""
    work = Work(arguments)
    job = Searching.prepare(arguments.algorithm, work.options, arguments.against, arguments.budget)
    done = work.perform(job)
    print(to_json(done.result) if arguments.json else _table(done.result))
    return work.end(done)


def _table(atlas: Mapping[str, Any]) -> str:
    tried, left = counted(atlas["evaluations"], "environment"), counted(len(atlas["unconfirmed"]), "find")
    note = f"{tried} tried; {left} not confirmed on fresh seeds"
    alike = ["", *wrap(atlas["unlike"], WIDTH)] if atlas["unlike"] else []
    return "\n".join([atlas["title"], note, *alike, *(line for find in atlas["found"] for line in _lines(find, atlas))])


def _lines(find: Mapping[str, Any], atlas: Mapping[str, Any]) -> list[str]:
    """Return a find on lines of its own, for an environment in words is as wide as a terminal."""
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
    return wrap(text, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)


INDENT = "  "
