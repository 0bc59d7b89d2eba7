# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. The worked example of CONTRIBUTING.md is followed to the letter in a copy of the crates."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[2]
# The crate of queues with all that it uses; it compiles without the others.
CRATES = ("units", "card", "wire", "qdisc", "getrandom")
ROW = re.compile(r"^\| `(?P<file>[^`]+)` \| (?P<what>.+) \|$", re.MULTILINE)


def section(heading: str) -> str:
    """Return the text of CONTRIBUTING.md below `heading`, up to the next heading."""
    text = (HOUSE / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]


def follow(text: str, tree: Path) -> None:
    """Make in `tree` the three edits of the table in `text`.

    Args:
        text: The section on a queue.
        tree: A copy of the crates.
    """
    edits = {row["file"]: re.findall(r"`([^`]+)`", row["what"]) for row in ROW.finditer(text)}
    own, modules, catalogue = (tree / file for file in edits)
    assert not own.exists()
    own.write_text(text.split("```rust\n", 1)[1].split("```", 1)[0], encoding="utf-8")
    [declaration] = edits["crates/qdisc/src/lib.rs"]
    put(modules, declaration, before="pub mod ")
    used, _, entry = edits["crates/qdisc/src/catalogue.rs"]
    put(catalogue, f"use crate::{used};", before="use ")
    put(catalogue, entry, before="&droptail::ENTRY,")


def put(file: Path, line: str, *, before: str) -> None:
    """Insert `line` in front of the first line that begins with `before`, apart from its indentation."""
    lines = file.read_text(encoding="utf-8").splitlines()
    place = next(index for index, each in enumerate(lines) if each.strip().startswith(before))
    lines.insert(place, line)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of the workspace with the crates that a queue needs, and the edits of the example."""
    for name in CRATES:
        shutil.copytree(HOUSE / "crates" / name, tmp_path / "crates" / name)
    for name in ("Cargo.toml", "Cargo.lock"):
        shutil.copy(HOUSE / name, tmp_path / name)
    follow(section("Adding a queue"), tmp_path)
    return tmp_path


def cargo(tree: Path, *arguments: str) -> str:
    """Return what cargo prints for the crate of queues in `tree`, which must succeed."""
    ended = subprocess.run(
        ["cargo", *arguments, "--offline", "--package", "narrows-qdisc"],  # noqa: S607  # cargo is where it is
        cwd=tree,
        env=os.environ | {"CARGO_TARGET_DIR": str(HOUSE / "target/contributing")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_the_queue_of_the_worked_example_compiles(tree: Path) -> None:
    cargo(tree, "check")


@pytest.mark.full(
    "All tests of the crate are compiled for it, for a minute; that the example compiles is always tested."
)
def test_the_queue_of_the_worked_example_passes_the_tests_of_its_crate(tree: Path) -> None:
    printed = cargo(tree, "test", "--lib", "--test", "contract")
    assert re.search(r"lifo::tests::\w+ \.\.\. ok", printed), "the tests of the example ran"
