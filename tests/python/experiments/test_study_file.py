# SPDX-License-Identifier: Apache-2.0
"""A study file is answered as strictly as a scenario, and nothing is written. Truth: contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from study_files import SCENARIO, STUDY, study, write_study

from narrows import ScenarioError
from narrows._internal.experiments.definition import parse_study, read_study
from narrows._internal.experiments.design import describe
from narrows._internal.experiments.planner import make_plan

if TYPE_CHECKING:
    from pathlib import Path

FACTORS = '[factors]\n"path.rtt" = ["10ms", "40ms"]\n'
HEAD = 'scenario = "base.toml"\nalgorithms = ["newreno"]\n'


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ('titel = "x"\n' + HEAD, "study.toml:1:1: titel", "did you mean `title`?"),
        ("", "study.toml:1:1: scenario", "`scenario` is missing"),
        ('scenario = "bse.toml"\n', "study.toml:1:12: scenario", "unknown scenario"),
        ('scenario = "two-flow"\n', "study.toml:1:12: scenario", "did you mean 'two-flows'?"),
        (HEAD + "replications = 0\n", "study.toml:3:16: replications", "from 1 to 1000000"),
        (HEAD + "replications = { minimum = 3 }\n", "study.toml:3:16: replications", "`maximum` is missing"),
        (HEAD + "seed = -1\n", "study.toml:3:8: seed", "expected a whole number"),
        (HEAD + 'design = "ful"\n', "study.toml:3:10: design", "did you mean `full`?"),
        (HEAD + 'measures = ["goodput"]\n', "study.toml:3:13: measures.0", "did you mean `goodput_bps`?"),
        (HEAD + 'measures = ["group.testet.jain"]\n', "study.toml:3:13: measures.0", "did you mean `tested`?"),
        (HEAD + 'measures = ["link.bottleneck.jain"]\n', "study.toml:3:13: measures.0", "has no metric `jain`"),
        (HEAD + 'measures = ["jain", "jain"]\n', "study.toml:3:21: measures.1", "is there twice"),
        (HEAD + 'margins = { jain = "soon" }\n', "study.toml:3:20: margins.jain", "cannot have this value"),
        (HEAD + 'margins = { goodput = "5%" }\n', "study.toml:3:23: margins.goodput", "did you mean `goodput_bps`?"),
        (HEAD + 'margins = "5%"\n', "study.toml:3:11: margins", "expected a table"),
        (HEAD.replace("newreno", "newrneo"), "study.toml:2:15: algorithms.0", "did you mean `newreno`?"),
        (HEAD + '[factors]\n"path.rt" = ["1ms"]\n', "study.toml:4:1: factors.path.rt", "did you mean `rtt`?"),
        (HEAD + '[factors]\n"path.rtt" = ["1ms", 5]\n', "study.toml:4:1: factors.path.rtt", "without a unit"),
        (HEAD + '[factors]\n"path.rtt" = ["1ms", "1ms"]\n', "study.toml:4:22: factors.path.rtt.1", "is there twice"),
        (HEAD + '[factors]\n"path.rtt" = ["1ms", "0.001s"]\n', "study.toml:3:1: factors", "same scenario"),
        (HEAD + '[factors]\n"path.rtt" = "1ms"\n', "study.toml:4:14: factors.path.rtt", "a list of levels is needed"),
        (HEAD + '[factors]\npath.rtt = ["1ms"]\n', "study.toml:4:1: factors.path", 'write "path.KEY"'),
        (HEAD + "[factors]\nseed = [1, 2]\n", "study.toml:4:1: factors.seed", "cannot be a factor"),
        (
            HEAD + '[factors.speed]\n"path.rtt" = ["1ms", "2ms"]\n"path.rt" = ["1ms", "2ms"]\n',
            "study.toml:5:1: factors.speed",
            "path.rt: unknown key",
        ),
        (
            HEAD + '[factors.speed]\n"path.rate" = ["1Mbps", "2Mbps"]\n"path.rtt" = ["1ms"]\n',
            "study.toml:5:14: factors.speed.path.rtt",
            "all keys move together",
        ),
        (HEAD + '[factors]\n"path.rtt" = { from = "9ms", to = "1ms" }\n', ":4:35: factors.path.rtt.to", "not above"),
        (HEAD + '[factors]\n"path.rtt" = { from = "1ms", to = "9ms" }\n', ":4:1: factors.path.rtt", "not a range"),
        (HEAD + 'design = { kind = "fractional", fraction = 1 }\n' + FACTORS, ":3:10: design", "2^(1-1)"),
        (HEAD + 'design = { kind = "sobol", runs = 6 }\n' + FACTORS, ":3:10: design", "power of two"),
    ],
)
def test_every_fault_is_named_with_its_place(tmp_path: Path, text: str, place: str, expected: str) -> None:
    write_study(tmp_path, text)
    status, out, messages = study(tmp_path, "run", "study.toml", "--out", "out")
    assert (status, out) == (2, "")
    assert place in messages
    assert expected in messages
    assert "Traceback" not in messages
    assert {entry.name for entry in tmp_path.iterdir()} == {"study.toml", "base.toml"}


def test_a_faulty_base_scenario_is_blamed_in_its_own_place(tmp_path: Path) -> None:
    write_study(tmp_path, STUDY, SCENARIO.replace('"10Mbps"', '"fast"'))
    with pytest.raises(ScenarioError, match=r"base.toml:6:8: path.rate"):
        make_plan(read_study(tmp_path / "study.toml"))


def test_all_faults_are_reported_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    write_study(tmp_path)
    text = 'titel = "x"\n' + HEAD + 'seed = "one"\n[factors]\n"path.rtt" = []\n'
    with pytest.raises(ScenarioError) as caught:
        parse_study(text, str(tmp_path / "study.toml"))
    assert [each["line"] for each in caught.value.diagnostics] == [1, 4, 6]


def test_points_of_a_design_spread_over_ranges(tmp_path: Path) -> None:
    ranges = '"path.rtt" = { from = "5ms", to = "500ms", scale = "log" }\n"flows.tested.count" = { from = 1, to = 4 }\n'
    for kind in ("sobol", "latin-hypercube"):
        write_study(tmp_path, HEAD + f'design = {{ kind = "{kind}", runs = 8 }}\n[factors]\n' + ranges)
        plan = make_plan(read_study(tmp_path / "study.toml"))
        delays = sorted(float(point.levels["path.rtt"].removesuffix("ms")) for point in plan.points)
        assert len(plan.points) == 8
        # Equal shares of the logarithm: one point in each eighth.
        assert [int((delay / 5) ** 0.5 >= 0) for delay in delays] == [1] * 8
        assert all(5 * 100 ** (k / 8) <= delay <= 5 * 100 ** ((k + 1) / 8) for k, delay in enumerate(delays))
        assert {type(point.levels["flows.tested.count"]) for point in plan.points} == {int}


def test_a_design_states_what_it_cannot_distinguish(tmp_path: Path) -> None:
    three = FACTORS + '"path.rate" = ["5Mbps", "10Mbps"]\n"path.queue.limit" = ["1bdp", "2bdp"]\n'
    write_study(tmp_path, HEAD + 'design = { kind = "fractional", fraction = 1 }\n' + three)
    plan = make_plan(read_study(tmp_path / "study.toml"))
    assert len(plan.rows) == 4
    described = describe(plan.design)
    assert "2^(3-1) fractional factorial, 4 runs" in described
    assert "C: path.queue.limit" in described
    assert "A = BC" in described
    write_study(tmp_path, HEAD + 'design = "plackett-burman"\n' + three)
    assert "Plackett-Burman design of 4 runs" in describe(make_plan(read_study(tmp_path / "study.toml")).design)
