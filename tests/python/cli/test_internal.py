# SPDX-License-Identifier: Apache-2.0
"""When the simulator itself is at fault: exit status 4, the command that replays it, and no traceback."""

from __future__ import annotations

import errno
import tempfile
from typing import TYPE_CHECKING

import pytest

from narrows import RunError
from narrows._internal import core
from narrows._internal.cli import main
from narrows._internal.report.run import page as build
from narrows._internal.run.results import Run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("error", [RunError("replication 2: packets are not conserved"), ZeroDivisionError("oh")])
def test_a_broken_rule_is_an_internal_error_and_says_how_to_replay_it(
    scenario: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def broken(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr(core, "run", broken)
    assert main(["run", str(scenario), "--set", "title=two words", "--out", "out"]) == 4
    printed = capsys.readouterr()
    assert printed.out == ""
    assert str(error) in printed.err
    assert f"narrows run {scenario} --set 'title=two words' --out out" in printed.err
    assert "Traceback" not in printed.err
    assert [entry.name for entry in scenario.parent.iterdir()] == ["scenario.toml"]


def test_a_report_that_cannot_be_built_does_not_cost_the_results(
    scenario: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_folder: Path) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(build, "build", broken)
    assert main(["run", str(scenario), "--out", "out"]) == 4
    assert "the results are in out" in capsys.readouterr().err
    assert (scenario.parent / "out" / "summary.json").is_file()
    assert (scenario.parent / "out" / "manifest.json").is_file()


def full(*_arguments: object) -> None:
    """Fail as a full disk does."""
    raise OSError(errno.ENOSPC, "No space left on device")


def test_results_that_the_disk_does_not_take_are_kept_elsewhere(
    scenario: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write = Run.write

    def small_disk(run: Run, folder: Path, command: str | None) -> None:
        if ".out.partial" in folder.name:
            full()
        write(run, folder, command)

    (tmp_path / "spare").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spare"))
    monkeypatch.setattr(Run, "write", small_disk)
    assert main(["run", str(scenario), "--out", "out"]) == 2
    message = capsys.readouterr().err
    assert "out cannot be written: No space left on device; the results are in" in message
    (kept,) = (tmp_path / "spare").iterdir()
    assert str(kept) in message
    assert (kept / "report.html").is_file()
    assert {entry.name for entry in tmp_path.iterdir()} == {"scenario.toml", "spare"}


def test_a_full_disk_is_no_internal_error(
    scenario: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "build", full)
    assert main(["run", str(scenario), "--out", "out"]) == 3
    assert "the results are in out, but" in capsys.readouterr().err
    assert main(["report", "out"]) == 2
    assert "No space left on device" in capsys.readouterr().err


def test_a_fault_in_the_evaluation_of_own_results_is_no_bad_input(
    scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "study.toml"
    study.write_text(f'scenario = "{scenario}"\nreplications = 1\n[factors]\n"path.queue.limit" = ["1bdp"]\n')

    def broken(*_arguments: object) -> None:
        raise KeyError("a fault of ours")

    monkeypatch.setattr("narrows._internal.report.study.page.study_page", broken)
    assert main(["study", "run", str(study), "--out", "out", "--quiet"]) == 4
    assert "the results are in out" in capsys.readouterr().err
    # A folder that is given may be another user's.
    for arguments in (["report", "out"], ["study", "resume", "out", "--quiet"]):
        assert main(arguments) == 2
        assert "holds what does not fit together: KeyError: 'a fault of ours'" in capsys.readouterr().err
