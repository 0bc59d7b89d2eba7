# SPDX-License-Identifier: Apache-2.0
"""The folder of a run or a comparison: the one reader of its files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows._internal import core
from narrows._internal.comparison import kind_of
from narrows._internal.errors import InputError
from narrows._internal.files.format import SUMMARY, read_kept
from narrows._internal.files.manifest import MANIFEST, check_folder, read_manifest, runs_in
from narrows._internal.files.parquet import read_parquet
from narrows._internal.files.toml import read_plain

if TYPE_CHECKING:
    import pyarrow as pa


class RunFolder:
    """The folder of a run or a comparison; each file is read when it is first asked for."""

    def __init__(self, path: Path) -> None:
        """Take a folder without checking it; `checked` and `single` check its files."""
        self.path = path

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The contents of `manifest.json`."""
        return read_manifest(self.path)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The contents of `summary.json`."""
        return read_kept(self.path / SUMMARY)

    @cached_property
    def compares(self) -> str | None:
        """The kind of comparison, one of `comparison.KINDS`; None for a run alone."""
        return kind_of(self.manifest)

    @cached_property
    def runs(self) -> dict[str, RunFolder]:
        """The folders of the runs of a comparison by their names; of one that was interrupted some do not exist."""
        return {name: RunFolder(place) for name, place in runs_in(self.path, self.manifest).items()}

    @property
    def scenario_file(self) -> Path:
        """The file of the resolved scenario."""
        return self.path / SCENARIO

    @cached_property
    def scenario(self) -> dict[str, Any]:
        """The resolved scenario as plain values; empty if the folder has none."""
        return read_plain(self.scenario_file) if self.scenario_file.exists() else {}

    @property
    def replications(self) -> list[int]:
        """The numbers of the replications of a run that finished."""
        return [int(each) for each in self.manifest["finished"]]

    def replication(self, wanted: int | None) -> int:
        """Return the number of a replication that finished: `wanted`, or the first if `wanted` is None."""
        known = self.replications
        if wanted is not None and wanted not in known:
            allowed = ", ".join(map(str, known))
            raise InputError(str(self.path), f"has no replication {wanted}; allowed: {allowed}")
        return known[0] if wanted is None else wanted

    def tables(self) -> list[Path]:
        """Return the files of all tables."""
        return sorted(self.path.glob("*.parquet"))

    def file(self, table: str) -> Path | None:
        """Return the file of a table; None if the run has no such table."""
        file = self.path / f"{table}.parquet"
        return file if file.is_file() else None

    def optional(self, name: str, columns: Sequence[str] | None = None) -> pa.Table | None:
        """Read a table, or some of its columns; None if the run has no such table."""
        file = self.file(name)
        return None if file is None else read_parquet(file, columns)

    def table(self, name: str, missing: str) -> pa.Table:
        """Read a table."""
        found = self.optional(name)
        if found is None:
            raise InputError(str(self.path), missing)
        return found

    def of_group(self, group: str, key: str) -> str | None:
        """Return the value of a key of a group in the resolved scenario: its own, or the value in `[transport]`."""
        own: dict[str, Any] = next((each for each in self.scenario["flows"] if each["name"] == group), {})
        value = own.get(key, self.scenario.get("transport", {}).get(key))
        return None if value is None else str(value)

    def segment_bytes(self, group: str) -> int:
        """Return the payload of a full segment of a group, bytes."""
        ground = self.scenario.get("path") or self.scenario.get("network") or {}
        return bytes_of(ground.get("packet", "1500B")) - bytes_of(self.of_group(group, "header") or "0B")


def checked(path: Path) -> RunFolder:
    """Open the folder of a run or a comparison whose files have the digests of its manifest."""
    check_folder(path)
    return RunFolder(path)


def compared(path: Path) -> dict[str, RunFolder]:
    """Return the runs of the folder of a comparison that exist, by their names; none of any other folder."""
    # A study that was merged from others may have no manifest.
    runs = {} if (path / PLAN).is_file() else checked(path).runs
    return {name: run for name, run in runs.items() if (run.path / MANIFEST).is_file()}


def single(path: Path) -> RunFolder:
    """Open the folder of a run alone."""
    if (path / PLAN).is_file():
        raise InputError(str(path), "is the folder of a study, whose cells keep no logs; name the folder of a run")
    found = checked(path)
    if found.runs:
        inner = ", ".join(str(each.path) for each in found.runs.values())
        raise InputError(str(path), f"is the folder of a comparison; name the folder of one of its runs: {inner}")
    if not found.scenario:
        raise InputError(str(path), f"not a run folder: it has no {SCENARIO}")
    if not isinstance(found.manifest.get("finished"), list) or not found.manifest["finished"]:
        raise InputError(str(path / MANIFEST), "is not that of a run: it has no replications that `finished`")
    return found


def bytes_of(text: str) -> int:
    """Return the number of bytes of a size in the resolved scenario, such as `1500B` or `64KiB`."""
    return int(core.quantity(text, "size"))


SCENARIO, PLAN = "scenario.toml", "plan.json"
