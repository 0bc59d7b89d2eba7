# SPDX-License-Identifier: Apache-2.0
"""The page over a folder of results: every result with its numbers, whatever the folders hold (product)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from conftest import HOSTILE
from synthetic_folder import Recipe, write_comparison, write_run
from test_report_browser import opened

from narrows._internal.cli import main
from narrows._internal.report.run.page import build as build_report

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two runs, one of them deeper, a comparison, an atlas, and one that is damaged."""
    place = tmp_path / "results"
    write_run(place / "one", Recipe(HOSTILE, {"cubic": 2}, failed={"buffer filled": "broken"}))
    write_run(place / "deeper/two", Recipe("Second", {"cubic": 1, "newreno": 1}))
    write_comparison(place / "compared", "Compared", ["newreno", "cubic"])
    for name in ("one", "deeper/two", "compared"):
        build_report(place / name)
    (place / "broken").mkdir()
    (place / "broken/summary.json").write_text("{", encoding="utf-8")
    (place / "atlas").mkdir()
    (place / "atlas/atlas.json").write_text('{"title": "Where", "found": []}', encoding="utf-8")
    (place / "notes").mkdir()
    return place


def test_an_index_has_a_row_for_each_result(browser: Browser, folder: Path) -> None:
    assert main(["report", str(folder)]) == 0
    index = folder / "index.html"
    with opened(browser, index) as page:
        assert page.locator("ul.answer li").inner_text().startswith("5 results: ")
        assert "1 broken" in page.locator("header .verdict.failed").inner_text()
        rows = page.locator("table.sortable tbody tr")
        assert rows.count() == 5
        text = {rows.nth(place).locator("code").inner_text(): rows.nth(place).inner_text() for place in range(5)}
        assert set(text) == {"one", "deeper/two", "compared", "broken", "atlas"}
        assert page.evaluate("document.querySelector('.scroll').scrollWidth <= document.body.clientWidth")
        assert HOSTILE in text["one"]
        assert "broken" in text["one"]
        assert "comparison" in text["compared"]
        assert "newreno" in text["compared"]
        assert "damaged" in text["broken"]
        assert "Mbps" in text["deeper/two"]
        assert all(re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", each) for each in text.values())
        assert page.locator("a", has_text="Second").get_attribute("href") == "deeper/two/report.html"
        # A comparison is one result, and the folders in it are no others.
        assert "compared/cubic" not in page.content()


def test_an_index_is_sorted_by_a_click_on_a_heading(browser: Browser, folder: Path) -> None:
    assert main(["report", str(folder)]) == 0
    with opened(browser, folder / "index.html") as page:
        head = page.get_by_role("button", name="Title")

        def titles() -> list[str]:
            return page.locator("table.sortable tbody th").all_inner_texts()

        head.click()
        falling = titles()
        assert page.locator("th[aria-sort=descending]").count() == 1
        head.click()
        assert titles() == falling[::-1]


def test_a_folder_without_results_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert "neither the folder nor one below it is of a run" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    assert main(["report", str(tmp_path / "nothing")]) == 2
    assert "no such folder" in capsys.readouterr().err
