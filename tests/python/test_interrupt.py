"""Stopped or killed in the middle: what had finished is kept whole, and nothing is ever half written."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from command_line import command, environment

if TYPE_CHECKING:
    from pathlib import Path

# So many that the command lasts long enough to be stopped in the middle.
FLAGS = ["--replications", "40", "--jobs", "1", "--out", "out"]


def begin(folder: Path, *arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(arguments),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )


def wait_for_progress(process: subprocess.Popen[str], percent: int) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        shown = line.removeprefix("progress:").split("%")[0].strip()
        if shown.isdigit() and int(shown) >= percent:
            return
    pytest.fail("the command ended before it could be stopped")


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_has_finished(tmp_path: Path, long_scenario: Path, stop: signal.Signals) -> None:
    process = begin(tmp_path, "run", long_scenario, *FLAGS)
    wait_for_progress(process, 5)
    process.send_signal(stop)
    _, messages = process.communicate()
    assert process.returncode == 3
    assert "interrupted" in messages
    manifest = json.loads((tmp_path / "out/manifest.json").read_text(encoding="utf-8"))
    assert manifest["interrupted"] is True
    assert manifest["replications"] == 40
    assert 1 <= len(manifest["finished"]) < 40
    summary = json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))
    assert summary["replications"] == len(manifest["finished"])


def test_an_interrupted_comparison_keeps_what_has_finished(tmp_path: Path, long_scenario: Path) -> None:
    process = begin(tmp_path, "compare", "newreno", "aiad", "--scenario", long_scenario, *FLAGS)
    wait_for_progress(process, 4)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 3
    manifest = json.loads((tmp_path / "out/manifest.json").read_text(encoding="utf-8"))
    assert manifest["interrupted"] is True
    assert set(manifest["finished"]) == {"newreno", "aiad"}


def test_an_interrupt_before_anything_has_finished_writes_nothing(tmp_path: Path, long_scenario: Path) -> None:
    flags = ["--set", "duration=100000s", "--set", "record.interval=100s", "--out", "out"]
    process = begin(tmp_path, "run", long_scenario, *flags)
    wait_for_progress(process, 0)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 3
    assert {entry.name for entry in tmp_path.iterdir()} == {"scenario.toml"}


def test_a_kill_leaves_no_folder_and_the_next_run_clears_the_rest(tmp_path: Path, long_scenario: Path) -> None:
    process = begin(tmp_path, "run", long_scenario, *FLAGS)
    wait_for_progress(process, 1)
    process.kill()
    process.communicate()
    assert not (tmp_path / "out").exists()
    (tmp_path / f".out.partial-{process.pid}").mkdir(exist_ok=True)
    again = begin(tmp_path, "run", long_scenario, "--set", "duration=5s", "--out", "out")
    again.communicate()
    assert again.returncode == 0
    assert {entry.name for entry in tmp_path.iterdir()} == {"scenario.toml", "out"}


def test_a_kill_at_any_moment_leaves_a_whole_folder_or_none(tmp_path: Path, scenario: Path) -> None:
    for step in range(6):
        folder = f"out{step}"
        process = begin(tmp_path, "run", scenario, "--out", folder)
        time.sleep(0.3 + 0.15 * step)
        process.kill()
        process.communicate()
        if (tmp_path / folder).exists():
            files = {entry.name for entry in (tmp_path / folder).iterdir()}
            assert {"manifest.json", "summary.json", "report.html"} <= files
