# SPDX-License-Identifier: Apache-2.0
"""The scenarios of a trial as files in its folder, with which each of its rows can be run again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.files.folder import file_name
from narrows.files.inputs import keep
from narrows.linux.backend import SIMULATOR

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from narrows.trial.scenarios import Pair, Sides


def write_scenarios(folder: Path, pairs: Sequence[Pair], sides: Sides) -> dict[str, list[str]]:
    """Write the scenario of each pair with A and with B into the folder of a trial."""
    home = folder / SCENARIOS
    home.mkdir(exist_ok=True)
    found = {}
    for pair in pairs:
        files = []
        for side, scenario, on in zip(("a", "b"), (pair.a, pair.b), sides.on, strict=True):
            keep(home, scenario.files)
            name = f"{file_name(pair.name.replace(' ', '-'))}.{side}.toml"
            note = "" if on == SIMULATOR else f"# narrows run FILE --on {on}\n\n"
            (home / name).write_text(note + scenario.portable, encoding="utf-8")
            files.append(f"{SCENARIOS}/{name}")
        found[pair.name] = files
    return found


SCENARIOS = "scenarios"
