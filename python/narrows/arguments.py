"""Arguments of the functions of the package: lists, and numbers within their limits."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any


def listed(given: object) -> list[Any]:
    """Return what was given as a list; a text, class or number by itself is a list of one.

    Examples:
        >>> listed("duration=5s")
        ['duration=5s']
        >>> listed(("cubic", "bbr3"))
        ['cubic', 'bbr3']
    """
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str | type) else [given]


def check_numbers(**given: object) -> None:
    """Check numbers by their names; None is a default.

    Raises:
        ValueError: One is not a whole number, or is out of its range.
    """
    for name, value in given.items():
        least, most = LIMITS[name]
        try:
            number = least if value is None else operator.index(value)  # type: ignore[arg-type]  # what has none raises
        except TypeError:
            number = least - 1
        if not least <= number <= most:
            raise ValueError(f"{name} is {value!r}; allowed: a whole number from {least} to {most}")


LIMITS = {
    "flows": (1, 1000),
    "jobs": (1, 4096),
    "maximum": (2, 10**6),
    "replications": (1, 10**6),
    "seed": (0, 2**63 - 1),
}
