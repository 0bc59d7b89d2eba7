# SPDX-License-Identifier: Apache-2.0
"""What a user sees of distributions and sources: numbers that follow, files that are found, faults that are named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from command_line import write

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows

HEAD = """\
duration = "10s"
path = { rate = "10Mbps", rtt = "40ms", queue = { kind = "droptail", limit = "1bdp" } }
"""
SOURCES = """
[[flows]]
name = "test"
algorithm = "newreno"
[[flows]]
source = { kind = "cbr", rate = "6Mbps" }
"""
SIZED = """
[[flows]]
algorithm = "newreno"
count = 20
size = { kind = "empirical", file = "sizes.txt" }
"""


def summary(narrows: Narrows, scenario: Path, *more: str) -> dict[str, Any]:
    done = narrows("run", scenario, "--json", "--quiet", *more)
    assert done.returncode == 0, done.stderr
    content: dict[str, Any] = json.loads(done.stdout)
    return content


def test_a_constant_rate_source_needs_no_algorithm_and_takes_its_rate(narrows: Narrows, tmp_path: Path) -> None:
    groups = summary(narrows, write(tmp_path, HEAD + SOURCES))["groups"]
    assert set(groups) == {"test", "cbr"}
    assert groups["cbr"]["throughput_bps"]["mean"] == pytest.approx(6e6, rel=0.001)
    assert groups["test"]["throughput_bps"]["mean"] < 4.5e6


def test_compare_leaves_the_source_alone(narrows: Narrows, tmp_path: Path) -> None:
    scenario = write(tmp_path, HEAD + SOURCES)
    done = narrows("compare", "newreno", "cubic", "--scenario", scenario, "--replications", "1", "--out", "out")
    assert done.returncode == 0, done.stderr
    for name in ("newreno", "cubic"):
        written = (tmp_path / "out" / name / "scenario.toml").read_text(encoding="utf-8")
        assert 'algorithm = { name = "constant"' in written


def test_another_source_needs_an_algorithm(narrows: Narrows, tmp_path: Path) -> None:
    scenario = write(tmp_path, HEAD + '[[flows]]\nsource = { kind = "writes", interval = "1s", size = "1MB" }\n')
    done = narrows("check", scenario)
    assert done.returncode == 2
    assert "flows.0.algorithm" in done.stderr


def test_sizes_come_from_a_file_beside_the_scenario(narrows: Narrows, tmp_path: Path) -> None:
    (tmp_path / "sizes.txt").write_text("# bytes share\n1000 0.5\n20000, 1\n", encoding="utf-8")
    scenario = write(tmp_path, HEAD + SIZED)
    group = summary(narrows, scenario, "--out", "out")["groups"]["newreno"]
    assert group["completed_flows"]["mean"] == 20
    assert 20 * 1000 <= group["goodput_bps"]["mean"] * 10 / 8 <= 20 * 20000
    resolved = tmp_path / "out" / "scenario.toml"
    assert 'values = ["1000B", "20000B"]' in resolved.read_text(encoding="utf-8")
    assert summary(narrows, resolved, "--out", "again")["digest"] == summary(narrows, scenario)["digest"]


def test_a_file_without_points_is_named_with_its_line(narrows: Narrows, tmp_path: Path) -> None:
    (tmp_path / "sizes.txt").write_text("1000 0.5\nmany 1\n", encoding="utf-8")
    done = narrows("check", write(tmp_path, HEAD + SIZED))
    assert done.returncode == 2
    assert "the value on line 2 is not a number" in done.stderr
