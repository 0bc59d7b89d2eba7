# SPDX-License-Identifier: Apache-2.0
"""Product: an access link that is the bottleneck has its queue in tables, figures, the answer and `why`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import narrows as nw
from command_line import SHORT
from narrows._internal.cli.table import comparison_tables, run_tables
from narrows._internal.explain.moment import explain
from narrows._internal.report.run.answer import sentences
from narrows._internal.report.run.data import Run
from narrows._internal.report.run.figures import queue
from narrows._internal.report.run.reading import read
from narrows._internal.report.run.tables import run_tables as page_tables

if TYPE_CHECKING:
    from pathlib import Path

SLOW = SHORT.replace('"40ms"', '"40ms"\naccess_rate = "2Mbps"').replace('"5s"', '"8s"')


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("slow") / "run"
    nw.Scenario(SLOW).run().save(folder)
    return folder


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("usual") / "run"
    nw.Scenario(SHORT).run().save(folder)
    return folder


def run_of(folder: Path) -> Run:
    run = read(folder)
    assert isinstance(run, Run)
    return run


def test_tables_of_terminal_and_page_have_its_queue(slow: Path) -> None:
    run = run_of(slow)
    assert list(run.access_links) == ["newreno", "other"]
    waited = run.groups["newreno"]["access_queue_delay_mean_s"].mean
    assert waited is not None
    assert run.access_links["newreno"]["queue_delay_mean_s"].mean == waited > 0.1
    assert "access links of newreno" in page_tables(run)
    assert "access of newreno" in run_tables(nw.open(slow).summary)


def test_the_figure_has_a_panel_of_its_delay(slow: Path) -> None:
    run = run_of(slow)
    drawn = queue.figure([run])
    assert drawn.title == "Queues of the links"
    assert "unlimited FIFO" in " ".join(drawn.caption)
    found = run.access_wait(0, "newreno")
    assert found is not None
    time, delay = found
    assert len(time) == len(delay) > 10
    assert delay[-1] > 0.1


def test_the_answer_names_it_and_why_gives_its_delay(slow: Path) -> None:
    assert "Access links" in sentences(run_of(slow))[0]
    assert "ms at this time at its access links" in explain(slow, "newreno", "7s").answer
    assert "ms on average at its access links" in explain(slow, "newreno", None).answer


def test_nothing_is_said_of_access_links_that_are_not_the_bottleneck(usual: Path) -> None:
    run = run_of(usual)
    assert not run.access_links
    assert "access links" not in page_tables(run).split("<details")[0]
    assert "access" not in run_tables(nw.open(usual).summary)
    assert "access links" not in " ".join(queue.figure([run]).caption)
    assert "access links" not in explain(usual, "newreno", None).answer


def test_a_comparison_has_it_for_each_run(tmp_path: Path) -> None:
    compared = nw.Scenario(SLOW).compare(["cubic", "newreno"])
    compared.save(tmp_path / "both")
    text = comparison_tables(nw.open(tmp_path / "both").summary)
    assert "access links" in text
    both = read(tmp_path / "both")
    assert "so it is in 2 of the 2 runs" in "".join(sentences(both))
