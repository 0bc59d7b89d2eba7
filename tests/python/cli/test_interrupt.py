# SPDX-License-Identifier: Apache-2.0
"""Stopped or killed in the middle: what had finished is kept whole, and nothing is ever half written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from command_line import command, environment
from longest import descendants

if TYPE_CHECKING:
    from command_line import Narrows

MINE = """\
class Mine:
    def __init__(self, setup): self.window = 4.0
    def on_ack(self, ack): ...
    def on_loss(self, loss): ...
"""
# So many that the command lasts long enough to be stopped in the middle.
FLAGS = ["--replications", "40", "--jobs", "1", "--out", "out"]


KEPT = ("manifest", "summary")


def begin(folder: Path, *arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(arguments),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    )


def wait_for_progress(process: subprocess.Popen[str], percent: int) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        shown = line.removeprefix("progress:").split("%")[0].strip()
        if shown.isdigit() and int(shown) >= percent:
            return
    pytest.fail("the command ended before it could be stopped")


@pytest.mark.parametrize("algorithm", ["newreno", "mine.py:Mine"])
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_of_all_processes_of_a_command_keeps_what_has_finished(
    tmp_path: Path, long_scenario: Path, stop: signal.Signals, algorithm: str
) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    process = begin(tmp_path, "run", long_scenario, "--set", f"flows.0.algorithm={algorithm}", *FLAGS)
    wait_for_progress(process, 5)
    # As `timeout`, a scheduler or a terminal does.
    os.killpg(process.pid, stop)
    _, messages = process.communicate()
    assert process.returncode == 3
    assert "interrupted" in messages
    manifest = json.loads((tmp_path / "out/manifest.json").read_text(encoding="utf-8"))
    assert manifest["interrupted"] is True
    assert manifest["replications"] == 40
    assert 1 <= len(manifest["finished"]) < 40
    summary = json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))
    assert summary["replications"] == len(manifest["finished"])


def test_a_comparison_that_is_interrupted_before_it_is_decided_keeps_what_has_finished(
    tmp_path: Path, long_scenario: Path
) -> None:
    flags = ["--until-decided", "--at-most", "40", "--jobs", "1", "--out", "out"]
    process = begin(tmp_path, "compare", "newreno", "aiad", "--scenario", long_scenario, *flags)
    wait_for_progress(process, 4)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 3
    manifest, summary = (json.loads((tmp_path / f"out/{name}.json").read_text("utf-8")) for name in KEPT)
    assert manifest["interrupted"] is True
    assert 1 <= summary["replications"] < 40
    assert summary["at_most"] == 40


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
            assert {"manifest.json", "summary.json"} <= files
            if "report.html" in files:
                assert (tmp_path / folder / "report.html").read_text(encoding="utf-8").rstrip().endswith("</html>")


# Runs a command that gets a SIGTERM when it calls a function for the first time.
SIGNALLED = """
import importlib, os, signal, sys

home = importlib.import_module(sys.argv[1])
name = sys.argv[2]
before = getattr(home, name)

def once(*given, **named):
    setattr(home, name, before)
    os.kill(os.getpid(), signal.SIGTERM)
    return before(*given, **named)

setattr(home, name, once)
sys.argv[1:] = sys.argv[3:]
from narrows._internal.cli import main
sys.exit(main())
"""


def signalled(folder: Path, at: tuple[str, str], *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    given = [sys.executable, "-c", SIGNALLED, *at, *map(str, arguments)]
    return subprocess.run(given, cwd=folder, capture_output=True, text=True, check=False, env=environment())


@pytest.mark.parametrize(
    "at",
    [
        ("narrows._internal.run.results", "summarize"),
        ("narrows._internal.report.run.page", "build"),
        ("narrows._internal.run.results", "keep"),
    ],
)
@pytest.mark.parametrize("several", [False, True])
def test_a_signal_when_the_last_replication_has_ended_keeps_all_and_leaves_the_report_out(
    tmp_path: Path, scenario: Path, at: tuple[str, str], *, several: bool
) -> None:
    what = ["compare", "newreno", "cubic", "--scenario"] if several else ["run"]
    done = signalled(tmp_path, at, *what, scenario, "--out", "out")
    assert done.returncode == 3, done.stderr
    assert "narrows report out" in done.stderr
    assert not (tmp_path / "out/report.html").exists()
    manifest = json.loads((tmp_path / "out/manifest.json").read_text(encoding="utf-8"))
    assert manifest["interrupted"] is False
    assert (tmp_path / "out/summary.json").exists()


def test_a_signal_when_the_last_cell_of_a_study_has_ended_is_looked_at_before_the_report(
    tmp_path: Path, scenario: Path
) -> None:
    text = f'scenario = "{scenario.name}"\nreplications = 1\n[factors]\n"path.rtt" = ["10ms", "20ms"]\n'
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    at = ("narrows._internal.experiments.campaign", "write_manifest")
    done = signalled(tmp_path, at, "study", "run", "study.toml", "--out", "out")
    assert done.returncode == 3, done.stderr
    assert "`narrows report out` builds their report" in done.stderr
    assert (tmp_path / "out/cells.parquet").exists()
    assert not (tmp_path / "out/report.html").exists()


# Queries that do not end while a test waits for them.
ENDLESS = {
    "rows of a recursion": "with recursive r as (select 1 n union all select n + 1 from r) select max(n) from r",
    # DuckDB notices an interrupt only between the calls of a function, of which this is one.
    "one call of a function": "select levenshtein(repeat('ab', 1000000), repeat('ba', 1000000))",
    # The table is made of them in Python, whose interpreter has no time for a signal.
    "one value": "select range(1000000000)",
}


@pytest.fixture
def finished_study(narrows: Narrows, tmp_path: Path, scenario: Path) -> Path:
    text = f'scenario = "{scenario.name}"\nreplications = 1\n[factors]\n"path.rtt" = ["10ms"]\n'
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    assert narrows("study", "run", "study.toml", "--out", "out").returncode == 0
    return tmp_path


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("query", ENDLESS)
def test_a_query_without_an_end_can_be_interrupted(finished_study: Path, stop: signal.Signals, query: str) -> None:
    process = begin(finished_study, "study", "query", "out", ENDLESS[query])
    (inner,) = wait_for_work(process, 1.5)
    process.send_signal(stop)
    _, messages = process.communicate(timeout=60)
    assert (process.returncode, messages) == (3, "interrupted\n")
    assert inner not in descendants(1)


def test_a_command_that_a_shell_starts_in_the_background_can_be_interrupted(finished_study: Path) -> None:
    # Commands that such a shell starts ignore SIGINT.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = begin(finished_study, "study", "query", "out", ENDLESS["rows of a recursion"])
    finally:
        signal.signal(signal.SIGINT, before)
    wait_for_work(process, 1.5)
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate(timeout=60)
    assert (process.returncode, messages) == (3, "interrupted\n")


@pytest.mark.parametrize("query", ENDLESS)
def test_the_process_of_a_query_ends_with_a_command_that_is_killed(finished_study: Path, query: str) -> None:
    process = begin(finished_study, "study", "query", "out", ENDLESS[query])
    (inner,) = wait_for_work(process, 1.5)
    process.kill()
    process.communicate(timeout=60)
    end = time.monotonic() + 60
    while inner in descendants(1):
        assert time.monotonic() < end, "it outlives the command"
        time.sleep(0.05)


def wait_for_work(process: subprocess.Popen[str], cpu_s: float) -> list[int]:
    """Wait until the processes that a command has started have used a given processor time, and return them."""
    while process.poll() is None:
        inner = descendants(process.pid)
        if sum(map(used_s, inner)) > cpu_s:
            return inner
        time.sleep(0.05)
    pytest.fail(f"the command ended before it could be stopped: {process.communicate()}")


def used_s(process: int) -> float:
    """Return the processor time of a process; 0 if it has ended."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return 0
    return sum(map(int, stat.rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("kind", ["run", "study"])
def test_an_interrupt_ends_the_repetition_of_results(
    narrows: Narrows, tmp_path: Path, long_scenario: Path, kind: str
) -> None:
    (tmp_path / "study.toml").write_text(f'scenario = "{long_scenario}"\nreplications = 8\n', encoding="utf-8")
    study: list[str | Path] = ["study", "run", "study.toml"]
    given = study if kind == "study" else ["run", long_scenario, "--replications", "8"]
    assert narrows(*given, "--out", "out", "--quiet").returncode == 0
    assert narrows("pack", "out").returncode == 0
    process = begin(tmp_path, "verify", "out.zip", "--jobs", "1")
    wait_for_progress(process, 5)
    process.send_signal(signal.SIGINT)
    printed, messages = process.communicate()
    assert (process.returncode, printed) == (3, "")
    assert "interrupted" in messages
    assert "Traceback" not in messages


FINALIZED = """\
import signal, sys, time
from narrows._internal.cli import main, program

class Finalized:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

def run(_):
    Finalized()
    time.sleep(600)

program.run = run
sys.exit(main())
"""


def test_an_interrupt_within_a_finalizer_is_not_lost() -> None:
    """Python ignores what is raised there, as in the callbacks of weak references that imports have."""
    done = subprocess.run(
        [sys.executable, "-c", FINALIZED], capture_output=True, text=True, check=False, env=environment(), timeout=60
    )
    assert (done.returncode, done.stderr) == (3, "interrupted\n")
