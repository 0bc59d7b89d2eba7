# SPDX-License-Identifier: Apache-2.0
"""Truth: contract and product. Measures of whole runs: by name, in summaries, on the command line, in expectations."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

import narrows as nw
from command_line import SHORT, write
from narrows._internal.metrics import printed, registry, transfers
from narrows._internal.metrics.card import DECLARED
from narrows._internal.metrics.observed import Flow, Observed
from narrows.metrics import catalogue

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows
    from narrows._internal.run.results import Run

SERIES = [card for card in catalogue() if not card["counted"]]
GIVEN = {
    "at": "2s",
    "alone": "5Mbps",
    "from": "1s",
    "until": "3s",
    "packets": "2",
    "state": "drain",
    "variable": "gain",
}


def written(card: dict[str, Any]) -> str:
    """Return how a measure is asked for: what has no default is given."""
    needed = [f"{each['name']}={GIVEN[each['name']]}" for each in card["parameters"] if not each["default"]]
    return f"{card['name']}({','.join(needed)})" if needed else str(card["name"])


@pytest.fixture(scope="module")
def run() -> Run:
    """Return a run of two groups."""
    return nw.Scenario(SHORT).run(replications=2)


@pytest.mark.parametrize("card", SERIES, ids=lambda card: f"{card['family']}-{card['name']}")
def test_every_measure_of_the_series_can_be_taken(run: Run, card: dict[str, Any]) -> None:
    owner = {"link": "bottleneck"} if card["family"] == "link" else {"group": "newreno"}
    found = nw.metrics.evaluate(run, written(card), **owner)
    assert len(found.values) == 2
    # Equal round trips have no bias, five seconds may hold no halving and no steady state, and these flows stay.
    may_lack = {
        "loss_window_correlation",
        "rtt_bias",
        "responsiveness",
        "settling_time",
        "growth_after_cut",
        "window_swing",
    }
    # They are computed from events and inner variables, which this run does not record.
    may_lack |= {"longest_stay_s", "longest_absence_s", "inner_least", "inner_greatest"}
    # No program runs in it.
    may_lack |= printed.NAMES
    may_lack |= {name for name in vars(transfers) if ("group", name) in DECLARED}
    assert card["name"] in may_lack or all(math.isfinite(value) for value in found.values)


def test_a_value_agrees_with_the_series_it_is_taken_of(run: Run) -> None:
    found = nw.metrics.evaluate(run, "cov(bin=500ms,after=2s)", link="bottleneck")
    series = run.series.to_pandas()
    own = series[(series["name"] == "bottleneck") & (series["replication"] == 0) & (series["time_s"] > 2.01)]
    bins = own["rate_bps"].to_numpy().reshape(-1, 5).mean(axis=1)
    assert found.values[0] == pytest.approx(bins.std() / bins.mean())


def test_the_series_at_the_scale_of_the_run_agree_with_the_counters(run: Run) -> None:
    over_series = nw.metrics.evaluate(run, "jain(scale=run)", group="newreno").values
    assert over_series == pytest.approx(nw.metrics.evaluate(run, "jain", group="newreno").values)


def observed(rates: dict[str, list[float]], starts: dict[str, float]) -> Observed:
    """Return a hand-made replication with intervals of a second: two groups `a` and `b` of one flow each, in bit/s."""
    seen = Observed.__new__(Observed)
    count = len(next(iter(rates.values())))
    seen.scenario = cast("Any", SimpleNamespace(warmup_s=0.0, paths=[("a", "l", 0.1), ("b", "l", 0.2)]))
    seen.interval_s, seen.duration_s = 1.0, float(count)
    seen._rtts_s, seen._bottlenecks = {"a": 0.1, "b": 0.2}, {"a": "l", "b": "l"}  # noqa: SLF001  # made by hand
    vars(seen)["ends_s"] = np.arange(1.0, count + 1)
    flows = {name: [Flow(name, starts[name], float(count))] for name in rates}
    vars(seen)["flows"] = vars(seen)["parts"] = flows.__getitem__
    vars(seen)["flow"] = lambda flow, _column: np.array(rates[flow.name])
    return seen


def test_times_count_from_the_start_of_the_flow() -> None:
    # b starts at 2 s; 1460·10 bytes are 116 800 bits: 58 400 in each of two seconds.
    seen = observed({"a": [1.0] * 6, "b": [0, 0, 58_400, 58_400, 0, 0]}, {"a": 0.0, "b": 2.0})
    take = registry.function("group", "time_to_bytes")
    assert take(seen, "b", {"n": 1}) == pytest.approx(2.0)
    assert take(seen, "b", {"n": 0}) == pytest.approx(0.2)
    assert math.isnan(take(seen, "b", {"n": 2}))


def test_the_maximum_and_the_recovery_count_from_their_beginnings() -> None:
    # b starts at 1 s and reaches 95 of its highest 100 at the end of its fourth second. Congestion is over at 6 s. The
    # mean of the last two seconds is 80, and 77 is more than 95 % of it; that one of them has 100 does not matter.
    seen = observed({"a": [1.0] * 10, "b": [0, 20, 60, 90, 96, 100, 10, 77, 60, 100]}, {"a": 0.0, "b": 1.0})
    assert registry.function("group", "time_to_maximum")(seen, "b", {"share": 0.95, "bin": 1.0}) == 4
    recovery = registry.function("group", "recovery_time")
    steady = {"at": 6.0, "from": 8.0, "until": 10.0}
    assert recovery(seen, "b", {**steady, "share": 0.95, "bin": 1.0}) == 2
    assert recovery(seen, "b", {**steady, "share": 0.1, "bin": 1.0}) == 1
    # Bins of two seconds from 6 s on: 43.5 and 80.
    assert recovery(seen, "b", {**steady, "share": 0.95, "bin": 2.0}) == 4
    assert math.isnan(recovery(seen, "b", {**steady, "share": 1.5, "bin": 1.0}))


def test_friendliness_is_the_ratio_of_means_and_settling_is_where_the_start_is_left_out() -> None:
    # Means 3 and 6 for each of two flows.
    seen = observed({"a": [2, 4, 2, 4], "b": [6, 6, 6, 6]}, {"a": 0.0, "b": 0.0})
    goodputs = {"a": {"goodput_bps": 6.0}, "b": {"goodput_bps": 12.0}}
    seen.records = cast("Any", SimpleNamespace(group_metrics=goodputs, group_sizes={"a": 2, "b": 2}))
    assert registry.function("group", "throughput_ratio")(seen, "a", {"to": "b"}) == pytest.approx(0.5)
    assert registry.function("group", "jain_of_means")(seen, "a", {"to": "b"}) == pytest.approx(81 / (2 * 45))
    slow = observed({"a": [0.0] * 10 + [8.0, 6.0] * 45, "b": [1.0] * 100}, {"a": 0.0, "b": 0.0})
    settling = registry.function("group", "settling_time")
    assert settling(slow, "a", {}) == 10
    assert settling(slow, "b", {}) == 0
    assert math.isnan(settling(seen, "a", {}))


def test_a_newcomer_converges_on_the_flows_of_another_group() -> None:
    # Since b's start: running means 2, 3, 4 of b against 8, 7, 6 of a; 4/6 ≥ 60 % only in the third second.
    seen = observed({"a": [9, 8, 6, 4, 4], "b": [0, 2, 4, 6, 6]}, {"a": 0.0, "b": 1.0})
    convergence_time = registry.function("group", "convergence_time")
    assert convergence_time(seen, "b", {"rule": 0.6, "to": "a"}) == 3
    assert convergence_time(seen, "b", {"rule": 2.0, "to": "a"}) == 4
    assert math.isnan(convergence_time(seen, "b", {"rule": 0.8, "to": "own"}))
    # Shares of b: 0.2, 0.4, 0.6 (a has 0.4).
    delta_fair = registry.function("group", "delta_fair_time")
    assert delta_fair(seen, "b", {"delta": 0.2, "bin": 1.0, "to": "a"}) == 2


def test_a_summary_holds_what_was_asked_for_and_the_table_shows_it(narrows: Narrows, scenario: Path) -> None:
    done = narrows(
        "run",
        scenario,
        "--replications",
        "2",
        "--out",
        "out",
        "--metric",
        "cov( bin = 500ms )",
        "--metric",
        "throughput_ratio(to=other)",
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads((scenario.parent / "out/summary.json").read_text())
    assert summary["links"]["bottleneck"]["cov(bin=500ms)"]["mean"] > 0
    assert summary["groups"]["newreno"]["throughput_ratio(to=other)"]["ci95"] is not None
    # Every summary has these.
    assert {"cov", "jain(scale=1s)", "min_max", "power"} <= set(summary["groups"]["other"])
    assert all(asked in done.stdout for asked in ("cov(bin=500ms)", "throughput_ratio(to=other)"))
    assert "Coefficient of variation of goodput (bin=500ms)" in (scenario.parent / "out/report.html").read_text(
        encoding="utf-8"
    )


def test_a_comparison_pairs_them_too(narrows: Narrows, scenario: Path) -> None:
    done = narrows("compare", "newreno", "aiad", "--scenario", scenario, "--out", "out", "--metric", "cov(bin=1s)")
    assert done.returncode == 0, done.stderr
    summary = json.loads((scenario.parent / "out/summary.json").read_text())
    assert summary["differences"][0]["links"]["bottleneck"]["cov(bin=1s)"]["ci95"] is not None


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("cov(bin=3)", "a time with its unit"),
        ("cvo", "unknown metric 'cvo'; did you mean 'cov'?"),
        ("utilization_after", "at is needed"),
        ("throughput_ratio(to=missing)", "newreno, other"),
    ],
)
def test_a_wrong_measure_is_bad_input_and_nothing_runs(
    narrows: Narrows, scenario: Path, asked: str, expected: str
) -> None:
    done = narrows("run", scenario, "--metric", asked, "--out", "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert expected in done.stderr
    assert not (scenario.parent / "out").exists()


def test_an_expectation_may_be_about_a_measure_with_parameters(narrows: Narrows, tmp_path: Path) -> None:
    clause = '\n[[expect]]\nmeasure = "cov(bin=500ms)"\nlink = "bottleneck"\nat_most = 0.5\n'
    done = narrows("run", write(tmp_path, SHORT + clause), "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "cov(bin=500ms) of bottleneck at most 0.5" in done.stdout
    wrong = narrows("check", write(tmp_path, SHORT + clause.replace("bin", "bim")), "--json")
    assert wrong.returncode == 2
    fault = json.loads(wrong.stdout)["diagnostics"][0]
    assert (fault["line"], fault["given"], fault["hint"]) == (20, '"bim"', "did you mean `bin`?")
    unknown = narrows("check", write(tmp_path, SHORT + clause.replace("cov(bin=500ms)", "convergence_time(to=x)")))
    assert unknown.returncode == 2


def test_measures_between_two_times_agree_with_those_of_the_whole_run() -> None:
    run = nw.Scenario(SHORT).run()
    end = f"{run.scenario.duration_s}s"
    whole = run.summary["groups"]["newreno"]
    count = run.records[0].group_sizes["newreno"]
    measured = nw.metrics.evaluate(run, f"goodput_between(from=1s,until={end})", group="newreno").mean
    assert measured == pytest.approx(whole["goodput_bps"]["mean"] / count, rel=1e-6)
    used = nw.metrics.evaluate(run, f"utilization_between(from=1s,until={end})", link="bottleneck").mean
    assert used == pytest.approx(run.summary["links"]["bottleneck"]["utilization"]["mean"], rel=1e-6)
    lost = nw.metrics.evaluate(run, f"loss_between(from=1s,until={end})", link="bottleneck").mean
    assert lost == pytest.approx(run.summary["links"]["bottleneck"]["loss_rate"]["mean"], rel=1e-6)
