"""`narrows check` and `narrows schema`."""

from __future__ import annotations

import sys
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING

from narrows import core
from narrows.cli.status import BAD_INPUT, DONE
from narrows.errors import InputError
from narrows.files.manifest import to_json
from narrows.library import find_scenario
from narrows.run.scenario import read

if TYPE_CHECKING:
    import argparse


def check(arguments: argparse.Namespace) -> int:
    """Parse and resolve a scenario, execute nothing, and print its description or its faults."""
    try:
        found = find_scenario(arguments.file)
        scenario = read(found.file, [*found.changes, *arguments.set], trust=arguments.trust, on=arguments.on)
        resolved = scenario.check(arguments.replications, arguments.seed)
    except (core.ScenarioError, InputError) as error:
        if arguments.json:
            print(to_json(error.diagnostics))
        print(str(error).rstrip("\n"), file=sys.stderr)
        return BAD_INPUT
    if arguments.json:
        print(to_json([]))
    else:
        print(resolved.title)
        width = min(WIDTH, get_terminal_size().columns)
        for name, text in resolved.description:
            print(fill(f"{name}: {text}", width, initial_indent="  ", subsequent_indent="    "))
    return DONE


def schema(_arguments: argparse.Namespace) -> int:
    """Print the JSON Schema of the scenario file."""
    print(core.schema())
    return DONE


WIDTH = 80
