# SPDX-License-Identifier: Apache-2.0
"""JSON files with a digest of their own content, so that damage is found when they are read."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from narrows._internal.errors import InputError
from narrows._internal.files.text import read_text


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object for a JSON file with its digest as the last entry, `seal`."""
    return {**content, SEAL: _digest(content)}


def read_sealed(file: Path) -> dict[str, Any]:
    """Read a file that holds a sealed object, and return the object without its seal."""
    content = read_object(file)
    check_seal(file, content)
    del content[SEAL]
    return content


def check_seal(file: Path, content: Mapping[str, Any]) -> None:
    """Check that the content of a file has the digest that was written with it."""
    if unsealed(content) is None:
        raise InputError(str(file), "is damaged: its content does not have the digest that was written with it")


def unsealed(content: object) -> dict[str, Any] | None:
    """Return a sealed object without its seal; None if it is something else, or was changed."""
    if not isinstance(content, dict):
        return None
    inner = {key: value for key, value in content.items() if key != SEAL}
    return inner if content.get(SEAL) == _digest(inner) else None


def read_object(file: Path) -> dict[str, Any]:
    """Read a file that holds a JSON object."""
    try:
        content = from_json(read_text(file, LARGEST_MB))
    except InputError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise error.__cause__ from None
        if isinstance(error.__cause__, UnicodeDecodeError):
            raise InputError(str(file), f"is damaged: it {error.problem}") from None
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(str(file), f"is damaged: {error}") from None
    if not isinstance(content, dict):
        raise InputError(str(file), "is damaged: it holds no object")
    return content


def from_json(text: str | bytes) -> Any:
    """Return the content of a text in JSON, in which every key of an object is unique."""
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_finite, parse_float=_finite)
    except _InfiniteError as error:
        number, whole = str(error), text if isinstance(text, str) else text.decode(json.detect_encoding(text))
        # A string may have the same characters.
        found = re.finditer(r'"(?:[^"\\]|\\.)*"|' + re.escape(number), whole)
        place = next((each.start() for each in found if each[0] == number), 0)
        raise json.JSONDecodeError(f"{number[:40]} is not a finite number", whole, place) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # RFC 8259, §4: which of two values of a key counts is unspecified.
    content = dict(pairs)
    if len(content) != len(pairs):
        raise RepeatedKeyError(Counter(name for name, _ in pairs).most_common(1)[0][0])
    return content


class _InfiniteError(ValueError):
    pass


def _finite(number: str) -> float:
    # RFC 8259, §6: a reader may limit the range of numbers.
    found = float(number)
    if not math.isfinite(found):
        raise _InfiniteError(number)
    return found


class RepeatedKeyError(ValueError):
    """An object in JSON has a key twice."""

    def __init__(self, key: str) -> None:
        """Make the error."""
        super().__init__(f"the key {key[:40]!r} is twice in one object")
        self.key = key


def write_json(path: Path, content: Any) -> None:
    """Write `content` as indented JSON in UTF-8; errors as `to_json`."""
    path.write_text(to_json(content) + "\n", encoding="utf-8")


def to_json(content: Any) -> str:
    """Return `content` as indented JSON."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def _digest(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


SEAL = "seal"
# Of an object that a study of a million cells writes.
LARGEST_MB = 1024
