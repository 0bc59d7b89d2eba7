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
    assert set(titles) == {f"001-{code}" for code in ENVIRONMENTS}
    for number, code in enumerate(ENVIRONMENTS, 1):
        assert titles[f"001-{code}"].startswith(f"Environment {number} of study 001: ")


def test_an_environment_takes_algorithms_to_compare_by_its_name(narrows: Narrows) -> None:
    short = ["--set", "duration=3s", "--set", "warmup=1s", "--replications", "1", "--json"]
    done = narrows("compare", "aimd", "miad", "--scenario", "001-RWH", *short)
    assert done.returncode == 0, done.stderr
    assert "Environment 6 of study 001" in json.loads(done.stdout)["title"]
