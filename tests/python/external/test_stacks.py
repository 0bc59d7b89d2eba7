# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Flows that QUIC stacks carry: commands give a report or a refusal with its line."""

from __future__ import annotations

import hashlib
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
        ("flows.0.packet=1000B", "flows.0.stack", "a larger packet"),
        ("flows.1.packet_threshold=9", "flows.1.packet_threshold", 'stack = "quinn" or "noq"'),
        ("flows.0.packet_threshold=0", "flows.0.packet_threshold", "from 1 to 1000000"),
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


def check_course(known: Path, found: Path) -> None:
    """Check that the flow of one run has the course of that of another."""
    for table, column, tolerance in (
        ("flows", "throughput_bps", 0.005),
        ("links", "queue_delay_mean_s", 0.02),
        ("flows", "reduction_interval_s", 0.02),
        ("flows", "rtt_mean_s", 0.02),
    ):
        assert row(found, table)[column] == pytest.approx(row(known, table)[column], rel=tolerance), column


@pytest.mark.parametrize("stack", STACKS)
def test_the_same_rule_in_two_transports_has_the_same_course(tmp_path: Path, stack: str) -> None:
    # NewReno of RFC 9002 and of RFC 5681 differ in the size of packets, and in how much they send in recovery.
    long = ("duration=60s", "warmup=10s")
    # Outside of the stacks one of 13 reductions would follow a lost retransmission.
    ours = alone(tmp_path, 'algorithm = "newreno"', *long, "transport.lost_retransmission_reduces=false")
    check_course(ours, alone(tmp_path, f'algorithm = "newreno"\nstack = "{stack}"', *long))


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


# A window that is increased by a packet a round trip and halved at a loss.
MINE = """\
class Mine:
    def __init__(self, setup, start=10.0):
        self.window = start

    def on_ack(self, ack):
        self.window += 1 / self.window * ack.counted

    def on_loss(self, loss):
        if loss.new_episode:
            self.window = max(self.window / 2, 2.0)
"""
FAILING = """\
class Failing:
    def __init__(self, setup):
        self.window = 10.0

    def on_ack(self, ack):
        self.window = float("nan")

    def on_loss(self, loss): ...
"""


def test_compare_sets_the_controller_of_a_stack_beside_that_of_narrows_in_it(tmp_path: Path) -> None:
    names = ["quinn:newreno", "quinn:narrows:newreno"]
    done = finished(
        ["compare", *names, "--set", "duration=15s", "--set", "warmup=1s", "--out", str(tmp_path / "c")], tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in names)
    assert "Not the algorithms alone differ" not in done.stdout + done.stderr


@pytest.mark.parametrize("stack", STACKS)
def test_newreno_of_narrows_in_a_stack_has_the_course_of_the_stacks_own(tmp_path: Path, stack: str) -> None:
    long = ("duration=60s", "warmup=10s")
    ours, theirs = (alone(tmp_path, f'algorithm = "{stack}:{name}"', *long) for name in ("narrows:newreno", "newreno"))
    check_course(theirs, ours)


@pytest.mark.parametrize("stack", STACKS)
def test_a_file_behind_a_stack_needs_trust_and_its_digest_is_recorded(tmp_path: Path, stack: str) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    inner = tmp_path / "inner"
    inner.mkdir()
    head = SCENARIO.partition("[[flows]]")[0]
    file = inner / "scenario.toml"
    file.write_text(f'{head}[[flows]]\nalgorithm = "{stack}:../mine.py:Mine(start=12)"\n', encoding="utf-8")
    refused = finished(["run", str(file), "--out", str(tmp_path / "no")], tmp_path)
    assert refused.returncode == 2, refused.stdout
    assert "is not executed" in refused.stderr
    assert not (tmp_path / "no").exists()
    done = finished(["run", str(file), "--trust", "--out", str(tmp_path / "out")], tmp_path)
    assert done.returncode == 0, done.stderr
    digest = hashlib.sha256(MINE.encode()).hexdigest()
    assert digest in (tmp_path / "out" / "manifest.json").read_text(encoding="utf-8")
    named = finished(
        ["run", str(file), "--set", f'flows.0.algorithm="{stack}:./mine.py:Mine"', "--out", str(tmp_path / "named")],
        tmp_path,
    )
    assert named.returncode == 0, named.stderr


def test_an_algorithm_that_fails_in_a_stack_ends_the_run_with_flow_group_and_time(tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text(FAILING, encoding="utf-8")
    head = SCENARIO.partition("[[flows]]")[0]
    file = tmp_path / "failing.toml"
    flow = '[[flows]]\nname = "judged"\nstart = "3s"\nalgorithm = "noq:./failing.py:Failing"\n'
    file.write_text(f"{head}{flow}", encoding="utf-8")
    done = finished(["run", str(file), "--out", str(tmp_path / "out")], tmp_path)
    assert done.returncode == 2, done.stderr
    assert "noq:failing.py:Failing failed at 3." in done.stderr
    assert "flow 0 of group judged" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("algorithm", "reason"),
    [
        ("quinn:narrows:dctcp", "the number of marked packets"),
        ("noq:narrows:xcp", "routers with the queue xcp"),
        ("quinn:narrows:bbr3", "it sets a pacing rate, which the stack ignores"),
        ("quinn:narrows:cubik", "did you mean `cubic`"),
        ("quinn:narrows:cubic(bta=0.8)", "did you mean `beta`"),
        ("quinn:vegas", "Narrows has narrows:vegas"),
    ],
)
def test_what_cannot_be_a_controller_of_a_stack_is_refused_by_name_and_reason(
    tmp_path: Path, algorithm: str, reason: str
) -> None:
    file = tmp_path / "refused.toml"
    head = SCENARIO.partition("[[flows]]")[0]
    file.write_text(f'{head}[[flows]]\nalgorithm = "{algorithm}"\n', encoding="utf-8")
    done = finished(["check", str(file)], tmp_path)
    assert done.returncode == 2, done.stdout
    assert "refused.toml:8:" in done.stderr
    assert reason in done.stderr
