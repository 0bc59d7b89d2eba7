# SPDX-License-Identifier: Apache-2.0
"""Truth: product. The action that runs `narrows ab` in a workflow does it, with the documented inputs and outputs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from command_line import environment
from narrows._internal.report.trial.comment import outputs
from optional import needs
from repository import HOUSE

if TYPE_CHECKING:
    from pathlib import Path

ACTION: dict[str, Any] = yaml.safe_load((HOUSE / "action/action.yml").read_text(encoding="utf-8"))
PAGE = (HOUSE / "docs/ab.md").read_text(encoding="utf-8")
(STEP,) = [step for step in ACTION["runs"]["steps"] if step.get("id") == "ab"]


def test_the_outputs_of_the_action_are_those_of_the_command() -> None:
    found = outputs({"verdicts": {}}, "out", 0)
    assert set(ACTION["outputs"]) == set(found)
    for name, output in ACTION["outputs"].items():
        assert output["value"] == f"${{{{ steps.ab.outputs.{name} }}}}"
        assert f"`{name}`" in PAGE


def test_the_inputs_of_the_action_are_documented_with_their_defaults() -> None:
    table = PAGE[PAGE.index("| input |") :].partition("\n\n")[0]
    for name, given in ACTION["inputs"].items():
        (line,) = [line for line in table.splitlines() if f"`{name}`" in line.split("|")[1]]
        assert given.get("default", "") in line or not given.get("default")
    example = yaml.safe_load(PAGE[PAGE.index("name: congestion control") :].partition("```")[0])
    *_, used = example["jobs"]["ab"]["steps"]
    assert set(used["with"]) <= set(ACTION["inputs"])


def test_no_input_is_put_into_a_script() -> None:
    """A script gets what a workflow passes by variables alone, so that no text of a pull request is executed."""
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


@needs("bash")
@pytest.mark.parametrize(("b", "status"), [("constant(rate=2Mbps)", 1), ("constant(rate=4Mbps, jitter=0)", 2)])
def test_the_step_of_the_action_runs_as_it_stands(tmp_path: Path, b: str, status: int) -> None:
    scenario = (
        '[path]\nrate = "10Mbps"\nrtt = "20ms"\n\n[[flows]]\nalgorithm = "subject"\ncount = 2\nstart = "0s..1s"\n'
    )
    (tmp_path / "s.toml").write_text(f'duration = "6s"\nwarmup = "1s"\n{scenario}', encoding="utf-8")
    program = tmp_path / "bin/narrows"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m narrows "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    options = "--scenario s.toml --replications 10  --metric goodput_bps"
    values = {"a": "constant(rate=4Mbps)", "b": b, "options": options, "out": "trial"}
    given = {name: values[re.findall(r"inputs\.(\w+)", text)[0]] for name, text in STEP["env"].items()}
    variables = {
        **environment(), **given, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_OUTPUT": str(tmp_path / "outputs"), "GITHUB_STEP_SUMMARY": str(tmp_path / "job.md"),
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEP["run"]],  # noqa: S607  # as GitHub starts it
        cwd=tmp_path, env=variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    assert "::error " in done.stderr
    if status == 1:
        assert "comment=trial/comment.md\n" in (tmp_path / "outputs").read_text(encoding="utf-8")
        assert (tmp_path / "trial/comment.md").is_file()
