# SPDX-License-Identifier: Apache-2.0
"""A place in a text in JSON, from which values are read one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from narrows._internal.errors import InputError


class Cursor:
    """A place in a text in JSON, so that a trace of many events need not be in memory as objects."""

    def __init__(self, file: Path, text: str) -> None:
        """Begin at the start of a text."""
        self.file = file
        self.text = text
        self.at = 0

    def value(self) -> Any:
        """Read a value."""
        self._skip()
        try:
            found, self.at = DECODER.raw_decode(self.text, self.at)
        except (ValueError, RecursionError) as error:
            at = getattr(error, "pos", self.at)
            line = self.text.count("\n", 0, at) + 1
            raise InputError(str(self.file), f"line {line}, character {at}: {why(error)}") from None
        return found

    def members(self) -> Iterator[str]:
        """Yield the key of each member of an object; its value is read in between."""
        self._expect("{")
        while not self._is("}"):
            key = self.value()
            if not isinstance(key, str):
                raise self._error("a key that is no string")
            self._expect(":")
            yield key
            if not self._is(","):
                self._expect("}")
                return

    def elements(self) -> Iterator[int]:
        """Yield the number of each element of a list; it is read in between."""
        self._expect("[")
        number = 0
        while not self._is("]"):
            number += 1
            yield number
            if not self._is(","):
                self._expect("]")
                return

    def begins(self, character: str) -> bool:
        """Return whether the next value begins with a character."""
        if self.text.startswith(character, self.at):
            return True
        self._skip()
        return self.text.startswith(character, self.at)

    def end(self) -> None:
        """Refuse more text."""
        self._skip()
        if self.at < len(self.text):
            raise self._error("text behind the end of the log")

    def _is(self, character: str) -> bool:
        found = self.begins(character)
        self.at += found
        return found

    def _expect(self, character: str) -> None:
        if not self._is(character):
            cut = self.at >= len(self.text)
            raise self._error("the end of a log that is cut off" if cut else f"something else than {character!r}")

    def _skip(self) -> None:
        found = BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _error(self, what: str) -> InputError:
        line = self.text.count("\n", 0, self.at) + 1
        return InputError(str(self.file), f"line {line}, character {self.at}: {what}")


def whole_value(text: str) -> Any:
    """Return the value that a text is."""
    content, end = DECODER.raw_decode(text)
    if end != len(text):
        raise ValueError(f"there is more behind character {end}")
    return content


def why(error: Exception) -> str:
    """Describe why a text is no value in JSON."""
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:SHOWN]


DECODER = json.JSONDecoder()
BLANK = re.compile(r"[ \t\r\n]*")
SHOWN = 100
