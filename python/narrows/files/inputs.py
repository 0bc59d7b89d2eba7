# SPDX-License-Identifier: Apache-2.0
"""Files that a scenario names, kept by their content in a folder of results, so that the folder runs again anywhere."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from narrows.errors import OutputError
from narrows.files.manifest import file_digest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def keep(folder: Path, files: Iterable[tuple[str, str, str]]) -> None:
    """Copy files into a folder of results."""
    for path, digest, kept in files:
        target = folder / kept
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(path, target)
        except OSError as error:
            raise OutputError(f"{path} cannot be kept with the results: {error.strerror or error}") from error
        if file_digest(target) != f"sha256:{digest}":
            raise OutputError(f"{path} has changed since it was read, so the results cannot keep what they rest on")
