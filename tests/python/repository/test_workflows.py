# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Workflows trust nothing that they need not, and what they call is there.

GitHub alone can run them: these tests hold what can be held without it.
"""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from optional import needs
from repository import HOUSE
from shown_commands import commands, fault_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WORKFLOWS = sorted((HOUSE / ".github/workflows").glob("*.yml"))
FILES = [*WORKFLOWS, HOUSE / "action/action.yml"]
# By hash, with the version for people.
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
# Rights beyond reading, and the only jobs that have them.
WRITING = {
    ("docs", "deploy"): {"pages", "id-token"},
    ("release", "publish"): {"contents", "id-token", "attestations"},
    ("release", "publish-npm"): {"id-token"},
    ("release", "publish-crates"): {"id-token"},
}

# What GitHub allows is six hours.
LONGEST = 350


def parsed(file: Path) -> dict[str, Any]:
    """Return a workflow; what starts it is its entry `on`, which YAML 1.1 reads as true."""
    content: dict[Any, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {("on" if key is True else key): value for key, value in content.items()}


def steps(file: Path) -> Iterator[dict[str, Any]]:
    content = parsed(file)
    for job in content.get("jobs", {"": content.get("runs", {})}).values():
        yield from job.get("steps", [])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_action_of_others_is_pinned_by_hash(file: Path) -> None:
    used = re.findall(r"uses: (.*)", file.read_text(encoding="utf-8"))
    assert not [each for each in used if not each.startswith("./") and not PINNED.fullmatch(each)]


def test_an_action_has_one_version_everywhere() -> None:
    used = {each for file in FILES for each in re.findall(r"uses: ([\w./-]+@\S+ # \S+)", file.read_text("utf-8"))}
    assert len(used) == len({each.partition("@")[0] for each in used})


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_a_workflow_reads_and_only_the_jobs_that_publish_write(file: Path) -> None:
    content = parsed(file)
    assert content["permissions"] == {"contents": "read"}
    for name, job in content["jobs"].items():
        writes = {right for right, how in job.get("permissions", {}).items() if how == "write"}
        assert writes == WRITING.get((file.stem, name), set())
        # What asks a person, or has the rights of the project, never runs for the change of a stranger.
        assert not writes or "pull_request" not in content["on"]
        assert "uses" in job or job["timeout-minutes"] <= LONGEST
    assert "pull_request_target" not in content["on"]
    assert "secrets." not in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_text_from_outside_is_put_into_a_script(file: Path) -> None:
    for step in steps(file):
        found = re.findall(r"\$\{\{\s*([\w.]+)", step.get("run", ""))
        assert not [each for each in found if not each.startswith("matrix.")]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_targets_files_and_commands_that_a_workflow_calls_are_there(file: Path) -> None:
    targets = set(re.findall(r"^([\w-]+):", (HOUSE / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for step in steps(file):
        script = step.get("run", "").replace("\\\n", " ")
        assert set(re.findall(r"^make ([\w-]+)", script, re.MULTILINE)) <= targets
        named = re.findall(r"(?<![\w./-])((?:\.ci|crates|validation|docs|benches)/[\w./-]+)", script)
        assert not [each for each in named if not (HOUSE / each).exists() and each != "docs/index.html"]
        for line in script.splitlines():
            for words in commands(line.strip()):
                if "${B:+$B}" not in words and "$A" not in words:
                    assert not fault_of(words), f"{file.name}: {line}"


def test_every_workflow_has_a_line_in_contributing() -> None:
    text = (HOUSE / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Workflows")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == [file.stem for file in WORKFLOWS]


def test_what_is_installed_is_tested_for_every_system_that_has_a_wheel() -> None:
    wheels = parsed(HOUSE / ".github/workflows/wheels.yml")["jobs"]["wheel"]["strategy"]["matrix"]["include"]
    tested = parsed(HOUSE / ".github/workflows/tests.yml")["jobs"]["systems"]["strategy"]["matrix"]["os"]
    assert {each["os"] for each in wheels} <= set(tested)
    assert {each["target"].split("-", 1)[1] for each in wheels} == {
        "unknown-linux-gnu", "unknown-linux-musl", "apple-darwin", "pc-windows-msvc",
    }  # fmt: skip


@needs("actionlint")
def test_actionlint_finds_nothing() -> None:
    done = subprocess.run(
        ["actionlint", "-no-color", *map(str, WORKFLOWS)],  # noqa: S607  # wherever it is
        cwd=HOUSE, env=os.environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
