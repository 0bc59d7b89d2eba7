# SPDX-License-Identifier: Apache-2.0
"""Errors of files, folders and reports; the extension has the errors of scenarios and runs."""

from __future__ import annotations

from typing import Any


class OutputError(Exception):
    """The folder for the results cannot be used: it is not empty, not a folder, or not writable."""


class Interrupted(Exception):  # noqa: N818  # it is no error: it was asked for
    """The work was stopped before any of it had finished; nothing is kept."""


class ReportError(Exception):
    """The results are written, but their report could not be built."""


class InputError(Exception):
    """A file, folder or argument that was given cannot be used.

    Attributes:
        file: The file, folder or argument, as given.
        problem: Why it cannot be used.
        diagnostics: One entry with `file`, `line` and `column` (both None) and `message`.
    """

    def __init__(self, file: str, problem: str) -> None:
        """Make the error."""
        super().__init__(f"{file}: {problem}")
        self.file = file
        self.problem = problem
        self.diagnostics = [{"file": file, "line": None, "column": None, "message": problem}]

    def __reduce__(self) -> Any:
        """Pickle it without its constructor, whose arguments differ from the printed ones."""
        return _restored, (type(self), self.args), self.__dict__


def _restored(kind: type[InputError], printed: tuple[Any, ...]) -> InputError:
    return kind.__new__(kind, *printed)
