# SPDX-License-Identifier: Apache-2.0
"""Places within a folder of results, as its files name them: such a folder may come from somebody else."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from narrows._internal.errors import InputError


def inside(folder: Path, place: str, named_in: Path) -> Path:
    """Return the path of a file or folder that a file of results names."""
    if leaves(place) or not is_inside(folder, folder / place):
        raise InputError(str(named_in), f"names {place!r}, which is not in {folder}")
    return folder / place


def leaves(place: str) -> bool:
    """Return whether the text of a place alone shows that it is outside the folder."""
    path = PurePosixPath(place)
    return not place or path.is_absolute() or ".." in path.parts or "\\" in place or "\0" in place


def is_inside(folder: Path, path: Path) -> bool:
    """Return whether a path is in a folder, links followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        # Links in a circle, and names that no file can have.
        return False
