# SPDX-License-Identifier: Apache-2.0
"""Contract: the environments that a published study names are scenarios of the library by those names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from narrows import load
from narrows._internal.errors import InputError
from narrows._internal.library import SCENARIOS, find_scenario, library, scenario_files, scenarios

if TYPE_CHECKING:
    from collections.abc import Sequence

    from command_line import Narrows

# In the order in which the study numbers them.
ENVIRONMENTS = ["CL", "CH", "SQL", "SQH", "RWL", "RWH", "RDL", "RDH", "RWA", "RWM", "RCL", "RCH", "RSQ"]


def test_the_environments_of_study_001_are_there_by_name_and_number() -> None:
    titles = {entry["name"]: str(entry["title"]) for entry in scenarios() if entry["name"].startswith("001-")}
    assert set(titles) == {*(f"001-{code}" for code in ENVIRONMENTS), "001-RWH-drr"}
    for number, code in enumerate(ENVIRONMENTS, 1):
        assert titles[f"001-{code}"].startswith(f"Environment {number} of study 001: ")


def _cautions(names: Sequence[str]) -> dict[str, list[str]]:
    found = {}
    for name in names:
        checks = load(name).run(replications=1).summary["checks"]
        found[name] = [each["name"] for each in checks if each["level"] in {"caution", "broken"}]
    return found


# A caution that comes everywhere is none. Programs need a kernel, the environments of studies are as published, and a
# field report has a controller that fails, of which a caution may be right.
FAMILIES = {"applications", "basics", "explicit", "lessons", "links", "networks", "queues", "traffic"}
LARGE = {"ring", "tiered-internet", "two-routers"}


def test_few_scenarios_of_the_library_give_a_caution() -> None:
    names = [str(each["name"]) for each in scenarios() if each["family"] in FAMILIES and each["name"] not in LARGE]
    cautions = {name: given for name, given in _cautions(names).items() if given}
    assert len(names) > 50
    assert len(cautions) <= len(names) / 12, cautions


@pytest.mark.full("three large networks take minutes")
def test_no_large_network_of_the_library_gives_a_caution() -> None:
    assert not any(_cautions(sorted(LARGE)).values())


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


def test_two_flows_share_equally_unless_the_decrease_is_additive(narrows: Narrows) -> None:
    done = narrows("compare", "newreno", "cubic", "aiad", "--scenario", "two-flows", "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    jain = {name: run["groups"]["flows"]["jain"]["mean"] for name, run in summary["algorithms"].items()}
    assert min(jain["newreno"], jain["cubic"]) > 0.95
    assert jain["aiad"] < 0.9
    difference = next(each for each in summary["differences"] if each["of"] == "aiad")
    assert difference["groups"]["flows"]["jain"]["verdict"] == "worse"


def test_prague_waits_a_millisecond_and_cubic_fifteen(narrows: Narrows) -> None:
    done = narrows("run", "low-latency", "--replications", "3", "--json")
    assert done.returncode == 0, done.stderr
    groups = json.loads(done.stdout)["groups"]
    mean = {
        (name, metric): group[metric]["mean"]
        for name, group in groups.items()
        for metric in ("rtt_mean_s", "goodput_bps")
    }
    assert mean["prague", "rtt_mean_s"] - 0.02 == pytest.approx(1e-3, rel=0.2)
    assert mean["cubic", "rtt_mean_s"] - 0.02 == pytest.approx(15e-3, rel=0.2)
    assert mean["cubic", "goodput_bps"] / mean["prague", "goodput_bps"] == pytest.approx(0.75, abs=0.1)


def test_a_scenario_of_the_library_is_found_by_its_bare_name(narrows: Narrows) -> None:
    assert find_scenario("two-flows").file == SCENARIOS / "two-flows.toml"
    assert find_scenario("cellular").file == SCENARIOS / "links/cellular.toml"
    done = narrows("run", "outage", "--set", "duration=3s", "--set", "warmup=1s", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["title"] == "A link that stands still for two seconds"


def test_no_two_scenarios_of_the_library_have_one_name() -> None:
    written = [file.stem for file in scenario_files()]
    assert len(written) == len(set(written))
    cases = {name for name, found in library().items() if found.changes}
    assert not cases & set(written)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("scenarios/cellular.toml", "scenario cellular is scenarios/links/cellular.toml, and its name alone will do"),
        ("scenarios/001-RWH.toml", "scenario 001-RWH has no file: its name will do"),
        ("celular", "did you mean 'cellular'?"),
        ("001-RWX", "did you mean '001-RW"),
    ],
)
def test_a_path_that_is_no_more_leads_to_the_scenario(given: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        find_scenario(given)


def test_a_family_is_the_folder_of_a_scenario_or_the_study_of_a_case() -> None:
    families = {str(entry["name"]): entry["family"] for entry in scenarios()}
    assert families["two-flows"] == families["pair"] == "basics"
    assert families["cellular"] == "links"
    assert families["002-background-25"] == "ha-2006"


@pytest.mark.parametrize("name", ["adsl", "vdsl", "cable", "5g", "geostationary"])
def test_profiles_of_access_links_have_rates_and_queues_of_both_directions(narrows: Narrows, name: str) -> None:
    short = ["--set", "duration=6s", "--set", "warmup=3s", "--replications", "1", "--json"]
    done = narrows("compare", "cubic", "bbr3", "--scenario", name, *short)
    assert done.returncode == 0, done.stderr
    for run in json.loads(done.stdout)["algorithms"].values():
        down, up = (run["links"][link]["capacity_bps"]["mean"] for link in ("bottleneck", "bottleneck reverse"))
        assert down > 3 * up > 0
        assert run["groups"]["download"]["goodput_bps"]["mean"] > 0
