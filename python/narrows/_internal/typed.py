# SPDX-License-Identifier: Apache-2.0
"""Text that the user typed, as distinct from text read from files: only typed text names code that may be executed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any


class Typed(str):
    """Text that the user typed, on the command line or in a call."""

    # Operations on text lose the mark, unless `like` restores it: code without the mark is refused, not executed.

    __slots__ = ()


def as_typed(value: Any) -> Any:
    """Return an argument of a command or a public function with its texts as typed, and other values unchanged."""
    if isinstance(value, str):
        return Typed(value)
    if type(value) in {list, tuple}:
        return [as_typed(each) for each in value]
    # A path of the command line names results, whose files the user did not write.
    return value


def beside(given: str | os.PathLike[str], name: str) -> str:
    """Return the path of a file that another names: typed if the other is and the path stays within its folder."""
    folder = Path(given).parent
    file = folder / name
    return like(given if file.resolve().is_relative_to(folder.resolve()) else "", str(file))


def like(given: object, text: str) -> str:
    """Return a text derived from `given` and from no text that was read: typed if `given` is."""
    return Typed(text) if isinstance(given, Typed) else text


def spread(changes: Iterable[str]) -> list[str]:
    """Return changes of keys with one key each; `+` joins the keys that have the same value.

    Examples:
        >>> spread(["path.queue+path.reverse.queue=cake", "flows.0.source.text=a+b=c"])
        ['path.queue=cake', 'path.reverse.queue=cake', 'flows.0.source.text=a+b=c']
    """
    found = []
    for change in changes:
        keys, equals, value = change.partition("=")
        found += [like(change, f"{key.strip()}={value}") for key in keys.split(JOINED)] if equals else [change]
    return found


# Joins keys that have the same value.
JOINED = "+"
