# SPDX-License-Identifier: Apache-2.0
"""The parser of the command line: errors in the form of all others, without the usage before them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NoReturn

from narrows.cli.examples import Help
from narrows.names import unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class ArgumentsError(Exception):
    """The command line is invalid: an argument is missing, unknown or has a value that is not allowed."""


class Parser(argparse.ArgumentParser):
    """A parser that raises `ArgumentsError` instead of ending the process, and shows its commands in groups."""

    def __init__(self, *, groups: Mapping[str, Sequence[str]] | None = None, **named: Any) -> None:
        """Make a parser.

        Args:
            groups: The commands in the order of the page of help, by the heading of their group.
            named: As of `argparse.ArgumentParser`.
        """
        super().__init__(formatter_class=Help, **named)
        self._groups = groups or {}

    def format_help(self) -> str:
        """Return the page of help."""
        if not self._groups:
            return super().format_help()
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        commands = next(each for each in self._actions if isinstance(each, argparse._SubParsersAction))  # noqa: SLF001
        entries = {each.dest: each for each in commands._choices_actions}  # noqa: SLF001
        grouped = [name for names in self._groups.values() for name in names]
        others = [name for name in entries if name not in grouped]
        for heading, names in {**self._groups, "Others": others}.items():
            formatter.start_section(heading)
            formatter.add_arguments(entries[name] for name in names if name in entries)
            formatter.end_section()
        formatter.start_section("options")
        formatter.add_arguments(each for each in self._actions if each.option_strings)
        formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def error(self, message: str) -> NoReturn:
        """Raise the error.

        Args:
            message: Description of the error; argparse begins it with `argument NAME:`.

        Raises:
            ArgumentsError: Always.
        """
        missing, _, names = message.partition("required: ")
        what = f"missing argument: {names}; `{self.prog} --help` lists all" if names and missing else message
        raise ArgumentsError(f"{self.prog}: {what.removeprefix('argument ')}")

    # argparse calls `_check_value` for arguments with choices; no public method does.
    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise the error of a word that is none of an argument's choices."""
        if action.choices is not None and value not in action.choices:
            name = (action.metavar if isinstance(action.metavar, str) else action.dest).lower()
            raise ArgumentsError(f"{self.prog}: {unknown(name, str(value), [str(each) for each in action.choices])}")
