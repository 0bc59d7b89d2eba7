# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. A function of the package does what the command of its name does, to the last bit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import narrows as nw
from optional import needs

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows


def _same(found: dict[str, Any], printed: str) -> bool:
    """Return whether a function returned what its command printed, but for the command line."""
    return {**json.loads(printed), "command": ""} == {**json.loads(json.dumps(found)), "command": ""}


@pytest.fixture
def run(narrows: Narrows, scenario: Path, tmp_path: Path) -> Path:
    """Return the folder of a run."""
    assert narrows("run", scenario, "--out", "run", "--quiet").returncode == 0
    return tmp_path / "run"


def test_ab(narrows: Narrows, tmp_path: Path) -> None:
    flags = ["--scenario", "pair", "--replications", "2", "--metric", "goodput_bps", "--json", "--quiet"]
    done = narrows("ab", "cubic", "newreno", *flags, "--out", "command")
    out = tmp_path / "function"
    found = nw.ab("cubic", "newreno", out, scenarios="pair", replications=2, metrics="goodput_bps")
    assert _same(found, done.stdout), done.stderr
    assert {file.name for file in out.iterdir()} == {file.name for file in (tmp_path / "command").iterdir()}
    with pytest.raises(nw.InputError, match="as in 2%"):
        nw.ab("cubic", "newreno", tmp_path / "other", margin="-2%")
    with pytest.raises(ValueError, match="replications is 1; allowed: a whole number from 2"):
        nw.ab("cubic", "newreno", tmp_path / "other", replications=1)
    assert not (tmp_path / "other").exists()


def test_worst(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("worst", "vegas", "--budget", "2", "--json", "--quiet", "--out", "command")
    assert _same(nw.worst("vegas", tmp_path / "function", budget=2), done.stdout), done.stderr
    with pytest.raises(nw.InputError, match="nothing is worse than itself"):
        nw.worst("cubic", tmp_path / "other", against="cubic")


def test_pack_and_verify(narrows: Narrows, run: Path, tmp_path: Path) -> None:
    assert narrows("pack", "run").returncode == 0
    file = nw.pack(run, tmp_path / "function.zip")
    assert file.read_bytes() == (tmp_path / "run.zip").read_bytes()
    verdict = nw.verify(file)
    assert verdict.same
    assert verdict.as_json() == json.loads(narrows("verify", "run.zip", "--json").stdout)
    with pytest.raises(nw.OutputError, match="exists"):
        nw.pack(run, file)


def test_why(narrows: Narrows, run: Path) -> None:
    printed = narrows("why", "run", "--flow", "newreno[0]", "--at", "2.5s", "--json").stdout
    assert nw.why(run, "newreno[0]", 2.5).as_json() == json.loads(printed)
    assert nw.why(run, flow="newreno[0]", at="2.5s", window=1).as_json() == json.loads(printed)
    with pytest.raises(nw.InputError):
        nw.why(run, "newreno[9]", "2.5s")


@needs("playground")
def test_playground(narrows: Narrows, tmp_path: Path) -> None:
    assert narrows("playground", "pair", "--out", "command.html").returncode == 0
    page = nw.playground("pair", tmp_path / "function.html")
    assert page.read_bytes() == (tmp_path / "command.html").read_bytes()


def test_the_results_of_a_function_are_saved_before_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_arguments: object) -> None:
        raise ZeroDivisionError("a fault of the page")

    monkeypatch.setattr("narrows._internal.report.trial.page.trial_page", broken)
    out = tmp_path / "out"
    with pytest.raises(nw.ReportError, match=r"the results are in .*out, .*a fault of the page; `narrows report"):
        nw.ab("cubic", "newreno", out, scenarios="pair", replications=2)
    assert (out / "summary.json").is_file()
