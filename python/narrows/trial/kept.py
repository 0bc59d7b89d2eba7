"""What a trial has measured, kept in its folder, so that the same command goes on where another one ended."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

from narrows import core
from narrows.errors import OutputError
from narrows.files.disk import write_whole
from narrows.files.folder import check_place
from narrows.files.format import numbered, read_kept
from narrows.files.journal import Journal
from narrows.files.json_objects import sealed
from narrows.files.lease import Lease
from narrows.files.manifest import to_json
from narrows.trial.contest import Values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from narrows.trial.contest import Contest


class Kept:
    """The measured pairs of a trial, and the exclusive right to add some, while the context is entered."""

    def __init__(self, folder: Path, found: Sequence[Contest]) -> None:
        """Nothing is read or written yet.

        Args:
            folder: Folder of the trial.
            found: The contests of the trial.
        """
        self.folder = folder
        self._found = found
        self._lease = Lease(folder)
        self._values: dict[tuple[int, int], Values] = {}

    def __enter__(self) -> Self:
        """Open the folder, or begin a new one.

        Raises:
            InputError: A file of the folder is damaged.
            OutputError: The folder holds something else, or another process works on the trial.
        """
        file = self.folder / ABOUT
        if not file.is_file():
            check_place(self.folder, replace=False)
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(file, to_json(sealed(self._about())) + "\n")
        elif read_kept(file, is_sealed=True) != self._about():
            raise OutputError(f"{self.folder} holds a trial of something else: name another folder")
        self._lease.__enter__()
        self._journal = Journal(self.folder / PAIRS, self._is_pair)
        for each in self._journal.entries:
            self._values[each["scenario"], each["replication"]] = Values(
                _read(each["a"]), _read(each["b"]), each["records"]
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lease.__exit__(kind, error, trace)

    @property
    def damaged(self) -> int:
        """Number of lines that were damaged, whose pairs run again."""
        return self._journal.damaged

    def values(self, place: int, replication: int) -> Values | None:
        """Return what a pair measured; None if it is still to run.

        Args:
            place: Number of the contest.
            replication: Number of the replication.
        """
        return self._values.get((place, replication))

    def add(self, pairs: Mapping[tuple[int, int], Values]) -> None:
        """Keep what pairs measured, by number of the contest and of the replication.

        Raises:
            OSError: Writing failed, for example on a full disk.
        """
        self._values.update(pairs)
        self._journal.add(
            {
                "scenario": place,
                "replication": replication,
                "a": _written(values.a),
                "b": _written(values.b),
                "records": values.records,
            }
            for (place, replication), values in pairs.items()
        )

    def _about(self) -> dict[str, Any]:
        scenarios = [
            {
                "name": each.pair.name,
                "a": each.pair.a.digest,
                "b": each.pair.b.digest,
                "seed": each.pair.a.seed,
                "measures": [f"{wanted.of}.{wanted.owner}.{wanted.metric.text}" for wanted in each.wanted],
            }
            for each in self._found
        ]
        return numbered(ABOUT, {"engine": core.fingerprint(), "scenarios": scenarios})

    def _is_pair(self, entry: Mapping[str, Any]) -> bool:
        wanted = len(self._found[entry["scenario"]].wanted)
        numbers = [*_read(entry["a"]), *_read(entry["b"])]
        is_whole = len(numbers) == 2 * wanted and isinstance(entry["records"], str)
        return is_whole and all(isinstance(each, int | float) for each in numbers)


def _written(values: Sequence[float]) -> list[float | None]:
    """Return values as JSON has them: what is not a number is null."""
    return [each if math.isfinite(each) else None for each in values]


def _read(values: Sequence[float | None]) -> list[float]:
    return [math.nan if each is None else each for each in values]


ABOUT, PAIRS = "trial.json", "pairs.jsonl"
