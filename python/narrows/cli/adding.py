# SPDX-License-Identifier: Apache-2.0
"""How a command is added to the parser, and the options that several commands have."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows.cli.argument_types import shard, whole
from narrows.cli.examples import examples

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from narrows.cli.parser import Parser


def add(commands: argparse._SubParsersAction[Parser], name: str, target: str, summary: str) -> argparse.ArgumentParser:
    """Add a command.

    Args:
        commands: The commands of which it is one.
        name: Its name.
        target: The module of `narrows.cli` that has it, and the function, which is imported when it runs.
        summary: What it does, in a line.

    Returns:
        Its parser.
    """
    command = group(commands, name, summary)
    command.set_defaults(command=_late(target), parser=command)
    return command


def group(commands: argparse._SubParsersAction[Parser], name: str, summary: str) -> Parser:
    """Add a command that has commands of its own, or whose function is set later, and return its parser."""
    path = f"{commands._prog_prefix} {name}".partition(" ")[2].strip()  # noqa: SLF001  # argparse has no public name for it
    return commands.add_parser(name, help=summary, description=summary, epilog=examples(path), allow_abbrev=False)


def common(command: argparse.ArgumentParser, names: str, **meanings: str) -> None:
    """Add options that several commands have.

    Args:
        command: The command.
        names: Their names in `COMMON`, with spaces.
        meanings: Help texts that differ for this command, by name.
    """
    for name in names.split():
        flag = COMMON[name]
        command.add_argument(f"--{name}", **{**flag, "help": meanings.get(name, flag["help"])})


def _late(target: str) -> Callable[[argparse.Namespace], int]:
    module, function = target.split(":")

    def command(arguments: argparse.Namespace) -> int:
        status: int = getattr(import_module(f"narrows.cli.{module}"), function)(arguments)
        return status

    return command


# What --out means of most commands.
PLACE = "folder for the results"
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
    "shard": {
        "metavar": "I/N",
        "type": shard,
        "help": "run the cells that fall to machine I of N, from 1; `narrows study merge` joins the folders",
    },
    "json": {"action": "store_true", "help": "print the result as JSON"},
    "quiet": {"action": "store_true", "help": "show no progress"},
}
