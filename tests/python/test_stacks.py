# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Flows that QUIC stacks carry: commands give a report or a refusal with its line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from command_line import finished

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """\
duration = "6s"
warmup = "1s"
[path]
rate = "20Mbps"
rtt = "40ms"
queue = { kind = "droptail", limit = "1bdp" }
[[flows]]
name = "tested"
stack = "quinn"
algorithm = "cubic"
subject = true
[[flows]]
name = "other"
algorithm = "cubic"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """Return a scenario with a flow of a stack and a flow of Narrows."""
    file = tmp_path / "mixed.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    return file


def test_a_run_of_both_kinds_is_the_same_when_its_resolved_file_runs(scenario: Path, tmp_path: Path) -> None:
    first = finished(["run", str(scenario), "--out", str(tmp_path / "first")], tmp_path)
    assert first.returncode == 0, first.stderr
    again = finished(["run", str(tmp_path / "first" / "scenario.toml"), "--out", str(tmp_path / "again")], tmp_path)
    assert again.returncode == 0, again.stderr
    one, two = (
        json.loads((tmp_path / name / "summary.json").read_text(encoding="utf-8")) for name in ("first", "again")
    )
    assert one["digest"] == two["digest"]


def test_compare_takes_the_controllers_of_the_stack(scenario: Path, tmp_path: Path) -> None:
    done = finished(
        ["compare", "cubic", "newreno", "--scenario", str(scenario), "--out", str(tmp_path / "c")], tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "newreno" in done.stdout


@pytest.mark.parametrize(
    ("change", "key", "allowed"),
    [
        ("flows.0.algorithm=vegas", "flows.0.algorithm", "cubic, newreno, bbr"),
        ("flows.0.algorithm=cubic(beta=0.5)", "flows.0.algorithm", '"cubic"'),
        ("flows.0.stack=msquic", "flows.0.stack", '"quinn", "noq"'),
        ("flows.0.delayed_ack=1", "flows.0.delayed_ack", "2"),
        ("flows.0.stop=3s", "flows.0.stop", "no stop and no lasts"),
        ("flows.0.packet=1000B", "flows.0.stack", "a larger packet"),
        ("flows.0.source={kind='game'}", "flows.0.source", "a source that writes at the sender alone"),
    ],
)
def test_what_a_stack_does_not_do_is_refused(
    scenario: Path, tmp_path: Path, change: str, key: str, allowed: str
) -> None:
    done = finished(["run", str(scenario), "--set", change, "--out", str(tmp_path / "out")], tmp_path)
    assert done.returncode == 2, done.stdout
    assert key in done.stderr
    assert allowed in done.stderr
    assert not (tmp_path / "out").exists()
