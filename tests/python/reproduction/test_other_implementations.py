# SPDX-License-Identifier: Apache-2.0
"""Truth: product. Variants with other rules of algorithms, and claims judged by the cells of other implementations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from claim_files import ADVANTAGE, GOODPUT, claim, claims_file, write_study

from narrows._internal.cli import main
from narrows._internal.reproduction.headline import headline

if TYPE_CHECKING:
    from pathlib import Path

STUDY = """\
title = "Small"
scenario = "base.toml"
algorithms = ["newreno", "aimd(a=1,b=0.6)"]
measures = ["goodput_bps"]
replications = 6
[sizes.quick]
[sizes.quick.variants.other]
algorithms = ["aimd(a=1,b=0.1)"]
"""
CLAIMS = claims_file(
    902,
    """\
[[variants]]
name = "a deep cut"
about = "To a tenth."
variant = "other"
algorithms."aimd(a=1,b=0.6)" = "aimd(a=1,b=0.1)"
[[judges]]
name = "another simulator"
about = "By hand."
cells = { one = "others.csv" }
""",
    claim("902-1", "A smaller cut leaves more", f"{{ is = {ADVANTAGE}, at_least = 0 }}"),
    claim("902-2", "It sends something", f"{{ is = {GOODPUT}, at_least = 1000.0 }}"),
)
OTHERS = """\
algorithm,replication,goodput_bps
"aimd(a=1,b=0.6)",0,1.0e6
"aimd(a=1,b=0.6)",1,1.1e6
"aimd(a=1,b=0.6)",2,0.9e6
"""
NEWRENO = """\
newreno,0,1.5e6
newreno,1,1.62e6
newreno,2,1.41e6
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Make a study of one's own with a variant and a judge, which has run all cells."""
    folder = write_study(tmp_path / "mine", STUDY, CLAIMS)
    (folder / "others.csv").write_text(OTHERS + NEWRENO, encoding="utf-8")
    return folder


def test_claims_are_judged_by_the_cells_of_others_as_well(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    main(["reproduce", str(own), "--out", str(out), "--quiet"])
    ledger = json.loads((out / "ledger.json").read_text(encoding="utf-8"))
    first, second = ledger["claims"]
    # The means of three differences: -0.5, -0.52 and -0.51 million.
    assert first["judged"]["another simulator"]["verdict"] == "fails"
    assert first["judged"]["another simulator"]["effect"] == pytest.approx(-510000)
    assert second["judged"]["another simulator"]["verdict"] == "holds"
    same = 1 + (first["verdict"] == "fails")
    assert (ledger["judges"]["another simulator"]["claims"], ledger["judges"]["another simulator"]["same"]) == (2, same)
    said = headline(ledger)
    assert said[0].startswith("Quick size: of 2 claims tested on data, ")
    assert "another simulator has run what 2 of these read: by its cells 1 holds, 1 fails, and Narrows" in " ".join(
        said
    )
    assert "\n".join(said) in capsys.readouterr().out


def test_a_judge_judges_only_what_it_has_run(own: Path, tmp_path: Path) -> None:
    (own / "others.csv").write_text(OTHERS, encoding="utf-8")
    main(["reproduce", str(own), "--out", str(tmp_path / "out"), "--quiet"])
    ledger = json.loads((tmp_path / "out" / "ledger.json").read_text(encoding="utf-8"))
    assert [claim["judged"] for claim in ledger["claims"]] == [None, None]
    assert "another simulator" not in " ".join(headline(ledger))


@pytest.mark.parametrize(("size", "judged"), [("quick", True), ("full", False)])
def test_a_judge_of_one_size_judges_at_no_other(own: Path, tmp_path: Path, size: str, *, judged: bool) -> None:
    file = own / "claims.toml"
    text = file.read_text(encoding="utf-8").replace('"others.csv" }\n', f'"others.csv" }}\nsize = "{size}"\n')
    file.write_text(text, encoding="utf-8")
    main(["reproduce", str(own), "--out", str(tmp_path / "out"), "--quiet"])
    ledger = json.loads((tmp_path / "out" / "ledger.json").read_text(encoding="utf-8"))
    assert list(ledger["judges"]) == (["another simulator"] if judged else [])
    assert all(bool(claim["judged"]) == judged for claim in ledger["claims"])


def test_a_judge_of_an_unknown_size_is_bad_input(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = own / "claims.toml"
    text = file.read_text(encoding="utf-8").replace('"others.csv" }\n', '"others.csv" }\nsize = "small"\n')
    file.write_text(text, encoding="utf-8")
    assert main(["reproduce", str(own)]) == 2
    assert "judges.0.size: unknown value" in capsys.readouterr().err


def test_cells_of_others_without_a_replication_are_refused(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own / "others.csv").write_text("algorithm,goodput_bps\nnewreno,1\n", encoding="utf-8")
    assert main(["reproduce", str(own), "--out", str(tmp_path / "out"), "--quiet"]) == 2
    assert "others.csv: line 2: `replication` is missing" in capsys.readouterr().err


def test_cells_of_others_may_leave_the_algorithm_empty_but_not_its_column_out(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own / "others.csv").write_text("algorithm,replication,goodput_bps\n,0,1\n", encoding="utf-8")
    assert main(["reproduce", str(own), "--out", str(tmp_path / "out"), "--quiet"]) == 0
    (own / "others.csv").write_text("replication,goodput_bps\n0,1\n", encoding="utf-8")
    assert main(["reproduce", str(own), "--out", str(tmp_path / "again"), "--quiet"]) == 2
    assert "others.csv: the column `algorithm` is missing" in capsys.readouterr().err


def test_a_variant_with_another_rule_is_read_under_the_name_in_the_tests(own: Path, tmp_path: Path) -> None:
    main(["reproduce", str(own), "--out", str(tmp_path / "out"), "--quiet"])
    ledger = json.loads((tmp_path / "out" / "ledger.json").read_text(encoding="utf-8"))
    first, second = ledger["claims"]
    # A cut to a tenth leaves less than NewReno's to a half. The second claim reads no cell that the variant has run.
    assert (first["variants"], second["variants"]) == ({"a deep cut": "fails"}, None)


def test_a_variant_that_renames_what_it_does_not_run_is_bad_input(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = CLAIMS.replace('"aimd(a=1,b=0.1)"', '"aimd(a=1,b=0.2)"')
    (own / "claims.toml").write_text(text, encoding="utf-8")
    assert main(["reproduce", str(own)]) == 2
    assert "variant a deep cut: none of its cells has aimd(a=1,b=0.2)" in capsys.readouterr().err


def test_a_table_that_is_missing_is_missed_before_the_first_cell(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own / "others.csv").unlink()
    out = tmp_path / "out"
    assert main(["reproduce", str(own), "--out", str(out)]) == 2
    assert "others.csv: [Errno 2] No such file" in capsys.readouterr().err
    assert not out.exists()


FAILS = """
class Fails:
    def __init__(self, setup):
        self.window = 10.0

    def on_ack(self, ack):
        raise ValueError("it lost its way")

    def on_loss(self, loss):
        pass
"""


def test_an_experiment_that_fails_leaves_the_verdicts_of_the_others(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own / "fails.py").write_text(FAILS, encoding="utf-8")
    (own / "two.toml").write_text(STUDY.replace('"newreno"', '"newreno", "./fails.py:Fails"'), encoding="utf-8")
    more = claim("902-3", "It sends something there", f"{{ is = {GOODPUT}, at_least = 1000.0 }}")
    text = CLAIMS.replace('one = "One flow alone."', 'one = "One flow alone."\ntwo = "And one that fails."')
    more = more.replace('experiment = "one"', 'experiment = "two"')
    (own / "claims.toml").write_text(f"{text}\n{more}", encoding="utf-8")
    out = tmp_path / "out"
    assert main(["reproduce", str(own), "--out", str(out), "--quiet"]) == 4
    assert "claims on experiments that lack one are not judged" in capsys.readouterr().err
    verdicts = {each["id"]: each["verdict"] for each in json.loads((out / "ledger.json").read_text("utf-8"))["claims"]}
    assert verdicts["902-2"] == "holds"
    assert verdicts["902-3"] not in {"holds", "fails"}
    assert (out / "report.html").is_file()
