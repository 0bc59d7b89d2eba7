# SPDX-License-Identifier: Apache-2.0
"""The repository under test: its folder and its files."""

from __future__ import annotations

import subprocess
from pathlib import Path

HOUSE = Path(__file__).parents[2]


def tracked() -> list[Path]:
    """Return all files of the repository, and those that are about to be."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607  # git is where it is
        cwd=HOUSE,
        capture_output=True,
        check=True,
        text=True,
    )
    files = [HOUSE / name for name in listed.stdout.split("\0") if name]
    return [file for file in files if file.is_file()]
