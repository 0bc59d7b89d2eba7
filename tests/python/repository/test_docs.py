# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. The reference pages say what the program knows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from narrows._internal import cards
from repository import HOUSE as ROOT
from repository import tracked

FIGURES = sorted((ROOT / "docs").glob("*/*.svg"))
# Files of other projects, and files that a worked example adds.
ELSEWHERE = {"python/omnetpp/scave/utils.py", "crates/qdisc/src/lifo.rs"}
ADDED = re.compile(r"^\+\+\+ b/(.+)$", re.MULTILINE)


def test_generated_pages_and_figures_are_current() -> None:
    command = [sys.executable, str(ROOT / "docs/generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_readme_counts_the_algorithms_and_queues_that_there_are() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    counted = re.search(r"includes \[(\d+) algorithms\].*?\[(\d+) queue disciplines\]", text, re.DOTALL)
    assert counted
    assert [int(number) for number in counted.groups()] == [len(cards.algorithms()), len(cards.queues())]


def test_every_file_that_is_named_exists() -> None:
    files = [
        file for file in tracked() if file.suffix in {".md", ".py", ".rs", ".toml"} and file.name != "CHANGELOG.md"
    ]
    top = {file.relative_to(ROOT).parts[0] for file in tracked()}
    added = {
        name for patch in (ROOT / "docs/worked").glob("*.patch") for name in ADDED.findall(patch.read_text("utf-8"))
    }
    missing = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in files
        for name in re.findall(r"`([\w.-]+/[\w./-]+)`", file.read_text(encoding="utf-8"))
        if name.partition("/")[0] in top
        if not any((folder / name).exists() for folder in (file.parent, *file.parents) if folder.is_relative_to(ROOT))
        # In capitals stands a placeholder.
        if name not in ELSEWHERE | added and not re.search(r"\b[A-Z]{2,}\b", name)
    ]
    assert files
    assert missing == []


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: f"{figure.parent.name}/{figure.stem}")
def test_a_figure_is_small_and_needs_nothing_but_itself(figure: Path) -> None:
    text = figure.read_text(encoding="utf-8")
    assert len(text.encode()) < 40_000
    drawn = [each for each in ET.fromstring(text).iter() if each.get("data-series")]  # noqa: S314  # our own file
    assert drawn
    assert not [word for word in ("href", "src=", "url(") if word in text]
