# SPDX-License-Identifier: Apache-2.0
"""The page that runs scenarios: it is opened in a real browser and gives the digests of the command line."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import narrows as nw
from narrows._internal import core
from narrows._internal.browser.lessons import Lesson, lessons
from narrows._internal.browser.page import MODULE, Experiment, fault, fragment, page
from optional import WASM, require
from repository import HOUSE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from command_line import Narrows

FILE = HOUSE / "python/narrows/_internal/browser" / MODULE


@pytest.fixture(scope="module")
def built() -> None:
    """Skip where the module is missing or does not belong to the sources."""
    require("playground")


@pytest.fixture(scope="module")
def playground(built: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    del built
    file = tmp_path_factory.mktemp("playground") / "page.html"
    file.write_text(page(Experiment(SHORT, "short")), encoding="utf-8")
    return file


def test_a_module_of_other_sources_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = core.fingerprint().encode()
    module = tmp_path / "module.wasm"
    assert fault(module) == "was not built"
    for content, wrong in (
        (b"\0asm\1\0\0\0\0\x54\x13narrows.fingerprint" + own, False),
        (b"\0asm\1\0\0\0\0\x54\x13narrows.fingerprint" + own[::-1], True),
        (b"\0asm\1\0\0\0", True),
    ):
        module.write_bytes(content)
        assert ("other sources" in fault(module)) == wrong
    monkeypatch.setattr("narrows._internal.browser.page.HERE", tmp_path)
    (tmp_path / MODULE).write_bytes(b"\0asm\1\0\0\0")
    with pytest.raises(nw.InputError, match="wheels of a release contain it; `make wasm` in the source tree"):
        page(Experiment(SHORT, "short"))


@contextmanager
def opened(browser: Browser, file: Path, address: str = "", **options: Any) -> Iterator[Page]:
    """Open a page and see afterwards that it was silent: no message, no error, no request to anywhere."""
    messages: list[str] = []
    context = browser.new_context(**options)
    context.set_default_timeout(30_000)
    window = context.new_page()
    window.on("console", lambda message: messages.append(message.text))
    window.on("pageerror", lambda error: messages.append(str(error)))
    window.on("request", lambda request: asked.append(request.url))
    asked: list[str] = []
    window.goto(file.as_uri() + address)
    yield window
    context.close()
    assert messages == []
    assert {url.partition("#")[0] for url in asked if not url.startswith("blob:")} == {file.as_uri()}


def digest_of(text: str | Path, folder: Path, *, subject: str | None = None) -> str:
    """Return the digest that the program gives for one replication."""
    file = folder / "compared.toml"
    file.write_text(text if isinstance(text, str) else text.read_text("utf-8"), encoding="utf-8")
    written = nw.load(file)
    result: Any = written.compare([subject], replications=1).runs[subject] if subject else written.run(replications=1)
    return str(result.summary["digest"])


def shown(window: Page, element: str = "#digest") -> str:
    """Return the digest that the page shows when its run is over."""
    found = window.locator(f"{element}:text-matches('^sha256:')")
    found.wait_for(state="attached", timeout=60_000)
    return found.inner_text()


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("name", ["two-flows", "random-walk", "web-users", "parking-lot", "ecn-marks", "001-CL"])
def test_a_page_gives_the_digest_of_the_command_line(
    narrows: Narrows, tmp_path: Path, browser: Browser, name: str
) -> None:
    made = narrows("playground", name, "--out", "page.html")
    assert (made.returncode, made.stdout) == (0, "page.html\n"), made.stderr
    done = narrows("run", name, "--replications", "1", "--json", "--out", "run")
    with opened(browser, tmp_path / "page.html") as window:
        assert shown(window) == json.loads(done.stdout)["digest"]


LESSONS = lessons()
LONG = pytest.mark.full("fourteen lessons run twice, in the page and by the program; the first one always does")


@pytest.mark.parametrize(
    "lesson", [LESSONS[0], *(pytest.param(each, marks=LONG) for each in LESSONS[1:])], ids=lambda each: each.name
)
def test_a_lesson_gives_the_digests_of_the_command_line(
    browser: Browser, playground: Path, tmp_path: Path, lesson: Lesson
) -> None:
    with opened(browser, playground) as window:
        shown(window)
        window.locator("#lesson").select_option(lesson.name)
        wanted = digest_of(lesson.text, tmp_path)
        window.locator(f"#digest:text-is('{wanted}')").wait_for(state="attached")
        if lesson.beside:
            assert shown(window, "#digest-beside") == digest_of(lesson.text, tmp_path, subject=lesson.beside)


@pytest.mark.usefixtures("built")
def test_a_run_folder_opens_in_a_page(narrows: Narrows, scenario: Path, tmp_path: Path, browser: Browser) -> None:
    done = narrows("run", scenario, "--json", "--out", "run")
    assert narrows("playground", "run", "--out", "page.html").returncode == 0
    with opened(browser, tmp_path / "page.html") as window:
        assert shown(window) == json.loads(done.stdout)["digest"]


def test_controls_change_the_text_and_the_run(browser: Browser, playground: Path, tmp_path: Path) -> None:
    with opened(browser, playground) as window:
        first = shown(window)
        assert first == digest_of(SHORT, tmp_path)
        window.locator("#rate").fill("5Mbps")
        window.locator("#rate").press("Enter")
        window.locator("#queue").select_option("codel")
        window.locator("#flows select").first.select_option("cubic")
        window.locator("#flows input").first.fill("2")
        window.locator("#digest:text-matches('^sha256:')").wait_for(state="attached")
        text = window.locator("#text").input_value()
        assert text.startswith("# A comment that stays.\n")
        assert re.search(r'rate = "5Mbps" +# the bottleneck', text)
        # As with `--set path.queue.kind=codel`: there was no limit to keep.
        assert 'queue = { kind = "codel" }' in text
        wanted = digest_of(text, tmp_path)
        window.locator(f"#digest:text-is('{wanted}')").wait_for(state="attached")
        assert wanted != first
        window.locator("#rate-range").focus()
        window.keyboard.press("ArrowRight")
        assert window.locator("#rate").input_value() != "5Mbps"
        assert f'rate = "{window.locator("#rate").input_value()}"' in window.locator("#text").input_value()


def test_an_error_has_its_place_and_is_gone_when_it_is_mended(browser: Browser, playground: Path) -> None:
    with opened(browser, playground) as window:
        good = shown(window)
        window.locator("#text").fill(SHORT.replace("10Mbps", "10Mbits"))
        window.locator("#errors:has-text('path.rate')").wait_for()
        assert "scenario.toml:7:" in window.locator("#errors").inner_text()
        assert window.locator("#digest").inner_text() == ""
        window.locator("#text").fill(SHORT)
        assert shown(window) == good
        assert window.locator("#errors").is_hidden()


def test_two_algorithms_stand_side_by_side(browser: Browser, playground: Path, tmp_path: Path) -> None:
    with opened(browser, playground, viewport={"width": 1280, "height": 900}) as window:
        window.locator("#beside").select_option("vegas")
        assert shown(window, "#digest-beside") == digest_of(SHORT, tmp_path, subject="vegas")
        boxes = [window.locator(f"{side} canvas").bounding_box() for side in ("#first", "#second")]
        assert all(boxes)
        assert boxes[0]["y"] == boxes[1]["y"]  # type: ignore[index]
        assert window.locator("#numbers thead th").all_inner_texts()[2:] == ["newreno", "vegas"]


def test_a_controller_in_webassembly_is_chosen_in_the_page(browser: Browser, playground: Path, tmp_path: Path) -> None:
    module = tmp_path / "mine.wasm"
    flags = ["--edition", "2024", "-O", "--crate-type", "cdylib", "--target", WASM]
    source = HOUSE / "crates/abi/tests/newreno.rs"
    subprocess.run([require("wasm"), *flags, "-C", "link-arg=--export-table", "-o", module, source], check=True)
    text = SHORT.replace('"newreno"', '"./mine.wasm:newreno"')
    with opened(browser, playground) as window:
        shown(window)
        window.locator("#text").fill(text)
        window.locator("#errors:has-text('is not open in this page')").wait_for()
        window.locator("#module").set_input_files(module)
        assert shown(window) == digest_of(text, tmp_path)
        assert window.locator("#first h2").inner_text() == "./mine.wasm:newreno"


def test_a_link_holds_the_experiment(browser: Browser, playground: Path, tmp_path: Path) -> None:
    other = SHORT.replace("40ms", "80ms")
    with opened(browser, playground, address=f"#{fragment(Experiment(other, '', 'cubic'))}") as window:
        assert shown(window) == digest_of(other, tmp_path)
        assert window.locator("#beside").input_value() == "cubic"
        window.locator("#rtt").fill("20ms")
        window.locator("#rtt").press("Enter")
        window.locator("#text").wait_for()
        wanted = digest_of(SHORT.replace("40ms", "20ms"), tmp_path)
        window.locator(f"#digest:text-is('{wanted}')").wait_for(state="attached")
        address = window.url
    with opened(browser, playground, address=address[address.index("#") :]) as window:
        assert shown(window) == wanted
    with opened(browser, playground, address="#damaged") as window:
        window.locator("#errors:has-text('damaged')").wait_for()


@pytest.fixture
def without_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a page whose module has no functions, so that it needs no build and answers nothing."""
    module = tmp_path / MODULE
    module.write_bytes(b"\0asm\1\0\0\0")
    monkeypatch.setattr("narrows._internal.browser.page.module_file", lambda: module)
    file = tmp_path / "page.html"
    file.write_text(page(Experiment(SHORT, "short")), encoding="utf-8")
    return file


@pytest.mark.parametrize("length", [10_000_000, 200_000_000])
def test_a_link_is_unpacked_up_to_a_megabyte(browser: Browser, without_engine: Path, length: int) -> None:
    bomb = fragment(Experiment(" " * length, ""))
    with opened(browser, without_engine, address=f"#{bomb}") as window:
        window.locator("#errors:has-text('more than a megabyte')").wait_for()
        assert window.locator("#text").input_value() == ""
    fits = fragment(Experiment("#" + " " * 900_000, ""))
    with opened(browser, without_engine, address=f"#{fits}") as window:
        window.wait_for_function("document.querySelector('#text').value.length === 900001")


def test_the_page_has_no_engine_of_its_own(browser: Browser, without_engine: Path) -> None:
    with opened(browser, without_engine) as window:
        # A question that fails in the worker is answered all the same.
        window.locator("#errors:has-text('not a function')").wait_for()
        assert window.evaluate("[typeof Engine, typeof Asker]") == ["undefined", "function"]
        # And so is the next one.
        window.locator("#text").fill("duration = 1")
        window.wait_for_function("document.querySelector('#errors').textContent.includes('not a function')")


def test_the_scenario_can_be_downloaded(browser: Browser, playground: Path) -> None:
    with opened(browser, playground) as window:
        shown(window)
        with window.expect_download() as download:
            window.locator("#download").click()
        assert download.value.suggested_filename == "scenario.toml"
        assert Path(download.value.path()).read_text("utf-8") == SHORT


def test_a_long_run_can_be_stopped(browser: Browser, playground: Path) -> None:
    with opened(browser, playground) as window:
        shown(window)
        window.locator("#text").fill(SHORT.replace('"5s"', '"100000s"').replace("10Mbps", "100Mbps"))
        window.locator("#first[data-state=running]").wait_for()
        window.wait_for_function("document.querySelector('#first progress').value > 0")
        window.locator("#stop").click()
        window.locator("#first[data-state=stopped]").wait_for()
        assert window.locator("#digest").inner_text() == ""


# Of each label beside its field, the pixels between the two.
GAPS = """[...document.querySelectorAll(".control:not(:has(select, [type=file]))")].map((control) => {
  const words = document.createRange();
  words.selectNodeContents(control.querySelector("label"));
  return control.querySelector("input").getBoundingClientRect().left - words.getBoundingClientRect().right;
})"""


@pytest.mark.parametrize("width", [1280, 390, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_screen(browser: Browser, playground: Path, width: int, scheme: str) -> None:
    options: dict[str, Any] = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme}
    with opened(browser, playground, **options) as window:
        window.locator("#lesson").select_option("bbr-beside-cubic")
        window.locator("#second canvas").wait_for()
        assert window.evaluate("document.documentElement.scrollWidth") == width
        # The words of a label end clearly before its field begins.
        gaps = window.evaluate(GAPS)
        assert all(gap >= 4 for gap in gaps), gaps


@pytest.mark.usefixtures("built")
def test_a_page_is_small() -> None:
    assert len(gzip.compress(page(Experiment(SHORT, "short")).encode(), 6)) < 2_000_000


def test_what_a_page_cannot_run_is_bad_input(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("playground", "recorded-connections", "--out", "page.html")
    assert done.returncode == 2
    assert "names files (" in done.stderr
    assert not (tmp_path / "page.html").exists()
    assert narrows("playground", "no-such-scenario").returncode == 2


@pytest.mark.usefixtures("built")
def test_a_subject_without_an_algorithm_opens_in_a_page(
    narrows: Narrows, scenario: Path, tmp_path: Path, browser: Browser
) -> None:
    scenario.write_text(SHORT.replace('algorithm = "newreno"', 'algorithm = "subject"'), encoding="utf-8")
    done = narrows("playground", scenario, "--out", "page.html")
    assert done.returncode == 0, done.stderr
    with opened(browser, tmp_path / "page.html") as window:
        window.locator("#digest:not(:empty)").wait_for()
        window.locator("#beside").select_option("cubic")
        window.locator("#second canvas").wait_for()


@pytest.mark.usefixtures("built")
def test_a_file_that_exists_is_not_replaced(narrows: Narrows, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("mine")
    done = narrows("playground", "--out", "page.html")
    assert (done.returncode, (tmp_path / "page.html").read_text()) == (2, "mine")


def test_without_the_module_the_command_that_builds_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(FILE.parent / "page", tmp_path / "page")
    monkeypatch.setattr("narrows._internal.browser.page.HERE", tmp_path)
    with pytest.raises(nw.InputError, match="make wasm"):
        page(Experiment(SHORT, "short"))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda each: each.name)
def test_a_lesson_is_five_sentences(lesson: Any) -> None:
    assert len(re.findall(r"\.(?: |$)", lesson.sentences)) == 5
    assert lesson.text.startswith("title ")


SHORT = """\
# A comment that stays.
title    = "One flow"
duration = "5s"
warmup   = "1s"

[path]
rate = "10Mbps"  # the bottleneck
rtt  = "40ms"

[[flows]]
algorithm = "newreno"
"""


@pytest.mark.usefixtures("built")
def test_a_report_opens_its_own_scenario(narrows: Narrows, scenario: Path, tmp_path: Path, browser: Browser) -> None:
    done = narrows("run", scenario, "--json", "--out", "run")
    assert narrows("playground", "pair", "--out", "run/playground.html").returncode == 0
    link = re.search(r'href="playground\.html(#[\w-]+)"', (tmp_path / "run/report.html").read_text("utf-8"))
    assert link
    with opened(browser, tmp_path / "run/playground.html", address=link[1]) as window:
        assert shown(window) == json.loads(done.stdout)["digest"]
