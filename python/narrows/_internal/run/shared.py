# SPDX-License-Identifier: Apache-2.0
"""A cache of the results of single runs, which commands in one working folder share."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from narrows._internal.errors import InputError
from narrows._internal.files.disk import write_whole
from narrows._internal.files.json_objects import read_sealed, sealed
from narrows._internal.files.shape import check_shape
from narrows._internal.files.system import user_cache


class Shared:
    """The cache folder."""

    def __init__(self, folder: Path, shape: Mapping[str, Any]) -> None:
        """Nothing is read or written yet."""
        self.folder = folder
        self.shape = dict(shape)

    def find(self, run: str, asked: Sequence[str]) -> dict[str, Any] | None:
        """Return the content of an entry; None if there is none, or it is damaged."""
        file = self._file(run, asked)
        try:
            content = read_sealed(file)
            check_shape(content, self.shape, file)
        except (OSError, InputError):
            return None
        return content

    def add(self, run: str, asked: Sequence[str], content: Mapping[str, Any]) -> None:
        """Keep an entry; if that fails, its run is made again later."""
        file = self._file(run, asked)
        with suppress(OSError):
            if not (self.folder / OF).exists():
                self._begin()
            file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file, json.dumps(sealed(content), allow_nan=False, separators=(",", ":")))

    def _begin(self) -> None:
        """Make the folder, and remove the folders of working folders that no longer exist."""
        for each in self.folder.parent.glob(f"*/{OF}"):
            if not Path(os.fsdecode(each.read_bytes())).is_dir():
                shutil.rmtree(each.parent, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / OF).write_bytes(os.fsencode(Path.cwd()))

    def _file(self, run: str, asked: Sequence[str]) -> Path:
        key = hashlib.sha256("\n".join([run, _sources(), *asked]).encode()).hexdigest()
        return self.folder / key[:2] / f"{key[2:34]}.json"


@cache
def _sources() -> str:
    """Return the digest of the Python sources on which values of metrics depend."""
    folder = Path(__file__).parents[1]
    files = [*sorted((folder / "metrics").glob("*.py")), folder / "statistics.py"]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


def kept() -> Path:
    """Return the folder for the working folder, which is this user's on this machine."""
    # Not in the working folder: anyone can compute the name of an entry, and put one into a checkout or an archive.
    here = hashlib.sha256(os.fsencode(Path.cwd())).hexdigest()
    return user_cache() / "cells" / here[:16]


# The file with the path of the working folder.
OF = "folder.txt"
