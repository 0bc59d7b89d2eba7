# SPDX-License-Identifier: Apache-2.0
"""The product as a user runs it: two algorithms over the path of a trace, and over the paths of a folder of traces."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import narrows as nw
from command_line import Narrows
from narrows._internal.errors import InputError

SCENARIO = """
title = "traced"
duration = "8s"
warmup = "0s"
[path]
rate = "8Mbps"
rtt = "40ms"
queue = { kind = "droptail", limit = "2bdp" }
[[flows]]
name = "mine"
algorithm = "newreno"
[record]
packets = true
"""


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("capture")
    nw.Scenario(SCENARIO).run(replications=1).save(folder / "run")
    return nw.export("pcapng", folder / "run", folder / "mine.pcapng")


def test_a_trial_over_the_path_of_a_trace_draws_what_is_not_known(capture: Path, tmp_path: Path) -> None:
    found = nw.ab("newreno", "vegas", tmp_path / "ab", like=[capture], replications=12)
    assert {row["scenario"] for row in found["rows"]} == {"mine.pcapng"}
    assert {row["owner"] for row in found["rows"]} == {"traced"}
    # Vegas keeps the queue short, whatever the path is within the intervals.
    (delay,) = (row for row in found["rows"] if row["metric"] == "delay_mean_s")
    assert delay["verdict"] == "better"
    assert not delay["repeated"]
    low, high = delay["interval"]
    assert low < high < 0
    files = found["scenarios"]["mine.pcapng"]
    assert len(files) == 2 * 12
    limits = {(tmp_path / "ab" / each).read_text(encoding="utf-8").split("rtt = ")[1][:8] for each in files[::2]}
    assert len(limits) == 12
    # What was found can be repeated from the folder alone.
    verdict = nw.verify(nw.pack(tmp_path / "ab", tmp_path / "ab.zip"))
    assert verdict.same, verdict.differences


def test_a_folder_gives_the_share_of_its_paths(narrows: Narrows, capture: Path, tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    for name in ("a.pcapng", "b.pcapng"):
        shutil.copy(capture, folder / name)
    (folder / "notes.txt").write_text("no trace\n", encoding="utf-8")
    done = narrows("ab", "newreno", "vegas", "--like", folder, "--replications", "10", "--out", tmp_path / "ab")
    assert "better on 2 of 2 paths" in done.stdout
    assert "left out: notes.txt" in done.stdout
    assert done.stdout.count("b.pcapng") >= 1


def test_a_comparison_runs_over_the_best_path(narrows: Narrows, capture: Path, tmp_path: Path) -> None:
    done = narrows("compare", "newreno", "vegas", "--like", capture, "--replications", "2", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "like mine.pcapng" in done.stdout
    folder = narrows("compare", "newreno", "vegas", "--like", tmp_path)
    assert (folder.returncode, "narrows ab" in folder.stderr) == (2, True)


def test_what_is_no_trace_is_refused_before_a_run(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no trace\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"notes\.txt"):
        nw.ab("cubic", "newreno", tmp_path / "ab", like=[tmp_path / "notes.txt"])
    with pytest.raises(InputError, match="has no trace"):
        nw.ab("cubic", "newreno", tmp_path / "ab", like=[tmp_path])
    assert not (tmp_path / "ab").exists()
