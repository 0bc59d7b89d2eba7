# SPDX-License-Identifier: Apache-2.0
"""Notebooks: those of the documentation run, and a class from a cell is an algorithm."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import environment

HERE = Path(__file__).parent
NOTEBOOKS = sorted((HERE.parents[2] / "docs/notebooks").glob("*.ipynb"))


def run(file: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(HERE / "notebook.py"), str(file)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment())


def cells(folder: Path, *texts: str) -> Path:
    """Write a notebook with these cells."""
    file = folder / "cells.ipynb"
    file.write_text(json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "source": [each]} for each in texts]}))
    return file


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda each: each.stem)
def test_a_notebook_runs_from_its_first_cell_to_its_last(notebook: Path, tmp_path: Path) -> None:
    done = run(notebook, tmp_path)
    assert done.returncode == 0, done.stderr
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        assert not cell.get("outputs"), "the output of a notebook is not part of the repository"


MINE = """\
class Base:
    def on_loss(self, loss):
        self.window = max(half(self.window), 2.0)

class Mine(Base):
    def __init__(self, setup, gain=GAIN):
        self.gain, self.past = gain, deque()
        self.window = TEN[0]

    def on_ack(self, ack):
        if ack.may_grow:
            self.window += math.fabs(self.gain * ack.newly_acked / self.window)
"""
COMPARED = """\
import narrows as nw
short = ["duration=3s", "warmup=1s"]
found = nw.compare(["newreno", Mine], "pair", overrides=short, replications=1)
found.save("out")
file, = __import__("pathlib").Path("out/Mine").glob("inputs/*/Mine.py")
content = file.read_text()
assert "nw.compare" not in content
again = nw.open("out", trust=True).runs["Mine"].scenario.run()
assert again.summary["digest"] == nw.open("out").runs["Mine"].summary["digest"]
"""


def test_a_class_takes_what_it_uses_from_other_cells_with_it(tmp_path: Path) -> None:
    first = "import math\nfrom collections import deque\nGAIN = 1.5\nTEN = (10, 2)\ndef half(x):\n    return x / 2\n"
    done = run(cells(tmp_path, first, MINE, COMPARED), tmp_path)
    assert done.returncode == 0, done.stderr


def test_what_a_file_cannot_hold_is_named(tmp_path: Path) -> None:
    first = "import math\nfrom collections import deque\nGAIN = open('x', 'w')\nTEN = (10,)\nhalf = abs\n"
    done = run(cells(tmp_path, first, MINE, COMPARED), tmp_path)
    assert "InputError: Mine: uses `GAIN`, a TextIOWrapper, which a run cannot have" in done.stderr


def test_a_class_without_a_source_is_refused(tmp_path: Path) -> None:
    program = f"exec({(MINE.replace('=GAIN', '=1.0'))!r})\nimport narrows as nw\nnw.compare([Mine])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment()
    )
    assert "InputError: Mine: its source is not to be had" in done.stderr
