# SPDX-License-Identifier: Apache-2.0
"""The contract of `check`, `list`, `show` and `schema`."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from command_line import SHORT, command, environment, write
from narrows import load
from narrows._internal import cards, core
from narrows._internal.cli.catalogue import KINDS
from narrows._internal.library import find_scenario, library

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_is_a_line_or_an_object_for_each_entry(narrows: Narrows, kind: str) -> None:
    entries = json.loads(narrows("list", kind, "--json").stdout)
    lines = narrows("list", kind).stdout.splitlines()
    assert [line.split()[0] for line in lines] == [entry["name"] for entry in entries]
    assert all({"name", "family", "source", "validation"} <= set(entry) for entry in entries)
    if kind in {"algorithms", "queues"}:
        # A list and a card say the same.
        assert entries == getattr(cards, kind)()
    assert entries or kind == "studies"


def test_a_list_of_links_shows_their_rates_and_that_they_are_synthetic(narrows: Narrows) -> None:
    lines = narrows("list", "links").stdout.splitlines()
    for line, link in zip(lines, cards.links(), strict=True):
        assert f"{link['name']:12}  synthetic" in line
        assert re.search(r"[▁-█]{30}  [\d.]+ Mbps, below half of it for \d+% of \d+ s", line)
        assert line.endswith(f"statistics of: {link['source']}")
        mean = sum(bps for _, bps in link["steps"]) / len(link["steps"])
        assert link["mean_bps"] == pytest.approx(mean)
        assert 0 < link["below_half"] < 1
    ascii_only = subprocess.run(
        command(["list", "links"]),
        env={**environment(), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.search(r"[1-8]{30}  ", ascii_only.stdout)


@pytest.mark.parametrize("card", [*cards.algorithms(), *cards.queues()], ids=lambda card: card["name"])
def test_a_card_shows_all_that_it_holds(narrows: Narrows, card: dict[str, object]) -> None:
    shown = narrows("show", str(card["name"]))
    assert shown.returncode == 0
    for heading in ("Source", "Equations", "Parameters", "Variables", "Deviations", "Validation"):
        assert f"\n{heading}\n" in shown.stdout
    text, judged = " ".join(shown.stdout.split()), card["judged"]
    assert isinstance(judged, list)
    for variable in card["variables"]:  # type: ignore[attr-defined]
        assert f"{variable['name']}" in text
        assert variable["meaning"] in text
    for row in judged:
        assert row["theirs"] in text
        assert row["ours"] in text
    assert max(map(len, shown.stdout.splitlines())) <= 80
    printed = json.loads(narrows("show", str(card["name"]), "--json").stdout)
    # An end host and its router may have one name: then both cards are shown.
    assert card in (printed if isinstance(printed, list) else [printed])


@pytest.mark.parametrize("preset", core.presets(), ids=lambda preset: preset["name"])
def test_a_preset_shows_the_value_that_it_gives_each_key(
    narrows: Narrows, tmp_path: Path, preset: dict[str, Any]
) -> None:
    shown = narrows("show", preset["name"])
    assert shown.returncode == 0
    text = " ".join(shown.stdout.split())
    assert preset["summary"] in text
    written = SHORT.replace("[[flows]]", f'[transport]\npreset = "{preset["name"]}"\n\n[[flows]]', 1)
    transport = tomllib.loads(load(write(tmp_path, written)).resolve().resolved)["transport"]
    for value in preset["parameters"]:
        assert f"{value['name']} = {value['default']}: " in text
        # One packet's time is written as that time.
        if value["name"] != "send_delay":
            assert str(transport[value["name"]]).lower() == value["default"].lower()
    assert {"preset", *(value["name"] for value in preset["parameters"])} == set(transport)


def test_an_unknown_card_is_bad_input_and_the_nearest_is_named(narrows: Narrows) -> None:
    done = narrows("show", "cubik")
    assert (done.returncode, done.stdout) == (2, "")
    assert "cubic" in done.stderr


def test_a_scenario_of_the_library_is_shown_as_its_file(narrows: Narrows, tmp_path: Path) -> None:
    shown = narrows("show", "home")
    assert shown.returncode == 0, shown.stderr
    (tmp_path / "mine.toml").write_text(shown.stdout, encoding="utf-8")
    assert narrows("check", "mine.toml").stdout == narrows("check", "home").stdout
    case = narrows("show", "001-CL")
    assert "# --set" in case.stdout.splitlines()[-1]
    assert json.loads(narrows("show", "home", "--json").stdout)["name"] == "home"


def test_check_accepts_a_sound_scenario(narrows: Narrows, scenario: Path, tmp_path: Path) -> None:
    assert narrows("check", scenario).returncode == 0
    done = narrows("check", scenario, "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"diagnostics": [], "executes": []})
    assert {entry.name for entry in tmp_path.iterdir()} == {"scenario.toml"}


def test_check_reports_every_fault_with_its_place(narrows: Narrows, tmp_path: Path) -> None:
    file = write(tmp_path, SHORT.replace("warmup", "warmpu").replace('"aiad"', '"aiadd"'))
    done = narrows("check", file, "--json")
    assert done.returncode == 2
    faults = json.loads(done.stdout)["diagnostics"]
    by_line = {fault["line"]: fault for fault in faults}
    assert by_line[3]["column"] == 1
    assert "warmup" in by_line[3]["hint"]
    assert "aiad" in by_line[16]["hint"]
    assert "scenario.toml:3:1" in done.stderr


def test_check_names_the_argument_that_is_at_fault(narrows: Narrows, scenario: Path) -> None:
    done = narrows("check", scenario, "--set", "path.rate=fast")
    assert done.returncode == 2
    assert "path.rate=fast" in done.stderr


@pytest.fixture(scope="module")
def schema() -> Any:
    """Return the schema of the scenario file, as the command prints it, ready to validate with."""
    done = subprocess.run(command(["schema"]), capture_output=True, check=True, env=environment())
    return jsonschema.Draft202012Validator(json.loads(done.stdout))


@pytest.mark.parametrize("name", library())
def test_every_scenario_of_the_library_obeys_the_schema(schema: Any, name: str) -> None:
    found = find_scenario(name)
    schema.validate(tomllib.loads(found.file.read_text(encoding="utf-8")))
    if found.file.parent.name == "programs":
        # Only a kernel runs programs.
        return
    schema.validate(tomllib.loads(load(found.file, found.changes).resolve().resolved))


def test_the_schema_refuses_what_the_validator_refuses(schema: Any) -> None:
    scenario = tomllib.loads(SHORT)
    schema.validate(scenario)
    with pytest.raises(jsonschema.ValidationError):
        schema.validate({**scenario, "durration": "5s"})


def test_an_error_is_an_object_where_json_is_asked_for(narrows: Narrows, scenario: Path) -> None:
    done = narrows("run", scenario, "--set", "path.rat=5Mbps", "--json", "--out", "out")
    assert done.returncode == 2
    error = json.loads(done.stdout)["error"]
    assert error["status"] == 2
    [fault] = error["diagnostics"]
    assert (fault["path"], fault["given"], fault["hint"]) == ("path.rat", "rat", "did you mean `rate`?")
    assert fault["allowed"].startswith("rate, ")
    assert ", queue, " in fault["allowed"]
    assert done.stderr.startswith("--set path.rat=5Mbps: path.rat: unknown key")
    [near] = json.loads(narrows("compare", "cubik", "--json").stdout)["error"]["diagnostics"]
    assert near["hint"] == "did you mean `cubic`?"
    assert {"reno", "cdg"} < set(near["allowed"].split(", "))
    assert json.loads(narrows("study", "status", "nowhere", "--json").stdout)["error"]["status"] == 2
    levels = json.loads(narrows("compare", "--vary", "seed=1,2", "--json", "--scenario", scenario).stdout)["error"]
    assert levels["diagnostics"][0]["allowed"] == "any other key"


def test_arguments_of_a_wrong_form_are_an_error_object_too(narrows: Narrows) -> None:
    done = narrows("run", "two-flows", "--seed", "x", "--json")
    assert done.returncode == 2
    message = json.loads(done.stdout)["error"]["message"]
    assert message == "narrows run: --seed: expected a whole number from 0 to 9223372036854775807, got 'x'"
    assert done.stderr == f"{message}\n"
    assert not narrows("run", "two-flows", "--seed", "x").stdout
