# SPDX-License-Identifier: Apache-2.0
"""The way from our scenarios to ns-2 and back; ns-2 itself is not needed."""

from __future__ import annotations

import importlib
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

NS2 = Path(__file__).parents[3] / "validation" / "ns2"
sys.path.insert(0, str(NS2))
counterpart: Any = importlib.import_module("counterpart")
run: Any = importlib.import_module("run")

REFERENCE = tomllib.loads((NS2 / "reference.toml").read_text(encoding="utf-8"))
ENTRIES = [entry for entry in REFERENCE["scenarios"] if "agents" in entry]


def _resolved(case: str) -> dict[str, Any]:
    return tomllib.loads(run.scenario("ns2", case).resolve().resolved)


def _options(case: str, agents: dict[str, str]) -> Any:
    return counterpart.arguments(_resolved(case), agents)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["case"])
def test_every_scenario_with_agents_can_be_given_to_ns2(entry: dict[str, Any]) -> None:
    flows = _resolved(entry["case"])["flows"]
    agents = _options(entry["case"], entry["agents"])["agents"].split()
    assert agents == [entry["agents"][flow["name"]] for flow in flows for _ in range(flow["count"])]


def test_droptail_holds_in_ns2_what_ours_holds() -> None:
    options = _options("r1-sack-n1-1bdp", {"sack": "sack"})
    assert (options["queue"], options["limit"]) == ("DropTail", "62")


def test_units_become_those_of_the_driver() -> None:
    options = _options("r8-sack", {"sack": "sack"})
    expected = {"rate": "4000000000", "rtts": "0.1", "packet": "1000", "loss": "0.01", "ssthresh": "13", "end": "481.5"}
    assert {name: options[name] for name in expected} == expected


def test_what_the_driver_does_not_know_is_an_error() -> None:
    scenario = _resolved("r8-sack")
    scenario["path"]["queue"] = {"kind": "codel", "limit": "100pkt"}
    with pytest.raises(counterpart.Ns2Error, match="codel"):
        counterpart.arguments(scenario, {"sack": "sack"})


def test_without_ns2_the_command_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    assert run.main(["r2-red"]) == 1
    assert "apt-get install ns2" in capsys.readouterr().err


def test_the_interval_of_a_difference_is_that_of_welch() -> None:
    # Law, "Simulation Modeling and Analysis", §10.2.2: the same formula, by hand. Means 2 and 4, variances 1 and 4,
    # three values each: error sqrt(5/3), degrees of freedom 2.94, t of 2 degrees 4.3027.
    apart, half = run.difference([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])
    assert apart == pytest.approx(-2.0)
    assert half == pytest.approx(4.3027 * (5.0 / 3.0) ** 0.5, rel=1e-4)
