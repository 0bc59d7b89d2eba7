# SPDX-License-Identifier: Apache-2.0
"""Product: one bottleneck. The model decides; run, comparison, report and study name the same link."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import narrows as nw
from command_line import SHORT, write
from narrows._internal.library import find_scenario
from narrows._internal.report.run.data import Run
from narrows._internal.report.run.reading import read

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows

# The second link is the narrow one, and no link is called "bottleneck".
CHAIN = """
title = "A chain of two links"
duration = "3s"
warmup = "1s"

[network]
rtt = "40ms"
links = [
    { name = "wide", from = "A", to = "B", rate = "50Mbps", delay = "5ms" },
    { name = "narrow", from = "B", to = "C", rate = "5Mbps", delay = "5ms" },
]

[[flows]]
algorithm = "subject"
from = "A"
to = "C"
"""
STUDY = """
scenario = "scenario.toml"
algorithms = ["newreno"]
replications = 1
"""
LINK = "narrow"


def bottlenecks(summary: dict[str, dict[str, dict[str, str | None]]]) -> dict[str, str | None]:
    """Return the bottleneck of each group of a summary."""
    return {name: group["bottleneck"] for name, group in summary["groups"].items()}


def test_a_summary_names_the_bottleneck_of_each_group() -> None:
    assert bottlenecks(nw.Scenario(SHORT).run().summary) == {"newreno": "bottleneck", "other": "bottleneck"}
    reverse = SHORT + 'direction = "reverse"\n'
    assert bottlenecks(nw.Scenario(reverse).run().summary)["other"] == "bottleneck reverse"


def test_the_hops_of_a_parking_lot_are_the_bottlenecks_of_their_flows() -> None:
    lot = nw.load(find_scenario("parking-lot").file, ["duration=3s", "warmup=1s"]).run()
    found = bottlenecks(lot.summary)
    assert found["long"] == found["first hop"]
    assert len(set(found.values())) == 3
    assert set(found.values()) <= set(lot.summary["links"])


def test_groups_whose_packets_share_no_link_have_none() -> None:
    scenario = nw.load(find_scenario("tiered-internet").file).check()
    assert "" in {link for _, link, _ in scenario.paths}


def test_run_comparison_report_and_study_mean_the_same_link(narrows: Narrows, tmp_path: Path) -> None:
    write(tmp_path, CHAIN)
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    compared = narrows(
        "compare", "newreno", "cubic", "--scenario", "scenario.toml", "--replications", "1", "--out", "c"
    )
    assert compared.returncode == 0, compared.stderr
    assert f"\n{LINK}  " in compared.stdout
    assert "\nwide  " not in compared.stdout
    folder = tmp_path / "c/newreno"
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert bottlenecks(summary) == {"subject": LINK}
    run = read(folder)
    assert isinstance(run, Run)
    assert run.shared_links == [LINK]

    studied = narrows("study", "run", "study.toml", "--out", "s", "--quiet")
    assert studied.returncode == 0, studied.stderr
    asked = narrows("study", "query", "s", "select utilization, goodput_fraction from cells", "--json")
    (cell,) = json.loads(asked.stdout)
    assert cell["utilization"] == pytest.approx(summary["links"][LINK]["utilization"]["mean"])
    assert cell["goodput_fraction"] == pytest.approx(summary["groups"]["subject"]["goodput_fraction"]["mean"])


def test_a_study_has_a_column_for_each_of_several_bottlenecks(narrows: Narrows, tmp_path: Path) -> None:
    text = 'scenario = "parking-lot"\nalgorithms = ["reno"]\nreplications = 1\nmeasures = ["utilization"]\n'
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    done = narrows("study", "run", "study.toml", "--set", "duration=3s", "--set", "warmup=1s", "--out", "s", "--quiet")
    assert done.returncode == 0, done.stderr
    asked = narrows("study", "query", "s", "select * from cells", "--json")
    (cell,) = json.loads(asked.stdout)
    found = bottlenecks(nw.load(find_scenario("parking-lot").file, ["duration=3s", "warmup=1s"]).run().summary)
    assert {f"link.{link}.utilization" for link in found.values()} <= set(cell)


def test_a_study_without_a_bottleneck_says_what_can_be_asked(narrows: Narrows, tmp_path: Path) -> None:
    text = 'scenario = "tiered-internet"\nreplications = 1\nmeasures = ["utilization"]\n'
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    done = narrows("study", "check", "study.toml")
    assert done.returncode == 2
    assert "study.toml:3:13: measures.0: the packets of the groups under test share no link" in done.stderr
    assert "link." in done.stderr
