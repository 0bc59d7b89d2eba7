# SPDX-License-Identifier: Apache-2.0
"""Claims of our own: marked as such, and their ledger is what a reproduction gives."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import narrows as nw
from narrows._internal.files.format import FORMATS

FOLDER = Path(__file__).parents[3] / "studies/examples/receive-window"
LEDGER = json.loads((FOLDER / "ledger-quick.json").read_text(encoding="utf-8"))
CLAIMS = tomllib.loads((FOLDER / "claims.toml").read_text(encoding="utf-8"))


def test_the_claims_say_that_they_are_not_the_source_s_and_the_ledger_has_each() -> None:
    assert CLAIMS["source"].startswith("ours")
    assert all(claim["whose"] == "ours" for claim in CLAIMS["claims"])
    listed = [(entry["id"], entry["statement"]) for entry in LEDGER["claims"]]
    assert listed == [(claim["id"], claim["statement"]) for claim in CLAIMS["claims"]]
    assert LEDGER["format"] == FORMATS["ledger.json"].number


@pytest.mark.parametrize(("window", "least", "most"), [("64KiB", 0.99, 1.02), ("infinite", 1.1, 20.0)])
def test_an_algorithm_gains_only_where_the_receive_window_does_not_limit_the_flow(
    window: str, least: float, most: float
) -> None:
    def goodput(algorithm: str) -> float:
        sets = [f"transport.receive_window={window}", f"flows.0.algorithm={algorithm}"]
        groups = nw.load(FOLDER / "scenario.toml", sets).run().summary["groups"]
        return float(groups["file"]["goodput_bps"]["mean"])

    assert least <= goodput("scalable") / goodput("newreno") <= most


@pytest.mark.full("the study anew, 560 cells; a run of two algorithms with and without the window is above")
def test_a_reproduction_gives_the_ledger(tmp_path: Path) -> None:
    nw.reproduce(str(FOLDER), out=tmp_path / "out")
    assert json.loads((tmp_path / "out/ledger.json").read_text(encoding="utf-8")) == LEDGER
