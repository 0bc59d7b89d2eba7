# SPDX-License-Identifier: Apache-2.0
"""Run first the tests that a machine can run, then, with more installed, the skipped ones: each test runs once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addoption("--ran", metavar="FILE", help="add the names of the tests that were not skipped to FILE")
    parser.addoption("--rest", metavar="FILE", help="leave out the tests that FILE names")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that ran before."""
    if config.getoption("rest") is None:
        return
    before = set(Path(config.getoption("rest")).read_text(encoding="utf-8").splitlines())
    ran = [item for item in items if item.nodeid in before]
    config.hook.pytest_deselected(items=ran)
    items[:] = [item for item in items if item.nodeid not in before]


def pytest_configure(config: pytest.Config) -> None:
    """Collect results in the process that starts the workers, which receives all of them."""
    if config.getoption("ran") is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Ran(Path(config.getoption("ran")).absolute()))


class _Ran:
    """Records the tests that ran."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a test whose body ran: one that is skipped has none, or ends it by a skip."""
        if report.when == "call" and (not report.skipped or hasattr(report, "wasxfail")):
            with self._file.open("a", encoding="utf-8") as file:
                file.write(f"{report.nodeid}\n")
