# SPDX-License-Identifier: Apache-2.0
"""Code and files that scenarios from somebody else may execute and read, and the code that a run would execute."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from narrows._internal import core
from narrows._internal.errors import InputError
from narrows._internal.external.source import LIBRARIES, is_trusted, named_files, split_name
from narrows._internal.library import ships
from narrows._internal.typed import Typed


class Trust(NamedTuple):
    """The files and commands that a scenario may execute and read; the extension enforces it."""

    files: tuple[str, ...] = ()  # external algorithms that may be executed: files, and folders of files
    text: bool = False  # whether commands in the text of the scenario may be executed
    changes: tuple[int, int] = (0, 0)  # the half-open range of changes whose commands may be executed
    within: str = ""  # folder that contains every file the scenario names, links followed; empty for any file
    typed: bool = False  # whether changes and subject come from the user, and so may name any file


class Executed(NamedTuple):
    """A class, controller or command that a run would execute."""

    kind: str
    what: str  # as in `mine.py:Mine`, relative to the folder of the scenario if it is below it
    trusted: bool

    def __str__(self) -> str:
        """Return it in words."""
        if self.kind != CLASS:
            return f"{self.kind}: {self.what}"
        is_library = Path(split_name(self.what)[0]).suffix in LIBRARIES
        return f"{self.what} ({'controller in a native library' if is_library else 'class in a Python file'})"

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return self._asdict()


def executed(given: core.Given) -> list[Executed]:
    """Return the code that a run of a scenario would execute; nothing is executed, and no algorithm is read."""
    directory, trust = given["directory"], Trust(**given["trusted"])

    def is_allowed(kind: str, what: str, change: int | None) -> bool:
        if kind == CLASS:
            return is_trusted(Path(directory).absolute() / what.rpartition(":")[0], trust.files)
        return trust.text if change is None else trust.changes[0] <= change < trust.changes[1]

    return [Executed(kind, what, is_allowed(kind, what, change)) for kind, what, change in core.executed(given)]


def refuse_untrusted(given: str, found: Mapping[str, Iterable[Executed]]) -> None:
    """Check that all that would be executed is trusted."""
    parts = []
    for file, each in found.items():
        words = list(dict.fromkeys(str(one) for one in each if not one.trusted))
        if words:
            more = f" and {len(words) - MOST} more" if words[MOST:] else ""
            parts.append(f"{file} would execute {'; '.join(words[:MOST])}{more}")
    if parts:
        more = f" and {len(parts) - MOST} more do" if parts[MOST:] else ""
        problem = f"holds code or commands: {', '.join(parts[:MOST])}{more}"
        raise InputError(given, f"{problem}; read them, and if you trust them, add --trust")


def of_results(folder: Path, *, trust: bool = False) -> Trust:
    """Return the rights of scenarios in a folder of results: without trust they may only read its files."""
    return EVERYTHING if trust else Trust(within=str(folder.absolute()))


def granted(  # noqa: PLR0913  # each names something
    file: str | os.PathLike[str] | None = None,
    algorithms: Iterable[str] = (),
    overrides: Sequence[str] = (),
    folder: Path = Path(),
    *,
    beside: str | os.PathLike[str] | None = None,
    trust: bool = False,
) -> Trust:
    """Return the permission to execute files. Only typed text and parts of Narrows grant any."""
    if trust:
        return EVERYTHING
    folders = [str(Path(file).parent.absolute())] if file and (isinstance(file, Typed) or ships(Path(file))) else []
    if beside is not None and (is_trusted(Path(beside), folders) or ships(Path(beside))):
        folders.append(str(Path(beside).parent.absolute()))
    typed = [isinstance(each, Typed) for each in overrides]
    first = typed.index(True) if any(typed) else 0
    number = len(list(takewhile(bool, typed[first:])))
    return Trust(
        (*dict.fromkeys(folders), *named_files(algorithms, overrides, folder)),
        text=ships(Path(beside or file or "/")),
        changes=(first, first + number),
        typed=True,
    )


CLASS = "class"
ALL_CHANGES = (0, sys.maxsize)
NOTHING = Trust()
EVERYTHING = Trust((os.sep,), text=True, changes=ALL_CHANGES, typed=True)
# Largest number of files and commands in a message.
MOST = 10
