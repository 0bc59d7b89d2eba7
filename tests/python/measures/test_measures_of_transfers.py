"""Truth: contract and product. Measures of groups whose transfers come and go, beside groups whose flows stay."""

from __future__ import annotations

import math

import numpy as np
import pytest

import narrows as nw
from narrows.core import ScenarioError

TEXT = """
duration = "8s"
warmup = "1s"
path = { rate = "10Mbps", rtt = "40ms" }
[[flows]]
name = "stays"
algorithm = "cubic"
[[flows]]
name = "comes"
algorithm = "newreno"
size = { kind = "exponential", mean = "30kB" }
source = { kind = "poisson", interval = "100ms" }
"""


def expecting(measure: str, group: str | None = None) -> str:
    of = f'group = "{group}"\n' if group else ""
    return f'{TEXT}\n[[expect]]\nmeasure = "{measure}"\n{of}at_least = 0\n'


def test_a_measure_of_a_flow_is_taken_of_all_transfers_together() -> None:
    run = nw.Scenario(TEXT).run()
    goodput = np.array([row["goodput_bps"] for row in run.census.to_pylist() if row["time_s"] > 1.0 + 1e-9])
    # Bins of one second are ten intervals of the series.
    bins = goodput.reshape(-1, 10).mean(axis=1)
    expected = bins.std() / bins.mean()
    for measure in ("cov(bin=1s)", "aggregate_cov(bin=1s)"):
        assert nw.measures.evaluate(run, measure, group="comes").mean == pytest.approx(expected)
    assert nw.measures.evaluate(run, "smoothness(bin=1s)", group="comes").mean is not None
    # Shares of one are no fairness, and a first transfer's bytes are not the group's.
    for measure in ("jain(scale=1s)", "time_to_bytes(n=1)", "jain"):
        assert nw.measures.evaluate(run, measure, group="comes").mean is None
    assert run.summary["groups"]["comes"]["cov"]["mean"] == pytest.approx(expected)


def test_a_clause_for_every_group_is_about_those_that_have_the_measure() -> None:
    judged = {
        measure: nw.Scenario(expecting(measure)).run().summary["expectations"]
        for measure in ("jain", "active_flows", "goodput_bps")
    }
    about = {measure: [each["group"] for each in clauses] for measure, clauses in judged.items()}
    assert about == {"jain": ["stays"], "active_flows": ["comes"], "goodput_bps": ["stays", "comes"]}
    assert all(each["verdict"] == "holds" for clauses in judged.values() for each in clauses)
    assert not math.isnan(judged["active_flows"][0]["mean"])


@pytest.mark.parametrize(
    ("measure", "group", "allowed"), [("jain", "comes", "flows stay"), ("active_flows", "stays", "come and go")]
)
def test_a_measure_that_a_group_cannot_have_is_refused(measure: str, group: str, allowed: str) -> None:
    with pytest.raises(ScenarioError, match=allowed):
        nw.Scenario(expecting(measure, group)).run()
