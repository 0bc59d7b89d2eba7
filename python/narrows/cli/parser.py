# SPDX-License-Identifier: Apache-2.0
"""The parser of the command line: errors in the form of all others, without the usage before them."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from narrows.names import unknown


class ArgumentsError(Exception):
    """The command line is invalid: an argument is missing, unknown or has a value that is not allowed."""


class Parser(argparse.ArgumentParser):
    """A parser that raises `ArgumentsError` instead of ending the process."""

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
