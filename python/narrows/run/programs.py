# SPDX-License-Identifier: Apache-2.0
"""The output of programs that carried flows, in the folder of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows.files.manifest import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from narrows.core import Records


def describe(records: Mapping[int, Records]) -> list[dict[str, Any]]:
    """Return an entry for each program of a run."""
    return [
        {"replication": index, "flow": flow, "role": role, "status": status, "file": _file(index, flow, role)}
        for index, each in sorted(records.items())
        for flow, role, status, _ in each.programs
    ]


def write(folder: Path, records: Mapping[int, Records]) -> None:
    """Write the output of the programs of a run, a file each; nothing without programs."""
    for index, each in records.items():
        for flow, role, _, text in each.programs:
            path = folder / _file(index, flow, role)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")


def _file(index: int, flow: int, role: str) -> str:
    return f"{PROGRAMS}/replication-{index}-flow-{flow}-{role}.txt"
