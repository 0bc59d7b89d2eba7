# SPDX-License-Identifier: Apache-2.0
"""Shards of reproductions and suites end with the verdicts of one machine. Truth: the same command on one machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from claim_files import SCENARIO, SUITE

from narrows._internal.cli import main

if TYPE_CHECKING:
    from pathlib import Path

CLAIMS = """\
title = "A small study"
number = "9"
source = "Anon, 1900"
question = "Does it run?"
[experiments]
one = "One flow alone."
two = "The same at another rate."
[[claims]]
id = "some"
statement = "It delivers."
strength = "strong"
place = "figure 1"
supported = "yes"
experiment = "one"
direction = { is = { measure = "goodput_bps", where = { algorithm = "newreno" } }, at_least = 1000 }
"""
STUDY = """\
scenario = "base.toml"
algorithms = ["newreno", "aimd(a=1,b=0.6)"]
measures = ["goodput_bps"]
replications = 4
[sizes.quick]
"""
CELLS = """\
title = "A path"
scenario = "base.toml"
algorithms = "{subjects}"
replications = 4
[words]
subjects = ["cubic"]
[factors]
rate = { "path.rate" = ["2Mbps", "3Mbps"] }
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, the current one, with a study that has claims."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own").mkdir()
    second = STUDY.replace("[sizes", 'set."path.rate" = "3Mbps"\n[sizes')
    for name, text in (("base", SCENARIO), ("one", STUDY), ("two", second), ("claims", CLAIMS)):
        (tmp_path / f"own/{name}.toml").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, the current one, with a suite."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("base", SCENARIO), ("small", SUITE), ("cells", CELLS)):
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    return tmp_path


def read(file: Path) -> dict[str, Any]:
    """Return the content of a file in JSON without its command."""
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return {name: value for name, value in content.items() if name != "command"}


def run(*arguments: str) -> int:
    """Run a command without progress."""
    return main([*arguments, "--quiet"])


def shards(*command: str) -> list[str]:
    """Run each of three shards of a command and return their folders."""
    names = [f"s{number}" for number in (1, 2, 3)]
    for number, name in enumerate(names, 1):
        assert run(*command, "--shard", f"{number}/3", "--out", name) == 0
    return names


def test_shards_of_a_reproduction_have_its_ledger(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["reproduce", "own", "--seed", "5", "--replications", "3"]
    assert run(*command, "--out", "whole") == 0
    names = shards(*command)
    assert not (study / "s1/ledger.json").exists()
    assert not (study / "s1/report.html").exists()
    assert "shard 3/3: " in capsys.readouterr().out
    # What was killed is begun again by the same command, which goes on.
    assert run(*command, "--shard", "1/3", "--out", "s1") == 0
    assert run("study", "merge", "s3", "s1", "s2", "--out", "joined") == 0
    assert "It delivers." in capsys.readouterr().out
    for name in ("ledger.json", "tables.json"):
        assert (study / "joined" / name).read_bytes() == (study / "whole" / name).read_bytes()
    assert (study / "joined/report.html").is_file()
    assert run(*command, "--out", "joined") == 0
    assert run("study", "merge", *names[:2], "--out", "refused") == 2
    assert run("study", "merge", *names, "s2", "--out", "refused") == 2
    assert run("study", "merge", *names[:2], "whole", "--out", "refused") == 2
    assert not (study / "refused").exists()


def test_shards_of_different_reproductions_are_not_mixed(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("reproduce", "own", "--shard", "1/2", "--out", "s1") == 0
    assert run("reproduce", "own", "--shard", "2/2", "--seed", "9", "--out", "s2") == 0
    capsys.readouterr()
    assert run("study", "merge", "s1", "s2", "--out", "refused") == 2
    assert "s2: differs from s1 in seed" in capsys.readouterr().err
    file = study / "own/two.toml"
    assert run("reproduce", "own", "--shard", "2/2", "--out", "s3") == 0
    file.write_text(file.read_text(encoding="utf-8").replace('"3Mbps"', '"4Mbps"'), encoding="utf-8")
    capsys.readouterr()
    assert run("study", "merge", "s1", "s3", "--out", "refused") == 2
    assert "has changed since" in capsys.readouterr().err


def test_what_needs_all_cells_is_refused_with_a_shard(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for option in (["--decide", "1min"], ["--judge"]):
        assert run("reproduce", "own", *option, "--shard", "1/2", "--out", "s1") == 2
        assert f"{option[0]}: needs the cells of all" in capsys.readouterr().err
    assert not (study / "s1").exists()


def test_a_shard_and_a_whole_reproduction_do_not_take_each_other_s_folder(study: Path) -> None:
    assert run("reproduce", "own", "--shard", "1/2", "--out", "s1") == 0
    assert run("reproduce", "own", "--out", "s1") == 2
    assert run("reproduce", "own", "--shard", "2/2", "--out", "s1") == 2
    assert run("reproduce", "own", "--out", "whole") == 0
    assert run("reproduce", "own", "--shard", "1/2", "--out", "whole") == 2
    assert main(["report", str(study / "s1")]) == 2


def test_shards_of_a_suite_have_its_summary(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["suite", "small.toml", "cubic", "--set", "path.rtt=30ms", "--seed", "3"]
    assert run(*command, "--out", "whole") == 0
    names = shards(*command)
    assert not (suite / "s1/summary.json").exists()
    assert run("study", "merge", *names[::-1], "--out", "joined") == 0
    assert read(suite / "joined/summary.json") == read(suite / "whole/summary.json")
    assert (suite / "joined/suite.json").read_bytes() == (suite / "whole/suite.json").read_bytes()
    assert run("suite", "small.toml", "vegas", "--shard", "2/3", "--out", "other") == 0
    capsys.readouterr()
    assert run("study", "merge", "s1", "other", "s3", "--out", "refused") == 2
    assert "other: differs from s1 in subject" in capsys.readouterr().err
    assert run("study", "merge", "s1", "s3", "--out", "refused") == 2
    assert "1 shard is missing: 2/3" in capsys.readouterr().err
    assert not (suite / "refused").exists()


def test_a_search_has_no_shards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["worst", "vegas", "--budget", "1", "--shard", "1/2", "--out", str(tmp_path / "out")]) == 2
    assert "--shard" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
