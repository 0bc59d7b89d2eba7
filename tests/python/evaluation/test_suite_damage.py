# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Whatever stands in a suite file, it is read or refused with a place and a reason."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as some

from damage import damaged
from narrows._internal.core import ScenarioError
from narrows._internal.errors import InputError
from narrows._internal.evaluation.definition import read_suite
from narrows._internal.files.toml import to_toml
from narrows._internal.library import SUITES

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """\
title = "A suite"
source = "RFC 0"
note = "none"
subject = "algorithm"
references = ["newreno", "cubic"]

[[rows]]
section = "1.1, 2"
criterion = "as fast as others"
level = "MUST"
cells = "paths"
where = { "path.rtt" = ["10ms", "40ms"], algorithm = "test" }
measure = "group.test.goodput_bps"
per = "group.test.rtt_mean_s"
predicate = { kind = "relative", at_least = 0.9, plus = 1, than = "own", at = { "path.rtt" = "10ms" } }
whose = "ours"

[[rows]]
section = "2"
criterion = "not measured"
not_measured = "there is no time"

[[rows]]
section = "3"
criterion = "a card"
card = "deviations"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("suite")
    (found / "paths.toml").write_text("", encoding="utf-8")
    return found


def refused(folder: Path, text: str) -> str | None:
    """Return why a suite is refused; None if it is read."""
    file = folder / "suite.toml"
    file.write_text(text, encoding="utf-8")
    try:
        suite = read_suite(file)
    except (InputError, ScenarioError) as error:
        return str(error)
    for row in suite.rows:
        assert all(isinstance(each, str) for each in (row.section, row.criterion, row.level, row.whose, row.cells))
        assert all(isinstance(each, list) for each in row.where.values())
    assert all(isinstance(each, str) for each in suite.references)
    return None


@given(content=damaged(tomllib.loads(SUITE)))
@example(content={**tomllib.loads(SUITE), "rows": "10ms"})
@example(content={**tomllib.loads(SUITE), "rows": [{**tomllib.loads(SUITE)["rows"][0], "where": "10ms"}]})
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_suite_with_wrong_types_is_refused_with_the_file(folder: Path, content: dict[str, Any]) -> None:
    said = refused(folder, to_toml(content))
    assert said is None or "suite.toml" in said


@given(end=some.integers(0, len(SUITE)))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_suite_that_is_cut_off_is_read_or_refused(folder: Path, end: int) -> None:
    refused(folder, SUITE[:end])


def test_every_suite_of_narrows_is_read(folder: Path) -> None:
    assert refused(folder, SUITE) is None
    for file in SUITES.glob("*/suite.toml"):
        assert read_suite(file).rows
