# SPDX-License-Identifier: Apache-2.0
"""Truth: product. A study of one's own, claims decided by more seeds, results kept in one file, and agreement."""

from __future__ import annotations

import json
import math
import shutil
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from claim_files import ADVANTAGE, GOODPUT, SCENARIO, claim, claims_file, write_study

from narrows._internal.cli import main
from narrows._internal.reproduction.agreement import agreement
from narrows._internal.reproduction.claims_file import read_claims
from narrows._internal.reproduction.deciding import Open, next_parts
from narrows._internal.reproduction.intervals import Needed
from narrows._internal.reproduction.ledger import Found
from narrows._internal.reproduction.predicate import Outcome
from narrows._internal.reproduction.quantity import Asked, Selection

if TYPE_CHECKING:
    from pathlib import Path

STUDY = """\
title = "Small"
scenario = "base.toml"
algorithms = ["newreno", "aimd(a=1,b=0.6)", "scalable"]
measures = ["goodput_bps", "utilization"]
replications = 2
[sizes.quick]
[sizes.medium]
"""
CLAIMS = claims_file(
    901,
    claim("901-1", "A smaller cut leaves more", f"{{ is = {ADVANTAGE}, at_least = 60000.0 }}"),
    claim("901-2", "It sends something", f"{{ is = {GOODPUT}, at_least = 1000.0 }}"),
    """\
[[tables]]
title = "Goodput"
caption = "Table 1"
label = "measure"
experiment = "one"
is = { measure = "{row}", where = { algorithm = "{column}" } }
rows = ["goodput_bps"]
columns = ["newreno", "aimd(a=1,b=0.6)"]
published = { goodput_bps = [1.2e6, ""] }
""",
)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Make a study of one's own, in a folder that Narrows does not know."""
    return write_study(tmp_path / "mine", STUDY, CLAIMS)


def ledger(folder: Path) -> dict[str, Any]:
    """Return the claims of a ledger by their names."""
    content = json.loads((folder / "ledger.json").read_text(encoding="utf-8"))
    return {claim["id"]: claim for claim in content["claims"]}


def test_a_study_of_ones_own_is_written_and_reproduced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "claims", "my-study"]) == 0
    assert main(["reproduce", "./my-study", "--quiet", "--out", "out", "--replications", "3"]) in {0, 1}
    assert set(ledger(tmp_path / "out")) == {"1-1", "1-2"}
    assert ledger(tmp_path / "out")["1-1"]["decided_by"] in {"quick", None}
    capsys.readouterr()
    assert main(["new", "claims", "my-study"]) == 2
    assert main(["new", "claims", "1 study"]) == 2
    (tmp_path / "empty").mkdir()
    assert main(["reproduce", "./empty"]) == 2
    assert "has no claims.toml" in capsys.readouterr().err
    assert main(["reproduce", "./my-study", "--medium"]) == 2
    assert "no experiment has the size medium; there are quick, full" in capsys.readouterr().err


def test_seeds_are_added_to_the_cells_of_open_claims_alone(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    asked = ["reproduce", str(own), "--out", str(out), "--quiet"]
    main(asked)
    before = ledger(out)
    assert (before["901-1"]["verdict"], before["901-2"]["verdict"]) == ("inconclusive", "holds")
    main([*asked, "--decide", "20s"])
    after = ledger(out)
    assert after["901-1"]["verdict"] in {"holds", "fails"}
    assert after["901-1"]["decided_by"] == "quick"
    assert after["901-1"]["seeds"] > 2
    # What was decided stays as it was, to the bit.
    assert after["901-2"] == before["901-2"]
    rows = pq.read_table(out / "cells.parquet").to_pylist()
    seeds = {len([row for row in rows if row["point"] == point]) for point in {row["point"] for row in rows}}
    assert seeds == {2, after["901-1"]["seeds"]}
    # Resumed with nothing open, it runs nothing.
    capsys.readouterr()
    main([*asked, "--decide", "20s"])
    assert "0 cells added; 0 claims still open" in capsys.readouterr().out
    assert ledger(out) == after
    # A run that takes these results over has the added seeds as well, and judges as this one.
    shutil.copy(out / "cells.parquet", own / "cells-quick.parquet")
    main(["reproduce", str(own), "--out", str(tmp_path / "again"), "--quiet"])
    assert f"{len(rows)} cells of cells-quick.parquet taken over" in capsys.readouterr().err
    for name in ("ledger.json", "tables.json"):
        assert (out / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_no_seeds_are_added_on_a_bound_of_our_own(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    direction = f"direction = {{ is = {ADVANTAGE}, at_least = 60000.0 }}\n"
    assert direction in CLAIMS
    order = "direction = { order = [0, { minus = [RATIO, 60000.0] }] }\n".replace("RATIO", ADVANTAGE)
    out = tmp_path / "out"
    # As a bound of 60 kbit/s, and as the same test in an order, whose bound is that of the sentence.
    for text, added in ((direction, False), (order, True)):
        (own / "claims.toml").write_text(CLAIMS.replace(direction, f'{text}bound = "ours"\n'), encoding="utf-8")
        main(["reproduce", str(own), "--out", str(out), "--quiet", "--decide", "20s"])
        said = capsys.readouterr().out
        assert ("0 cells added; 1 claim still open" in said) != added
        found = ledger(out)["901-1"]
        assert (found["verdict"], found["bound"]) == (("holds", None) if added else ("inconclusive", "ours"))
    assert "1 of the 1 inconclusive" not in said


def test_the_medium_size_runs_only_what_is_read(own: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    main(["reproduce", str(own), "--medium", "--out", str(out), "--quiet"])
    content = json.loads((out / "ledger.json").read_text(encoding="utf-8"))
    # No claim reads the cells of Scalable.
    assert {name: work["seeds"] for name, work in content["experiments"].items()} == {"one": 2}
    assert content["size"] == "medium"


def test_results_that_a_study_keeps_are_taken_over(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["reproduce", str(own), "--medium", "--out", str(tmp_path / "first"), "--quiet"])
    shutil.copy(tmp_path / "first/cells.parquet", own / "cells-medium.parquet")
    capsys.readouterr()
    main(["reproduce", str(own), "--medium", "--out", str(tmp_path / "second"), "--quiet"])
    assert "4 cells of cells-medium.parquet taken over" in capsys.readouterr().err
    for name in ("ledger.json", "tables.json"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()
    # A scenario that was written otherwise, with the same results, is the same study.
    base = own / "base.toml"
    base.write_text(SCENARIO.replace("Random losses", "Losses"), encoding="utf-8")
    main(["reproduce", str(own), "--medium", "--out", str(tmp_path / "third"), "--quiet"])
    assert "4 cells of cells-medium.parquet taken over" in capsys.readouterr().err
    # One with other results is not.
    base.write_text(SCENARIO.replace("2Mbps", "3Mbps"), encoding="utf-8")
    main(["reproduce", str(own), "--medium", "--out", str(tmp_path / "fourth"), "--quiet"])
    assert "this build has other results; its cells are not taken over" in capsys.readouterr().err


def test_nothing_is_run_where_only_judging_is_asked_for(own: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["reproduce", str(own), "--out", str(out), "--quiet", "--judge"]) == 0
    assert {claim["verdict"] for claim in ledger(out).values()} == {"not testable"}


@pytest.mark.parametrize("time", ["0s", "2", "-1h", "infh", "soon"])
def test_a_budget_is_a_time(time: str) -> None:
    assert main(["reproduce", "901", "--decide", time]) == 2


def test_agreement_is_computed_by_hand(own: Path) -> None:
    text = CLAIMS.replace('["newreno", "aimd(a=1,b=0.6)"]\npublished = { goodput_bps = [1.2e6, ""] }',
                          '["a", "b", "c", "d"]\npublished = { goodput_bps = [1, 2, 3, ""] }')  # fmt: skip
    (own / "claims.toml").write_text(text, encoding="utf-8")
    cells = [
        {"algorithm": name, "replication": r, "goodput_bps": value + r, "digest": f"{name}{r}"}
        for name, value in (("a", 1.0), ("b", 4.5), ("c", 3.5), ("d", 9.0))
        for r in (0, 1)
    ]
    found = agreement(read_claims(own / "claims.toml"), "quick", "sha256:0", Found({"one": Asked(cells)}, {}))
    (table,) = found["tables"]
    # Ours are 1.5, 5 and 4 for 1, 2 and 3: factors of 1.5, 2.5 and 1.333, in columns of one value each.
    assert table["agreement"] == {"values": 3, "rank_correlation_within_columns": None, "median_factor": 1.5}
    assert table["rows"]["goodput_bps"]["ours"] == [1.5, 5.0, 4.0, 9.5]
    assert table["rows"]["goodput_bps"]["published"] == [1.0, 2.0, 3.0, None]
    assert (found["values"], found["median_factor"]) == (3, 1.5)
    # Of 1 and 2, on the logarithmic scale of what is positive: 1.5 / exp(12.706 * 0.5 / 1.5).
    assert math.isclose(table["rows"]["goodput_bps"]["ci95"][0][0], 0.0217, abs_tol=1e-4)


def test_the_part_that_fails_gets_seeds_before_those_that_hold() -> None:
    class Experiment:
        def cost_s(self, wanted: list[Selection]) -> float:
            return sum(float(each.where["s"]) for each in wanted)

    def part(leaning: str, needed: float, cell_s: float, seeds: int = 4) -> Open:
        outcome = Outcome("inconclusive", 0.0, None, seeds, "", "", (), leaning=leaning, needed=Needed(needed, needed))
        return Open(outcome, [Selection("one", {"s": cell_s}, "goodput_bps")])

    asked: Any = {"one": Experiment()}
    holding, failing, dearer = part("holds", 6, 1), part("fails", 14, 2), part("fails", 14, 3)
    assert next_parts([holding, dearer, failing], asked) == (20, [failing])
    # All have to hold, so that the costs add up, and one that no seeds decide leaves the claim open.
    assert next_parts([holding, part("holds", 5, 10)], asked)[0] == 2 + 10
    assert next_parts([holding, part("holds", math.inf, 10)], asked) == (math.inf, [])
