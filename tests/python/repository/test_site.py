# SPDX-License-Identifier: Apache-2.0
"""The documentation as a site: it builds without a warning, no link is dead, and what it shows runs."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlsplit

import conf
import pytest

import narrows as nw
from browsers import COLOURS, contrast, rgb
from command_line import environment
from once import once

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Screen

    from command_line import Narrows

ROOT = Path(__file__).parents[3]
SITE = [sys.executable, "-m", "sphinx", "-b", "html", "-q", "-W", "--keep-going", "-c", str(ROOT / "docs"), str(ROOT)]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Page(HTMLParser):
    """The links of a page, what it loads, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what refers to something, and what something may refer to."""
        found = dict(attrs)
        self.anchors |= {str(found[name]) for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.links.append(str(found["href"]))
        elif tag in {"script", "img", "iframe"} and found.get("src"):
            self.loaded.append(str(found["src"]))
        elif tag == "link" and found.get("rel") == "stylesheet":
            self.loaded.append(str(found["href"]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def build(place: Path) -> None:
        done = subprocess.run([*SITE, str(place)], capture_output=True, text=True, check=False, env=environment())
        assert done.returncode == 0, done.stderr

    return once(tmp_path_factory, "site", build)


def test_no_link_of_the_site_is_dead_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = {file.resolve(): Page(file.read_text("utf-8")) for file in site.rglob("*.html")}
    # What the program itself writes has a test of its own.
    pages = {file: page for file, page in pages.items() if file.name != "playground.html"}
    dead, reached = [], {site.resolve() / "docs/index.html"}
    for file, page in pages.items():
        dead += [f"{file.relative_to(site)} loads {each}" for each in page.loaded if urlsplit(each).scheme]
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            reached.add(target)
            known = pages.get(target)
            if not target.exists() or (known and parts.fragment and unquote(parts.fragment) not in known.anchors):
                dead.append(f"{file.relative_to(site)}: {link}")
    assert not dead
    own = {"genindex.html", "search.html", "py-modindex.html"}
    assert not [file for file in pages if file not in reached and file.name not in own]


def test_the_first_page_has_the_picture_and_the_playground_in_it(site: Path) -> None:
    first = Page((site / "docs/index.html").read_text("utf-8"))
    assert [each for each in first.loaded if each.endswith("picture.svg")]
    framed = [each for each in first.loaded if each.endswith(conf.PLAYGROUND)]
    assert bool(framed) == (not conf.MISSING)
    # Whether the module was built or not.
    assert f'<iframe src="../{conf.PLAYGROUND}"' in conf._playground("")  # noqa: SLF001
    assert "this site has none: its simulator is missing" in conf._playground("is missing")  # noqa: SLF001


# Of each kind: the first page, wide tables, long commands, a card, generated tables, and the search.
SEEN = ("docs/index", "docs/scenario", "docs/exercises", "docs/queues/cake", "docs/metrics", "search")
SCHEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
ALL = pytest.mark.full("a browser opens 160 pages; one of each kind is always looked at")


@contextmanager
def screen(browser: Browser, width: int) -> Iterator[Screen]:
    """Open a screen that shows no frame, which would be the playground: it has tests of its own."""
    context = browser.new_context(viewport={"width": width, "height": 844})
    context.route(f"**/{conf.PLAYGROUND}", lambda route: route.abort())
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("pages", [SEEN, pytest.param((), marks=ALL)], ids=["some", "all"])
def test_no_page_of_the_site_is_wider_than_a_phone_and_every_text_has_contrast(
    browser: Browser, site: Path, pages: tuple[str, ...]
) -> None:
    files = [site / f"{name}.html" for name in pages] or sorted(site.rglob("*.html"))
    with screen(browser, 390) as shown:
        for file in files:
            if file.name == conf.PLAYGROUND:
                continue
            shown.goto(file.as_uri())
            assert shown.evaluate("document.documentElement.scrollWidth") <= 390, file
            for scheme in SCHEMES:
                shown.emulate_media(color_scheme=scheme)
                for ink, paper, sample in shown.evaluate(COLOURS):
                    assert contrast(rgb(ink), rgb(paper)) >= 4.5, (file, scheme, sample)


@pytest.mark.parametrize("width", [390, 1280])
def test_the_search_is_reached_by_keys_and_finds_the_card_first(browser: Browser, site: Path, width: int) -> None:
    with screen(browser, width) as shown:
        shown.goto((site / "docs/index.html").as_uri())
        shown.keyboard.press("/")
        shown.wait_for_function("document.activeElement.getBoundingClientRect().left >= 0")
        shown.keyboard.type("fq-codel")
        shown.keyboard.press("Enter")
        assert shown.locator("#search-results li a").first.inner_text() == "fq-codel"


def test_the_navigation_of_a_phone_opens_by_touch_and_by_keys(browser: Browser, site: Path) -> None:
    entry = ".sidebar-tree a"
    with screen(browser, 390) as shown:
        shown.goto((site / "docs/index.html").as_uri())
        assert shown.locator(entry).first.bounding_box()["x"] < 0  # type: ignore[index]
        shown.locator(".mobile-header label[for=__navigation]").click()
        shown.wait_for_function(f"document.querySelector('{entry}').getBoundingClientRect().left >= 0")
        shown.reload()
        shown.locator(entry).first.focus()
        shown.wait_for_function(f"document.querySelector('{entry}').getBoundingClientRect().left >= 0")


@pytest.mark.parametrize("reader", ["student", "engineer of a stack", "kernel developer", "operator", "lecturer"])
def test_each_reader_has_a_path(reader: str) -> None:
    text = (ROOT / "docs/index.md").read_text("utf-8")
    (path,) = [line for line in text.splitlines() if re.match(rf"\| \*\*(a|an|the) {reader}", line)]
    assert len(re.findall(r"\]\(", path)) >= 4


def test_the_first_hour_runs_as_it_is_written(narrows: Narrows, tmp_path: Path) -> None:
    text = (ROOT / "docs/first-hour.md").read_text("utf-8")
    for language, code in FENCE.findall(text):
        if language == "toml":
            (tmp_path / code.splitlines()[0].removeprefix("# file: ")).write_text(code, encoding="utf-8")
    for line in re.findall(r"^    (narrows .*)$", text, re.MULTILINE):
        command, _, remark = line.partition("   #")
        done = narrows(*shlex.split(command)[1:])
        assert done.returncode == (2 if "refused" in remark else 0), f"{command}: {done.stderr}"
    program = "\n".join(code for language, code in FENCE.findall(text) if language == "python")
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment()
    )
    assert done.returncode == 0, done.stderr


def recipes() -> list[str]:
    """Return the scenarios of the cookbook."""
    text = (ROOT / "docs/cookbook.md").read_text("utf-8")
    return [code for language, code in FENCE.findall(text) if language == "toml"]


@pytest.mark.parametrize("recipe", recipes(), ids=lambda recipe: str(tomllib.loads(recipe)["title"]))
def test_a_recipe_of_the_cookbook_runs_and_no_check_finds_it_broken(recipe: str, tmp_path: Path) -> None:
    text = (ROOT / "docs/cookbook.md").read_text("utf-8")
    for name, form in (("rates.csv", "text"), ("core.graphml", "xml")):
        (tmp_path / name).write_text(next(code for language, code in FENCE.findall(text) if language == form))
    (tmp_path / "mine.toml").write_text(recipe)
    found = nw.load(tmp_path / "mine.toml", overrides=["duration=12s"]).compare(["cubic"], replications=1)
    summary = found.summary["algorithms"]["cubic"]
    assert not [check for check in summary["checks"] if check["level"] == "broken"]
    assert all(group["goodput_bps"]["mean"] > 0 for group in summary["groups"].values())
