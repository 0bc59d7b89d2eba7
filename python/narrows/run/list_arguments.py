# SPDX-License-Identifier: Apache-2.0
"""Lists of values in arguments, queues with parameters, and their errors."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from narrows.errors import InputError


def split(text: str) -> list[str]:
    """Split a list at the commas outside parentheses, brackets and braces.

    Examples:
        >>> split("droptail, red(min=5pkt,max=15pkt)")
        ['droptail', 'red(min=5pkt,max=15pkt)']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def read_queue(text: str, argument: str) -> dict[str, object]:
    """Read a queue with parameters, as in `red(gentle=true, min=5pkt)`."""
    name, opened, rest = text.partition("(")
    found: dict[str, object] = {"kind": name.strip()}
    if not opened:
        return found
    if not rest.endswith(")"):
        raise InputError(argument, "a parenthesis is not closed")
    for part in split(rest[:-1]):
        key, equals, value = part.partition("=")
        if not equals:
            raise InputError(argument, f"expected a parameter with its value, as in red(gentle=true), got {part!r}")
        found[key.strip()] = _value(value.strip())
    return found


def _value(text: str) -> object:
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return text


def problem(diagnostic: Mapping[str, object]) -> str:
    """Return a diagnostic of a scenario in a line: the fault, the allowed values, a hint."""
    text = str(diagnostic["message"])
    if diagnostic["allowed"]:
        text += f"; allowed: {diagnostic['allowed']}"
    return f"{text}; {diagnostic['hint']}" if diagnostic["hint"] else text
