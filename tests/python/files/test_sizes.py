# SPDX-License-Identifier: Apache-2.0
"""Files that people write are read up to a size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows

LARGE = 8_000_000_000


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["check", "large.toml"], "large.toml"),
        (["run", "large.toml"], "large.toml"),
        (["compare", "cubic", "--scenario", "large.toml"], "large.toml"),
        (["study", "run", "large.toml"], "large.toml"),
        (["suite", ".", "cubic"], "suite.toml"),
        (["reproduce", "."], "claims.toml"),
        (["playground", "large.toml"], "large.toml"),
    ],
)
def test_a_file_of_any_size_is_not_read(narrows: Narrows, tmp_path: Path, command: list[str], name: str) -> None:
    with (tmp_path / name).open("wb") as file:
        # Without a byte on the disk.
        file.truncate(LARGE)
    done = narrows(*command)
    assert done.returncode == 2, done.stderr
    assert f"{name}: is larger than 64 MB; allowed" in done.stderr


def test_a_study_does_not_read_a_scenario_of_any_size(narrows: Narrows, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text('title = "A"\nscenario = "large.toml"\nreplications = 1\n', encoding="utf-8")
    with (tmp_path / "large.toml").open("wb") as file:
        file.truncate(LARGE)
    done = narrows("study", "run", "study.toml")
    assert done.returncode == 2, done.stderr
    assert "large.toml" in done.stderr
    assert "larger than 64 MB" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_scenario_of_the_library_is_found_beside_a_folder_of_its_name(narrows: Narrows, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    done = narrows("check", "home")
    assert done.returncode == 0, done.stderr
    assert "home" in done.stdout
    (tmp_path / "mine").mkdir()
    refused = narrows("check", "mine")
    assert refused.returncode == 2
    assert "is a folder, not a scenario file" in refused.stderr
