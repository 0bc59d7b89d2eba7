# SPDX-License-Identifier: Apache-2.0
"""The cells of other implementations, by which the claims of a study are judged, too."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from narrows._internal.errors import InputError
from narrows._internal.reproduction.quantity import Asked

if TYPE_CHECKING:
    from pathlib import Path

    from narrows._internal.reproduction.claims import Judge
    from narrows._internal.reproduction.experiment import Rows


def cells_of(judge: Judge, folder: Path) -> Rows:
    """Read the cells of an implementation."""
    return {experiment: Asked(_rows(judge.name, folder / name)) for experiment, name in judge.cells.items()}


def _rows(judge: str, path: Path) -> list[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows: list[dict[str, Any]] = [
                {name: _value(text) for name, text in row.items()} for row in csv.DictReader(file, strict=True)
            ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(str(path), str(error)) from error
    for place, row in enumerate(rows):
        if "algorithm" not in row:
            raise InputError(str(path), "the column `algorithm` is missing")
        if row.get("replication") is None:
            raise InputError(str(path), f"line {place + 2}: `replication` is missing")
        # Each is a run of its own.
        row["digest"] = f"{judge} {place}"
    return rows


def _value(text: str) -> float | int | str | None:
    """Return a text, or the number that it is; None for an empty text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text or None
