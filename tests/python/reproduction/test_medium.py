# SPDX-License-Identifier: Apache-2.0
"""Truth: product. The medium size runs what verdicts need; what is taken over, run and left out is said and counted."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from claim_files import GOODPUT, claim, claims_file, write_study

from narrows._internal import core
from narrows._internal.cli import main
from narrows._internal.cli.work import Display, Interrupt
from narrows._internal.commands.reproductions import Reproducing
from narrows._internal.errors import Interrupted
from narrows._internal.reproduction.campaign import Whole
from narrows._internal.reproduction.experiment import Standing
from narrows._internal.reproduction.registry import results_in
from narrows._internal.run.options import Options

if TYPE_CHECKING:
    from pathlib import Path

STUDY = """\
title = "Small"
scenario = "base.toml"
algorithms = ["newreno"]
measures = ["goodput_bps"]
replications = 2
[sizes.quick]
[sizes.medium]
[sizes.medium.variants.slow]
set."path.rate" = "1Mbps"
"""
CLAIMS = claims_file(
    902,
    """\
two = "The same for longer."
[[variants]]
name = "a slow path"
about = "1 Mbps"
variant = "slow"
""",
    claim("902-1", "It sends something", f"{{ is = {GOODPUT}, at_least = 1000.0 }}"),
    claim("902-2", "It sends for longer", f"{{ is = {GOODPUT}, at_least = 1000.0 }}").replace('"one"', '"two"'),
    """\
[[tables]]
title = "Goodput"
caption = "Table 1"
label = "measure"
experiment = "one"
is = { measure = "{row}", where = { algorithm = "{column}" } }
rows = ["goodput_bps"]
columns = ["newreno"]
""",
)


class Recorder:
    """Keeps the progress."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, str]] = []

    def update(self, fraction: float, note: str = "") -> None:
        """Keep it."""
        self.seen.append((fraction, note))

    def stopped(self) -> bool:
        """Never stop."""
        return False


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Make a study of two experiments and a variant, which keeps the cells of the first."""
    folder = write_study(tmp_path / "mine", STUDY, CLAIMS)
    longer = STUDY.replace("replications", 'set = { duration = "8s" }\nreplications').split("[sizes.medium.v")[0]
    (folder / "two.toml").write_text(longer, encoding="utf-8")
    main(["reproduce", str(folder), "--medium", "--only", "one", "--out", str(tmp_path / "first"), "--quiet"])
    shutil.copy(tmp_path / "first/cells.parquet", folder / "cells-medium.parquet")
    return folder


def verdicts(folder: Path) -> dict[str, Any]:
    """Return the verdict of each claim of a ledger, and that under the variant."""
    claims = json.loads((folder / "ledger.json").read_text(encoding="utf-8"))["claims"]
    return {claim["id"]: (claim["verdict"], claim["variants"]) for claim in claims}


def test_only_what_a_verdict_needs_runs_and_all_cells_are_accounted_for(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    out = tmp_path / "out"
    main(["reproduce", str(own), "--medium", "--out", str(out), "--quiet", "--jobs", "1"])
    said = capsys.readouterr().out
    assert "  one: 2 cells of 4 s, 2 taken over\n" in said
    assert "  two: 2 cells of 8 s, 2 to run\n" in said
    assert "  variants/a slow path/one: 2 cells of 4 s, 2 left out\n" in said
    assert (
        "medium: 6 cells, 2 taken over, 2 left out, about 0 s at the speed of the cells taken over, 1 cell at" in said
    )
    again = f"narrows reproduce {own} --medium --out {out} --only 'a slow path'"
    assert f"what is left out runs with `{again}`\n" in said
    assert verdicts(out) == {"902-1": ("holds", None), "902-2": ("holds", None)}
    # The command that it names runs the variant in the same folder, and nothing else.
    main(
        [*re.sub("'a slow path'", "a_slow_path", again).replace("narrows ", "").split()[:-1], "a slow path", "--quiet"]
    )
    said = capsys.readouterr().out
    assert "medium: 6 cells, 4 taken over, about" in said
    assert "left out" not in said
    assert verdicts(out) == {"902-1": ("holds", {"a slow path": "holds"}), "902-2": ("holds", None)}
    # What is there already counts, whether it is named or not.
    main(["reproduce", str(own), "--medium", "--out", str(out), "--quiet"])
    assert "medium: 6 cells, 6 taken over\n" in capsys.readouterr().out
    assert verdicts(out)["902-1"] == ("holds", {"a slow path": "holds"})


def test_an_unknown_part_is_bad_input(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", str(own), "--medium", "--only", "three"]) == 2
    assert "--only: unknown experiment or variant 'three'" in capsys.readouterr().err


def test_a_shard_takes_over_what_is_kept_and_runs_what_is_chosen(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shards = [str(tmp_path / f"shard{each}") for each in (1, 2)]
    capsys.readouterr()
    for number, place in enumerate(shards, 1):
        main(["reproduce", str(own), "--medium", "--shard", f"{number}/2", "--out", place, "--quiet"])
    taken = re.findall(r"^(\d) cells? of cells-medium", capsys.readouterr().err, re.MULTILINE)
    assert sum(map(int, taken)) == 2
    main(["study", "merge", *shards, "--out", str(tmp_path / "whole"), "--quiet"])
    assert "medium: 6 cells, 4 taken over, 2 left out\n" in capsys.readouterr().out
    main(["reproduce", str(own), "--medium", "--out", str(tmp_path / "alone"), "--quiet"])
    assert (tmp_path / "whole/ledger.json").read_bytes() == (tmp_path / "alone/ledger.json").read_bytes()
    for number in (1, 2):
        place = str(tmp_path / f"part{number}")
        main(["reproduce", str(own), "--medium", "--only", "two", "--shard", f"{number}/2", "--out", place, "--quiet"])
        assert not (tmp_path / f"part{number}/one").exists()
    main(
        ["study", "merge", str(tmp_path / "part1"), str(tmp_path / "part2"), "--out", str(tmp_path / "two"), "--quiet"]
    )
    assert verdicts(tmp_path / "two") == verdicts(tmp_path / "alone")


def test_progress_is_that_of_the_cells_that_run_and_of_the_claims_that_are_judged(own: Path, tmp_path: Path) -> None:
    watch = Recorder()
    options = Options(out=tmp_path / "out", watch=watch, jobs=1)
    Reproducing.prepare(str(own), options, "medium").work()
    runs = [(fraction, note) for fraction, note in watch.seen if ": " in note]
    assert runs
    assert {note.split(":")[0] for _, note in runs} == {"two"}
    assert all(re.fullmatch(r"two: [012] of 2 cells", note) for _, note in runs)
    assert runs[-1] == (1.0, "two: 2 of 2 cells")
    rest = watch.seen[len(runs) :]
    notes = ["judging claims, 1 of 2", "judging claims, 2 of 2", "comparing tables, 1 of 1"]
    assert rest == [(0.0, "reading the cells"), *zip((0.0, 0.5, 0.0), notes, strict=True)]


def test_judging_can_be_stopped(own: Path, tmp_path: Path) -> None:
    class Impatient(Recorder):
        def stopped(self) -> bool:
            return bool(self.seen) and self.seen[-1][1].startswith("judging")

    options = Options(out=tmp_path / "out", watch=Impatient(), jobs=1)
    with pytest.raises(Interrupted, match="stopped while judging"):
        Reproducing.prepare(str(own), options, "medium").work()
    assert not (tmp_path / "out/ledger.json").exists()


def test_cells_weigh_what_those_alike_have_cost() -> None:
    before = [
        Standing("one", "one", 10, 0, 0.0, 100.0, 50.0),
        Standing("variants/slow/one", "one", 0, 5, 10.0, 0.0, 0.0),
        Standing("two", "two", 0, 5, 10.0, 0.0, 0.0),
        Standing("three", "three", 10, 0, 0.0, 100.0, 150.0),
    ]
    seen = Recorder()
    whole = Whole(before, seen.update, seen.stopped)
    for path in ("variants/slow/one", "two"):
        progress: Any = type("", (), {"fraction": 0.5, "finished": 1, "cells": 5})
        part: Any = type("", (), {"path": path})
        whole.report(part, progress)
    # 5 s as in the same experiment, and 10 s as in all: halves of these are 2.5 of 15 and 10 of 15.
    assert seen.seen == [(2.5 / 15, "variants/slow/one: 1 of 5 cells"), (10 / 15, "two: 1 of 5 cells")]


def test_the_time_left_of_a_stage_is_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("narrows._internal.cli.work.time.monotonic", lambda: now[0])
    display = Display(Interrupt(), quiet=False)
    for now[0], fraction in ((100.0, 0.9), (200.0, 0.0), (210.0, 0.5)):
        display.update(fraction, "work")
    assert capsys.readouterr().err.splitlines() == [
        "progress:  90%  11 s left  work",
        "progress:  50%  10 s left  work",
    ]


def test_the_report_says_when_and_by_which_simulator(own: Path, tmp_path: Path) -> None:
    out = tmp_path / "first"
    content = results_in(out)["medium"]
    assert content["engine"] == core.fingerprint()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", content["date"])
    # A day is that of the run, not of a later verdict on its cells.
    (out / "results.toml").write_text('[medium]\ndate = "2001-02-03"\nengine = "abc"\n', encoding="utf-8")
    main(["reproduce", str(own), "--medium", "--only", "one", "--judge", "--out", str(out), "--quiet"])
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Results of 2001-02-03, engine abc, tests " in page
    assert pq.read_table(out / "cells.parquet").num_rows == 2
