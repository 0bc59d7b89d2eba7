# SPDX-License-Identifier: Apache-2.0
"""One command, from its arguments to its exit status."""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import sys
from collections.abc import Sequence

from narrows._internal import core
from narrows._internal.cli.command import BAD_INPUT, DONE, parted
from narrows._internal.cli.failure import as_json, complain, status_of
from narrows._internal.cli.parser import parser
from narrows._internal.core import nearest
from narrows._internal.files.text import is_text
from narrows._internal.names import unknown_beside
from narrows._internal.typed import as_typed, spread


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command."""
    if argv is None:
        # SIGINT and SIGTERM end a command alike, also if a shell has started it in the background with SIGINT ignored.
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, signal.default_int_handler)
    given = list(sys.argv[1:] if argv is None else argv)
    for each in given:
        if not is_text(each):
            print(f"{os.fsencode(each).decode(errors='backslashreplace')}: not UTF-8 text", file=sys.stderr)
            return BAD_INPUT
    try:
        arguments = _known(_with_negative_values(given))
        for argument, value in vars(arguments).items():
            setattr(arguments, argument, as_typed(spread(value) if argument == "set" else value))
        arguments.given = given
        status: int = arguments.command(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the output has closed it. Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  # the last line of defence: no traceback reaches a user
        status, message = status_of(error, given)
        if "--json" in given:
            print(as_json(status, message, error))
        complain(message)
    return status


def _with_negative_values(given: Sequence[str]) -> list[str]:
    """Return the arguments with a value such as `-1s` joined to its option; argparse takes it for an option."""
    joined: list[str] = []
    for each in given:
        if re.match(r"-\.?\d", each) and joined and re.fullmatch("--[a-z0-9-]+", joined[-1]):
            joined[-1] += f"={each}"
        else:
            joined.append(each)
    return joined


def _known(given: Sequence[str]) -> argparse.Namespace:
    """Return the arguments."""
    arguments: argparse.Namespace
    given, words = parted(given)
    arguments, unknown = parser(given).parse_known_args(given)
    arguments.words = words
    if unknown:
        own: argparse.ArgumentParser = arguments.parser
        name = unknown[0].partition("=")[0]
        what = "option" if name.startswith("-") else "argument"
        near = nearest(name, re.findall(r"--[a-z0-9-]+", own.format_usage()))
        own.error(unknown_beside(what, name, near, _elsewhere(own, name) or f"`{own.prog} --help` lists all"))
    return arguments


def _elsewhere(own: argparse.ArgumentParser, option: str) -> str:
    """Return where to find an option, or a place for a file, that a command lacks: as a key, or at other commands."""
    from narrows._internal.cli.shell import tree

    options = {command.path: command.options for command in tree()}
    mine = options.get(tuple(own.prog.split()[1:]), {})
    if option.endswith(".toml"):
        takers = [f"`narrows {' '.join(path)}`" for path, known in options.items() if path and "--scenario" in known]
        named = f"did you mean --scenario {option}?"
        return named if "--scenario" in mine else f"{', '.join(takers)} take a scenario by --scenario"
    key = option.removeprefix("--").replace("-", "_")
    if "--set" in mine and key in json.loads(core.schema())["properties"]:
        return f"it is a key of the scenario: --set {key}=VALUE"
    there = [f"`narrows {' '.join(path)}`" for path, known in options.items() if path and option in known]
    return f"only {', '.join(there[:MOST])} {'has' if len(there) == 1 else 'have'} it" if 0 < len(there) <= MOST else ""


# Commands that an error names.
MOST = 4
