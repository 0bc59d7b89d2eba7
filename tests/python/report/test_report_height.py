# SPDX-License-Identifier: Apache-2.0
"""No page is longer than 15,000 pixels at a width of 1280, of runs and comparisons at 390 either (product)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from test_report_atlas import atlas
from test_report_claims import ENTRIES

import narrows as nw
from narrows._internal.drawing.svg import Markup
from narrows._internal.page.document import document, section
from narrows._internal.report.evaluation.page import suite_page
from narrows._internal.report.reproduction.claims import claims
from narrows._internal.report.search.page import atlas_page
from narrows._internal.report.trial.page import trial_page

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

MOST = 15_000
APPS = {
    "duration": "3s",
    "warmup": "1s",
    "path": {"rate": "8Mbps", "rtt": "20ms"},
    "flows": [{"name": f"group{number}", "algorithm": "cubic", "subject": number == 0} for number in range(6)],
}
FACTORS = {"path.queue": ["droptail", "codel", "fq-codel"], "path.rtt": ["20ms", "40ms", "80ms"]}
MANY = {
    "path.queue": ["droptail", "codel", "fq-codel", "pie"],
    "path.rtt": [f"{number}ms" for number in (20, 30, 40, 50, 60, 70, 80, 90)],
}


ROW = {
    "level": "should", "decided": True, "reference": None, "measured": 0.2, "interval": [0.19, 0.21],
    "reference_measured": None, "reference_interval": None, "bound": {"at_most": 0.13},
    "excess": {"mean": 0.07, "ci95": [0.06, 0.08]}, "measure": "group.test.rtt_p50_s", "unit": "s",
    "predicate": "bound", "predicate_source": "ours", "subject": "cubic", "replications": 4,
    "scenario": "scenarios/x.toml", "reason": None,
}  # fmt: skip
SUITE = {
    "on": "simulator", "command": "narrows suite", "source": "RFC", "size": "quick", "kernel": None, "seeds": {"x": 1},
    "note": "", "unlike": "", "subject": "cubic", "suite": "x", "references": ["cubic"], "sections": None,
}  # fmt: skip
TRIAL = {
    "a": "cubic", "b": "mine", "on": ["simulator", "simulator"], "left_out": {}, "unlike": "", "margin": "2%",
    "alpha": 0.05, "seed": 1, "interrupted": False, "command": "narrows ab cubic mine",
}  # fmt: skip


def run(folder: Path) -> None:
    nw.Scenario(APPS).run(replications=2).save(folder)


def one_dimension(folder: Path) -> None:
    nw.Scenario(APPS).compare([*"cubic bbr3 newreno vegas htcp bic illinois yeah".split()], 2).save(folder)  # noqa: SIM905


def two_dimensions(folder: Path) -> None:
    nw.compare(["cubic", "bbr3"], APPS, vary=FACTORS, replications=2).save(folder)


def as_many_runs_as_there_may_be(folder: Path) -> None:
    nw.compare(["cubic", "bbr3"], APPS, vary=MANY, replications=1).save(folder)


def matrix(folder: Path) -> None:
    short = ["duration=4s", "warmup=2s"]
    names = ["cubic", "bbr3", "newreno", "vegas"]
    nw.matrix(names, folder, rates=["5Mbps", "10Mbps"], rtts=["20ms", "40ms"], overrides=short, replications=1)


def study(folder: Path) -> None:
    scenario = folder.parent / "apps.toml"
    scenario.write_text(nw.Scenario(APPS).resolve().portable, encoding="utf-8")
    file = folder.parent / "study.toml"
    file.write_text(
        f'title = "Many"\nscenario = "{scenario}"\nalgorithms = ["cubic", "newreno", "bbr3"]\nreplications = 2\n'
        'measures = ["group.group0.goodput_bps", "group.group1.goodput_bps", "group.group0.delay_p95_s", "product"]\n'
        '[factors]\n"path.queue.kind" = ["droptail", "codel", "pie"]\n"path.rtt" = ["20ms", "60ms"]\n'
    )
    nw.study(file, folder)


def suite(folder: Path) -> None:
    verdicts = ("worse", "broken", "better", "within")
    rows = [
        {
            "section": f"5.{criterion // 4}",
            "criterion": f"Criterion {criterion} has a rather long name of its own",
            "condition": {"n": str(number), "buffer": "4bdp"},
            "verdict": verdicts[number % 4],
            **ROW,
        }
        for criterion in range(70)
        for number in range(8)
    ]
    summary = {"title": "Suite", "rows": rows, **SUITE}
    folder.mkdir()
    (folder / "report.html").write_text(suite_page(summary), encoding="utf-8")


def trial(folder: Path) -> None:
    verdicts = ("worse", "better", "undecided", "no worse")
    rows = [
        {
            "scenario": f"scenario-{number // 4}", "owner": "test", "metric": "goodput_bps", "unit": "bps",
            "better": "higher", "repeated": False, "verdict": verdicts[number % 4], "a": 1e6, "b": 9e5,
            "difference": -1e5, "interval": [-2e5, -1e4], "relative": -0.1, "margin": 2e4, "replications": 12,
        }
        for number in range(400)
    ]  # fmt: skip
    files = {row["scenario"]: ["scenarios/x.a.toml", "scenarios/x.b.toml"] for row in rows}
    summary = {"rows": rows, "verdicts": dict.fromkeys(verdicts, 100), "scenarios": files, **TRIAL}
    folder.mkdir()
    (folder / "report.html").write_text(trial_page(summary), encoding="utf-8")


def worst(folder: Path) -> None:
    folder.mkdir()
    (folder / "report.html").write_text(str(atlas_page(atlas(), [])), encoding="utf-8")


def reproduction(folder: Path) -> None:
    entries = [{**each, "id": f"9-{number}"} for number, each in enumerate(ENTRIES * 12)]
    folder.mkdir()
    page = document("Claims", "Reproduction", Markup(), [section("claims", "Claims", claims(entries))])
    (folder / "report.html").write_text(page, encoding="utf-8")


OF_RUNS = (run, one_dimension, two_dimensions)
KINDS = (
    *OF_RUNS,
    pytest.param(as_many_runs_as_there_may_be, marks=pytest.mark.full("64 runs, each with its own page")),
    matrix,
    study,
    suite,
    trial,
    worst,
    reproduction,
)


@pytest.fixture(scope="module", params=KINDS)
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page") / "out"
    request.param(folder)
    return folder / "report.html"


def test_no_page_is_estimated_to_be_longer_than_fifteen_thousand_pixels(page: Path) -> None:
    assert estimated(page.read_text("utf-8")) <= MOST


def test_no_page_is_longer_than_fifteen_thousand_pixels_in_a_browser(
    browser: Browser, page: Path, request: pytest.FixtureRequest
) -> None:
    widths = (1280, 390) if request.node.callspec.params["page"] in OF_RUNS else (1280,)
    shown = browser.new_page()
    # The largest page has 14 MB.
    shown.goto(page.as_uri(), timeout=300_000)
    for width in widths:
        shown.set_viewport_size({"width": width, "height": 900})
        assert int(shown.evaluate("document.documentElement.scrollHeight")) <= MOST, width
    shown.close()


def estimated(page: str) -> float:
    """Height of a page without a browser, pixels: of what is not folded, rows of tables, items of lists and figures."""
    while "<details" in page:
        page = re.sub(r"<details(?:(?!<details).)*?</details>", "<p></p>", page, flags=re.DOTALL)
    figures = [float(height) for height in re.findall(r'class="paper wide" viewBox="0 0 [\d.]+ ([\d.]+)"', page)]
    # Two figures stand beside each other.
    return (
        sum(height * len(re.findall(f"<{tag}[ >]", page)) for tag, height in (("tr", 36), ("li", 28), ("p", 24)))
        + sum(figures) / 2
        + 150 * len(figures) / 2
    )
