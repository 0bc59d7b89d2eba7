"""Contract: the environments that a published study names are scenarios of the library by those names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from narrows.library import scenarios

if TYPE_CHECKING:
    from command_line import Narrows

# In the order in which the study numbers them.
ENVIRONMENTS = ["CL", "CH", "SQL", "SQH", "RWL", "RWH", "RDL", "RDH", "RWA", "RWM", "RCL", "RCH", "RSQ"]


def test_the_environments_of_study_001_are_there_by_name_and_number() -> None:
    titles = {entry["name"]: str(entry["title"]) for entry in scenarios() if entry["name"].startswith("001-")}
    assert set(titles) == {*(f"001-{code}" for code in ENVIRONMENTS), "001-RWH-drr"}
    for number, code in enumerate(ENVIRONMENTS, 1):
        assert titles[f"001-{code}"].startswith(f"Environment {number} of study 001: ")


def test_an_environment_takes_algorithms_to_compare_by_its_name(narrows: Narrows) -> None:
    short = ["--set", "duration=3s", "--set", "warmup=1s", "--replications", "1", "--json"]
    done = narrows("compare", "aimd", "miad", "--scenario", "001-RWH", *short)
    assert done.returncode == 0, done.stderr
    assert "Environment 6 of study 001" in json.loads(done.stdout)["title"]


def test_under_a_fair_queue_many_sources_leave_what_one_walk_says(narrows: Narrows) -> None:
    # In the first five seconds the ten flows have the link to themselves.
    short = ["--set", "duration=21s", "--set", "warmup=6s", "--seed", "2", "--json"]
    done = narrows("run", "001-RWH-drr", "--set", "flows.0.algorithm=newreno", *short)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    cross, test = (summary["groups"][name] for name in ("cross", "test"))
    left = 100e6 - cross["throughput_bps"]["mean"] / 1.05
    assert cross["throughput_bps"]["mean"] > 0
    # Of what is left to them, ten flows have nearly all, and each about as much.
    assert 0.85 < test["throughput_bps"]["mean"] / left < 1.1
    assert test["jain"]["mean"] > 0.98
