# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. What one command has run, another takes over, with the same bits as if it had run itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from narrows._internal.cli import main
from narrows._internal.experiments.executors.threads import Threads
from narrows._internal.run.execution import execute
from narrows._internal.run.shared import kept

if TYPE_CHECKING:
    from pathlib import Path

    from narrows._internal.experiments.task import Task


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Return the algorithms of the cells and runs that are executed, in a folder with a suite and a scenario."""
    (tmp_path / "small").mkdir()
    (tmp_path / "small/suite.toml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "small/path.toml").write_text(CELLS, encoding="utf-8")
    (tmp_path / "small/scenario.toml").write_text(SCENARIO, encoding="utf-8")
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found: list[str] = []
    submit = Threads.submit

    def submitted(self: Threads, task: Task) -> None:
        found.append(str(task.subject))
        submit(self, task)

    def executed(runs: list[Any], *rest: Any) -> Any:
        found.extend("a run" for _ in runs)
        return execute(runs, *rest)

    monkeypatch.setattr(Threads, "submit", submitted)
    monkeypatch.setattr("narrows._internal.trial.run.execute", executed)
    return found


def test_the_references_of_a_suite_run_once(ran: list[str], tmp_path: Path) -> None:
    assert main(["suite", "small", "./mine.py:Mine", "--out", "first", "--quiet"]) == 0
    assert sum("newreno" in each for each in ran) == 4
    assert len(ran) == 8
    ran.clear()
    # Another class is measured, and all else is taken over.
    (tmp_path / "other.py").write_text(MINE.replace("12.0", "13.0"), encoding="utf-8")
    assert main(["suite", "small", "./other.py:Mine", "--out", "second", "--quiet"]) == 0
    assert len(ran) == 4
    assert not any("newreno" in each for each in ran)
    # Without what is shared, everything is the same.
    for each in sorted(kept().rglob("*.json")):
        each.unlink()
    assert main(["suite", "small", "./other.py:Mine", "--out", "third", "--quiet"]) == 0
    assert _rows(tmp_path / "second") == _rows(tmp_path / "third")


def test_a_run_of_a_trial_is_that_of_the_next(ran: list[str], tmp_path: Path) -> None:
    how = ["--scenario", "small/scenario.toml", "--replications", "3", "--quiet", "--out"]
    assert main(["ab", "newreno", "cubic", *how, "first"]) in {0, 1}
    assert len(ran) == 6
    ran.clear()
    assert main(["ab", "newreno", "aiad", *how, "second"]) in {0, 1}
    assert len(ran) == 3
    ran.clear()
    assert main(["ab", "newreno", "./mine.py:Mine", *how, "third"]) in {0, 1}
    assert main(["ab", "newreno", "./mine.py:Mine", *how, "fourth"]) in {0, 1}
    # A file of a user changes with each edit, and is not kept.
    assert len(ran) == 6
    ran.clear()
    assert main(["ab", "newreno", "cubic", *how, "fifth"]) in {0, 1}
    assert not ran
    assert _rows(tmp_path / "first") == _rows(tmp_path / "fifth")


def test_a_damaged_entry_is_run_again(ran: list[str], tmp_path: Path) -> None:
    how = ["--scenario", "small/scenario.toml", "--replications", "2", "--quiet", "--out"]
    assert main(["ab", "newreno", "cubic", *how, "first"]) in {0, 1}
    found = sorted(kept().rglob("*.json"))
    found[0].write_text(found[0].read_text("utf-8").replace('"digest":"', '"digest":"0'), encoding="utf-8")
    found[1].write_text("{", encoding="utf-8")
    ran.clear()
    assert main(["ab", "newreno", "cubic", *how, "second"]) in {0, 1}
    assert len(ran) == 2
    assert _rows(tmp_path / "first") == _rows(tmp_path / "second")


def _rows(folder: Path) -> Any:
    return json.loads((folder / "summary.json").read_text(encoding="utf-8"))["rows"]


SUITE = """
title      = "Small"
source     = "a rule"
references = ["newreno"]

[[rows]]
section   = "1"
criterion = "It loses little"
cells     = "path"
measure   = "group.flow.loss_rate"
predicate = { kind = "relative", at_most = 1, plus = 0.02, than = "newreno" }
whose     = "ours"
"""
CELLS = """
title        = "A path"
scenario     = "scenario.toml"
algorithms   = "{subjects}"
replications = 2

[words]
subjects = ["cubic"]

[factors]
rate = { "path.rate" = ["2Mbps", "4Mbps"] }
"""
SCENARIO = """
duration = "6s"
warmup   = "1s"
path     = { rate = "2Mbps", rtt = "40ms" }
flows    = [{ name = "flow", algorithm = "cubic", subject = true, start = "0s..100ms" }]
"""
MINE = '''
class Mine:
    """One window."""

    def __init__(self, setup):
        self.window = 12.0

    def on_ack(self, ack):
        pass

    def on_loss(self, loss):
        pass
'''
