# SPDX-License-Identifier: Apache-2.0
"""Reports of invented folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from synthetic_folder import Recipe, write_comparison, write_run

from narrows._internal.report.run.page import build

if TYPE_CHECKING:
    from pathlib import Path

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
