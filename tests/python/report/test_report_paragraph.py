# SPDX-License-Identifier: Apache-2.0
"""Product: a page ends with a paragraph for a paper, which a button copies without a network."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from narrows._internal.cli import main
from narrows._internal.page.paragraph import past

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

SPACE = "\N{NARROW NO-BREAK SPACE}"


def test_the_paragraph_of_a_comparison_has_what_a_paper_needs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "runs"
    given = ["compare", "newreno", "cubic", "--set", "duration=20s", "--set", "warmup=12s", "--replications", "3"]
    assert main([*given, "--quiet", "--out", str(folder)]) == 0
    capsys.readouterr()
    assert main(["report", str(folder), "--paragraph"]) == 0
    said = capsys.readouterr().out.strip().replace(SPACE, " ")
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert said.startswith(
        f"newreno and cubic were compared in the scenario “{summary['title']}” in 3 replications each"
    )
    assert f"(seed {summary['seed']}, on common random numbers)" in said
    for part in (summary["digest"], "narrows compare newreno cubic --set duration=20s", "Narrows 0.", "(engine "):
        assert part in said
    # The main effects: values, difference and interval equal the values of the summary.
    effects = re.findall(r"was (\S+) (\S+)[^,]*? with cubic, and (\S+) \S+[^,]*? with newreno: a difference of", said)
    assert effects
    (pair,) = summary["differences"]
    verdicts = {each["verdict"] for of in pair["groups"].values() for each in of.values() if isinstance(each, dict)}
    words = {"better": "clearly better", "worse": "clearly worse", "same": "no difference that matters"}
    assert any(words.get(each, "undecided") in said for each in verdicts)
    # It is in the past.
    assert not re.search(r"\b(is|are|has|have|gets?|lose) ", said.partition("The command was")[0])


SHORT = ["--set", "duration=20s", "--set", "warmup=12s"]
PAIR = ["--rates", "10Mbps", "--rtts", "20ms", "--buffers", "1bdp", "--replications", "2"]
COMMANDS = {
    "matrix": (["matrix", "cubic", "bbr1", *PAIR, *SHORT], "in 2 replications (seed 1, on common random numbers)"),
    "deployment": (
        ["deploy", "bbr1", "--fractions", "50", "--flows", "4", "--replications", "2", *SHORT],
        "4 flows switched from cubic to bbr1, in 2 replications at each of 3 fractions (seed 1",
    ),
    "trial": (
        ["ab", "newreno", "cubic", "--scenario", "two-flows", "--replications", "2", *SHORT],
        "cubic was compared with newreno in 1 scenario (two-flows; seed 1, on common random numbers)",
    ),
    "atlas": (["worst", "newreno", "--budget", "2"], "(2 environments tried, seed 1)"),
}


@pytest.mark.parametrize("kind", COMMANDS)
def test_the_paragraph_of_every_kind_of_results_has_what_a_paper_needs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    given, setting = COMMANDS[kind]
    assert main([*given, "--quiet", "--out", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    assert main(["report", str(tmp_path / "out"), "--paragraph"]) == 0
    said = capsys.readouterr().out.strip()
    assert setting in said
    for part in (f"The command was: narrows {' '.join(given)}", "onfidence ", "Narrows 0.", "(engine "):
        assert part in said
    results = said.partition("The command was")[0]
    assert not re.search(r"<|&[a-z]+;|\b(is|has|loses|keeps|says) ", results)


def test_the_sentences_of_a_study_are_put_into_the_past() -> None:
    for now, before in (
        ("Goodput: the order of the algorithms depends on queue.", "depended on queue"),
        (
            "Goodput: bbr3 differs from cubic by less than 1 Mbps, from which a difference matters.",
            "differed from cubic",
        ),
        ("Goodput: bbr3 cannot be distinguished from cubic.", "could not be distinguished"),
        ("Goodput: no factor has a clear effect.", "had a clear effect"),
    ):
        assert before in past(now)


def test_the_button_copies_without_a_clipboard_of_the_browser(browser: Browser, comparison_report: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.goto(comparison_report.as_uri())
    page.evaluate("document.addEventListener('copy', () => { window.copied = String(getSelection()) })")
    button = page.locator("#paragraph [data-copy]")
    button.click()
    assert button.inner_text() == "Copied"
    text = page.evaluate("document.querySelector('#paragraph pre').textContent")
    assert page.evaluate("window.copied").strip() == text
    assert "were compared in the scenario" in text
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()
