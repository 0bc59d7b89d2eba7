# SPDX-License-Identifier: Apache-2.0
"""Truth: product. `narrows ab --github` gives a workflow of GitHub what it shows, and works by the variables alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from command_line import environment
from narrows._internal.report.trial.comment import MOST, annotation, outputs, source_of, workflow_commands

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """\
title = "Two flows"
duration = "6s"
warmup = "1s"

[path]
rate = "10Mbps"
rtt = "20ms"

[[flows]]
algorithm = "subject"
count = 2
start = "0s..1s"
"""


def ab(folder: Path, *words: str, variables: bool = True) -> subprocess.CompletedProcess[str]:
    """Run `narrows ab` in a step that GitHub has prepared."""
    (folder / "s.toml").write_text(SCENARIO, encoding="utf-8")
    files = (
        {"GITHUB_OUTPUT": str(folder / "outputs"), "GITHUB_STEP_SUMMARY": str(folder / "job.md")} if variables else {}
    )
    inherited = {name: value for name, value in environment().items() if not name.startswith("GITHUB_")}
    command = [sys.executable, "-m", "narrows", "ab", *words, "--scenario", "s.toml", "--out", "out", "--quiet"]
    return subprocess.run(command, cwd=folder, env=inherited | files, capture_output=True, text=True, check=False)


def test_a_change_that_is_worse_is_annotated_summarized_and_fails(tmp_path: Path) -> None:
    (tmp_path / "job.md").write_text("from an earlier command\n", encoding="utf-8")
    words = (
        "constant(rate=4Mbps)",
        "constant(rate=2Mbps)",
        "--replications",
        "10",
        "--metric",
        "goodput_bps",
        "--github",
    )
    done = ab(tmp_path, *words)
    assert done.returncode == 1, done.stderr
    summary = json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))
    count = summary["verdicts"]["worse"]
    errors = [line for line in done.stderr.splitlines() if line.startswith("::error ")]
    assert len(errors) == min(count, MOST) > 0
    assert re.match(r"::error title=goodput_bps of subject is worse::s: \S+\sMbps → \S+\sMbps, ", errors[0])
    assert [line for line in done.stderr.splitlines() if line.startswith("::notice title=narrows ab::constant")]
    assert "::" not in done.stdout
    comment = (tmp_path / "out/comment.md").read_text(encoding="utf-8")
    assert (tmp_path / "job.md").read_text(encoding="utf-8") == f"from an earlier command\n{comment}"
    given = dict(line.split("=", 1) for line in (tmp_path / "outputs").read_text(encoding="utf-8").splitlines())
    assert given == outputs(summary, "out", 1)
    assert given["worse"] == str(count)
    assert given["comment"] == "out/comment.md"


def test_a_change_that_is_no_worse_is_a_notice_and_json_stays_alone_on_standard_output(tmp_path: Path) -> None:
    done = ab(tmp_path, "cubic", "cubic(beta=0.7)", "--replications", "2", "--github", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verdicts"]["worse"] == 0
    assert "::error" not in done.stderr
    assert "::notice title=narrows ab::" in done.stderr
    assert "status=0\n" in (tmp_path / "outputs").read_text(encoding="utf-8")


def test_bad_input_is_an_annotation_as_well_and_writes_nothing(tmp_path: Path) -> None:
    done = ab(tmp_path, "cubik", "cubic", "--github")
    assert done.returncode == 2
    assert re.search(r"^::error title=narrows ab%2C exit status 2::.*cubik", done.stderr, re.MULTILINE)
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "job.md").read_text(encoding="utf-8")


def test_outside_of_a_workflow_it_is_refused_before_any_work(tmp_path: Path) -> None:
    done = ab(tmp_path, "cubic", "reno", "--github", variables=False)
    assert done.returncode == 2
    assert done.stderr == (
        "--github: the variable GITHUB_OUTPUT is not set; allowed only in a step of a GitHub workflow\n"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.name == "nt", reason="a folder as a file fails otherwise there")
def test_a_file_that_cannot_be_written_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "outputs").mkdir()
    done = ab(tmp_path, "cubic", "reno", "--github")
    assert done.returncode == 2
    assert "--github: the file of GITHUB_OUTPUT cannot be written" in done.stderr
    assert not (tmp_path / "out").exists()


def test_without_the_option_nothing_is_written_for_a_workflow(tmp_path: Path) -> None:
    done = ab(tmp_path, "cubic", "cubic(beta=0.7)", "--replications", "2")
    assert done.returncode == 0
    assert not (tmp_path / "outputs").exists()


def row(number: int) -> dict[str, Any]:
    """Return a row that is worse."""
    return {
        "scenario": f"line {number}", "owner": "flows", "metric": "goodput_bps", "unit": "bps", "better": "higher",
        "verdict": "worse", "a": 2e6, "b": 1e6, "difference": -1e6, "interval": [-1.1e6, -0.9e6], "relative": -0.5,
        "margin": 2e4, "replications": 10,
    }  # fmt: skip


def test_of_more_errors_than_are_shown_the_last_counts_the_rest() -> None:
    rows = [row(number) for number in range(25)]
    summary = {"a": "base/mine.py:Mine", "b": "./mine.py:Mine", "rows": rows, "verdicts": {"worse": 25}}
    lines = workflow_commands(summary)
    errors = [line for line in lines if line.startswith("::error")]
    assert len(errors) == MOST
    assert errors[-1] == "::error file=mine.py,title=more is worse::16 more metrics are worse: see the summary"
    assert all(line.startswith("::error file=mine.py,") for line in errors)
    assert len(workflow_commands({**summary, "rows": rows[:MOST]})) == MOST + 1


def test_no_text_of_a_scenario_ends_an_annotation_or_begins_another() -> None:
    line = annotation("error", "a, b: c", "100 %\n::set-output name=x::y\r")
    assert line == "::error title=a%2C b%3A c::100 %25%0A::set-output name=x::y%0D"


@pytest.mark.parametrize(
    ("algorithm", "file"),
    [
        ("./mine.py:Mine", "mine.py"), ("cc/mine.py:Mine(a=1)", "cc/mine.py"), ("cubic", ""), ("./libcc.so:cc", ""),
        ("/srv/mine.py:Mine", ""), ("../mine.py:Mine", ""), ("quinn:./mine.py:Mine", "mine.py"),
        ("noq:cc/mine.py:Mine(a=1)", "cc/mine.py"), ("quinn:bbr", ""),
        ("noq:narrows:cubic", ""), ("quinn:../mine.py:Mine", ""),
    ],
)  # fmt: skip
def test_an_annotation_stands_at_the_file_of_a_class_in_the_repository(algorithm: str, file: str) -> None:
    assert source_of(algorithm) == file
