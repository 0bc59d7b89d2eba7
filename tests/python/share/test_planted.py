# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. A verdict rests on runs of this user on this machine, not on files of a checkout."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest
from test_shared import CELLS, SCENARIO, SUITE

from narrows._internal.cli import main
from narrows._internal.files.json_objects import sealed
from narrows._internal.files.system import user_cache
from narrows._internal.run.shared import Shared, kept

if TYPE_CHECKING:
    from pathlib import Path

TRIAL = ["ab", "newreno", "cubic", "--scenario", "small/scenario.toml", "--replications", "3", "--quiet", "--out"]


@pytest.fixture
def checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a working folder with a scenario and a suite, and a cache of its own."""
    (tmp_path / "work/small").mkdir(parents=True)
    for name, text in (("scenario", SCENARIO), ("suite", SUITE), ("path", CELLS)):
        (tmp_path / f"work/small/{name}.toml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def forged(content: Any) -> Any:
    """Return an entry in which every number is another one, sealed again."""
    match content:
        case dict():
            return {key: forged(each) for key, each in content.items()}
        case list():
            return [forged(each) for each in content]
        case float():
            return 3 * content + 1
    return content


def rows(folder: Path) -> Any:
    return json.loads((folder / "summary.json").read_text(encoding="utf-8"))["rows"]


def test_kept_runs_of_a_checkout_are_not_believed(checkout: Path) -> None:
    """Each entry is planted wherever an earlier or the present version could look in the folder."""
    assert main([*TRIAL, "honest"]) in {0, 1}
    assert main(["suite", "small", "newreno", "--out", "measured", "--quiet"]) in {0, 1}
    entries = sorted(kept().rglob("*/*.json"))
    assert len(entries) > 3
    assert not kept().is_relative_to(checkout)
    for entry in entries:
        content = json.loads(entry.read_text(encoding="utf-8"))
        del content["seal"]
        for place in ("runs/.cells", "runs/cells", ".cache/narrows/cells", f".cache/narrows/cells/{kept().name}"):
            file = checkout / place / entry.relative_to(kept())
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(sealed(forged(content))), encoding="utf-8")
    shutil.rmtree(kept())
    assert main([*TRIAL, "again"]) in {0, 1}
    assert main(["suite", "small", "newreno", "--out", "measured again", "--quiet"]) in {0, 1}
    assert rows(checkout / "again") == rows(checkout / "honest")
    assert rows(checkout / "measured again") == rows(checkout / "measured")


def test_the_kept_runs_of_a_folder_that_is_gone_are_removed(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main([*TRIAL, "first"]) in {0, 1}
    gone = kept()
    assert gone.is_dir()
    other = checkout.parent / "other"
    other.mkdir()
    shutil.move(checkout / "small", other / "small")
    shutil.rmtree(checkout)
    monkeypatch.chdir(other)
    assert main([*TRIAL, "second"]) in {0, 1}
    assert kept().is_dir()
    assert not gone.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_runs_are_kept_for_a_folder_whose_name_is_not_utf_8(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = checkout / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    for folder in (odd, checkout):
        monkeypatch.chdir(folder)
        shared = Shared(kept(), {"values": [float]})
        shared.add("run", [], {"values": [1.0]})
        assert shared.find("run", []) == {"values": [1.0]}


def test_without_a_home_directory_the_error_names_the_variable_to_set(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none(_user: int) -> None:
        raise KeyError

    for name in ("XDG_CACHE_HOME", "HOME", "USERPROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", none)
    assert main([*TRIAL, "homeless"]) == 2
    assert (
        "XDG_CACHE_HOME: is not set to an absolute path, and this user has no home directory" in capsys.readouterr().err
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(checkout / "small/scenario.toml"))
    assert main([*TRIAL, "unwritable"]) in {0, 1}


def test_a_relative_folder_of_caches_is_ignored(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("HOME", str(tmp_path))
    for relative in ("cache", ".", ""):
        monkeypatch.setenv("XDG_CACHE_HOME", relative)
        assert user_cache() == tmp_path / ".cache/narrows"


def test_a_workflow_goes_on_with_no_results_that_are_there(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        (checkout.parent / name).touch()
        monkeypatch.setenv(name, str(checkout.parent / name))
    assert main([*TRIAL, "planted"]) in {0, 1}
    (checkout / "planted/summary.json").unlink()
    assert main([*TRIAL, "planted", "--github"]) == 2
    assert "planted" in capsys.readouterr().err
    assert not (checkout / "planted/summary.json").exists()
    assert main([*TRIAL, "new", "--github"]) in {0, 1}
