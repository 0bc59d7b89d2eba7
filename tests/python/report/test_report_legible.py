# SPDX-License-Identifier: Apache-2.0
"""Pages of every kind in a real browser: nothing leaves the page, every axis has ticks that can be read (product)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from test_report_browser import opened

from browsers import contrast, rgb
from narrows._internal.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

SCENARIO = """
title = "Two groups on a short path"
duration = "3s"
warmup = "1s"
replications = 2

[path]
rate = "8Mbps"
rtt = "20ms"
queue = { kind = "droptail", limit = "25pkt" }

[[flows]]
name = "download"
algorithm = "cubic"

[[flows]]
name = "video"
algorithm = "cubic"
"""
STUDY = """
title = "Queues and delays"
scenario = "short.toml"
algorithms = ["cubic", "newreno", "aimd(a=1,b=0.8)"]
measures = ["group.download.goodput_bps", "group.download.delay_p95_s", "link.bottleneck.queue_delay_mean_s", "product"]
replications = 2

[factors]
"path.queue.kind" = ["droptail", "codel", "pie", "fq-codel"]
"path.rtt" = ["20ms", "60ms"]
"""
PAGES = ("run", "comparison", "study", "matrix", "deployment")
WIDTHS = (390, 768, 1280)


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the report of each kind, of real runs."""
    folder = tmp_path_factory.mktemp("pages")
    scenario, study = folder / "short.toml", folder / "study.toml"
    scenario.write_text(SCENARIO, encoding="utf-8")
    study.write_text(STUDY, encoding="utf-8")
    places = {name: folder / name for name in PAGES}
    long = ["--set", "duration=8s", "--set", "warmup=6s", "--replications", "2"]
    short = ["--set", "duration=3s", "--set", "warmup=1s", "--replications", "2"]
    commands = {
        "run": ["run", str(scenario)],
        "comparison": ["compare", "newreno", "cubic", "bbr3", "vegas", "--scenario", str(scenario)],
        "study": ["study", "run", str(study)],
        "matrix": ["matrix", "cubic", "newreno", "bbr3", "vegas", *short],
        "deployment": ["deploy", "bbr3", "--against", "cubic", "--flows", "4", "--fractions", "25,50", *long],
    }
    for name, command in commands.items():
        assert main([*command, "--out", str(places[name])]) == 0, name
    return {name: place / "report.html" for name, place in places.items()}


class View(NamedTuple):
    """A page on a screen, with all that can be opened open."""

    page: Page
    name: str
    width: int


@pytest.fixture(
    scope="module",
    params=[pytest.param((name, width), id=f"{name}-{width}") for name in PAGES for width in WIDTHS],
)
def view(request: pytest.FixtureRequest, browser: Browser, pages: dict[str, Path]) -> Iterator[View]:
    """Open each page on each screen once, for tests that change nothing of it."""
    name, width = request.param
    with opened(browser, pages[name], viewport={"width": width, "height": 900}) as page:
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
        yield View(page, name, width)


def test_no_page_is_wider_than_its_screen(view: View) -> None:
    assert view.page.evaluate("document.documentElement.scrollWidth") <= view.width, view.page.evaluate(WIDEST)


def test_every_axis_has_ticks_that_can_be_read(view: View) -> None:
    """At least two on each axis of numbers, none over another, none cut off by the edge of the screen."""
    figures = view.page.evaluate(TICKS)
    assert figures
    for figure in figures:
        for axis, labels in figure["axes"].items():
            place = f"{figure['name']}, {axis}: {[label['text'] for label in labels]}"
            assert len(labels) >= 2 or figure["names"][axis], place
            assert not overlapping(labels), place
            assert all(label["left"] >= 0 and label["right"] <= view.width for label in labels), place


def test_words_in_a_drawing_do_not_cover_one_another(view: View) -> None:
    groups = view.page.evaluate(WORDS)
    assert groups or view.name not in {"study", "matrix"}
    for group in groups:
        assert not overlapping(group), [word["text"] for word in group]


def test_headings_of_columns_do_not_cover_one_another(view: View) -> None:
    for row in view.page.evaluate(CELLS):
        assert not overlapping(row), [cell["text"] for cell in row]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["study", "matrix"])
def test_what_stands_in_a_tile_can_be_read_and_no_line_runs_through_it(
    browser: Browser, pages: dict[str, Path], name: str, scheme: str
) -> None:
    """WCAG 2.2, success criterion 1.4.3: 4.5 to 1."""
    with opened(browser, pages[name], color_scheme=scheme, viewport={"width": 1280, "height": 900}) as page:
        tiles, lines = page.evaluate(TILES), page.evaluate(LINES_IN_TILED_PANELS)
    assert len(tiles) > 4
    for tile in tiles:
        paper, fill = rgb(tile["paper"]), rgb(tile["fill"])
        painted = tuple(round(p + (f - p) * tile["opacity"]) for p, f in zip(paper, fill, strict=True))
        assert contrast(rgb(tile["ink"]), (painted[0], painted[1], painted[2])) >= 4.5, tile
    assert lines == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_sides_of_a_diverging_scale_stay_apart(browser: Browser, pages: dict[str, Path], scheme: str) -> None:
    with opened(browser, pages["matrix"], color_scheme=scheme) as page:
        tiles = page.evaluate(TILES)
    painted: dict[str, set[Any]] = {"less": set(), "more": set()}
    for tile in tiles:
        if tile["key"] in painted:
            paper, fill = rgb(tile["paper"]), rgb(tile["fill"])
            painted[tile["key"]].add((fill, paper))
    (less, paper), (more, _) = painted["less"].pop(), painted["more"].pop()
    # A deviation of a quarter: three quarters of the fair share on one side, five quarters on the other.
    part = 0.2**0.6
    sides = [tuple(round(p + (f - p) * part) for p, f in zip(paper, side, strict=True)) for side in (less, more)]
    assert max(abs(one - other) for one, other in zip(*sides, strict=True)) >= 20


def test_a_table_that_goes_on_says_so_and_scrolls_in_itself(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["comparison"], viewport={"width": 390, "height": 844}) as page:
        wide = page.locator(".scroll:has(table.measures)").first
        assert wide.get_attribute("data-more") == "right"
        assert "scroll sideways" in page.evaluate(
            "getComputedStyle(document.querySelector('.scroll[data-more]'), '::before').content"
        )
        wide.evaluate("node => { node.scrollLeft = node.scrollWidth }")
        page.locator(".scroll[data-more=left]").first.wait_for()
    with opened(browser, pages["run"], viewport={"width": 1280, "height": 900}) as page:
        assert page.locator(".scroll[data-more]").count() == 0


def test_no_page_counts_one_thing_in_the_plural(pages: dict[str, Path]) -> None:
    for name, report in pages.items():
        text = re.sub(r"<[^>]+>", " ", report.read_text("utf-8"))
        assert not re.search(
            r"(?<![\d.,])1 (?:algorithms|effects|replications|cells|combinations|conditions)\b", text
        ), name
        assert not re.search(r"\N{MINUS SIGN}0\s?%", text), name
        assert not re.search(r"\d\.\d{4,}\s?pkt", text), name


def overlapping(boxes: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return the pairs of texts of which one covers a part of the other."""
    return [
        (one["text"], other["text"])
        for place, one in enumerate(boxes)
        for other in boxes[place + 1 :]
        if min(one["right"], other["right"]) - max(one["left"], other["left"]) > 1
        and min(one["bottom"], other["bottom"]) - max(one["top"], other["top"]) > 3
    ]


BOX = """const box = (node) => {
  const { left, right, top, bottom } = node.getBoundingClientRect();
  return { text: node.textContent.trim(), left, right, top, bottom };
};"""
TICKS = f"""() => {{ {BOX}
  const papers = [...document.querySelectorAll('svg.paper')].filter((each) => each.getClientRects().length);
  return papers.flatMap((paper) => [...paper.querySelectorAll('.panel')].map((panel) => {{
    const all = (css) => [...panel.querySelectorAll(`:scope > .ticks > text.tick.${{css}}`)];
    const own = (css) => all(css).filter((each) => each.textContent.trim());
    const numbers = (name) => panel.dataset[name].startsWith('names ');
    const axes = {{ up: own('end').map(box) }};
    if (own('middle').length) axes.across = own('middle').map(box);
    const names = {{ up: numbers('y'), across: numbers('x') }};
    return {{ name: paper.closest('figure').dataset.name, axes, names }};
  }}));
}}"""
WORDS = f"""() => {{ {BOX}
  return [...document.querySelectorAll('svg.paper')].filter((each) => each.getClientRects().length)
    .filter((paper) => paper.closest('figure').dataset.name.startsWith('main-effects') || paper.querySelector('.tile'))
    .map((paper) => [...paper.querySelectorAll('text.value')].filter((t) => t.textContent.trim()).map(box));
}}"""
TILES = """() => {
  const shown = [...document.querySelectorAll('svg.wide .tile')].filter((tile) => tile.getClientRects().length);
  return shown.filter((tile) => tile.parentNode.querySelector('text')).map((tile) => {
    const { fill, fillOpacity } = getComputedStyle(tile);
    const [key, ink] = [tile.parentNode.dataset.series, getComputedStyle(tile.parentNode.querySelector('text')).fill];
    return { key, ink, fill, opacity: Number(fillOpacity), paper: getComputedStyle(document.body).backgroundColor };
  });
}"""
LINES_IN_TILED_PANELS = """() => [...document.querySelectorAll('.panel')]
  .filter((panel) => panel.querySelector('.tile'))
  .reduce((count, panel) => count + panel.querySelectorAll('path.grid').length, 0)"""
# Words for screen readers alone have no place on the page.
CELLS = f"""() => {{ {BOX}
  const unseen = [...document.querySelectorAll('.visually-hidden')];
  unseen.forEach((each) => {{ each.style.display = 'none'; }});
  const rows = [...document.querySelectorAll('tr')].filter((row) => row.getClientRects().length).map((row) => {{
    // What is not scrolled to lies beyond the edge: the first column stays, and the others pass below it.
    return [...row.cells].map((cell) => {{
      const range = document.createRange();
      range.selectNodeContents(cell);
      const {{ left, right, top, bottom }} = range.getBoundingClientRect();
      return {{ text: cell.textContent.trim(), left, right, top, bottom }};
    }}).filter((each) => each.text);
  }});
  unseen.forEach((each) => {{ each.style.display = ''; }});
  return rows;
}}"""
WIDEST = """() => [...document.querySelectorAll('body *')].filter((each) => !each.closest('.scroll'))
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1).slice(0, 8)
  .map((each) => `${each.localName}.${each.getAttribute('class')}: ${each.textContent.slice(0, 60)}`)"""
