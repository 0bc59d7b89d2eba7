# SPDX-License-Identifier: Apache-2.0
"""Finished work, a sealed line each, that is appended while a long command runs, so that the next one goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from narrows._internal.files.disk import write_whole
from narrows._internal.files.json_objects import from_json, sealed, unsealed


class Journal:
    """A file of finished work; only the holder of its folder's lease may open it."""

    def __init__(self, file: Path, is_valid: Callable[[Mapping[str, Any]], bool]) -> None:
        """Read the file, and drop its damaged lines."""
        self.file = file
        self.entries: list[dict[str, Any]] = []
        self.damaged = 0
        whole, _, torn = (file.read_bytes() if file.exists() else b"").rpartition(b"\n")
        for line in whole.splitlines():
            entry = _entry(line, is_valid)
            if entry is None:
                self.damaged += 1
            else:
                self.entries.append(entry)
        # A process that was killed while it wrote leaves text behind the last line break.
        if self.damaged or torn:
            write_whole(file, "".join(map(_line, self.entries)))

    def add(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Append entries durably."""
        with self.file.open("a", encoding="utf-8") as file:
            file.write("".join(map(_line, entries)))
            file.flush()
            os.fsync(file.fileno())


def _line(entry: Mapping[str, Any]) -> str:
    return json.dumps(sealed(entry), allow_nan=False) + "\n"


def _entry(line: bytes, is_valid: Callable[[Mapping[str, Any]], bool]) -> dict[str, Any] | None:
    try:
        entry = unsealed(from_json(line))
        return entry if entry is not None and is_valid(entry) else None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
