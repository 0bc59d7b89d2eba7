# SPDX-License-Identifier: Apache-2.0
"""Product: a warm-up found automatically is reported wherever a run is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import narrows as nw

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows

SCENARIO = """
title = "Two that come late"
duration = "40s"
warmup = "{warmup}"
replications = 2

[path]
rate = "10Mbps"
rtt = "40ms"

[[flows]]
algorithm = "newreno"
start = "2s..4s"

[[flows]]
algorithm = "cubic"
start = "3s..6s"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "late.toml"
    path.write_text(SCENARIO.format(warmup="auto"), encoding="utf-8")
    return path


def test_the_run_folder_states_the_warm_up_of_each_replication(narrows: Narrows, scenario: Path) -> None:
    done = narrows("run", scenario, "--out", "out")
    assert done.returncode == 0, done.stderr
    summary = json.loads((scenario.parent / "out/summary.json").read_text())
    assert summary["warmup"]["rule"] == "MSER-5"
    assert len(summary["warmup"]["end_s"]) == 2
    assert all(2.0 <= end <= 20.0 for end in summary["warmup"]["end_s"])
    assert any(check["name"] == "warm-up found" for check in summary["checks"])
    assert 'warmup = "auto"' in (scenario.parent / "out/scenario.toml").read_text()
    assert (scenario.parent / "out/report.html").is_file()


def test_it_is_the_latest_settling_time_of_a_group(scenario: Path) -> None:
    found = nw.load(scenario).run()
    whole = nw.load(scenario, overrides=["warmup=0s"]).run()
    settling = [nw.metrics.evaluate(whole, "settling_time", group=group).values for group in ("newreno", "cubic")]
    for latest, end in zip(map(max, *settling), found.summary["warmup"]["end_s"], strict=True):
        # Not a number where a group did not settle: then the second half is measured.
        assert end == pytest.approx(latest if latest == latest else 20.0)  # noqa: PLR0124


def test_measures_of_series_count_from_there_too(scenario: Path) -> None:
    run = nw.load(scenario).run()
    for end, found in zip(
        run.summary["warmup"]["end_s"], nw.metrics.evaluate(run, "cov", group="cubic").values, strict=True
    ):
        fixed = nw.metrics.evaluate(run, f"cov(after={end}s)", group="cubic").values
        assert any(found == pytest.approx(each) for each in fixed)
