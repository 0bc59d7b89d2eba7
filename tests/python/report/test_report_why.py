# SPDX-License-Identifier: Apache-2.0
"""Contract: a click on a window says what `narrows why` says, with mouse, keyboard and finger."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from test_report_browser import opened

import narrows as nw
from narrows._internal.explain.moment import explain

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

    from command_line import Narrows

SCENARIO = """
title = "Two flows"
duration = "20s"

[path]
rate = "10Mbps"
rtt = "40ms"

[[flows]]
name = "subject"
algorithm = "subject"
count = 2
"""


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("why")
    (folder / "two.toml").write_text(SCENARIO, "utf-8")
    with_packets = nw.load(folder / "two.toml", ["record.packets=true"])
    with_packets.compare(["newreno", "cubic"], replications=2).save(folder / "out")
    return folder / "out"


def said(page: Page) -> tuple[str, list[str]]:
    """Return what the page says: the answer, and the texts of what happened."""
    box = page.locator("#cwnd .why")
    box.wait_for(state="visible")
    return box.locator(".said").inner_text(), box.locator("li span:last-child").all_inner_texts()


def explained(page: Page, folder: Path) -> tuple[str, list[str]]:
    """Return what the command in the panel says."""
    narrows, why, inner, *options = shlex.split(page.locator("#cwnd .why code").inner_text())
    assert (narrows, why) == ("narrows", "why")
    given = dict(zip(options[::2], options[1::2], strict=True))
    replication = int(given["--replication"]) if "--replication" in given else None
    found = explain(folder / inner, given["--flow"], given["--at"], replication)
    return found.answer, [each.text for each in found.sentences]


def place_of(panel: Locator, time_s: float) -> tuple[float, float]:
    """Return the place of a time in a panel, in the middle of its height, and relative to the drawing."""
    left, top, width, height = map(float, str(panel.get_attribute("data-box")).split())
    end = float(str(panel.get_attribute("data-x")).split()[2])
    return left + width * time_s / end, top + height / 2


def click(page: Page, index: int, time_s: float, *, tap: bool = False) -> None:
    paper = page.locator("#cwnd svg.paper:visible")
    x, y = place_of(paper.locator(".panel").nth(index), time_s)
    box = paper.bounding_box()
    assert box is not None
    factor = box["width"] / float(str(paper.get_attribute("viewBox")).split()[2])
    (paper.tap if tap else paper.click)(position={"x": x * factor, "y": y * factor})


def test_a_click_says_what_the_command_says(browser: Browser, comparison: Path) -> None:
    with opened(browser, comparison / "report.html") as page:
        assert page.locator("#cwnd .why").is_hidden()
        for index, time_s in ((0, 5.0), (1, 8.0), (0, 12.5), (1, 0.1)):
            click(page, index, time_s)
            assert said(page) == explained(page, comparison)
            assert (index, page.locator("#cwnd svg.wide .panel").nth(index).locator(".moment").count()) == (index, 1)
        assert page.locator("#cwnd .why .when").inner_text().startswith("cubic:")


def test_every_change_of_a_flow_is_explained_as_by_the_command(browser: Browser, comparison: Path) -> None:
    rows = pq.read_table(comparison / "newreno" / "events.parquet").to_pylist()
    changes = [r for r in rows if (r["replication"], r["flow"], r["event"]) == (0, 1, "reduction")]
    assert len(changes) > 2
    with opened(browser, comparison / "report.html") as page:
        click(page, 0, 10.0)
        page.locator("#cwnd .why select").select_option("subject[1]")
        while page.get_by_role("button", name="Earlier change").is_enabled():
            page.get_by_role("button", name="Earlier change").click()
        seen = []
        while True:
            assert said(page) == explained(page, comparison)
            seen.append(said(page)[0].split(" the congestion")[0])
            later = page.get_by_role("button", name="Later change")
            if not later.is_enabled():
                break
            later.click()
        assert set(seen) >= {f"At {row['time_ps'] * 1e-12:.4f} s" for row in changes}


def test_a_moment_at_which_nothing_happened_names_the_nearest_change(browser: Browser, comparison: Path) -> None:
    rows = pq.read_table(comparison / "cubic" / "events.parquet").to_pylist()
    own = [r for r in rows if (r["replication"], r["flow"], r["event"]) == (0, 1, "reduction")]
    times = [0.0, *(row["time_ps"] * 1e-12 for row in own), 20.0]
    quiet = next((a + b) / 2 for a, b in pairwise(times) if b - a > 2.4)
    with opened(browser, comparison / "report.html") as page:
        click(page, 1, quiet)
        page.locator("#cwnd .why select").select_option("subject[1]")
        answer, lines = said(page)
        assert answer.startswith("Nothing cut or restored")
        assert "The nearest change was at" in answer
        assert (answer, lines) == explained(page, comparison)


def test_the_keyboard_opens_and_closes_it(browser: Browser, comparison: Path) -> None:
    with opened(browser, comparison / "report.html") as page:
        plot = page.locator("#cwnd .plot")
        plot.focus()
        for key in ("ArrowDown", "ArrowDown", "Enter"):
            page.keyboard.press(key)
        by_mark = said(page)
        assert by_mark == explained(page, comparison)
        assert by_mark[0].startswith("At ")
        for key in ("ArrowRight", "End", "Enter"):
            page.keyboard.press(key)
        assert said(page) == explained(page, comparison)
        assert "20.0000" in page.locator("#cwnd .why .when").inner_text() or said(page)[0].startswith("At ")
        assert page.evaluate("document.activeElement.matches('#cwnd .plot')")
        page.keyboard.press("Escape")
        assert page.locator("#cwnd .why").is_hidden()
        assert page.locator(".moment").count() == 0


def test_a_finger_opens_it_and_the_page_stays_as_wide_as_the_screen(browser: Browser, comparison: Path) -> None:
    options = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
    with opened(browser, comparison / "report.html", **options) as page:
        click(page, 0, 6.0, tap=True)
        assert said(page) == explained(page, comparison)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        for button in page.locator("#cwnd .why button").all():
            box = button.bounding_box()
            assert box is not None
            assert box["height"] >= 28


def test_a_drag_zooms_and_explains_nothing(browser: Browser, comparison: Path) -> None:
    with opened(browser, comparison / "report.html") as page:
        panel = page.locator("#cwnd svg.wide .panel").first
        box = panel.bounding_box()
        assert box is not None
        y = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + box["width"] * 0.4, y)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.7, y, steps=4)
        page.mouse.up()
        page.wait_for_timeout(100)
        assert panel.evaluate("panel => panel.classList.contains('zoomed')")
        assert page.locator("#cwnd .why").is_hidden()


def test_another_replication_has_explanations_of_its_own(browser: Browser, comparison: Path) -> None:
    with opened(browser, comparison / "report.html") as page:
        page.locator(".choice select").select_option("1")
        page.locator("#cwnd figcaption:has-text('Replication 2 of')").wait_for()
        click(page, 0, 6.0)
        assert "--replication 1" in page.locator("#cwnd .why code").inner_text()
        # The caption is that of the replication, as another one may say something else.
        kept = page.locator('#cwnd template[data-replication="1"]').get_attribute("data-caption")
        assert page.locator("#cwnd figcaption p").first.inner_text() == kept
        assert "Replication 2 of 2" in str(kept)
        assert said(page) == explained(page, comparison)


def test_without_a_log_of_events_nothing_is_promised(browser: Browser, narrows: Narrows, tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(SCENARIO.replace('"subject"\ncount', '"cubic"\ncount'), "utf-8")
    assert narrows("run", "two.toml", "--set", "record.events=false", "--out", "out").returncode == 0
    with opened(browser, tmp_path / "out" / "report.html") as page:
        assert page.locator(".why").count() == 0
        assert not re.search("click on a window", page.locator("#cwnd figcaption").inner_text(), re.IGNORECASE)
