# SPDX-License-Identifier: Apache-2.0
"""The pages of a comparison are made of files that are read once, and of flows that are explained once."""

from __future__ import annotations

import shutil
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import narrows as nw
from narrows._internal.explain.story import Story
from narrows._internal.files import parquet, run_folder
from narrows._internal.report.run.page import build

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """\
title = "Pages"
duration = "6s"
[path]
rate = "10Mbps"
rtt = "20ms"
[[flows]]
name = "flows"
algorithm = "cubic"
count = 2
subject = true
[record]
events = true
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("whole")
    (place / "s.toml").write_text(SCENARIO, encoding="utf-8")
    scenario = nw.load(place / "s.toml")
    nw.compare(["newreno", "cubic"], scenario, replications=2).save(place / "both")
    return place / "both"


def test_each_table_is_read_once_and_each_flow_explained_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: Counter[str] = Counter()
    explained: Counter[tuple[str, str]] = Counter()
    before, begin = parquet.read_parquet, Story.__init__

    def reading(file: Path, *rest: Any, **more: Any) -> Any:
        read[file.relative_to(folder).as_posix()] += 1
        return before(file, *rest, **more)

    def explaining(self: Story, events: Any, flow: str, algorithm: str, *rest: Any) -> None:
        explained[flow, algorithm] += 1
        begin(self, events, flow, algorithm, *rest)

    monkeypatch.setattr(run_folder, "read_parquet", reading)
    monkeypatch.setattr(Story, "__init__", explaining)
    build(folder)
    assert len(read) > 8
    assert set(read.values()) == {1}
    # Two replications of each.
    assert explained == {(f"flows[{number}]", name): 2 for number in range(2) for name in ("newreno", "cubic")}


def test_the_page_of_a_run_of_a_comparison_is_that_of_its_folder(folder: Path, tmp_path: Path) -> None:
    build(folder)
    for name in ("newreno", "cubic"):
        shutil.copytree(folder / name, tmp_path / name)
        assert build(tmp_path / name).read_text("utf-8") == (folder / name / "report.html").read_text("utf-8")
