# SPDX-License-Identifier: Apache-2.0
"""Truth: product. A page that cannot be built costs no results: they are kept, and `narrows report` builds it later."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from claim_files import GOODPUT, SCENARIO, claim, claims_file, write_study

from narrows._internal import library
from narrows._internal.cli import main
from narrows._internal.page import document
from narrows._internal.reproduction import registry

if TYPE_CHECKING:
    from pathlib import Path

BRIEF = ["--set", "duration=4s", "--set", "warmup=1s", "--replications", "1"]
STUDY = """
scenario = "base.toml"
replications = 1
algorithms = ["newreno", "cubic"]
[sizes.quick]
"""
SUITE = """
title  = "Small"
source = "a rule"
references = ["newreno"]

[[rows]]
section   = "1"
criterion = "It delivers"
cells     = "path"
measure   = "group.tested.goodput_bps"
predicate = { kind = "liveness", at_least = 0.0001 }
whose     = "ours"
"""
CELLS = """
title        = "A path"
scenario     = "scenario.toml"
algorithms   = "{subjects}"
replications = 1

[words]
subjects = ["cubic"]
"""
# By command, its arguments, and what its folder holds besides the page.
COMMANDS: dict[str, tuple[list[str], list[str]]] = {
    "run": (["run", "pair", *BRIEF], ["summary.json", "manifest.json", "flows.parquet"]),
    "compare": (
        ["compare", "newreno", "cubic", "--scenario", "pair", *BRIEF],
        ["summary.json", "manifest.json", "cubic/flows.parquet"],
    ),
    "matrix": (
        ["matrix", "cubic", "--rates", "5Mbps", "--rtts", "20ms", "--buffers", "1bdp", *BRIEF],
        ["summary.json", "cells.parquet"],
    ),
    "deploy": (
        ["deploy", "bbr3", "--flows", "2", "--fractions", "50", *BRIEF, "--set", "duration=6s"],
        ["summary.json", "cells.parquet"],
    ),
    "study run": (["study", "run", "studies/small/one.toml"], ["manifest.json", "cells.parquet"]),
    "suite": (["suite", "suite/suite.toml", "cubic"], ["summary.json"]),
    "reproduce": (["reproduce", "small"], ["ledger.json", "tables.json"]),
    "ab": (["ab", "newreno", "cubic", "--scenario", "pair", "--replications", "2"], ["summary.json"]),
    "worst": (["worst", "bbr1", "--against", "cubic", "--budget", "2"], ["atlas.json"]),
}


@pytest.fixture(autouse=True)
def _small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a small published study and a small suite in the working directory."""
    direction = f"{{ is = {GOODPUT}, at_least = 1000 }}"
    write_study(tmp_path / "studies/small", STUDY, claims_file(900, claim("900-1", "It delivers", direction)))
    (tmp_path / "suite").mkdir()
    scenario = SCENARIO.replace('"subject"', '"cubic"\nsubject = true')
    for name, text in (("suite", SUITE), ("path", CELLS), ("scenario", scenario)):
        (tmp_path / f"suite/{name}.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(registry, "STUDIES", tmp_path / "studies")
    monkeypatch.setattr(library, "STUDIES", tmp_path / "studies")
    monkeypatch.chdir(tmp_path)


def broken(*_arguments: object, **_options: object) -> str:
    """Fail as an error in a page does."""
    raise ZeroDivisionError("a fault of the page")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_that_cannot_be_built_costs_no_results(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, kept = COMMANDS[name]
    with monkeypatch.context() as patch:
        patch.setattr(document, "document", broken)
        assert main([*arguments, "--quiet", "--out", "out"]) == 4
    printed = capsys.readouterr()
    assert "a fault of the page" in printed.err
    assert "`narrows report out` builds" in printed.err
    assert "Traceback" not in printed.err
    # What was found is printed, as ever.
    assert printed.out.endswith("out\n")
    assert [file for file in kept if not (tmp_path / "out" / file).is_file()] == []
    assert not (tmp_path / "out/report.html").exists()
    assert main(["report", "out"]) == 0, capsys.readouterr().err
    assert (tmp_path / "out/report.html").is_file()
    assert capsys.readouterr().out == "out/report.html\n"


def test_with_json_the_results_alone_are_printed_where_there_is_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(document, "document", broken)
    assert main([*COMMANDS["ab"][0], "--json", "--quiet", "--out", "out"]) == 4
    printed = capsys.readouterr()
    assert json.loads(printed.out) == json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))
    assert "`narrows report out` builds it" in printed.err


def test_the_page_of_a_study_of_ones_own_is_built_by_the_command_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "studies/small").rename(tmp_path / "mine")
    with monkeypatch.context() as patch:
        patch.setattr(document, "document", broken)
        assert main(["reproduce", "mine", "--quiet", "--out", "out"]) == 4
    again = capsys.readouterr().err.partition("`narrows ")[2].partition("`")[0]
    assert again == "report out"
    assert not (tmp_path / "out/report.html").exists()
    (tmp_path / "mine").rename(tmp_path / "elsewhere")
    assert main(again.split()) == 0
    assert (tmp_path / "out/report.html").is_file()
    # The folder has the claims that its page needs; one without them names the command that keeps them.
    (tmp_path / "out/claims/mine/claims.toml").unlink()
    capsys.readouterr()
    assert main(["report", "out"]) == 2
    assert "mine is not a published study, and its claims are not kept there" in capsys.readouterr().err


def test_a_process_that_is_killed_while_a_page_is_built_leaves_the_results(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\nfrom narrows._internal.cli import main\nfrom narrows._internal.page import document\n"
        "document.document = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)\nmain(sys.argv[1:])"
    )
    arguments = [*COMMANDS["run"][0], "--quiet", "--out", "out"]
    done = subprocess.run([sys.executable, "-c", program, *arguments], cwd=tmp_path, check=False)
    assert done.returncode == -signal.SIGKILL
    assert main(["report", "out"]) == 0
    assert (tmp_path / "out/report.html").is_file()
