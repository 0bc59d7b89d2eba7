# SPDX-License-Identifier: Apache-2.0
"""The claims of a reproduced study as readers see them: counts, each with its bar, and buttons that hide verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from test_report_browser import opened

from narrows._internal.drawing.svg import Markup
from narrows._internal.page import document as page
from narrows._internal.report.reproduction.claims import claims

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser


def claim(number: int, verdict: str, effect: float | None, bounds: list[float | None], **other: Any) -> dict[str, Any]:
    """Return an entry of a ledger."""
    return {
        "id": f"9-{number}", "verdict": verdict, "strength": "strong", "statement": f"<b>Statement</b> {number}",
        "place": "figure 1", "source_supports": "yes", "published": None, "effect": effect, "unit": None,
        "ci95": None if effect is None else [effect - 0.1, effect + 0.1], "bounds": bounds, "seeds": 3,
        "effect_of": "a measure", "parts": "1 of 1", "magnitude": None, "cause": None, "variants": None, "note": None,
        "check": False, "level": 0.05, "method": "t", "strict": False, "explained": None,
        **other,
    }  # fmt: skip


ENTRIES = [
    claim(1, "holds", 2.0, [1.0, None]),
    claim(2, "holds in direction only", 0.031, [0.02, 0.04], unit="s", ci95=[0.03, 0.032]),
    claim(3, "fails", -1.0, [0.0, None], cause="a <cause>", strength="weak", strict=True),
    claim(4, "not testable", None, [None, None], effect_of=None),
]


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("claims") / "report.html"
    parts = [page.section("claims", "Claims", claims(ENTRIES))]
    file.write_text(page.document("Claims", "Reproduction", Markup(), parts), "utf-8")
    return file


def test_every_claim_says_what_would_hold_in_its_unit(document: Path) -> None:
    text = document.read_text("utf-8")
    for expected in ("holds if at least 1<", "holds if 20 to 40\N{NARROW NO-BREAK SPACE}ms<", "holds if positive<"):
        assert expected in text
    assert "a &lt;cause&gt;" in text
    assert "<b>Statement" not in text


def test_verdicts_can_be_hidden_and_bars_lie_over_what_is_claimed(browser: Browser, document: Path) -> None:
    with opened(browser, document, viewport={"width": 1200, "height": 900}) as shown:
        assert shown.locator("table.counts tbody tr").all_inner_texts() == [
            "strong\t1\t1\t0\t0\t0\t1",
            "weak\t0\t0\t1\t0\t0\t0",
        ]
        assert shown.locator("article svg.strip").count() == 3
        inside = shown.locator("article svg.strip").evaluate_all(
            """all => all.map(strip => {
                 const box = name => strip.querySelector(name).getBoundingClientRect();
                 const [claimed, dot] = [box("rect"), box("circle")];
                 return claimed.left <= dot.left && dot.right <= claimed.right })"""
        )
        assert inside == [True, True, False]
        button = shown.get_by_role("button", name="holds", exact=False).first
        button.click()
        assert shown.locator("article:visible").evaluate_all("all => all.map(each => each.id)") == ["9-2", "9-3", "9-4"]
        button.click()
        assert shown.locator("article:visible").count() == len(ENTRIES)


def test_without_scripts_every_claim_is_there_and_no_button(browser: Browser, document: Path) -> None:
    with opened(browser, document, java_script_enabled=False) as shown:
        assert shown.locator("article:visible").count() == len(ENTRIES)
        assert shown.locator(".filters:visible").count() == 0
