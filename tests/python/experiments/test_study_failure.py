# SPDX-License-Identifier: Apache-2.0
"""A cell that fails costs itself alone, is kept with its scenario, and one command replays it. Truth: product."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from study_files import write_study

from narrows import RunError
from narrows._internal import core
from narrows._internal.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_failures_are_kept_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_study(tmp_path)
    whole = core.run

    def broken(jobs: list[Any], threads: int, progress: core.Progress) -> list[core.Records | None]:
        if jobs[0][1] == 1:
            raise RunError("packets are not conserved")
        return whole(jobs, threads, progress)

    monkeypatch.setattr(core, "run", broken)
    assert main(["study", "run", "study.toml", "--out", "out", "--quiet"]) == 4
    messages = capsys.readouterr().err
    assert "packets are not conserved" in messages
    files = sorted((tmp_path / "out/failed").glob("*.json"))
    assert len(files) == 8
    failure = json.loads(files[0].read_text(encoding="utf-8"))
    assert failure["replication"] == 1
    assert failure["replay"] == f"narrows study replay . {failure['cell']}"
    replay = f"narrows study replay out {failure['cell']}"
    assert f"replay with: {replay}\n" in messages
    scenario = (tmp_path / "out/failed" / f"{failure['cell']}.toml").read_text(encoding="utf-8")
    assert f'rtt = "{failure["levels"]["path.rtt"]}"' in scenario
    assert main(replay.split()[1:]) == 4
    assert main(["study", "status", "out", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["failed"] == 8
    # They are not tried again unless asked for.
    assert main(["study", "resume", "out", "--quiet"]) == 4
    monkeypatch.setattr(core, "run", whole)
    assert main(replay.split()[1:]) == 0
    assert main(["study", "resume", "out", "--quiet"]) == 4
    assert main(["study", "resume", "out", "--retry", "--quiet"]) == 0
    assert not list((tmp_path / "out/failed").iterdir())


def test_another_engine_does_not_go_on_with_a_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_study(tmp_path)
    assert main(["study", "run", "study.toml", "--out", "out", "--quiet"]) == 0
    mine = core.fingerprint()
    monkeypatch.setattr(core, "fingerprint", lambda: "f" * 64)
    assert main(["study", "resume", "out", "--quiet"]) == 2
    messages = capsys.readouterr().err
    assert mine[:16] in messages
    assert "f" * 16 in messages
