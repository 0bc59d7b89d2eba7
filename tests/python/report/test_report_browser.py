# SPDX-License-Identifier: Apache-2.0
"""What people see: every report is opened in a real browser, without a network, and looked at."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from conftest import HOSTILE
from synthetic_folder import write_comparison

from browsers import COLOURS, contrast, rgb
from narrows._internal.report.run.page import build

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

FIGURES = ["tradeoff", "cwnd", "rates", "queue", "rtt", "jain"]


@contextmanager
def opened(browser: Browser, report: Path, **options: Any) -> Iterator[Page]:
    """Open a report and see afterwards that it was silent: no message, no error, no request but its own."""
    messages: list[str] = []
    asked: list[str] = []
    context = browser.new_context(**options)
    context.set_default_timeout(10_000)
    page = context.new_page()
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    yield page
    context.close()
    assert messages == []
    assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [report.as_uri()]


@pytest.mark.parametrize("name", ["run_report", "comparison_report"])
@pytest.mark.parametrize("width", [1200, 360])
def test_every_figure_is_visible_and_drawn(
    browser: Browser, request: pytest.FixtureRequest, name: str, width: int
) -> None:
    report: Path = request.getfixturevalue(name)
    with opened(browser, report, viewport={"width": width, "height": 800}) as page:
        assert page.locator("figure").evaluate_all("all => all.map(f => f.dataset.name)") == FIGURES
        for figure in FIGURES:
            papers = page.locator(f"#{figure} svg.paper:visible")
            assert papers.count() == 1
            sizes = papers.locator("[data-series] path").evaluate_all(
                "all => all.map(path => [path.getTotalLength(), path.getAttribute('d').length])"
            )
            assert sizes
            assert all(length > 0 and text > 4 for length, text in sizes)


def test_figures_are_visible_without_scripts(browser: Browser, run_report: Path) -> None:
    with opened(browser, run_report, java_script_enabled=False) as page:
        assert page.locator("svg.paper:visible").count() == 6
        assert page.locator("[data-save]:visible").count() == 0


def test_every_series_lies_in_a_window_that_cuts_off_what_leaves_its_panel(
    browser: Browser, cellular_report: Path
) -> None:
    with opened(browser, cellular_report) as page:
        assert page.locator("svg.wide [data-series]").count() > 6
        assert page.locator("svg.wide [data-series]").evaluate_all(
            """all => all.map(series => series.parentNode).every(
                 window => window.ownerSVGElement && getComputedStyle(window).overflow === 'hidden')"""
        )


def test_a_varying_capacity_is_an_area_and_marks_have_their_ticks(browser: Browser, cellular_report: Path) -> None:
    with opened(browser, cellular_report) as page:
        assert page.locator("#rates svg.wide [data-series=capacity] path.ground").count() == 1
        assert page.locator("#queue svg.wide path.rug.marks").count() == 1
        # A figure of which nothing is there is a line, and no section.
        assert page.locator("#jain").count() == 0
        assert "No figure “Jain's fairness index”" in page.locator("main").inner_text()


def test_the_warm_up_is_named_in_the_legend_where_no_mark_crosses_it(browser: Browser, run_report: Path) -> None:
    with opened(browser, run_report) as page:
        figure = page.locator("#cwnd")
        assert not [text for text in figure.locator("svg.wide text").all_text_contents() if "warm-up" in text]
        shade, key = figure.locator("svg.wide rect.shade"), figure.get_by_role("button", name="warm-up")
        assert shade.count() == 1
        key.click()
        assert not shade.is_visible()


def test_every_page_says_how_it_is_cited(browser: Browser, run_report: Path) -> None:
    digest = json.loads((run_report.parent / "summary.json").read_text("utf-8"))["digest"]
    with opened(browser, run_report) as page:
        cited = page.locator("footer .cite").inner_text()
        assert cited.startswith("Narrows ")
        assert all(part in cited for part in ("engine ", HOSTILE, digest))


def test_the_title_is_text(browser: Browser, run_report: Path) -> None:
    with opened(browser, run_report) as page:
        assert page.locator("h1").inner_text() == HOSTILE
        assert page.title() == f"{HOSTILE} · Narrows"


def test_a_failed_check_is_named_at_the_top(browser: Browser, run_report: Path, comparison_report: Path) -> None:
    with opened(browser, run_report) as page:
        assert (
            "Broken: 1 check failed; do not use these numbers: buffer filled"
            in page.locator("header .verdict.failed").inner_text()
        )
    with opened(browser, comparison_report) as page:
        assert "No check found a fault" in page.locator("header .verdict.ok").inner_text()


def test_the_tables_hold_the_summarys_numbers(browser: Browser, run_report: Path) -> None:
    summary = json.loads((run_report.parent / "summary.json").read_text("utf-8"))
    with opened(browser, run_report) as page:
        shown = page.locator("table.measures").evaluate_all(
            """tables => tables.map(t => [...t.tBodies[0].rows].map(
                 r => [r.dataset.measure, [...r.querySelectorAll('data')].map(d => +d.value)]))"""
        )
        # The leading measures of groups, those that are folded away, and the links'.
        leading, folded, links = shown
        assert dict(leading + folded) == means_of(summary["groups"])
        assert dict(links) == means_of(summary["links"])
        row = page.locator("tr[data-measure=rtt_mean_s]")
        assert row.locator("th").inner_text() == "RTT, mean ms"
        assert row.locator("td").first.inner_text().startswith("61.4\n60.0")


def test_further_measures_unfold_by_keyboard(browser: Browser, run_report: Path) -> None:
    with opened(browser, run_report) as page:
        row = page.locator("tr[data-measure=retransmission_rate]")
        assert row.is_hidden()
        page.locator("#measures summary").first.focus()
        page.keyboard.press("Enter")
        assert row.is_visible()


def test_a_comparison_shows_paired_differences_to_the_first(browser: Browser, comparison_report: Path) -> None:
    with opened(browser, comparison_report) as page:
        assert page.locator("#measures tr[data-measure=goodput_bps] td").count() == 3
        assert page.locator("#measures .difference").count() == 0
        cells = page.locator("#differences tr[data-measure=goodput_bps] td")
        assert cells.count() == 2
        assert "+1.20\u202fMbps" in cells.nth(0).locator(".difference.better").inner_text()
        assert "clearly better" in cells.nth(0).inner_text()
        assert page.locator("tr[data-measure=jain] .difference.worse").count() == 2
        assert page.locator("tr[data-measure=rtt_mean_s] .difference.plain").count() == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["run_report", "comparison_report"])
def test_every_text_has_enough_contrast(
    browser: Browser, request: pytest.FixtureRequest, name: str, scheme: str
) -> None:
    """WCAG 2.2, success criterion 1.4.3: 4.5 to 1."""
    with opened(browser, request.getfixturevalue(name), color_scheme=scheme) as page:
        pairs = page.evaluate(COLOURS)
        assert len(pairs) > 4
        for ink, paper, sample in pairs:
            assert contrast(rgb(ink), rgb(paper)) >= 4.5, sample
        assert (sum(rgb(pairs[0][1])) < 200) == (scheme == "dark")


def test_the_page_has_the_scenario_to_save_and_it_is_the_one_in_the_folder(
    browser: Browser, run_report: Path, tmp_path: Path
) -> None:
    with opened(browser, run_report) as page:
        source = page.locator("#files details.source").first
        assert source.locator("pre").is_hidden()
        source.locator("summary").click()
        assert source.locator("pre").is_visible()
        with page.expect_download() as download:
            source.get_by_role("button", name="Save scenario.toml").click()
        assert download.value.suggested_filename == "scenario.toml"
        download.value.save_as(tmp_path / "saved.toml")
    assert (tmp_path / "saved.toml").read_text("utf-8") == (run_report.parent / "scenario.toml").read_text("utf-8")


def test_the_theme_button_turns_light_into_dark_and_back(browser: Browser, run_report: Path) -> None:
    with opened(browser, run_report, color_scheme="light") as page:
        button = page.locator("button.theme")
        seen = []
        for _ in range(3):
            seen.append((page.evaluate("getComputedStyle(document.body).backgroundColor"), button.inner_text()))
            button.click()
        assert seen[0] == seen[2]
        assert [leads_to for _, leads_to in seen] == ["Dark", "Light", "Dark"]
        assert seen[0][0] != seen[1][0]


@pytest.mark.parametrize("name", ["run_report", "comparison_report", "cellular_report"])
def test_a_phone_never_scrolls_sideways(browser: Browser, request: pytest.FixtureRequest, name: str) -> None:
    options = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
    with opened(browser, request.getfixturevalue(name), **options) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        sizes = page.locator("svg.narrow text").evaluate_all("all => all.map(t => t.getBoundingClientRect().height)")
        assert min(size for size in sizes if size) >= 10


def test_tab_reaches_a_legend_and_enter_hides_its_series(browser: Browser, run_report: Path) -> None:
    with opened(browser, run_report) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the results"
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.matches('#cwnd .key')"):
                break
        key = page.locator("#cwnd .key").first
        series = page.locator("#cwnd svg.wide [data-series='" + (key.get_attribute("data-key") or "") + "']")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        assert series.first.is_visible()
        page.keyboard.press("Enter")
        assert pressed(key) == "false"
        assert series.first.is_hidden()
        page.keyboard.press("Space")
        assert pressed(key) == "true"
        assert series.first.is_visible()


def test_arrow_keys_read_values_in_a_time_plot(browser: Browser, run_report: Path) -> None:
    with opened(browser, run_report) as page:
        page.locator("#rates .plot").focus()
        page.keyboard.press("End")
        readout = page.locator("#rates .readout").inner_text()
        assert re.search(r"at\s30\u202fs", readout)
        rates = [float(value) for value in re.findall(r"([\d.]+)\u202fMbps", readout)]
        # Three flows that fill the link to 99 %, and the capacity itself.
        assert len(rates) == 4
        assert sum(rates[:3]) == pytest.approx(0.99 * 20, rel=0.01)
        assert rates[3] == pytest.approx(20, rel=0.005)
        page.keyboard.press("Escape")
        assert page.locator("#rates .readout").inner_text() == ""


def test_a_pointer_reads_the_nearest_point(browser: Browser, comparison_report: Path) -> None:
    with opened(browser, comparison_report) as page:
        mark = page.locator("#tradeoff svg.wide [data-point$='(mean)']").first
        mark.scroll_into_view_if_needed()
        place = mark.bounding_box()
        assert place is not None
        page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
        assert "newreno" in page.locator("#tradeoff .readout").inner_text()
        assert "(mean)" in page.locator("#tradeoff .readout").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_saved_svg_stands_alone(browser: Browser, run_report: Path, tmp_path: Path, scheme: str) -> None:
    with opened(browser, run_report, color_scheme=scheme) as page:
        page.locator("#cwnd .key").nth(1).click()
        with page.expect_download() as download:
            page.get_by_role("button", name="Save SVG: Congestion window").click()
        saved = tmp_path / "cwnd.svg"
        download.value.save_as(saved)
        assert download.value.suggested_filename == "cwnd.svg"
    text = saved.read_text("utf-8")
    assert "var(" not in text
    assert "class=" not in text
    drawing = ET.fromstring(text)  # noqa: S314, our own file
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    words = {node.text for node in drawing.iter("{http://www.w3.org/2000/svg}text")}
    assert {"Congestion window", "cubic[0]", "newreno[0]"} <= words
    assert "cubic[1]" not in words
    strokes = {path.get("stroke") for path in drawing.iter("{http://www.w3.org/2000/svg}path")}
    assert len([stroke for stroke in strokes if stroke and stroke.startswith("rgb")]) >= 3


def test_a_saved_png_is_a_picture_of_three_times_the_size(browser: Browser, run_report: Path, tmp_path: Path) -> None:
    with opened(browser, run_report) as page:
        with page.expect_download() as download:
            page.get_by_role("button", name="Save PNG: Queue at the bottleneck").click()
        saved = tmp_path / "queue.png"
        download.value.save_as(saved)
    content = saved.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert int.from_bytes(content[16:20], "big") == 1800
    assert len(content) > 20_000


def test_landmarks_headings_and_tables_are_named(browser: Browser, comparison_report: Path) -> None:
    with opened(browser, comparison_report) as page:
        assert page.locator("html").get_attribute("lang") == "en"
        for landmark in ("main", "header", "nav", "footer", "h1"):
            assert page.locator(landmark).count() == 1
        assert page.locator("section").evaluate_all(
            "all => all.every(s => /^H[23]$/.test(document.getElementById(s.getAttribute('aria-labelledby'))?.tagName))"
        )
        assert page.locator("table").evaluate_all("all => all.every(t => t.caption)")
        assert page.locator("th:not([scope])").count() == 0
        assert page.locator("svg.paper").evaluate_all(
            "all => all.every(s => s.getAttribute('role') === 'img' && s.getAttribute('aria-label').length > 40)"
        )


def means_of(owners: dict[str, dict[str, Any]]) -> dict[str, list[float]]:
    """Return the means of every measure with data, in the order of the owners."""
    first = next(iter(owners.values()))
    measures = [name for name, value in first.items() if isinstance(value, dict) and value["mean"] is not None]
    return {name: [measured[name]["mean"] for measured in owners.values()] for name in measures}


def pressed(button: Any) -> str | None:
    """Return the state of a toggle."""
    state: str | None = button.get_attribute("aria-pressed")
    return state


@pytest.mark.parametrize("count", [2, 3, 8])
def test_a_comparison_shows_all_columns_and_stays_short(browser: Browser, tmp_path: Path, count: int) -> None:
    names = ["newreno", "cubic", "bbr3", "vegas", "bic", "dctcp", "reno", "aimd(a=1/2,b=0.8)"][-count:]
    write_comparison(tmp_path, "Algorithms", names)
    with opened(browser, build(tmp_path), viewport={"width": 1280, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollHeight") < LONGEST
        page.locator("details:has(.measures)").evaluate_all("all => all.forEach(each => { each.open = true })")
        wide = page.locator(".scroll:has(.measures)").evaluate_all(
            "all => all.filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.ariaLabel)"
        )
        assert wide == []


# Pixels of a page that is 1280 wide.
LONGEST = 15_000
