# SPDX-License-Identifier: Apache-2.0
"""Reports of invented folders, and the browser that opens them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright
from synthetic_folder import Recipe, write_comparison, write_run

from narrows._internal.report.run.page import build
from optional import reason, require

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

HOSTILE = 'Two <script>alert("flows")</script> & a bottleneck'


@pytest.fixture(scope="session")
def run_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    write_run(
        folder, Recipe(HOSTILE, {"cubic": 2, "newreno": 1}, failed={"buffer filled": "broken", "ECN used": "note"})
    )
    return build(folder)


@pytest.fixture(scope="session")
def cellular_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cellular")
    write_run(folder, Recipe("A cellular trace", {"cubic": 1}, replications=1, varying=True, marks=True))
    return build(folder)


@pytest.fixture(scope="session")
def comparison_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("comparison")
    write_comparison(folder, "Three algorithms", ["newreno", "cubic", "aimd(a=1/2,b=0.8)"])
    return build(folder)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real Chromium without any network of its own; without one the tests are skipped, but fail on a build server."""
    if os.environ.get("CI") and (missing := reason("chromium")):
        pytest.fail(missing)
    chromium = require("chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield opened
        opened.close()


ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
