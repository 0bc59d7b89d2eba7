# SPDX-License-Identifier: Apache-2.0
"""The page of exercises: questions of `exercises.toml`, their commands, and answers with what these commands found."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import tempfile
import textwrap
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

from narrows._internal.cli import main
from narrows._internal.commands.runs import Running

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Summary = Mapping[str, Any]

SOURCE = Path(__file__).with_suffix("").with_name("exercises.toml")
PREFACE = """
One for each lesson of the [playground](playground.md), for a lab of 90 minutes or for reading alone. Answer each
question on paper first, then run the command, or open the lesson in the playground and move the sliders. Each command
takes a few seconds. The answers have what the commands found when this page was made; tests run them again, and the
same numbers come out on every machine."""
QUOTED = re.compile(r"\{(?P<command>\d+): (?P<run>[^/{}]+)/(?P<owner>[^/{}]+)/(?P<metric>\w+), (?P<unit>[^{}]+)\}")
WIDTH = 130


class Unit(NamedTuple):
    """How a value is written.

    Attributes:
        factor: What it is multiplied by.
        text: What stands behind it.
    """

    factor: float
    text: str


UNITS = {"%": Unit(100.0, " %"), "ms": Unit(1e3, " ms"), "Mbps": Unit(1e-6, " Mbps"), "packets": Unit(1.0, " packets")}


def page() -> str:
    """Return the page as Markdown."""
    exercises = tomllib.loads(SOURCE.read_text("utf-8"))["exercises"]
    parts = ["# Exercises", _filled(PREFACE)]
    for number, each in enumerate(exercises, 1):
        answer = quoted(each["answer"], [found(command) for command in each["commands"]])
        parts += [
            f"## {number}. Lesson `{each['lesson']}`",
            _filled(each["question"]),
            "\n".join(f"    narrows {command}" for command in each["commands"]),
            f"<details><summary>Answer</summary>\n\n{_filled(answer)}\n\n</details>",
        ]
    return "\n\n".join(parts) + "\n"


def found(command: str) -> Summary:
    """Run a command, and return the contents of its `summary.json`.

    Raises:
        ValueError: The command fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        place, said = Path(folder) / "out", io.StringIO()
        # The page of a folder takes longer than most runs, and no answer quotes it.
        paged = mock.patch.object(Running, "build")
        with paged, contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = main([*shlex.split(command), "--out", str(place)])
        if status:
            raise ValueError(f"`narrows {command}` ends with status {status}: {said.getvalue()}")
        summary: Summary = json.loads((place / "summary.json").read_text("utf-8"))
    return summary


def quoted(text: str, summaries: Sequence[Summary]) -> str:
    """Return an answer with the values that it quotes, of the commands in their order.

    Raises:
        ValueError: There is no such command, run, owner, metric or unit.
    """
    return QUOTED.sub(lambda marked: _value(marked, summaries), text)


def _value(marked: re.Match[str], summaries: Sequence[Summary]) -> str:
    try:
        summary = summaries[int(marked["command"]) - 1]
        run = summary["algorithms" if "algorithms" in summary else "levels"][marked["run"]]
        value = {**run["groups"], **run["links"]}[marked["owner"]][marked["metric"]]["mean"]
        unit = UNITS[marked["unit"]]
    except (IndexError, KeyError) as error:
        raise ValueError(f"{marked[0]}: no {error.args[0]}") from error
    return f"{value * unit.factor:.3g}{unit.text}"


def _filled(text: str) -> str:
    return "\n".join(textwrap.wrap(" ".join(text.split()), WIDTH, break_long_words=False, break_on_hyphens=False))
