# SPDX-License-Identifier: Apache-2.0
"""Plain Python values as TOML text, so that a scenario built in Python is validated as one from a file; and back."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from narrows._internal.errors import InputError


def read_plain(file: Path) -> dict[str, Any]:
    """Read the scenario that a folder of results keeps, which Narrows has written with every default."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(str(file), f"cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(str(file), f"is damaged: {error}") from None


def to_toml(table: Mapping[str, object]) -> str:
    """Return a table as TOML, one top-level key per line.

    Examples:
        >>> print(to_toml({"duration": "60s", "path": {"rtt": "40ms"}}), end="")
        "duration" = "60s"
        "path" = { "rtt" = "40ms" }
    """
    return "".join(f"{_string(key)} = {inline(value, key)}\n" for key, value in table.items())


def inline(value: object, place: str = "") -> str:
    """Return one value as TOML on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _string(value)
        # Including numbers of NumPy, whose `repr` is not a number.
        case Integral():
            return repr(int(value))
        case Real():
            return repr(float(value))
        case Mapping():
            inner = ", ".join(
                f"{_string(str(key))} = {inline(each, _below(place, key))}" for key, each in value.items()
            )
            return f"{{ {inner} }}" if inner else "{}"
        case Sequence():
            return "[" + ", ".join(inline(each, _below(place, index)) for index, each in enumerate(value)) + "]"
        case _:
            where = place and f"{place}: "
            allowed = "text, a number, a boolean, a list or a dict"
            raise TypeError(f"{where}{value!r} is a {type(value).__name__}; allowed in a scenario: {allowed}")


def _below(place: str, key: object) -> str:
    return f"{place}.{key}" if place else str(key)


def _string(text: str) -> str:
    # JSON's escapes are TOML's, except that TOML also wants one for the delete character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
