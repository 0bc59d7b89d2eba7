# SPDX-License-Identifier: Apache-2.0
"""Truth: product. What a stranger sees first, the README's picture, lines of Python and table, is as it says."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from command_line import environment, finished
from repository import HOUSE

if TYPE_CHECKING:
    from pathlib import Path

README = (HOUSE / "README.md").read_text(encoding="utf-8")
MARKS = {"●", "◐", "○"}


def table(text: str, first: str) -> list[list[str]]:
    """Return the rows below the head of the table whose head begins with `first`."""
    lines = text[text.index(first) :].partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_commands_below_the_picture_make_it(tmp_path: Path) -> None:
    made, drawn = re.findall(r"^    ((?:narrows|python) .*(?:shares).*)$", README, re.MULTILINE)
    # The script's own documentation has them, too.
    script = (HOUSE / "docs/picture.py").read_text(encoding="utf-8")
    assert made in script
    assert drawn in script
    done = finished(shlex.split(made)[1:], tmp_path)
    assert done.returncode == 0, done.stderr
    place = tmp_path / "picture.svg"
    words = [str(HOUSE / each) if each.startswith("docs/") else each for each in shlex.split(drawn)[1:]]
    again = subprocess.run(
        [sys.executable, *words, str(place)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    assert again.returncode == 0, again.stderr
    assert place.read_bytes() == (HOUSE / "docs/picture.svg").read_bytes()


def test_the_words_for_the_picture_say_what_it_shows() -> None:
    (words,) = re.findall(r"!\[(.*?)\]\(docs/picture\.svg\)", README)
    picture = (HOUSE / "docs/picture.svg").read_text(encoding="utf-8")
    half, bbr, vegas = (100 * float(share) for share in re.findall(r'data-share="([\d.]+)"', picture))
    assert abs(half - 50) < 5
    assert f"BBR takes {bbr:.0f} %" in words
    assert f"Vegas gets {vegas:.0f} %" in words


def test_the_five_lines_of_python_are_five_and_run(tmp_path: Path) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert len([line for line in program.splitlines() if line]) == 5
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment()
    )
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["cubic", "bbr3"]
    assert (tmp_path / "two/report.html").is_file()


def test_every_row_of_the_comparison_has_a_mark_for_each_tool_and_a_source() -> None:
    others = (HOUSE / "docs/others.md").read_text(encoding="utf-8")
    rows = table(README, "| | Narrows | ns-3 |")
    assert [name for name, *_ in rows] == re.findall(r"^\*\*(.*?)\*\*:", others, re.MULTILINE)
    assert all(len(marks) == 7 and set(marks) <= MARKS for _, *marks in rows)
    ours = [marks[0] for _, *marks in rows]
    # Honest in both directions: rows of either kind, each under its heading.
    leading, lacking = (
        re.findall(r"^\*\*(.*?)\*\*:", part, re.MULTILINE) for part in others.split("## What others do")
    )
    assert ours[: len(leading)] == ["●"] * len(leading)
    assert set(ours[len(leading) :]) <= {"○", "◐"}
    assert min(len(leading), len(lacking)) > 5


@pytest.mark.parametrize(
    ("column", "name"),
    [(0, "ns-3"), (1, r"OMNeT\+\+|INET"), (2, "Shadow"), (3, "mahimahi|Rattan|mulator"), (4, "NeST"), (5, "Pantheon")],
)
def test_what_another_tool_does_is_said_with_its_source(column: int, name: str) -> None:
    others = (HOUSE / "docs/others.md").read_text(encoding="utf-8")
    _, *parts = re.split(r"^\*\*(.*?)\*\*:", others, flags=re.MULTILINE)
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
    for row, _, *marks in table(README, "| | Narrows | ns-3 |"):
        assert marks[column] == "○" or re.search(name, texts[row].partition("\n## ")[0]), row


def test_the_readme_is_short_and_in_order() -> None:
    places = [
        README.index(each)
        for each in (
            "Narrows is a packet-level simulator", "docs/picture.svg", "pip install narrows", "make demo", "```python",
            "| | Narrows | ns-3 |", "## Validation", "## Documentation",
        )
    ]  # fmt: skip
    assert places == sorted(places)
    assert len(README.splitlines()) < 100
