"""Where published studies are: a folder each, with `claims.toml`, scenarios, and study files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any

from narrows.errors import InputError
from narrows.library import STUDIES
from narrows.reproduction.claims import read_claims

if TYPE_CHECKING:
    from pathlib import Path

    from narrows.reproduction.claims import Published


@dataclass(frozen=True)
class Shelved:
    """A published study's folder."""

    folder: Path

    @property
    def name(self) -> str:
        """What it is called."""
        return self.folder.name

    @cached_property
    def published(self) -> Published:
        """What it claims."""
        return read_claims(self.claims_file)

    def claims(self, size: str) -> Published:
        """What it claims, in the words of a size."""
        return read_claims(self.claims_file, size)

    @property
    def claims_file(self) -> Path:
        """The file of its claims."""
        return self.folder / CLAIMS

    @property
    def ledger(self) -> dict[str, Any] | None:
        """The ledger that comes with it; None where it has none."""
        file = self.folder / LEDGER
        return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None

    def experiments(self, size: str) -> dict[str, Path]:
        """Return the study files of a size by experiment; an experiment may be left out of the quick one."""
        files = {name: self.folder / size / f"{name}.toml" for name in self.published.experiments}
        return {name: file for name, file in files.items() if file.is_file()}


def shelf() -> list[Shelved]:
    """Return all published studies, by name."""
    return [Shelved(file.parent) for file in sorted(STUDIES.glob(f"*/{CLAIMS}"))]


def find(name: str) -> Shelved:
    """Find a study by its name or its number.

    Raises:
        InputError: There is none.
    """
    known = shelf()
    for each in known:
        if name in {each.name, each.published.number}:
            return each
    near = get_close_matches(name, [each.name for each in known], n=1, cutoff=0.4)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise InputError(name, f"no such published study; there are {', '.join(each.name for each in known)}{hint}")


CLAIMS = "claims.toml"
LEDGER = "ledger.json"
