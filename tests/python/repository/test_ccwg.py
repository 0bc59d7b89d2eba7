# SPDX-License-Identifier: Apache-2.0
"""Truth: fingerprint. A row of the pages for CCWG has the digest that its command gives now."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import ccwg_page

import narrows as nw
from repository import HOUSE as ROOT

if TYPE_CHECKING:
    from pathlib import Path


def test_a_row_comes_out_again(tmp_path: Path) -> None:
    kept = json.loads(ccwg_page.KEPT.read_text(encoding="utf-8"))
    runs = {(each["suite"], each["algorithm"], each["start"]): each for each in kept["runs"]}
    row, of, _, _, measured, *_ = next(
        row
        for row in runs["rfc9743", "c4", ccwg_page.PRESET]["rows"]
        if kept["criteria"]["rfc9743"][row[0]]["section"] == SECTION
    )
    about = kept["criteria"]["rfc9743"][row]
    found = nw.suite("rfc9743", "c4", tmp_path / "c4", rows=[SECTION])["rows"][0]
    assert {name: found[name] for name in ccwg_page.CRITERION} == about
    assert float(f"{found['measured']:.{ccwg_page.DIGITS}g}") == measured
    again = nw.load(tmp_path / "c4" / about["scenario"]).run().summary["digest"]
    stale = "records have changed: the suites of docs/ccwg must run again"
    assert again.removeprefix("sha256:").startswith(of), stale


def test_the_versions_of_slow_starts_are_those_of_the_simulator() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "crates/cc/src/slow_start").glob("*.rs"))
    assert [start.source for start in ccwg_page.STARTS.values() if start.source not in text] == []


# An onset of other traffic: one cell.
SECTION = "7.8"
