# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Flows that QUIC stacks carry: commands give a report or a refusal with its line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from pyarrow import parquet

from command_line import finished

if TYPE_CHECKING:
    from pathlib import Path

STACKS = ("quinn", "noq")
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


def alone(tmp_path: Path, flows: str, *more: str) -> Path:
    """Run one group on a clean link, and return its run folder."""
    head = SCENARIO.partition("[[flows]]")[0]
    file = tmp_path / "alone.toml"
    file.write_text(f"{head}[[flows]]\n{flows}\n", encoding="utf-8")
    changes = [word for change in more for word in ("--set", change)]
    out = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
    done = finished(["run", str(file), *changes, "--out", str(out)], tmp_path)
    assert done.returncode == 0, done.stderr
    return out


def row(folder: Path, table: str, place: int = 0) -> dict[str, float]:
    """Return a row of a table of a run."""
    found: dict[str, float] = parquet.read_table(folder / f"{table}.parquet").to_pylist()[place]
    return found


@pytest.mark.parametrize("stack", STACKS)
def test_the_same_rule_in_two_transports_has_the_same_course(tmp_path: Path, stack: str) -> None:
    # NewReno of RFC 9002 and of RFC 5681 differ in the size of packets, and in how much they send in recovery.
    long = ("duration=60s", "warmup=10s")
    ours, theirs = (alone(tmp_path, f'algorithm = "newreno"\n{key}', *long) for key in ("", f'stack = "{stack}"'))
    for table, column, tolerance in (
        ("flows", "throughput_bps", 0.005),
        ("links", "queue_delay_mean_s", 0.02),
        ("flows", "reduction_interval_s", 0.02),
        ("flows", "rtt_mean_s", 0.02),
    ):
        assert row(theirs, table)[column] == pytest.approx(row(ours, table)[column], rel=tolerance), column


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize(
    ("flows", "completed"),
    [
        ('size = "300kB"\ncount = 3', 3),
        ('size = "20kB"\nsource = { kind = "poisson", interval = "100ms" }', 20),
        ('size = "60kB"\ncount = 4\nsource = { kind = "users", think = { kind = "exponential", mean = "500ms" } }', 20),
    ],
)
def test_transfers_of_stacks_complete(tmp_path: Path, stack: str, flows: str, completed: int) -> None:
    folder = alone(tmp_path, f'stack = "{stack}"\nalgorithm = "cubic"\n{flows}', "warmup=0s")
    transfers = parquet.read_table(folder / "transfers.parquet").to_pylist()
    assert len(transfers) >= completed
    assert all(each["completed"] for each in transfers)
    # A handshake of one round trip, and one for the data at least.
    assert all(each["end_s"] - each["start_s"] >= 0.08 for each in transfers)
    assert all(each["established_s"] - each["start_s"] >= 0.04 for each in transfers)


@pytest.mark.parametrize("stack", STACKS)
def test_a_source_with_pauses_has_its_rate(tmp_path: Path, stack: str) -> None:
    source = 'source = { kind = "onoff", rate = "1500kbps", on = "500ms", off = "1s" }'
    folder = alone(tmp_path, f'stack = "{stack}"\nalgorithm = "cubic"\n{source}', "duration=30s")
    assert row(folder, "flows")["goodput_bps"] == pytest.approx(0.5e6, rel=0.1)


@pytest.mark.parametrize("stack", STACKS)
def test_marks_reach_the_stack_where_hosts_pass_them_on(tmp_path: Path, stack: str) -> None:
    flows = f'stack = "{stack}"\nalgorithm = "cubic"\necn = true'
    queue = "path.queue={kind='codel',ecn=true}"
    marked = row(alone(tmp_path, flows, queue, "duration=12s"), "flows")
    assert marked["marked_packets"] > 0
    assert marked["lost_packets"] == 0
    assert marked["reductions"] > 0
    dropped = row(alone(tmp_path, flows.replace("true", "false"), queue, "duration=12s"), "flows")
    assert dropped["marked_packets"] == 0
    assert dropped["lost_packets"] > 0


@pytest.mark.parametrize("stack", STACKS)
def test_series_have_the_state_of_the_stack(tmp_path: Path, stack: str) -> None:
    folder = alone(tmp_path, f'stack = "{stack}"\nalgorithm = "cubic"')
    rows = [each for each in parquet.read_table(folder / "series.parquet").to_pylist() if each["kind"] == "flow"]
    last = rows[-1]
    assert 60 < last["cwnd_packets"] < 150
    assert 0 < last["in_flight_packets"] <= last["cwnd_packets"] + 1
    assert 0.04 <= last["min_rtt_s"] <= last["srtt_s"] < 0.1
    assert last["pacing_rate_bps"] > 15e6
