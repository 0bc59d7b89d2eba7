"""What repeating packed results would execute: Python files, and commands of `program` keys."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from narrows.files.sealed import read_object
from narrows.study.plan import PLAN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROGRAM = "program"


def executed(folder: Path) -> list[str]:
    """Return the names of the files in unpacked results whose code or commands a repetition would execute."""
    scenarios = [file for file in sorted(folder.rglob("*.toml")) if _names_program(file.read_text(encoding="utf-8"))]
    found = [*sorted(folder.rglob("*.py")), *scenarios]
    if (folder / PLAN).is_file() and _starts_programs(read_object(folder / PLAN)):
        found.append(folder / PLAN)
    return [str(file.relative_to(folder)) for file in found]


def _names_program(scenario: str) -> bool:
    try:
        return PROGRAM in _keys(tomllib.loads(scenario))
    except tomllib.TOMLDecodeError:
        # It cannot be run either.
        return False


def _starts_programs(plan: dict[str, Any]) -> bool:
    """Whether the base scenario of a study or one of its levels names a program; escapes in a level count as a name."""
    levels = [text for point in plan.get("points", ()) for text in point["overrides"]]
    return _names_program(plan["base"]["text"]) or any(PROGRAM in each or "\\" in each for each in levels)


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)
