# SPDX-License-Identifier: Apache-2.0
"""Rule: the figure of applications over time shows what the table `clients` has, with panels for each application."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

import narrows as nw
from narrows._internal.drawing.figure import PAPERS, drawing
from narrows._internal.report.run.data import Run
from narrows._internal.report.run.figures import clients, figures
from narrows._internal.report.run.reading import client_traces, read

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
duration = "6s"
warmup = "1s"
[path]
rate = "3Mbps"
rtt = "40ms"
queue = { kind = "droptail", limit = "300ms" }
[[flows]]
name = "call"
algorithm = "gcc"
count = 2
source = { kind = "call" }
[[flows]]
name = "video"
algorithm = "cubic"
source = { kind = "video", ladder = ["500kbps", "3Mbps"], segment = "1s", buffer = "4s" }
[[flows]]
name = "download"
algorithm = "cubic"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("clients") / "run"
    nw.Scenario(TEXT).run(replications=1, jobs=1).save(place)
    return place


def test_each_application_has_panels_with_what_its_user_perceives(folder: Path) -> None:
    run = read(folder)
    assert isinstance(run, Run)
    assert "clients" in [each.name for each in figures([run])]
    found = clients.figure([run])
    for paper in PAPERS:
        drawn = str(drawing(found.draw(paper)))
        titles = re.findall(r'data-title="([^"]*)"', drawn)
        assert titles == [
            "call[0]: longest delay of a frame", "call[0]: bit rate",
            "video[0]: video in its buffer", "video[0]: bit rate",
        ]  # fmt: skip
        # A line for each quantity, of the group's series.
        assert len(re.findall(r'data-series="(?:call|video)"', drawn)) == 4
    assert {"call", "video", "frames late"} <= {key.name for key in found.keys}


def test_lines_and_ticks_are_the_rows_of_the_table(folder: Path) -> None:
    run = read(folder)
    assert isinstance(run, Run)
    rows = [row for row in pq.read_table(folder / "clients.parquet").to_pylist() if row["client"] == 0]
    for trace in client_traces(run):
        own = [row for row in rows if row["group"] == trace.group]
        assert trace.time.tolist() == [row["time_s"] for row in own]
        assert trace.columns["late_frames"].tolist() == [row["late_frames"] for row in own]
    late = [row for row in rows if row["group"] == "call" and row["late_frames"]]
    panel = next(each for each in clients.figure([run]).draw(PAPERS[0]) if "delay" in str(each.draw()))
    ticks = re.search(r'<path class="rug marks" d="([^"]*)"', str(panel.draw()))
    assert ticks is not None
    assert ticks[1].count("M") == len(late) > 0


def test_a_run_without_applications_has_no_such_figure(run_report: Path) -> None:
    run = read(run_report.parent)
    assert isinstance(run, Run)
    assert not clients.is_drawn([run])
