# SPDX-License-Identifier: Apache-2.0
"""The text of files that people write: scenarios, studies, suites, claims, and objects in JSON."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import BinaryIO

from narrows._internal.errors import InputError


def open_regular(file: Path) -> BinaryIO:
    """Open a file from elsewhere for reading."""
    # Checked before it is opened: opening a pipe waits for its writer.
    kind = file.stat().st_mode
    if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
        raise InputError(str(file), "is not a regular file; allowed: a file of bounded size, no pipe and no device")
    return file.open("rb")


def read_text(file: Path, largest_mb: int = 64) -> str:
    """Return the content of a text file."""
    try:
        with file.open("rb") as opened:
            content = opened.read(largest_mb * MB + 1)
    except OSError as error:
        raise InputError(str(file), error.strerror or str(error)) from error
    except ValueError as error:
        # A name with a NUL.
        raise InputError(str(file), str(error)) from error
    if len(content) > largest_mb * MB:
        raise InputError(str(file), f"is larger than {largest_mb} MB; allowed: text of at most that size")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(str(file), f"not UTF-8 text: byte {error.start} cannot be read") from error


def is_text(text: str) -> bool:
    """Return whether a text can be written as UTF-8; surrogates, with which Python keeps invalid bytes, cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


MB = 1_000_000
