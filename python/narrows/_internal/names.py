# SPDX-License-Identifier: Apache-2.0
"""Messages about unknown names, in one form everywhere."""

from __future__ import annotations

from collections.abc import Iterable

from narrows._internal import core
from narrows._internal.errors import InputError


def unknown(what: str, given: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the message about an unknown name, with the nearest known one, or all of them if none is near.

    Examples:
        >>> unknown("metric", "cvo", ["cov", "jain"])
        "unknown metric 'cvo'; did you mean 'cov'?"
        >>> unknown("size", "x", ["quick", "full"])
        "unknown size 'x'; allowed: quick, full"
    """
    names = list(known)
    otherwise = otherwise or f"allowed: {', '.join(names) or 'none'}"
    return unknown_beside(what, given, core.nearest(given, names), otherwise)


def unknown_beside(what: str, given: str, near: str | None, otherwise: str) -> str:
    """Return the same message with a given nearest name; None for none."""
    return f"unknown {what} {given!r}; {otherwise if near is None else f'did you mean {near!r}?'}"


class UnknownNameError(InputError):
    """A given name is unknown."""

    def __init__(self, what: str, given: str, known: Iterable[str], otherwise: str = "") -> None:
        """Make the error; arguments as `unknown`."""
        super().__init__(given, unknown(what, given, known, otherwise))
        # The name is in the sentence already.
        self.args = (self.problem,)
