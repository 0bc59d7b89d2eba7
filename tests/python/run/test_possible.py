# SPDX-License-Identifier: Apache-2.0
"""Truth: rule. Metrics have values that can be, intervals keep to the bounds of a run, and replications differ."""

from __future__ import annotations

import math
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import narrows as nw
from command_line import write
from narrows._internal.experiments.store import independent, is_repeated
from narrows._internal.library import scenario_files
from narrows._internal.metrics.possible import NAME, check, most_of, range_in
from narrows._internal.report.run.answer import _shares
from narrows._internal.report.run.data import Measure
from narrows._internal.run.differences import differences
from narrows._internal.trial.contest import Contest
from narrows.metrics import measured

if TYPE_CHECKING:
    from pathlib import Path

# A hole at the end of the warm-up keeps back what arrived before.
SLOW = """
duration = "14s"
warmup   = "10s"

[path]
rate  = "250kbps"
rtt   = "40ms"
queue = { kind = "droptail", limit = "50pkt" }

[[flows]]
name      = "f"
algorithm = "cubic"
"""
# Nothing in it is random.
SAME = """
duration = "6s"
warmup   = "2s"

[path]
rate  = "20Mbps"
rtt   = "40ms"
queue = { kind = "droptail", limit = "1bdp" }

[transport]
preset = "linux"

[[flows]]
name      = "f"
algorithm = "newreno"
count     = 2
"""


def named(summary: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the check of this name."""
    return next(each for each in summary["checks"] if each["name"] == name)


@pytest.mark.parametrize("algorithm", ["cubic", "newreno", "bbr1", "reno"])
def test_goodput_is_at_most_what_the_link_offers(tmp_path: Path, algorithm: str) -> None:
    run = nw.load(write(tmp_path, SLOW), [f"flows.f.algorithm={algorithm}"]).run(replications=3)
    share = run.summary["groups"]["f"]["goodput_fraction"]
    # Of 1500 bytes 1460 are payload, and of 83 packets one may have begun before.
    assert share["mean"] <= 1460 / 1500 * (1 + 1 / 83)
    assert share["ci95"] is None or share["ci95"][1] <= 1 + 1 / 83
    assert named(run.summary, NAME)["ok"] is True


@pytest.mark.parametrize("name", [file.stem for file in scenario_files()])
def test_no_metric_of_a_scenario_of_the_library_leaves_its_range(name: str) -> None:
    short = ["duration=12s", "warmup=4s"]
    try:
        scenario = nw.load(name, short)
    except nw.ScenarioError:
        pytest.skip("it needs its own duration")
    run = scenario.run(replications=2)
    assert named(run.summary, NAME)["ok"] is True, named(run.summary, NAME)["detail"]
    for of in ("group", "link"):
        for owner, measures in run.summary[f"{of}s"].items():
            for metric, found in measures.items():
                if not isinstance(found, dict) or found["ci95"] is None:
                    continue
                within = range_in(list(run.records.values()), of, owner, metric)
                low, high = found["ci95"]
                assert within.low - 1e-9 <= low <= high <= within.high * (1 + 1e-9), (owner, metric, found)


def records(**metrics: float) -> Any:
    """Return records of a group `f` with these metrics, whose goodput is 100 Mbps at most."""
    return SimpleNamespace(
        group_metrics={"f": metrics},
        link_metrics={},
        group_bounds={"f": {"goodput_bps": 1e8}},
        group_trials={},
        group_sizes={"f": 4},
    )


@pytest.mark.parametrize(
    ("metric", "value", "said"),
    [
        ("goodput_fraction", 1.334, "0 to 1"),
        ("goodput_bps", 1.1e8, "0 to 1e+08"),
        ("loss_rate", -0.1, "0 to 1"),
        ("jain", 0.2, "0.25 to 1"),
        ("timeouts", -1.0, "0 at least"),
        ("rtt_mean_s", -0.01, "0 at least"),
    ],
)
def test_a_value_that_cannot_be_is_reported(metric: str, value: float, said: str) -> None:
    of_run = records(**{metric: value})
    found = check(of_run, {"groups": of_run.group_metrics, "links": {}})
    assert (found["ok"], found["level"]) == (False, "caution")
    assert f"{metric} of f is {value:.6g}, and can be {said}" in found["detail"]


def test_values_that_can_be_are_not_reported() -> None:
    of_run = records(goodput_fraction=1.0, goodput_bps=1e8, jain=0.25, loss_rate=0.0, slowdown=math.nan)
    found = check(of_run, {"groups": of_run.group_metrics, "links": {}})
    assert (found["ok"], found["level"], found["detail"]) == (True, None, "4 values")


def test_a_difference_between_flows_is_at_most_the_greatest_capacity_of_any_replication() -> None:
    metrics = {
        "a": {"goodput_bps": [9e6, 9.2e6, 38e6], "goodput_fraction": [0.9, 0.92, 0.95]},
        "b": {"goodput_bps": [1e5, 1e5, 1e5], "goodput_fraction": [0.01, 0.01, 0.0025]},
    }
    means = {of: {name: Measure(sum(each) / 3, None) for name, each in own.items()} for of, own in metrics.items()}
    run = SimpleNamespace(
        groups=means,
        bottlenecks={"a": "line", "b": "line"},
        links={"line": {"capacity_bps": Measure(20e6, None)}},
        values=lambda of, name: dict(enumerate(metrics[of][name])),
    )
    (low, high), *_ = re.findall(r"\((\S+)\W…\W\+?(\S+?)\)", str(_shares(run, ["a", "b"])))  # type: ignore[arg-type]
    assert float(high) == pytest.approx(40.0, abs=0.1)
    assert low.startswith("\N{MINUS SIGN}")
    assert most_of([None, 1e6, 2e6, math.nan], [0.5, 0.0, 0.5, 0.5]) == pytest.approx(4e6, rel=2e-3)
    assert most_of([], []) is None


def test_a_difference_is_bounded_by_the_trials_of_its_pairs_alone() -> None:
    def run(*lost: float) -> Any:
        found = [{"groups": {"f": {"loss_rate": each}}, "links": {}} for each in lost]
        of_run = {
            number: SimpleNamespace(
                digest=f"{number}",
                group_sizes={},
                group_bounds={},
                group_trials={"f": {"loss_rate": 100.0}},
            )
            for number in range(len(lost))
        }
        return SimpleNamespace(measured=found, records=of_run)

    # Of the first one replication has no pair, and of the second one has no value.
    (found,) = differences({"a": run(0.0, 0.0, 0.0, 0.0), "b": run(0.0, 0.0, math.nan)}, {})
    most = 1 - 0.025 ** (1 / 200)
    assert found["groups"]["f"]["loss_rate"]["ci95"] == pytest.approx([-most, most])


def test_the_bounds_of_a_run_are_those_of_its_network() -> None:
    run = nw.load("two-flows", ["duration=12s", "warmup=4s"]).run(replications=1)
    (link, *_) = run.scenario.links
    values = measured(run.scenario, run.records[0])["links"][link]
    rate, delay, waiting = (
        range_in(list(run.records.values()), "link", link, metric).high
        for metric in ("rate_bps", "queue_delay_p95_s", "queue_mean_bytes")
    )
    assert rate == pytest.approx(values["capacity_bps"])
    assert values["queue_delay_p95_s"] <= delay < 1.0
    assert values["queue_mean_bytes"] <= waiting < math.inf


def test_a_wait_in_an_empty_queue_has_no_interval_of_seconds() -> None:
    run = nw.load("two-flows", ["path.access_rate=10Mbps", "duration=12s", "warmup=4s"]).run(replications=2)
    (link, *_) = run.scenario.links
    wait = run.summary["links"][link]["queue_delay_mean_s"]
    most = range_in(list(run.records.values()), "link", link, "queue_delay_mean_s").high
    assert wait["ci95"] is None or wait["ci95"][1] <= most < math.inf
    limits = named(run.summary, "senders limited by congestion control")
    assert (limits["ok"], limits["level"]) == (False, "caution")
    assert "limited by their own access links" in limits["detail"]


def test_replications_that_are_one_run_have_no_interval_and_decide_nothing(tmp_path: Path) -> None:
    file = write(tmp_path, SAME)
    run = nw.load(file).run(replications=3)
    found = named(run.summary, "replications differ")
    assert (found["ok"], found["level"], found["failed"]) == (False, "caution", 3)
    assert 'transport.send_delay = "1pkt"' in found["detail"]
    owners = [*run.summary["groups"].values(), *run.summary["links"].values()]
    assert all(each["ci95"] is None for owner in owners for each in owner.values() if isinstance(each, dict))
    assert nw.metrics.evaluate(run, "goodput_bps").ci95 is None
    compared = nw.compare(["newreno", "cubic"], file, replications=3)
    (difference,) = compared.summary["differences"]
    every = [each for kind in ("groups", "links") for owner in difference[kind].values() for each in owner.values()]
    assert {each["verdict"] for each in every} == {"undecided"}
    assert all(each["ci95"] is None for each in every)
    varied = nw.load(file, ['transport.send_delay="1pkt"']).run(replications=3)
    assert named(varied.summary, "replications differ")["ok"] is True
    assert varied.summary["groups"]["f"]["goodput_bps"]["ci95"] is not None


def cells(digests: list[list[str]]) -> pa.Table:
    """Return cells of two combinations, with these digests of their replications."""
    rows = [
        {"cell": f"{level}{number}", "rate": level, "algorithm": "cubic", "replication": number, "digest": digest}
        for level, each in zip("ab", digests, strict=True)
        for number, digest in enumerate(each)
    ]
    return pa.Table.from_pylist(rows)


def test_cells_that_are_all_repeated_count_once() -> None:
    same = cells([["x", "x", "x"], ["y", "y", "y"]])
    assert is_repeated(same)
    assert independent(same)["cell"].to_pylist() == ["a0", "b0"]
    for other in ([["x", "x"], ["y", "z"]], [["x"], ["y"]]):
        assert not is_repeated(cells(other))
        assert independent(cells(other)).num_rows == cells(other).num_rows


def test_a_trial_of_repeated_runs_has_one_pair() -> None:
    contest = Contest(None, [], digests=["x y", "x y"])  # type: ignore[arg-type]
    assert contest.repeated
    assert not Contest(None, [], digests=["x y"]).repeated  # type: ignore[arg-type]
    assert not Contest(None, [], digests=["x y", "x z"]).repeated  # type: ignore[arg-type]
