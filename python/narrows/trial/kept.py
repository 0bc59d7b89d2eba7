# SPDX-License-Identifier: Apache-2.0
"""What a trial has measured, kept in its folder, so that the same command goes on where another one ended."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from narrows import core
from narrows.files import kept
from narrows.trial.contest import Contest, Values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


class Kept(kept.Kept):
    """The measured pairs of a trial, and the exclusive right to add some, while the context is entered."""

    ABOUT, WORK, WORDS = "trial.json", "pairs.jsonl", "a trial"
    SEALED = True

    def __init__(self, folder: Path, found: Sequence[Contest]) -> None:
        """Nothing is read or written yet."""
        super().__init__(folder)
        self._found = found
        self._values: dict[tuple[int, int], Values] = {}

    def take(self, entry: Mapping[str, Any]) -> None:
        """Take a pair that was measured before."""
        values = Values(_read(entry["a"]), _read(entry["b"]), entry["records"])
        self._values[entry["scenario"], entry["replication"]] = values

    def values(self, place: int, replication: int) -> Values | None:
        """Return what a pair measured; None if it is still to run."""
        return self._values.get((place, replication))

    def add(self, pairs: Mapping[tuple[int, int], Values]) -> None:
        """Keep what pairs measured, by number of the contest and of the replication."""
        self._values.update(pairs)
        self.append(
            {
                "scenario": place,
                "replication": replication,
                "a": _written(values.a),
                "b": _written(values.b),
                "records": values.records,
            }
            for (place, replication), values in pairs.items()
        )

    def about(self) -> Mapping[str, Any]:
        """Return what the trial compares."""
        scenarios = [
            {
                "name": each.pair.name,
                "a": each.pair.a.digest,
                "b": each.pair.b.digest,
                "seed": each.pair.a.seed,
                "measures": each.asked,
            }
            for each in self._found
        ]
        return {"engine": core.fingerprint(), "scenarios": scenarios}

    def is_valid(self, entry: Mapping[str, Any]) -> bool:
        """Return whether an entry is a pair of one of the contests."""
        wanted = len(self._found[entry["scenario"]].wanted)
        numbers = [*_read(entry["a"]), *_read(entry["b"])]
        is_whole = len(numbers) == 2 * wanted and isinstance(entry["records"], str)
        return is_whole and all(isinstance(each, int | float) for each in numbers)


def _written(values: Sequence[float]) -> list[float | None]:
    """Return values as JSON has them: what is not a number is null."""
    return [each if math.isfinite(each) else None for each in values]


def _read(values: Sequence[float | None]) -> list[float]:
    return [math.nan if each is None else each for each in values]
