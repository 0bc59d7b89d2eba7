"""The run folder that an export reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows import core
from narrows.errors import InputError
from narrows.files.manifest import MANIFEST, check_folder, read_manifest, runs_in
from narrows.files.toml import read_plain

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa


class RunFolder:
    """The tables and the scenario of a run."""

    def __init__(self, path: Path) -> None:
        """Open the folder of a run.

        Args:
            path: The folder.

        Raises:
            InputError: It is not the folder of a run, or a file in it is damaged.
        """
        if (path / "plan.json").is_file():
            raise InputError(str(path), "is the folder of a study, whose cells keep no logs; name the folder of a run")
        check_folder(path)
        self.path = path
        self.manifest = read_manifest(path)
        if runs := runs_in(path, self.manifest):
            inner = ", ".join(str(each) for each in runs.values())
            raise InputError(str(path), f"is the folder of a comparison; name the folder of one of its runs: {inner}")
        if not (path / "scenario.toml").is_file():
            raise InputError(str(path), "is no folder of a run: it has no scenario.toml")
        if not isinstance(self.manifest.get("finished"), list) or not self.manifest["finished"]:
            raise InputError(str(path / MANIFEST), "is not that of a run: it has no replications that `finished`")
        self.scenario: dict[str, Any] = read_plain(path / "scenario.toml")

    @property
    def replications(self) -> list[int]:
        """The numbers of the replications that finished."""
        return [int(each) for each in self.manifest["finished"]]

    def tables(self) -> list[Path]:
        """Return the files of all tables."""
        return sorted(self.path.glob("*.parquet"))

    def table(self, name: str, missing: str) -> pa.Table:
        """Read a table.

        Args:
            name: Name of the table.
            missing: Message where the run has no such table.

        Raises:
            InputError: The run has no such table.
        """
        import pyarrow.parquet as pq

        file = self.path / f"{name}.parquet"
        if not file.is_file():
            raise InputError(str(self.path), missing)
        return pq.read_table(file)

    def optional(self, name: str) -> pa.Table | None:
        """Read a table; None where the run has no such table."""
        return self.table(name, "") if (self.path / f"{name}.parquet").is_file() else None

    def replication(self, wanted: int | None) -> int:
        """Return the number of a replication that finished: `wanted`, or the first where that is None.

        Raises:
            InputError: The replication did not finish.
        """
        known = self.replications
        if wanted is None:
            return known[0]
        if wanted not in known:
            allowed = ", ".join(map(str, known))
            raise InputError(str(self.path), f"has no replication {wanted}; allowed: {allowed}")
        return wanted

    def of_group(self, group: str, key: str) -> str | None:
        """Return the value of a key of a group in the resolved scenario: its own, else that of `[transport]`."""
        own: dict[str, Any] = next((each for each in self.scenario["flows"] if each["name"] == group), {})
        value = own.get(key, self.scenario.get("transport", {}).get(key))
        return None if value is None else str(value)

    def segment_bytes(self, group: str) -> int:
        """Return the payload of a full segment of a group, bytes."""
        ground = self.scenario.get("path") or self.scenario.get("network") or {}
        return bytes_of(ground.get("packet", "1500B")) - bytes_of(self.of_group(group, "header") or "0B")


def bytes_of(text: str) -> int:
    """Return the number of bytes of a size in the resolved scenario, such as `1500B` or `64KiB`."""
    return int(core.quantity(text, "size"))
