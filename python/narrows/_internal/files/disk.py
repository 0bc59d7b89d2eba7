# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from narrows._internal.errors import OutputError
from narrows._internal.files.system import move_file


@contextmanager
def new_file(place: Path) -> Iterator[Path]:
    """Create a file atomically: yield a partial file, which is renamed to `place` when the block ends normally."""
    if place.exists():
        raise OutputError(f"{place} exists: name another file or remove it")
    partial = place.parent / f".{place.name}.partial-{os.getpid()}"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        yield partial
        move_file(partial, place)
    except OSError as error:
        raise OutputError(f"{place} cannot be written: {error.strerror or error}") from error
    finally:
        partial.unlink(missing_ok=True)


def write_whole(place: Path, text: str) -> None:
    """Write a text file such that it is the old one or the new one at any moment."""
    partial = place.parent / f".{place.name}.partial"
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        move_file(partial, place)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
