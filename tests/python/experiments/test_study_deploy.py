# SPDX-License-Identifier: Apache-2.0
"""`narrows deploy`: from no flow to all flows. Truth: product."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from study_files import ask, state
from test_study_report import words

from narrows._internal.experiments.views import deployment
from narrows._internal.run.options import Options

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows

QUICK = ["--set", "duration=8s", "--set", "warmup=2s", "--quiet"]


def test_a_deployment_separates_the_ab_test_from_the_truth(narrows: Narrows, tmp_path: Path) -> None:
    asked = ["deploy", "bbr1", "--against", "cubic", "--flows", "4", "--fractions", "25,50", *QUICK,
             "--replications", "3"]  # fmt: skip
    done = narrows(*asked, "--out", "out")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "out"
    assert state(tmp_path)["cells"] == 4 * 3
    summary = json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))
    assert [(each["deployed"], each["moved"]) for each in summary["stages"]] == [
        ("0", 0), ("25", 1), ("50", 2), ("100", 4),
    ]  # fmt: skip
    goodput = {
        row["deployed"]: row
        for row in ask(
            tmp_path,
            'select deployed, avg("group.new.goodput_bps") as new, avg("group.old.goodput_bps") as old from cells '
            "group by all",
        )
    }
    effect = summary["effects"]["goodput_per_flow_bps"]
    total = (goodput["100"]["new"] - goodput["0"]["old"]) / 4
    naive = goodput["25"]["new"] - goodput["25"]["old"] / 3
    assert effect["before"] == pytest.approx(goodput["0"]["old"] / 4)
    assert effect["total"]["mean"] == pytest.approx(total)
    assert effect["stages"][0]["naive"]["mean"] == pytest.approx(naive)
    assert effect["stages"][0]["bias"]["mean"] == pytest.approx(naive - total)
    spillover = goodput["50"]["old"] / 2 - goodput["0"]["old"] / 4
    assert effect["stages"][1]["spillover"]["mean"] == pytest.approx(spillover)
    text = words(tmp_path / "out/report.html")
    assert "with 25 % of the flows on bbr1, an A/B test says" in text
    assert "when all flows switch, the total effect is" in text
    assert "25 % (1 of 4)" in text
    # Neither the page nor the terminal has a word of the source without its explanation.
    assert not re.search(r"\b(camps?|movers?|stayers?|naive|responses?|spillover)\b", f"{text}{done.stdout}")
    assert "the total effect compares all flows on the new algorithm with all flows on the old one" in text
    assert "Goodput: A/B test and total effect" in text
    assert "Command, as typed narrows deploy bbr1 --against cubic" in text


def test_pacing_is_deployed_among_flows_of_one_algorithm(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("deploy", "pacing", "--against", "newreno", "--flows", "4", "--fractions", "50", *QUICK,
                   "--replications", "2", "--out", "out")  # fmt: skip
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))
    assert (summary["new"], summary["old"]) == ("newreno, paced", "newreno")
    half = summary["stages"][1]["camps"]
    # Aggarwal, Savage and Anderson (INFOCOM 2000): paced flows lose to bursty ones beside them.
    assert half["new"]["goodput_per_flow_bps"]["mean"] < half["old"]["goodput_per_flow_bps"]["mean"]
    page = words(tmp_path / "out/report.html")
    assert "newreno, paced" in page
    # Two replications say little, but no flow gets more than four flows have, nor loses more.
    capacity_bps = 4 * 5e6
    for stage in summary["stages"]:
        for each in stage["camps"].values():
            low, high = each["goodput_per_flow_bps"]["ci95"]
            assert 0 <= low < high <= 1.01 * capacity_bps
    effects = summary["effects"]["goodput_per_flow_bps"]
    for found in (effects["total"], *(effects["stages"][0][name] for name in ("naive", "gain", "spillover"))):
        assert max(map(abs, found["ci95"])) <= 1.01 * capacity_bps
    # A bracket stands behind the value whose unit it has.
    assert re.search(r"an A/B test says \S+ Mbps \([^()%]*\), \S+ %", page)


def test_goodput_is_of_those_who_open_several_connections(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("deploy", "connections=2", "--against", "newreno", "--flows", "4", "--fractions", "50", *QUICK,
                   "--replications", "2", "--out", "out")  # fmt: skip
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))
    goodput = [
        {camp: each["goodput_per_flow_bps"]["mean"] / 1e6 for camp, each in stage["camps"].items()}
        for stage in summary["stages"]
    ]
    # Two who have two connections each, of six: two shares of 20 Mbps against one.
    assert goodput[1]["new"] / goodput[1]["old"] == pytest.approx(2, rel=0.3)
    # When everybody has two, no flow has gained.
    assert goodput[2]["new"] == pytest.approx(goodput[0]["old"], rel=0.1)


def test_a_number_of_connections_is_checked(narrows: Narrows) -> None:
    for wrong in ("connections", "connections=1", "connections=x", "connections=101"):
        done = narrows("deploy", wrong)
        assert done.returncode == 2
        assert f"connections: expected a whole number from 2 to 100, got {wrong!r}" in done.stderr


@pytest.mark.parametrize(
    ("fractions", "flows", "moved"),
    [
        (["5", "50"], None, {"0": 0, "5": 1, "50": 10, "100": 20}),
        # One per cent needs a hundred flows.
        (["1", "99%"], None, {"0": 0, "1": 1, "99": 99, "100": 100}),
        (["33"], None, {"0": 0, "33": 7, "100": 20}),
        (["100", "25", "0"], 4, {"0": 0, "25": 1, "100": 4}),
    ],
)
def test_fractions_are_whole_flows(fractions: list[str], flows: int | None, moved: dict[str, int]) -> None:
    overrides = ["duration=8s", "warmup=2s"]
    _, plan, facts = deployment.Deployment("newreno", "cubic", fractions, flows, overrides).layout(
        Options(replications=2)
    )
    assert facts["moved"] == moved
    # A flow's fair share is 5 Mbps however many there are.
    assert plan.points[0].overrides[0] == f'path.rate="{5 * moved["100"]}Mbps"'
    assert [point.levels["flows.new.count"] for point in plan.points] == list(moved.values())


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["cubic"], "cubic: is the same as cubic"),
        (["foo"], "foo: unknown algorithm"),
        (["bbr1", "--against", "foo"], "foo: unknown algorithm"),
        (["bbr1", "--fractions", "1,50", "--flows", "20"], "--fractions 1: is less than one flow of 20"),
        (["bbr1", "--fractions", "25,30", "--flows", "4"], "is as many whole flows of 4 as 25: 1"),
        (["bbr1", "--fractions", "101"], "expected percentages from 0 to 100"),
        (["bbr1", "--fractions", "5,5%"], "is there twice"),
        (["bbr1", "--fractions", "0.5"], "0.5 per cent is 0.5%, and 0.5 of the flows 50"),
        (["bbr1", "--set", "path.rate=10"], "a number without a unit"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(
    narrows: Narrows, tmp_path: Path, arguments: list[str], expected: str
) -> None:
    done = narrows("deploy", *arguments)
    assert done.returncode == 2
    assert expected in done.stderr
    assert not list(tmp_path.iterdir())
