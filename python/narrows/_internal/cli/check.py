# SPDX-License-Identifier: Apache-2.0
"""`narrows check` and `narrows schema`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO

from narrows._internal import core
from narrows._internal.cli import known
from narrows._internal.cli.command import BAD_INPUT, DONE, LOOK_UP, RUN, Command
from narrows._internal.cli.options import OF_SCENARIO, SCENARIO, backend, common
from narrows._internal.errors import InputError

if TYPE_CHECKING:
    from narrows._internal.external.trust import Executed


def check(arguments: argparse.Namespace) -> int:
    """Parse and resolve a scenario, execute nothing, and print its description or its faults."""
    from shutil import get_terminal_size
    from textwrap import fill

    from narrows._internal.external.trust import ALL_CHANGES
    from narrows._internal.library import find_scenario
    from narrows._internal.run.scenario import read

    executes: list[Executed] = []
    try:
        scenario = read(find_scenario(arguments.file), arguments.set, trust=arguments.trust, on=arguments.on)
        # Also for a scenario that a backend refuses.
        with suppress(core.ScenarioError):
            executes = scenario.executes()
        # Nothing is executed here, so commands are described, whether they are trusted or not.
        scenario.trust = scenario.trust._replace(text=True, changes=ALL_CHANGES)
        resolved = scenario.check(arguments.replications, arguments.seed)
    except (core.ScenarioError, InputError) as error:
        if arguments.json:
            print(_as_json(error.diagnostics, executes))
        print(str(error).rstrip("\n"), file=sys.stderr)
        print_executed(executes, sys.stderr)
        return BAD_INPUT
    if arguments.json:
        print(_as_json([], executes))
    else:
        print(resolved.title)
        width = min(WIDTH, get_terminal_size().columns)
        for name, text in resolved.description:
            print(fill(f"{name}: {text}", width, initial_indent="  ", subsequent_indent="    "))
        print_executed(executes)
    return DONE


def _as_json(diagnostics: Sequence[Mapping[str, Any]], executes: Sequence[Executed]) -> str:
    from narrows._internal.files.json_objects import to_json

    return to_json({"diagnostics": diagnostics, "executes": [each.as_json() for each in executes]})


def print_executed(found: Sequence[Executed], stream: TextIO | None = None) -> None:
    """Print the files and commands that a run would execute, a line each."""
    for each in found:
        print(f"would execute{'' if each.trusted else ', only with --trust'}: {each}", file=stream)


def schema(_arguments: argparse.Namespace) -> int:
    """Print the JSON Schema of the scenario file."""
    print(core.schema())
    return DONE


WIDTH = 80


def _check(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help=SCENARIO)
    common(command, f"{OF_SCENARIO} trust")
    backend(command)


COMMANDS = (
    Command(
        "check",
        "check a scenario and describe it, without executing anything",
        RUN,
        _check,
        ("check two-flows --set path.rtt=80ms",),
        {"file": known.scenarios},
        check,
    ),
    Command(
        "schema",
        "print the JSON Schema of the scenario file",
        LOOK_UP,
        examples=("schema > scenario.schema.json",),
        job=schema,
    ),
)
