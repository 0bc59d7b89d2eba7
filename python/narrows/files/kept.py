"""The folder of a long command: what it is about, and its finished work, so that the same command goes on there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from narrows.errors import OutputError
from narrows.files.disk import write_whole
from narrows.files.folder import check_place
from narrows.files.format import numbered, read_kept
from narrows.files.journal import Journal
from narrows.files.json_objects import sealed
from narrows.files.lease import Lease
from narrows.files.manifest import to_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


class Kept:
    """Finished work of one kind in a folder, and the exclusive right to add some while the context is entered."""

    # File of what the work is about, file of the work, and the work in words, as in "a trial".
    ABOUT: str
    WORK: str
    WORDS: str
    # Whether the file of what the work is about has a seal.
    SEALED = False

    def __init__(self, folder: Path) -> None:
        """Nothing is read or written yet."""
        self.folder = folder
        self._lease = Lease(folder)
        self._journal: Journal

    def about(self) -> Mapping[str, Any]:
        """Return what the work is about; a folder with another one is refused."""
        raise NotImplementedError

    def is_valid(self, entry: Mapping[str, Any]) -> bool:
        """Return whether an entry is one that this version writes; it may raise errors for one that is none."""
        raise NotImplementedError

    def take(self, entry: Mapping[str, Any]) -> None:
        """Take an entry that was kept before."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        """Open the folder, or begin a new one.

        Raises:
            InputError: A file of the folder is damaged, or of a format that this version does not read.
            OutputError: The folder holds something else, or another process works there.
        """
        file, about = self.folder / self.ABOUT, numbered(self.ABOUT, self.about())
        if not file.is_file():
            check_place(self.folder, replace=False)
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(file, to_json(sealed(about) if self.SEALED else about) + "\n")
        elif read_kept(file, is_sealed=self.SEALED) != about:
            raise OutputError(f"{self.folder} holds {self.WORDS} of something else: name another folder")
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
        """Keep entries durably.

        Raises:
            OSError: Writing failed, for example on a full disk.
        """
        self._journal.add(entries)
