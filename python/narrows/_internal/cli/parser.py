# SPDX-License-Identifier: Apache-2.0
"""The parser of the command line, made from the declarations of the commands; its errors have one form with others."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any, NoReturn

from narrows._internal.cli.command import BAD_INPUT, COMMANDS, Command, load
from narrows._internal.names import unknown


class ArgumentsError(Exception):
    """The command line is invalid: an argument is missing, unknown or has a value that is not allowed."""


class Help(argparse.HelpFormatter):
    """Pages of help whose epilog keeps its lines."""

    def __init__(self, prog: str) -> None:
        """Take the width of the terminal, which argparse asks for anew at every argument."""
        super().__init__(prog, width=_width())

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


class Parser(argparse.ArgumentParser):
    """A parser that raises `ArgumentsError` instead of ending the process, and shows its commands in groups."""

    def __init__(self, *, declared: Command | None = None, **named: Any) -> None:
        """Make a parser; `named` is as of `argparse.ArgumentParser`."""
        super().__init__(formatter_class=Help, allow_abbrev=False, **named)
        self.declared = declared
        self.groups: dict[str, str] = {}
        self._is_filled = False

    def fill(self) -> None:
        """Add the arguments of the command, unless they are there; most parsers are never asked for them."""
        if self.declared is None or self._is_filled:
            return
        self._is_filled = True
        self.declared.options(self)
        if self.declared.actions:
            below = self.add_subparsers(metavar=self.declared.metavar, required=True)
            for each in self.declared.actions:
                _add(below, each)
        else:
            self.set_defaults(command=self.declared.job, parser=self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments; argparse calls it for the command that is named."""
        self.fill()
        return super().parse_known_args(args, namespace)

    def format_help(self) -> str:
        """Return the page of help."""
        self.fill()
        if not self.groups:
            return super().format_help()
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        commands = next(each for each in self._actions if isinstance(each, argparse._SubParsersAction))  # noqa: SLF001
        for heading in sorted(dict.fromkeys(self.groups.values()), key=OTHERS.__eq__):
            formatter.start_section(heading)
            formatter.add_arguments(each for each in commands._choices_actions if self.groups[each.dest] == heading)  # noqa: SLF001
            formatter.end_section()
        formatter.start_section("options")
        formatter.add_arguments(each for each in self._actions if each.option_strings)
        formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def error(self, message: str) -> NoReturn:
        """Raise the error; argparse begins its message with `argument NAME:`."""
        missing, _, names = message.partition("required: ")
        what = f"missing argument: {names}; `{self.prog} --help` lists all" if names and missing else message
        raise ArgumentsError(f"{self.prog}: {what.removeprefix('argument ')}")

    # argparse calls `_check_value` for arguments with choices; no public method does.
    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise the error of a word that is none of an argument's choices."""
        if action.choices is not None and value not in action.choices:
            name = (action.metavar if isinstance(action.metavar, str) else action.dest).lower()
            raise ArgumentsError(f"{self.prog}: {unknown(name, str(value), [str(each) for each in action.choices])}")


class Version(argparse.Action):
    """Prints the version of the package, with the numbers of its formats and interfaces, and ends the process."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        """Print the version, and the numbers by which results, digests, controllers and files are compatible."""
        del namespace, values, option_string
        from narrows._internal import core
        from narrows._internal.files.format import FORMATS
        from narrows._internal.versions import version

        numbers = [
            f"{name} {each.number}" + (f" (reads {each.oldest})" if each.oldest < each.number else "")
            for name, each in FORMATS.items()
        ]
        (header,) = re.findall(r"^#define NARROWS_VERSION (\d+)$", core.c_header(), re.MULTILINE)
        print(f"narrows {version('narrows')}")
        print(f"engine  {core.fingerprint()[:12]}")
        print(f"digest  {core.digest_schema()}")
        print(f"header  {header}")
        print(f"formats {', '.join(numbers)}")
        parser.exit()


def parser(given: Sequence[str] = ()) -> Parser:
    """Return the parser; if `given` begins with a command, with this command alone, to load no other module."""
    top = Parser(
        prog="narrows",
        description="A laboratory for Internet congestion control.",
        epilog=f"{_examples(EXAMPLES)}\n\n{EXIT_STATUS}",
    )
    top.add_argument("--version", action=Version, nargs=0, help="print the version and exit")
    top.set_defaults(command=lambda _: _list(top), parser=top)
    below = top.add_subparsers(metavar="COMMAND")
    for name in given[:1] if given and given[0] in COMMANDS else COMMANDS:
        command = load(name)
        top.groups[name] = command.group or OTHERS
        _add(below, command)
    return top


def _add(commands: argparse._SubParsersAction[Parser], command: Command) -> None:
    summary, epilog = command.summary, _examples(command.examples)
    commands.add_parser(command.name, help=summary, description=summary, epilog=epilog, declared=command)


def _list(top: Parser) -> int:
    top.print_help(sys.stderr)
    return BAD_INPUT


def _examples(lines: Sequence[str]) -> str:
    return "\n".join(["examples:", *(f"  narrows {each}" for each in lines)] if lines else [])


@cache
def _width() -> int:
    return shutil.get_terminal_size().columns - 2


EXAMPLES = ("run two-flows", "compare cubic bbr3 --scenario call", "run --help")
# The heading of commands without a group.
OTHERS = "Others"
EXIT_STATUS = """\
exit status:
  0  success
  1  an expectation of a scenario or a claim of a study failed (not an inconclusive one)
  2  invalid input
  3  interrupted, with finished work saved
  4  internal error"""
