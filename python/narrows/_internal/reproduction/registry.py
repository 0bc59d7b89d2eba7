# SPDX-License-Identifier: Apache-2.0
"""The published studies: a folder each, with `claims.toml`, scenarios, and a study file for each experiment."""

from __future__ import annotations

from dataclasses import field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows._internal import core
from narrows._internal.errors import InputError
from narrows._internal.experiments.overlay import offered
from narrows._internal.files.disk import write_whole
from narrows._internal.files.format import read_kept
from narrows._internal.files.shape import ANY_NAME, check_shape
from narrows._internal.files.toml import inline, read_plain
from narrows._internal.frozen import frozen
from narrows._internal.library import STUDIES
from narrows._internal.names import UnknownNameError
from narrows._internal.reproduction.claims_file import read_claims
from narrows._internal.reproduction.ledger import aged, digest_of_tests, upgraded
from narrows._internal.typed import beside, like

if TYPE_CHECKING:
    from collections.abc import Mapping

    from narrows._internal.reproduction.claims import Published


@frozen
class StudyFolder:
    """A published study, by its folder."""

    folder: Path
    given: str = field(default="", compare=False)  # the folder as the user gave it; empty for a study of Narrows

    @property
    def name(self) -> str:
        """Name of the study, which is the name of its folder."""
        return self.folder.name

    @cached_property
    def published(self) -> Published:
        """The contents of `claims.toml` with the words of the quick size."""
        return read_claims(self.claims_file)

    def claims(self, size: str) -> Published:
        """Read `claims.toml` with the words of a size, "quick", "medium" or "full"."""
        return read_claims(self.claims_file, size)

    @property
    def claims_file(self) -> Path:
        """Path of `claims.toml`."""
        return self.folder / CLAIMS

    def cells(self, size: str) -> Path:
        """Return the path of the kept results of a size, which may not exist."""
        return self.folder / f"cells-{size}.parquet"

    @property
    def ledger(self) -> dict[str, Any] | None:
        """The kept ledger of the medium or full size, else of the quick size; None without any."""
        return self._ledger(LEDGER) or self.ledger_quick

    @property
    def ledger_quick(self) -> dict[str, Any] | None:
        """The kept ledger of the quick size; None without one."""
        return self._ledger(LEDGER_QUICK)

    def ledger_of(self, size: str) -> dict[str, Any] | None:
        """Return the kept ledger of a size; None without one."""
        kept = (self.ledger, self.ledger_quick)
        return next((each for each in kept if each is not None and each["size"] == size), None)

    @cached_property
    def results(self) -> dict[str, dict[str, str]]:
        """Of the published results by size: `date`, `engine`, and `since`, the changes since an earlier engine."""
        return results_in(self.folder)

    def origin(self, ledger: Mapping[str, Any]) -> dict[str, str]:
        """Return `date`, `engine` and `tests` of a published ledger; an entry that was not kept is empty."""
        return origin_of(self.results, ledger)

    @property
    def tables(self) -> list[dict[str, Any]]:
        """The kept tables: first of the larger size, then of the quick size."""
        found = [self._read(TABLES), self._read(TABLES_QUICK)]
        return [each for each in found if each is not None]

    def _ledger(self, name: str) -> dict[str, Any] | None:
        content = self._read(name)
        if content is None:
            return None
        ledger, since = upgraded(content), self.results.get(content["size"], {}).get("since")
        return aged(ledger, since, self.claims(ledger["size"])) if since else ledger

    def _read(self, name: str) -> dict[str, Any] | None:
        file = self.folder / name
        return read_kept(file) if file.is_file() else None

    def experiments(self, size: str) -> dict[str, str]:
        """Return the study file of each experiment that has a size."""
        claims = like(self.given, str(self.claims_file))
        files = {name: beside(claims, f"{name}.toml") for name in self.published.experiments}
        sizes = {name: offered(file) for name, file in files.items()}
        known = {variant for each in sizes.values() for variants in each.values() for variant in variants}
        for variant in self.published.variants:
            if variant.key not in known:
                problem = f"variant {variant.name}: no study file has a variant {variant.key}"
                raise InputError(str(self.claims_file), f"{problem}; there are {', '.join(sorted(known)) or 'none'}")
        found = {name: file for name, file in files.items() if size in sizes[name]}
        if not found:
            there = dict.fromkeys(each for offers in sizes.values() for each in offers)
            raise InputError(str(self.folder), f"no experiment has the size {size}; there are {', '.join(there)}")
        return found


def results_in(folder: Path) -> dict[str, dict[str, str]]:
    """Read `results.toml` in the folder of a study, or of a reproduction; empty without one."""
    file = folder / RESULTS
    if not file.is_file():
        return {}
    content = read_plain(file)
    check_shape(content, {ANY_NAME: {"date": str, "engine?": str, "since?": str}}, file)
    return content


def write_results(folder: Path, size: str) -> None:
    """Write the day and the fingerprint of the simulator into the folder of a reproduction."""
    engine = core.fingerprint()
    text = f"[{size}]\ndate = {inline(datetime.now(UTC).date().isoformat())}\nengine = {inline(engine)}\n"
    write_whole(folder / RESULTS, text)


def origin_of(results: Mapping[str, Mapping[str, str]], ledger: Mapping[str, Any]) -> dict[str, str]:
    """Return `date`, `engine` and `tests` of a ledger by the content of `results.toml`; what is not kept is empty."""
    known = results.get(ledger["size"], {})
    return {"date": known.get("date", ""), "engine": known.get("engine", ""), "tests": digest_of_tests(ledger)}


def origin_text(origin: Mapping[str, str]) -> str:
    """Return the result of `StudyFolder.origin` as a clause."""
    engine = f"engine {origin['engine'][:SHOWN]}" if origin["engine"] else "engine not kept"
    return f"results of {origin['date'] or 'an unknown day'}, {engine}, tests {origin['tests']}"


def published_studies() -> list[StudyFolder]:
    """Return all published studies, sorted by name."""
    return [StudyFolder(file.parent) for file in sorted(STUDIES.glob(f"*/{CLAIMS}"))]


def find(name: str) -> StudyFolder:
    """Return the published study with a name or number, or the study in a folder."""
    known = published_studies()
    # Reading the claims files, which contain the numbers, takes a second.
    for each in known:
        if name == each.name or (name.isdecimal() and name == each.published.number):
            return each
    folder = Path(name)
    if folder.is_dir():
        if not (folder / CLAIMS).is_file():
            raise InputError(name, f"not a folder with a published study: it has no {CLAIMS}")
        return StudyFolder(folder.absolute(), name)
    raise UnknownNameError("published study", name, [each.name for each in known])


CLAIMS = "claims.toml"
LEDGER = "ledger.json"
TABLES, TABLES_QUICK = "tables.json", "tables-quick.json"
LEDGER_QUICK = "ledger-quick.json"
RESULTS = "results.toml"
SHOWN = 16
