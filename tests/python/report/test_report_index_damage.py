# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Whatever the summaries below a folder hold, the index is built and lists what is damaged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings

from damage import damaged
from narrows._internal.cli import main
from narrows._internal.report.index.build import build, entries

if TYPE_CHECKING:
    from pathlib import Path

METRICS = {"goodput_bps": {"mean": 1e6, "ci95": [9e5, 11e5]}, "delay_p95_s": {"mean": 0.1, "ci95": None}}
RUN: dict[str, Any] = {"groups": {"test": METRICS}, "checks": [{"name": "a", "level": "caution"}]}
SUMMARY = {
    "title": "A run", "replications": 3, "kind": "matrix", "algorithms": {"cubic": RUN}, **RUN, "rows": [{"a": 1}],
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("index")
    (found / "one").mkdir()
    return found


@pytest.mark.parametrize("name", ["summary.json", "atlas.json", "ledger.json", "manifest.json"])
@given(content=damaged({**SUMMARY, "started": "2026-01-01T00:00:00"}))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_index_is_built_of_any_summary(folder: Path, name: str, content: dict[str, Any]) -> None:
    for old in (folder / "one").iterdir():
        old.unlink()
    (folder / "one/summary.json").write_text(json.dumps(SUMMARY), encoding="utf-8")
    (folder / "one" / name).write_text(json.dumps(content), encoding="utf-8")
    build(folder)
    assert len(entries(folder)) == 1


def test_the_report_of_a_trial_with_a_damaged_summary_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged: list[object] = ["10ms", [{"verdict": 1}], [[]], [{}]]
    for rows in damaged:
        (tmp_path / "summary.json").write_text(json.dumps({"alpha": 0.05, "rows": rows}), encoding="utf-8")
        assert main(["report", str(tmp_path)]) == 2
        assert f"{tmp_path}: holds what does not fit together" in capsys.readouterr().err


def test_a_folder_that_links_lead_to_is_listed_once(tmp_path: Path) -> None:
    (tmp_path / "results/one").mkdir(parents=True)
    (tmp_path / "results/one/summary.json").write_text(json.dumps(SUMMARY), encoding="utf-8")
    (tmp_path / "results/loop").symlink_to(tmp_path / "results")
    (tmp_path / "results/again").symlink_to(tmp_path / "results/one")
    assert len(entries(tmp_path / "results")) == 1
