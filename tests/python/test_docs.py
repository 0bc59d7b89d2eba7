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

ROOT = Path(__file__).parents[2]
FIGURES = sorted((ROOT / "docs").glob("*/*.svg"))


def test_generated_pages_and_figures_are_current() -> None:
    command = [sys.executable, str(ROOT / "docs/generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_readme_counts_the_algorithms_and_queues_that_there_are() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    counted = re.search(r"includes \[(\d+) algorithms\].*?\[(\d+) queue disciplines\]", text, re.DOTALL)
    assert counted
    assert [int(number) for number in counted.groups()] == [len(cards.algorithms()), len(cards.queues())]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: f"{figure.parent.name}/{figure.stem}")
def test_a_figure_is_small_and_needs_nothing_but_itself(figure: Path) -> None:
    text = figure.read_text(encoding="utf-8")
    assert len(text.encode()) < 40_000
    drawn = [each for each in ET.fromstring(text).iter() if each.get("data-series")]  # noqa: S314  # our own file
    assert drawn
    assert not [word for word in ("href", "src=", "url(") if word in text]
