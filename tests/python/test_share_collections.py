# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. A suite and a reproduction of one's own claims are packed whole, and repeated elsewhere."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from command_line import finished
from test_shared import CELLS, MINE, SCENARIO, SUITE

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the archives of a suite of a class and of a reproduction."""
    folder = tmp_path_factory.mktemp("packed")
    (folder / "small").mkdir()
    (folder / "small/suite.toml").write_text(SUITE, encoding="utf-8")
    (folder / "small/path.toml").write_text(CELLS, encoding="utf-8")
    (folder / "small/scenario.toml").write_text(SCENARIO, encoding="utf-8")
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    for line in (
        "suite small ./mine.py:Mine --out suite --quiet",
        "new claims bloat",
        "reproduce ./bloat --out claims --quiet",
        "pack suite --out suite.zip",
        "pack claims --out claims.zip",
    ):
        done = finished(line.split(), folder)
        assert done.returncode == 0, (line, done.stderr)
    return folder


@pytest.mark.parametrize(("name", "kind"), [("suite", "suite"), ("claims", "reproduction")])
def test_every_cell_is_repeated_elsewhere(packed: Path, tmp_path: Path, name: str, kind: str) -> None:
    archive = packed / f"{name}.zip"
    if name == "suite":
        refused = finished(["verify", archive], tmp_path)
        assert refused.returncode == 2
        assert "mine.py:Mine (class in a Python file)" in refused.stderr
    done = finished(["verify", archive, "--trust", "--json"], tmp_path)
    verdict = json.loads(done.stdout)
    assert (done.returncode, verdict["same"], verdict["kind"]) == (0, True, kind)
    assert len(verdict["repeated"]) >= 8
    assert all(each["found"] == each["stored"] for each in verdict["repeated"])
    assert len({each["name"] for each in verdict["repeated"]}) == len(verdict["repeated"])


def test_an_unpacked_archive_is_the_folder_and_has_its_page_again(packed: Path, tmp_path: Path) -> None:
    for name, file in (("suite", "summary.json"), ("claims", "ledger.json")):
        with zipfile.ZipFile(packed / f"{name}.zip") as archive:
            archive.extractall(tmp_path / name)
        assert (tmp_path / name / file).read_bytes() == (packed / name / file).read_bytes()
        page = (tmp_path / name / "report.html").read_bytes()
        assert finished(["report", name], tmp_path).returncode == 0
        assert (tmp_path / name / "report.html").read_bytes() == page


def test_equal_folders_make_equal_archives(packed: Path, tmp_path: Path) -> None:
    assert finished(["pack", packed / "suite", "--out", "again.zip"], tmp_path).returncode == 0
    assert (tmp_path / "again.zip").read_bytes() == (packed / "suite.zip").read_bytes()


def _with(key: str, value: object) -> Callable[[bytes], bytes]:
    def edited(content: bytes) -> bytes:
        found: dict[str, Any] = json.loads(content)
        found[key] = value
        return json.dumps(found).encode()

    return edited


@pytest.mark.parametrize(
    ("place", "change", "answer"),
    [
        ("summary.json", _with("title", "Another"), (1, "file: summary.json is not the one that was packed")),
        ("annex.md", None, (1, "file: annex.md is missing")),
        ("cells/path/cells.parquet", lambda content: content[:-9] + b"x" + content[-8:], (2, "cells.parquet")),
        ("packed.json", None, (2, "is not a file written by `narrows pack`")),
        ("../out.txt", lambda _: b"x", (2, "is not a file written by `narrows pack`")),
        ("new.txt", lambda _: b"x", (1, "file: new.txt was not packed")),
    ],
)
def test_what_was_changed_in_an_archive_is_named(
    packed: Path, tmp_path: Path, place: str, change: Callable[[bytes], bytes] | None, answer: tuple[int, str]
) -> None:
    status, words = answer
    with zipfile.ZipFile(packed / "suite.zip") as old, zipfile.ZipFile(tmp_path / "other.zip", "w") as new:
        new.comment = old.comment
        contents = {name: old.read(name) for name in old.namelist()}
        if change is None:
            del contents[place]
        else:
            contents[place] = change(contents.get(place, b""))
        for name, content in contents.items():
            new.writestr(name, content)
    done = finished(["verify", "other.zip", "--trust"], tmp_path)
    assert done.returncode == status, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not Path(tmp_path.parent / "out.txt").exists()
