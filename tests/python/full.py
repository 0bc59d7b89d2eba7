# SPDX-License-Identifier: Apache-2.0
"""The mark `full`: a test that runs only with the option `--full`, as in `make test-full`. The mark says why."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--full", action="store_true", help="run the tests with the mark `full`, too")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test with the mark. All are skipped here, so that the list of skips has one line with their number."""
    if item.get_closest_marker("full") and not item.config.getoption("full"):
        pytest.skip("only in `make test-full` (pytest's option --full)")
