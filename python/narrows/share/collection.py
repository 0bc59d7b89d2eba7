# SPDX-License-Identifier: Apache-2.0
"""Folders that hold many runs and what follows from them: suites, reproductions with their claims, trials, atlases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from narrows.errors import InputError
from narrows.experiments.plan import PLAN
from narrows.files.json_objects import read_sealed, sealed
from narrows.files.manifest import file_digest
from narrows.files.place import inside
from narrows.files.shape import ANY_NAME, check_shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from narrows.files.kinds import Kind


def studies_of(folder: Path) -> list[Path]:
    """Return the folders of the studies of a collection."""
    return sorted(file.parent for file in folder.rglob(PLAN))


def own_files(folder: Path, kind: Kind) -> Iterator[str]:
    """Yield the places of the files of a collection that are none of its studies."""
    for pattern in kind.own:
        yield from (each.relative_to(folder).as_posix() for each in folder.glob(pattern) if each.is_file())


def listing(files: Mapping[str, Path]) -> str:
    """Return the content of the file of an archive that lists the digests of all others."""
    digests = {place: file_digest(file) for place, file in files.items()}
    return json.dumps(sealed({"files": digests}), indent=1) + "\n"


def changed(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each file of an unpacked collection that is not the one that was packed, and in what."""
    file = folder / LISTING
    if not file.is_file():
        raise InputError(str(folder), f"holds no {LISTING}")
    content = read_sealed(file)
    check_shape(content, {"files": {ANY_NAME: str}}, file)
    listed = content["files"]
    for place, digest in listed.items():
        there = inside(folder, place, file)
        if not there.is_file():
            yield place, "is missing"
        elif file_digest(there) != digest:
            yield place, "is not the one that was packed"
    found = {each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()}
    yield from ((place, "was not packed") for place in sorted(found - set(listed) - {LISTING}))


LISTING = "packed.json"
