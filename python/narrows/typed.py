# SPDX-License-Identifier: Apache-2.0
"""What the user typed, as distinct from what was read: only the first names code that may be executed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os


class Typed(str):
    """Text that the user typed, on the command line or in a call.

    The parser of the command line and the public functions make it; what is read from a file never is one, and neither
    is a text that is made of one, unless `like` says so. What is lost on the way is therefore refused, not executed.
    """

    __slots__ = ()


def as_typed(value: Any) -> Any:
    """Return an argument of a command or a public function with its texts as typed; all else as it is.

    A path of the command line is one of results, whose files are not the user's own.
    """
    if isinstance(value, str):
        return Typed(value)
    if type(value) in {list, tuple}:
        return [as_typed(each) for each in value]
    return value


def beside(given: str | os.PathLike[str], name: str) -> str:
    """Return the path of a file beside another, which names it: typed if that is and the folder is not left.

    Args:
        given: The other file.
        name: The file as the other names it.
    """
    folder = Path(given).parent
    file = folder / name
    return like(given if file.resolve().is_relative_to(folder.resolve()) else "", str(file))


def like(given: object, text: str) -> str:
    """Return a text that was made of `given` and of nothing that was read: typed if that is."""
    return Typed(text) if isinstance(given, Typed) else text
