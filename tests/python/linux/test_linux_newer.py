# SPDX-License-Identifier: Apache-2.0
"""What newer kernels have. Truth: contract and product. A test is skipped where no kernel that it is about is built."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from command_line import Narrows, write
from narrows._internal.linux import cache
from optional import needs, require

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """
duration = "10s"
warmup = "2s"
path = { rate = "20Mbps", rtt = "40ms", queue = { kind = "step", threshold = "20pkt", limit = "200pkt" } }
[transport]
preset = "linux"
ecn = true
[[flows]]
name = "flow"
algorithm = "dctcp"
[linux]
sysctl = ["net.ipv4.tcp_ecn=3"]
"""
DUALPI2 = """
duration = "10s"
warmup = "2s"
path = { rate = "20Mbps", rtt = "10ms", queue = { kind = "dualpi2", low_latency = "ect" } }
[transport]
preset = "linux"
[[flows]]
name = "low"
algorithm = "dctcp"
ecn = true
[[flows]]
name = "classic"
algorithm = "cubic"
"""
NEWER, OLDER = "kernel with dualpi2", "kernel before 6.17"
newer = needs(NEWER)
older = needs(OLDER)


@newer
def test_accurate_ecn_is_asked_for_and_had(tmp_path: Path, narrows: Narrows) -> None:
    file = write(tmp_path, SCENARIO)
    ended = narrows("run", file, "--on", cache.option(require(NEWER)), "--out", "run")
    assert ended.returncode == 0, ended.stderr
    link = json.loads((tmp_path / "run/summary.json").read_text())["links"]["bottleneck"]
    assert link["mark_rate"]["mean"] > 0.05
    assert link["loss_rate"]["mean"] == 0.0


@older
def test_a_kernel_without_accurate_ecn_refuses_the_setting(tmp_path: Path, narrows: Narrows) -> None:
    ended = narrows("run", write(tmp_path, SCENARIO), "--on", cache.option(require(OLDER)), "--out", "run")
    assert ended.returncode == 2
    assert "tcp_ecn" in ended.stderr
    assert not (tmp_path / "run").exists()


@newer
def test_dualpi2_of_the_kernel_keeps_low_latency_traffic_ahead(tmp_path: Path, narrows: Narrows) -> None:
    on = cache.option(require(NEWER))
    ended = narrows("run", write(tmp_path, DUALPI2), "--on", on, "--queue", "linux", "--out", "run")
    assert ended.returncode == 0, ended.stderr
    groups = json.loads((tmp_path / "run/summary.json").read_text())["groups"]
    waits = {name: group["delay_mean_s"]["mean"] - 0.005 for name, group in groups.items()}
    assert waits["low"] < waits["classic"] / 4
    assert groups["low"]["mark_rate"]["mean"] > 0.01
    assert groups["classic"]["loss_rate"]["mean"] > 0.0


@newer
@pytest.mark.parametrize("kind", ["dualpi2", "choke", "sfb", "sfq"])
def test_every_newer_queue_of_the_kernel_carries_flows(kind: str, tmp_path: Path, narrows: Narrows) -> None:
    file = write(
        tmp_path,
        DUALPI2.replace('{ kind = "dualpi2", low_latency = "ect" }', '{ kind = "droptail", limit = "100pkt" }'),
    )
    on = cache.option(require(NEWER))
    ended = narrows("run", file, "--on", on, "--queue", f"linux:{kind}", "--out", "run")
    assert ended.returncode == 0, ended.stderr
    link = json.loads((tmp_path / "run/summary.json").read_text())["links"]["bottleneck"]
    assert link["utilization"]["mean"] > 0.5


@older
def test_a_queue_that_this_kernel_lacks_is_refused_at_its_line(tmp_path: Path, narrows: Narrows) -> None:
    on = cache.option(require(OLDER))
    ended = narrows("run", write(tmp_path, DUALPI2), "--on", on, "--queue", "linux", "--out", "run")
    assert ended.returncode == 2
    assert "scenario.toml:4:" in ended.stderr
    assert "this kernel has no dualpi2, which Linux has since 6.17" in ended.stderr
