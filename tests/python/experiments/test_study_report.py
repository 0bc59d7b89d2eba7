# SPDX-License-Identifier: Apache-2.0
"""The report of a study: what was found first, then the design and the figures. Truth: product."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from study_files import SCENARIO, STUDY, study, write_study

ROOT = Path(__file__).parents[3]


def words(report: Path) -> str:
    """Return a report's text without its markup, its drawings' labels included."""
    body = report.read_text(encoding="utf-8").partition("<body")[2].partition("<script")[0]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", body)))


def test_a_study_ends_with_its_report(tmp_path: Path) -> None:
    question = 'question = "Which <algorithm> & why?"\n'
    design = 'design = { kind = "fractional", generators = ["C=AB"] }\n'
    third = '"flows.tested.count" = [1, 3]\n'
    write_study(tmp_path, question + design + STUDY + third)
    status, out, messages = study(tmp_path, "run", "study.toml", "--out", "out", "--quiet")
    assert status == 0, messages
    assert "Report: out/report.html" in messages
    for expected in ("Generators: C=AB", "Resolution: III", "A = BC"):
        assert expected in out
        assert expected in words(tmp_path / "out/report.html")
    text = words(tmp_path / "out/report.html")
    # The question comes first and what was found next, before the design.
    text = text[text.index("Which <algorithm> & why?") :]
    assert text.index("Goodput depends most on") < text.index(" Findings ") < text.index(" Design ")
    for figure in (
        "Main effects on goodput",
        "Interactions in goodput",
        "Ranks by goodput",
        "one plane",
        "All settings by goodput",
    ):
        assert figure in text
    for table in ("What moves goodput", "algorithm against algorithm", "Duels by", "Responses that say the same"):
        assert table in text
    assert "3 replications, seed 1" in text
    assert "Remake, in the folder of this page: narrows report ." in text


def test_a_report_is_refused_where_the_cells_are_gone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_study(tmp_path, 'scenario = "base.toml"\nreplications = 1\n', SCENARIO.replace('"subject"', '"cubic"'))
    assert study(tmp_path, "run", "study.toml", "--out", "out", "--quiet")[0] == 0
    before = words(tmp_path / "out/report.html")
    (tmp_path / "out/report.html").unlink()
    (tmp_path / "out/cells.parquet").unlink()
    from narrows._internal.cli import main

    assert main(["report", str(tmp_path / "out")]) == 2
    assert "The one cell is finished" in before
    assert "cells.parquet" in capsys.readouterr().err
    assert not (tmp_path / "out/report.html").exists()


@pytest.mark.parametrize("file", sorted((ROOT / "studies/examples").glob("*.toml")), ids=lambda file: file.stem)
def test_every_example_is_sound(tmp_path: Path, file: Path) -> None:
    status, out, messages = study(tmp_path, "check", file)
    assert status == 0, messages
    assert re.search(r": \d+ cells, ", out)
