# SPDX-License-Identifier: Apache-2.0
"""The folder of a long command: its description and finished work, so that the same command can resume it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from narrows._internal.errors import OutputError
from narrows._internal.files.folder import check_place
from narrows._internal.files.format import numbered, read_kept, write_kept
from narrows._internal.files.journal import Journal
from narrows._internal.files.lease import Lease


def open_or_make(folder: Path, name: str, about: Mapping[str, Any], refusal: str, *, is_sealed: bool = False) -> None:
    """Make the folder of a long command, unless it is there and of the same work."""
    file = folder / name
    if not file.is_file():
        check_place(folder, replace=False)
        folder.mkdir(parents=True, exist_ok=True)
        write_kept(file, about, is_sealed=is_sealed)
    elif read_kept(file, is_sealed=is_sealed) != numbered(name, about):
        raise OutputError(f"{folder} {refusal}: name another folder")


class Kept:
    """Finished work of one kind in a folder, and the exclusive right to add some while the context is entered."""

    # File of the description of the work, file of the work, and the work in words, as in "a trial".
    ABOUT: str
    WORK: str
    WORDS: str
    # Whether the file of the description has a seal.
    SEALED = False

    def __init__(self, folder: Path) -> None:
        """Nothing is read or written yet."""
        self.folder = folder
        self._lease = Lease(folder)
        self._journal: Journal

    def about(self) -> Mapping[str, Any]:
        """Return the description of the work; a folder with another one is refused."""
        raise NotImplementedError

    def is_valid(self, entry: Mapping[str, Any]) -> bool:
        """Return whether an entry is one that this version writes; it may raise errors for one that is none."""
        raise NotImplementedError

    def take(self, entry: Mapping[str, Any]) -> None:
        """Take an entry that was kept before."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        """Open the folder, or begin a new one."""
        refusal = f"holds {self.WORDS} of something else"
        open_or_make(self.folder, self.ABOUT, self.about(), refusal, is_sealed=self.SEALED)
        self._lease.__enter__()
        self._journal = Journal(self.folder / self.WORK, self.is_valid)
        for each in self._journal.entries:
            self.take(each)
        return self

    def __exit__(self, *_: object) -> None:
        self._lease.__exit__()

    @property
    def damaged(self) -> int:
        """Number of entries that were damaged, whose work is done again."""
        return self._journal.damaged

    @property
    def lost(self) -> bool:
        """Whether another process has taken the folder."""
        return self._lease.lost

    def append(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Keep entries durably."""
        self._journal.add(entries)
