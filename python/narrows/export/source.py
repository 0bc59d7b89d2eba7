"""A run folder as exports read it."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from narrows.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa


class RunFolder:
    """The tables and the scenario of a run."""

    def __init__(self, path: Path) -> None:
        """Open the folder of a run.

        Raises:
            InputError: It is none.
        """
        manifest = path / "manifest.json"
        if not manifest.is_file():
            raise InputError(str(path), "is no folder of a run: it has no manifest.json")
        self.path = path
        self.manifest: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))
        if "algorithms" in self.manifest:
            inner = ", ".join(str(path / each) for each in self.manifest["algorithms"].values())
            raise InputError(str(path), f"is the folder of a comparison; name the folder of one of its runs: {inner}")
        if not (path / "scenario.toml").is_file():
            raise InputError(str(path), "is no folder of a run: it has no scenario.toml")
        self.scenario: dict[str, Any] = tomllib.loads((path / "scenario.toml").read_text(encoding="utf-8"))

    @property
    def replications(self) -> list[int]:
        """Those that finished."""
        return [int(each) for each in self.manifest["finished"]]

    def tables(self) -> list[Path]:
        """Return the files of all tables."""
        return sorted(self.path.glob("*.parquet"))

    def table(self, name: str, missing: str) -> pa.Table:
        """Read a table.

        Args:
            name: Without its ending.
            missing: What to say where it is not there.

        Raises:
            InputError: It is not there.
        """
        import pyarrow.parquet as pq

        file = self.path / f"{name}.parquet"
        if not file.is_file():
            raise InputError(str(self.path), missing)
        return pq.read_table(file)

    def replication(self, wanted: int | None) -> int:
        """Return the replication that is wanted, the first unless one is named.

        Raises:
            InputError: It did not finish.
        """
        known = self.replications
        if wanted is None:
            return known[0]
        if wanted not in known:
            allowed = ", ".join(map(str, known))
            raise InputError(str(self.path), f"has no replication {wanted}; allowed: {allowed}")
        return wanted

    def of_group(self, group: str, key: str) -> str | None:
        """Return what the resolved scenario says of a group's endpoints: its own value, else everybody's."""
        own: dict[str, Any] = next((each for each in self.scenario["flows"] if each["name"] == group), {})
        value = own.get(key, self.scenario.get("transport", {}).get(key))
        return None if value is None else str(value)

    def segment_bytes(self, group: str) -> int:
        """Return the payload of a full segment of a group."""
        ground = self.scenario.get("path") or self.scenario.get("network") or {}
        return bytes_of(ground.get("packet", "1500B")) - bytes_of(self.of_group(group, "header") or "0B")


def bytes_of(text: str) -> int:
    """Return the bytes in a resolved size: `1500B`, `64KiB`."""
    number, unit = UNIT.fullmatch(text).groups()  # type: ignore[union-attr]  # the resolved file is well formed
    return round(float(number) * UNITS[unit])


UNIT = re.compile(r"([0-9.]+)([A-Za-z]+)")
UNITS = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
