# SPDX-License-Identifier: Apache-2.0
"""What a page says first, and what its charts do: the answer, marks, zoom, the choice of a replication (product)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from test_report_browser import opened

from narrows._internal.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

SCENARIO = """
title = "Down and up"
duration = "6s"
warmup = "1s"
replications = 3

[path]
rate = "8Mbps"
rtt = "20ms"
queue = { kind = "droptail", limit = "25pkt" }
reverse = { rate = "1Mbps", queue = { kind = "droptail", limit = "40pkt" } }

[[flows]]
name = "download"
algorithm = "subject"
count = 2

[[flows]]
name = "upload"
algorithm = "newreno"
direction = "reverse"
"""
STUDY = """
title = "Buffers"
question = "What does a deeper buffer buy?"
scenario = "both.toml"
algorithms = ["cubic", "newreno"]
measures = ["group.download.goodput_bps", "group.download.delay_p95_s"]
replications = 2

[factors]
"path.queue.limit" = ["5pkt", "25pkt", "100pkt"]
"""
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run and a comparison of a scenario with traffic in both directions."""
    place = tmp_path_factory.mktemp("answers")
    (place / "both.toml").write_text(SCENARIO, encoding="utf-8")
    run = ["run", str(place / "both.toml"), "--set", "flows.0.algorithm=cubic", "--out", str(place / "run")]
    compare = ["compare", "cubic", "newreno", "aimd(a=1,b=0.8)", "--scenario", str(place / "both.toml")]
    assert main([*run, "--quiet"]) == 0
    assert main([*compare, "--out", str(place / "comparison"), "--quiet"]) == 0
    (place / "study.toml").write_text(STUDY, encoding="utf-8")
    assert main(["study", "run", str(place / "study.toml"), "--out", str(place / "study"), "--quiet"]) == 0
    matrix = ["matrix", "cubic", "newreno", "bbr3", "--rates", "8Mbps", "--rtts", "20ms", "--buffers", "0.5bdp,2bdp"]
    short = ["--set", "duration=4s", "--set", "warmup=1s", "--replications", "2"]
    assert main([*matrix, *short, "--out", str(place / "matrix"), "--quiet"]) == 0
    return place


def box_of(found: Locator) -> tuple[float, float, float, float]:
    """Return left, top, width and height of what is visible, in pixels of the window."""
    box = found.bounding_box()
    assert box is not None
    return box["x"], box["y"], box["width"], box["height"]


def test_a_page_begins_with_the_answer_and_two_figures_on_the_first_screen(browser: Browser, folder: Path) -> None:
    for name in ("run", "comparison"):
        with opened(browser, folder / name / "report.html", viewport=WIDE) as page:
            assert page.locator("main > section").first.get_attribute("id") == "answer"
            said = page.locator("ul.answer li").all_inner_texts()
            # Whose algorithm was replaced is no finding.
            assert not any("under test" in each for each in said)
            assert page.locator("#answer .note", has_text="under test").count() == (name == "comparison")
            assert 2 <= len(said) <= 5
            # Every sentence has a number with its interval, or what is known of a difference.
            assert all(re.search(r"\d.*\(.*\d.*…|\(3 runs, .*\d", text) for text in said), said
            figures = page.locator("#answer svg.paper:visible")
            assert figures.count() == 2
            for place in range(2):
                _, top, _, height = box_of(figures.nth(place))
                assert top + height <= 900, name
        with opened(browser, folder / name / "report.html", viewport=PHONE, is_mobile=True) as page:
            _, top, _, height = box_of(page.locator("#answer svg.paper:visible").first)
            assert top + height <= 2 * 844


def test_the_answer_of_a_comparison_names_the_margin_that_matters(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "comparison/report.html") as page:
        said = page.locator("ul.answer li").all_inner_texts()
        assert "A difference matters from" in said[0]
        assert page.locator("#differences tr[data-measure=goodput_bps]").count() >= 1
        assert "less cubic" in page.locator("#differences thead").first.inner_text()


def test_checks_without_a_fault_are_one_line(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "run/report.html") as page:
        holding = page.locator("#checks details.holding")
        assert holding.count() == 1
        assert re.match(r"\d+ checks? without a fault: ", holding.locator("summary").inner_text())
        assert holding.locator("li").first.is_hidden()


def test_the_queues_of_both_directions_are_drawn(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "run/report.html") as page:
        panels = page.locator("#queue svg.wide .panel")
        assert panels.evaluate_all("all => all.map(each => each.dataset.title)") == ["bottleneck", "bottleneck reverse"]


def test_marks_of_the_window_are_read_at_the_mark_and_lines_elsewhere(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "run/report.html", viewport=WIDE) as page:
        marks = page.locator("#cwnd svg.wide [data-point]")
        assert marks.count() > 3
        readout = page.locator("#cwnd .readout")
        left, top, width, height = box_of(marks.last)
        page.mouse.move(left + width / 2, top + height / 2)
        text = readout.inner_text()
        assert re.search(r"packets", text), text
        assert re.search(r"(download|upload)\[\d\], \d+\.\d+ s", text), text
        # It stands beside its mark.
        x, y, wide, high = box_of(readout)
        assert min(abs(x - left), abs(x + wide - left)) < 60
        assert abs(y + high - top) < 60
        plot = box_of(page.locator("#cwnd svg.wide"))
        page.mouse.move(plot[0] + plot[2] / 2, plot[1] + 40)
        assert readout.inner_text().startswith("at")
        page.mouse.move(5, 5)
        assert readout.inner_text() == ""


def test_the_keyboard_goes_from_mark_to_mark(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "run/report.html", viewport=WIDE) as page:
        page.locator("#cwnd .plot").focus()
        seen = []
        for _ in range(2):
            page.keyboard.press("ArrowDown")
            seen.append(page.locator("#cwnd .readout").inner_text())
        assert all("packets" in text for text in seen)
        assert seen[0] != seen[1]


def drag(page: Page, name: str, start: float, end: float) -> None:
    """Drag over a part of the first panel of a figure, given as shares of its width."""
    left, top, width, _ = box_of(page.locator(f"#{name} svg.wide"))
    factor = width / 600
    inner = [float(part) * factor for part in
             (page.locator(f"#{name} svg.wide .panel").first.get_attribute("data-box") or "").split()]  # fmt: skip
    y = top + inner[1] + inner[3] / 2
    page.mouse.move(left + inner[0] + start * inner[2], y)
    page.mouse.down()
    page.mouse.move(left + inner[0] + (start + end) / 2 * inner[2], y + 20, steps=3)
    page.mouse.move(left + inner[0] + end * inner[2], y + 40, steps=3)
    page.mouse.up()


def ticks(page: Page, name: str) -> list[float]:
    """Return the numbers at the visible ticks of the lowest horizontal axis of a figure."""
    shown = page.locator(f"#{name} svg.wide .panel:last-of-type text.tick.middle:visible").all_text_contents()
    return [float(text) for text in shown]


def test_a_drag_zooms_all_figures_over_time_and_a_button_shows_all_again(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "run/report.html", viewport=WIDE) as page:
        before = ticks(page, "cwnd")
        assert (before[0], before[-1]) == (0, 6)
        page.locator("#cwnd").scroll_into_view_if_needed()
        drag(page, "cwnd", 1 / 3, 2 / 3)
        for name in ("cwnd", "rates", "queue"):
            found = ticks(page, name)
            assert len(found) >= 3, name
            assert 2 <= found[0] < found[-1] <= 4, name
        upright = page.locator("#cwnd svg.wide .panel").first.locator("text.tick.end:visible")
        assert upright.count() >= 2
        # Marks keep their shape, and what is read is what is seen.
        page.locator("#rates .plot").focus()
        page.keyboard.press("Home")
        assert re.search(r"at\s2(\.0\d)?\u202fs", page.locator("#rates .readout").inner_text())
        page.keyboard.press("End")
        assert re.search(r"at\s4(\.0\d)?\u202fs|at\s3.9\d\u202fs", page.locator("#rates .readout").inner_text())
        page.locator("#rates").get_by_role("button", name="Whole range").click()
        assert ticks(page, "cwnd") == before
        assert page.locator("[data-reset]:visible").count() == 0


def test_a_drag_over_a_figure_of_points_zooms_all_its_panels(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "comparison/report.html", viewport=WIDE) as page:
        before = ticks(page, "tradeoff")
        drag(page, "tradeoff", 0.3, 0.7)
        after = ticks(page, "tradeoff")
        assert after != before
        assert len(after) >= 2
        assert page.locator("#cwnd .zoomed").count() == 0
        page.locator("#tradeoff svg.wide").dblclick(position={"x": 300, "y": 150})
        assert ticks(page, "tradeoff") == before


def test_another_replication_can_be_chosen(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "run/report.html", viewport=WIDE) as page:
        menu = page.locator("header select")
        assert menu.locator("option").all_inner_texts() == ["replication 1", "replication 2", "replication 3"]
        line = page.locator("#cwnd svg.wide path.line").first
        first = line.get_attribute("d")
        page.locator("#cwnd .key").first.click()
        menu.select_option(label="replication 2")
        page.locator("#cwnd figcaption", has_text="Replication 2 of 3").wait_for()
        assert page.locator("#cwnd svg.wide path.line").first.get_attribute("d") != first
        # What was hidden stays hidden.
        assert page.locator("#cwnd svg.wide [data-series='download[0]']").first.is_hidden()
        menu.select_option(label="replication 1")
        page.locator("#cwnd figcaption", has_text="Replication 1 of 3").wait_for()
        assert page.locator("#cwnd svg.wide path.line").first.get_attribute("d") == first


def test_a_printed_page_is_light_and_has_the_figures_of_the_wide_page(
    browser: Browser, folder: Path, tmp_path: Path
) -> None:
    with opened(browser, folder / "comparison/report.html", color_scheme="dark", viewport=WIDE) as page:
        page.emulate_media(media="print")
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(28, 32, 37)"
        assert page.locator("svg.wide:visible").count() == page.locator("figure").count()
        page.pdf(path=str(tmp_path / "page.pdf"), prefer_css_page_size=True)
        assert (tmp_path / "page.pdf").stat().st_size > 20_000


def test_a_study_begins_with_a_response_over_a_numeric_factor_and_a_trade_off(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "study/report.html", viewport=WIDE) as page:
        assert page.locator("ul.answer li").first.inner_text() == "What does a deeper buffer buy?"
        figures = page.locator("#answer figure").evaluate_all("all => all.map(each => each.dataset.name)")
        assert figures == ["response-group-download-goodput-bps-path-queue-limit", "trade-off"]
        curve = page.locator(f"#{figures[0]} svg.wide")
        ticks = curve.locator("text.tick.middle").all_text_contents()
        assert ticks == ["5", "25", "100"]
        places = [float(each) for each in curve.locator("text.tick.middle").evaluate_all(
            "all => all.map(each => each.getAttribute('x'))")]  # fmt: skip
        # A logarithmic axis: from 5 to 25 is farther than from 25 to 100.
        assert places[1] - places[0] > 1.1 * (places[2] - places[1])
        assert curve.locator("path.whisker").count() == 6
        # Two algorithms under three conditions.
        assert page.locator("#trade-off svg.wide [data-point]").count() == 6
        for place in range(2):
            _, top, _, height = box_of(page.locator("#answer svg.paper:visible").nth(place))
            assert top + height <= 900


def test_a_matrix_begins_with_excess_harm_and_a_click_on_a_field_opens_its_pair(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "matrix/report.html", viewport=WIDE) as page:
        figures = page.locator("#answer figure").evaluate_all("all => all.map(each => each.dataset.name)")
        assert figures == ["excess", "conditions"]
        titles = page.locator("#conditions svg.wide .panel").evaluate_all("all => all.map(each => each.dataset.title)")
        # What is the same under all conditions is not repeated.
        assert titles == ["0.5bdp", "2bdp"]
        pair = page.locator("#pair-bbr3-cubic")
        assert pair.locator("figure").first.is_hidden()
        page.locator("#excess svg.wide [data-opens=pair-bbr3-cubic]").first.click(position={"x": 6, "y": 6})
        assert pair.locator("figure").count() == 3
        assert pair.locator("figure").first.is_visible()
        assert pair.locator("svg.wide [data-point]").count() == 3 * 2 * 2
        # An algorithm beside itself is no pair.
        assert page.locator("#excess svg.wide [data-opens]").count() == 6
