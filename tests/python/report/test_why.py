# SPDX-License-Identifier: Apache-2.0
"""Contract: `narrows why` says what the logs of a run say."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from narrows._internal import core
from narrows._internal.explain.story import LOST, NOTICED

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows


@pytest.fixture
def run(narrows: Narrows, scenario: Path, tmp_path: Path) -> Path:
    done = narrows("run", scenario, "--set", "record.packets=true", "--out", "run")
    assert done.returncode == 0, done.stderr
    return tmp_path / "run"


def events(run: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(run / "events.parquet").to_pylist()
    return [row for row in rows if (row["group"], row["flow"]) == ("newreno", 0)]


def test_the_answer_has_the_segment_the_link_and_the_window(narrows: Narrows, run: Path) -> None:
    rows = events(run)
    cut = next(row for row in rows if row["event"] == "reduction" and row["time_ps"] > 1e12)
    declared = next(row for row in rows if row["event"] == "declared-lost" and row["time_ps"] == cut["time_ps"])
    lost = next(row for row in rows if row["event"] == "dropped" and row["number"] == declared["number"])
    at = f"{cut['time_ps']}ps"
    found = json.loads(narrows("why", run, "--flow", "0", "--at", at, "--json").stdout)
    assert (found["flow"], found["algorithm"], found["replication"]) == ("newreno[0]", "newreno", 0)
    assert f"from {cut['cwnd_before_packets']:.4g} to {cut['cwnd_packets']:.4g} packets" in found["answer"]
    assert f"bottleneck dropped segment {declared['number']:.0f}, as its queue was full" in found["answer"]
    assert NOTICED[cut["rule"]] in found["answer"]
    listed = [(each["event"], round(each["time_s"] * 1e12)) for each in found["sentences"]]
    assert listed == sorted(listed, key=lambda each: each[1])
    assert ("dropped", lost["time_ps"]) in listed
    assert ("reduction", cut["time_ps"]) in listed
    # From the packet log: sent, sent again, received.
    assert [name for name, _ in listed if name in {"sent", "received"}] == ["sent", "sent", "received"]
    assert narrows("why", run, "--flow", "newreno[0]", "--at", at).stdout.startswith("At ")


def test_a_group_with_an_application_is_explained_by_what_it_perceives_and_where_its_packets_wait(
    narrows: Narrows,
) -> None:
    short = ("--set", "duration=12s", "--set", "warmup=2s", "--replications", "2")
    assert narrows("run", "call", *short, "--set", "flows.transfer.algorithm=cubic", "--out", "call").returncode == 0
    done = narrows("why", "call", "--flow", "call", "--at", "5s")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    for part in ("has no record over time", "frames not shown in time", "bit rate of frames", "at link bottleneck",
                 "transfer (cubic)", "On average over replication 0:"):  # fmt: skip
        assert part in said, said
    late = narrows("why", "call", "--flow", "call", "--at", "13s")
    assert (late.returncode, late.stdout) == (2, "")
    assert "after the end of the run, 12s" in late.stderr
    other = json.loads(narrows("why", "call", "--flow", "call", "--at", "5s", "--replication", "1", "--json").stdout)
    assert (other["replication"], other["at_s"]) == (1, None)
    assert "On average over replication 1:" in other["answer"]
    assert other["answer"].replace("replication 1", "replication 0") != said


def test_where_nothing_happened_the_nearest_change_is_named(narrows: Narrows, run: Path) -> None:
    done = narrows("why", run, "--flow", "newreno", "--at", "4us", "--window", "1us")
    assert done.returncode == 0
    assert "Nothing cut or restored" in done.stdout
    assert "nearest change was at" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--flow", "9", "--at", "1s"], "allowed: 0 to 2, or newreno[0], newreno[1], other[0]"),
        (["--flow", "cubic", "--at", "1s"], "unknown flow of"),
        (["--flow", "0", "--at", "1"], "as in 12.3s"),
        (["--flow", "0", "--at", "-1s"], "--at -1s: a negative quantity"),
        (["--flow", "0", "--at", "1h"], "after the end of the run, 5s"),
        (["--flow", "0", "--at", "1s", "--replication", "7"], "no replication 7"),
    ],
)
def test_what_is_not_in_the_run_is_bad_input(narrows: Narrows, run: Path, options: list[str], problem: str) -> None:
    done = narrows("why", run, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr


def test_what_is_no_folder_of_a_run_is_bad_input_for_its_reason(narrows: Narrows, run: Path, tmp_path: Path) -> None:
    small = ["--rates", "5Mbps", "--rtts", "20ms", "--buffers", "1bdp", "--replications", "1"]
    matrix = narrows("matrix", "cubic", *small,
                     "--set", "duration=4s", "--set", "warmup=3s", "--out", "matrix", "--quiet")  # fmt: skip
    assert matrix.returncode == 0, matrix.stderr
    for place, problem in (
        ("nowhere", "nowhere: no such folder"),
        (run / "scenario.toml", "is a file, not a folder of results"),
        ("matrix", "matrix: is the folder of a study"),
        (tmp_path, f"it has no manifest.json; allowed: {tmp_path / 'matrix'}"),
    ):
        done = narrows("why", place, "--flow", "0", "--at", "1s")
        assert done.returncode == 2, done.stderr
        assert problem in done.stderr


def test_a_run_without_a_log_of_events_says_how_to_get_one(narrows: Narrows, scenario: Path) -> None:
    assert narrows("run", scenario, "--set", "record.events=false", "--out", "run").returncode == 0
    done = narrows("why", "run", "--flow", "0", "--at", "1s")
    assert done.returncode == 2
    assert "record.events=true" in done.stderr


def test_every_rule_of_the_log_has_words() -> None:
    (table,) = [table for table in core.tables() if table["name"] == "events"]
    (meaning,) = [column["meaning"] for column in table["columns"] if column["name"] == "rule"]
    events = {"dropped", "lost", "declared-lost", "reduction", "recovery-start", "timeout", "undo", "state"}
    named = set(re.findall(r"`([a-z-]+)`", meaning)) - events
    # `timeout` names both an event and a rule.
    assert named <= set(LOST) | set(NOTICED)
    assert {"overflow", "rack", "sack"} <= named
