# SPDX-License-Identifier: Apache-2.0
"""Contract of the page as text: what it holds whatever opens it."""

from __future__ import annotations

import html
import json
import re
import shutil
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pyarrow.compute as pc
import pyarrow.parquet as pq
from conftest import HOSTILE
from synthetic_folder import Recipe, write_run

from narrows._internal.page import document
from narrows._internal.report.run.page import build

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from narrows._internal.drawing.figure import Figure, Paper
    from narrows._internal.drawing.svg import Markup


def test_the_report_lies_in_its_folder_and_is_light(comparison_report: Path) -> None:
    assert comparison_report.name == "report.html"
    assert comparison_report.stat().st_size < 1_500_000


def test_building_twice_gives_the_same_bytes(run_report: Path) -> None:
    before = run_report.read_bytes()
    assert build(run_report.parent).read_bytes() == before


def test_the_folders_place_leaves_no_trace(run_report: Path, tmp_path: Path) -> None:
    moved = shutil.copytree(run_report.parent, tmp_path / "elsewhere")
    assert build(moved).read_bytes() == run_report.read_bytes()
    assert "elsewhere" not in (moved / "report.html").read_text("utf-8")


def test_what_people_wrote_never_becomes_markup(tmp_path: Path) -> None:
    write_run(tmp_path, Recipe(HOSTILE, {"<b>x</b>": 1, '"quoted"': 1}, replications=2))
    page = Tags(build(tmp_path).read_text("utf-8"))
    assert page.tags.count("script") == 1
    assert page.tags.count("b") == 7
    assert "img" not in page.tags


def test_every_tag_is_closed_and_every_identifier_unique(comparison_report: Path) -> None:
    page = Tags(comparison_report.read_text("utf-8"))
    assert page.unclosed == []
    assert len(page.identifiers) == len(set(page.identifiers))


def test_no_attribute_asks_for_a_network(comparison_report: Path) -> None:
    text = html.unescape(comparison_report.read_text("utf-8"))
    assert "default-src 'none'" in text
    assert "unsafe" not in text
    assert re.findall(r"""(?:src|href|srcset|action)=["'](?!#)""", text) == []
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) == {"http://www.w3.org/2000/svg"}


def test_sections_stand_in_the_order_in_which_they_are_read(run_report: Path) -> None:
    order = re.findall(r'<section id="(\w+)"|<section[^>]* id="(\w+)"', run_report.read_text("utf-8"))
    names = [first or second for first, second in order]
    assert names == [
        "answer",
        "tradeoff",
        "cwnd",
        "checks",
        "measures",
        "rates",
        "queue",
        "rtt",
        "jain",
        "run",
        "files",
        "origin",
        "paragraph",
    ]


def test_the_command_and_the_seeds_stand_under_every_figure(comparison_report: Path) -> None:
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", comparison_report.read_text("utf-8"))
    assert len(captions) == 6
    for caption in captions:
        assert "narrows compare newreno cubic &#x27;aimd(a=1/2,b=0.8)&#x27; --scenario newreno/scenario.toml" in caption
        assert re.search(r"All 3 replications, seed 1|Replication 1 of 3, seed 1", caption)


def test_the_replication_that_is_shown_is_drawn_once_and_is_among_those_to_choose_from(
    comparison_report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[str, str, object]] = []
    paper = document._paper  # noqa: SLF001  # each drawing is made by it

    def counted(figure: Figure, on: Paper, draw: object) -> Markup:
        drawn.append((figure.name, on.name, draw))
        return paper(figure, on, draw)  # type: ignore[arg-type]

    monkeypatch.setattr(document, "_paper", counted)
    built = build(comparison_report.parent).read_text("utf-8")
    assert len(drawn) == len(set(drawn))
    assert "data-replication=" in built


def test_a_run_without_series_says_so_instead_of_drawing(tmp_path: Path) -> None:
    write_run(tmp_path, Recipe("Nothing over time", {"cubic": 1}))
    (tmp_path / "series.parquet").unlink()
    (tmp_path / "distributions.parquet").unlink()
    (tmp_path / "groups.parquet").unlink()
    text = build(tmp_path).read_text("utf-8")
    assert "<figure" not in text
    assert text.count("This run recorded no") == 6


def test_the_queue_is_drawn_though_flows_were_not_recorded(tmp_path: Path) -> None:
    write_run(tmp_path, Recipe("Links only", {"cubic": 1}))
    rows = pq.read_table(tmp_path / "series.parquet")
    pq.write_table(rows.filter(pc.equal(rows["kind"], "link")), tmp_path / "series.parquet")
    text = build(tmp_path).read_text("utf-8")
    queue = text[text.index('id="queue"') : text.index('id="rtt"')]
    assert 'data-x="lin 0.0 30.0' in queue
    # The rates of the link have a panel, those of its flows have none.
    assert text.count("recorded no series over time") == 2


def test_a_measure_without_data_is_a_dash(tmp_path: Path) -> None:
    write_run(tmp_path, Recipe("Gap", {"cubic": 1, "newreno": 1}))
    summary = json.loads((tmp_path / "summary.json").read_text("utf-8"))
    summary["groups"]["cubic"]["jain"] = {"mean": None, "ci95": None}
    (tmp_path / "summary.json").write_text(json.dumps(summary), "utf-8")
    row = re.search(r'<tr data-measure="jain">(.*?)</tr>', build(tmp_path).read_text("utf-8"))
    assert row is not None
    assert row[1].count("no data") == 1


class Tags(HTMLParser):
    """Collects the tags and identifiers of a page and what was left open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.identifiers: list[str] = []
        self.unclosed: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append(tag)
        self.identifiers += [value for name, value in attrs if name == "id" and value]
        if tag not in {"meta", "br"}:
            self.unclosed.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost tag, which must be this one."""
        assert self.unclosed.pop() == tag
