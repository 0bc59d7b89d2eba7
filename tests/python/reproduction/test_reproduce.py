# SPDX-License-Identifier: Apache-2.0
"""Truth: product. A published study from the command line: ledger, exit status, continuation; and those that ship."""

from __future__ import annotations

import functools
import json
import re
import socket
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from claim_files import claim, claims_file, write_study
from outdated import OLD_LEDGERS, outdated

from command_line import command, environment
from narrows._internal import core, library
from narrows._internal.cli import main
from narrows._internal.experiments.overlay import offered
from narrows._internal.experiments.task import Finished, perform
from narrows._internal.files.format import FORMATS
from narrows._internal.files.toml import inline
from narrows._internal.reproduction import registry
from narrows._internal.reproduction.campaign import parts
from narrows._internal.reproduction.computed import Combined, Folded, Named
from narrows._internal.reproduction.ledger import RETESTED, digest_of_test
from narrows._internal.reproduction.quantity import Measured
from narrows._internal.reproduction.registry import StudyFolder, find, published_studies
from narrows._internal.statistics import POSITIVE, REAL, SHARE

if TYPE_CHECKING:
    from narrows._internal.experiments.plan import Plan

SCENARIO = """\
title = "One flow"
duration = "3s"
warmup = "1s"
[path]
rate = "5Mbps"
rtt = "20ms"
[[flows]]
name = "tested"
algorithm = "subject"
"""
STUDY = """\
title = "Small"
scenario = "base.toml"
algorithms = ["newreno", "aimd(a=1,b=0.8)"]
measures = ["goodput_bps", "utilization_between(from=1s,until=3s)"]
replications = 2
[sizes.quick]
[sizes.quick.variants.slow]
set."path.rate" = "4Mbps"
"""
CLAIMS = claims_file(
    900,
    """\
[[variants]]
name = "a slow path"
about = "4 Mbps"
variant = "slow"
""",
    claim(
        "900-1",
        "It fills the link",
        '{ is = { measure = "utilization_between(from=1s,until=3s)", over = "min" }, at_least = LEAST }',
    ),
    """\
[[figures]]
title = "Goodput"
caption = "As published."
label = "algorithm"
experiment = "one"
measure = "goodput_bps"
x = ["newreno", "aimd(a=1,b=0.8)"]
published = { flow = [4.8e6, ""] }
[figures.lines]
flow = { experiment = "one", algorithm = "{x}" }
[[figures]]
title = "Megabits"
caption = "Ours."
label = "algorithm"
experiment = "one"
axis = "Mbps"
is = { ratio = [{ measure = "goodput_bps", where = { algorithm = "{name}" } }, 1e6] }
x = ["newreno"]
[figures.lines]
flow = { name = "{x}" }
[[tables]]
title = "Goodput, again"
caption = "As published."
label = "measure"
experiment = "one"
is = { measure = "{row}", where = { algorithm = "{column}" } }
rows = ["goodput_bps"]
columns = ["newreno", "aimd(a=1,b=0.8)"]
published = { goodput_bps = [4.8e6, ""] }
""",
    keys="packet_hops = { quick = 2e8, full = 1e9 }\n",
)


LARGE = pytest.mark.full(
    "planning many cells takes up to half a minute; the quick size and the smallest study always run"
)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a published study of one experiment and return its folder."""
    folder = write_study(tmp_path / "studies" / "small", STUDY, CLAIMS.replace("LEAST", "0.5"), SCENARIO)
    monkeypatch.setattr(registry, "STUDIES", tmp_path / "studies")
    monkeypatch.setattr(library, "STUDIES", tmp_path / "studies")
    return folder


def test_a_study_is_reproduced_to_the_same_ledger(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("narrows._internal.run.speed.hops_per_s", lambda _jobs: 1e6)
    ledgers = []
    for name in ("first", "second"):
        out = tmp_path / name
        assert main(["reproduce", "small", "--out", str(out), "--quiet", "--jobs", "2"]) == 0
        ledgers.append((out / "ledger.json").read_bytes())
        page = (out / "report.html").read_text(encoding="utf-8")
        assert all(text in page for text in ("A small study", "Megabits"))
        assert page.count("Mbps published)") == 1
        printed = capsys.readouterr().out
        # 2e8 packet-hops at 0.4 of a million in a second.
        assert "quick: 8 cells, about 8 min at the present speed of this machine, 2 cells at a time" in printed
        assert "packet-hops, " in printed
        assert_private(out, tmp_path)
    assert main(["reproduce", "small", "--out", str(out), "--quiet"]) == 0
    assert "quick: 8 cells, 8 taken over\n" in capsys.readouterr().out
    assert ledgers[0] == ledgers[1]
    ledger = json.loads(ledgers[0])
    sample = ledger["experiments"]["one"].pop("sample")
    assert ledger["experiments"] == {"one": {"cells": 4, "seeds": 2}}
    assert set(sample) == {"algorithm", "replication", "digest"}
    assert (ledger["study"], ledger["size"]) == (small.name, "quick")
    (claim,) = ledger["claims"]
    assert (claim["verdict"], claim["strength"], claim["seeds"]) == ("holds", "strong", 2)
    assert claim["variants"] == {"a slow path": "holds"}
    assert set(claim) >= {"id", "verdict", "strength", "effect", "ci95", "seeds", "cause", "variant"}


def assert_private(folder: Path, here: Path) -> None:
    """Assert that nothing in a folder says where it was made, as in what is shared of a run."""
    private = {str(here), socket.gethostname(), str(Path.home())} - {"/root"}
    for file in (each for each in folder.rglob("*") if each.is_file()):
        content = file.read_bytes()
        if file.suffix == ".parquet":
            table = pq.read_table(file)
            content = f"{table.schema} {table.to_pylist()} {pq.read_metadata(file).metadata}".encode()
        # A short name of a host may be a part of a digest.
        found = [word for word in private if re.search(rb"(?<!\w)%s(?!\w)" % re.escape(word.encode()), content)]
        assert found == [], file.relative_to(folder)


@pytest.mark.parametrize(("least", "written"), [("0.5", ""), ("1e5", "Mbps")])
def test_claims_in_the_terminal_have_units(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], least: str, written: str
) -> None:
    text = CLAIMS.replace("LEAST", least)
    if written:
        text = text.replace('measure = "utilization_between(from=1s,until=3s)", over', 'measure = "goodput_bps", over')
    (small / "claims.toml").write_text(text, encoding="utf-8")
    assert main(["reproduce", "small", "--out", str(tmp_path / "out"), "--quiet"]) == 0
    (row,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("900-1"))
    found = re.search(r"(\S+) +(\S+) to (\S+) +(\S+) +2 +It fills the link", row)
    assert found, row
    value, low, high, unit = found.groups()
    assert unit == (written or "%")
    assert 1 < float(low) <= float(value) <= float(high) <= (10 if written else 200)


def test_what_a_claim_speaks_of_has_the_range_of_its_measures() -> None:
    share = Measured("one", "utilization_between(from=1s,until=3s)", {}, "max")
    time = Measured("one", "group.flow.rtt_mean_s", {})
    assert share.domain({}).range == SHARE
    assert Measured("one", "utilization", {}, "sum").domain({}).range == POSITIVE
    assert Combined("ratio", time, share).domain({}).range == POSITIVE
    assert Combined("minus", share, share).domain({}).range == REAL
    assert Named("part", Folded("mean", [share], [{}])).domain({}).range == SHARE


@pytest.mark.usefixtures("small")
def test_a_reproduction_goes_on_where_it_was_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "out")
    assert main(["reproduce", "900", "--out", out, "--quiet", "--json"]) == 0
    before = json.loads(capsys.readouterr().out)
    assert main(["reproduce", "900", "--out", out, "--quiet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == before
    assert main(["reproduce", "900", "--full", "--out", out]) == 2


def test_a_claim_that_fails_is_exit_status_1(small: Path, tmp_path: Path) -> None:
    (small / "claims.toml").write_text(CLAIMS.replace("LEAST", "1.5"), encoding="utf-8")
    assert main(["reproduce", "small", "--out", str(tmp_path / "out"), "--quiet"]) == 1


def test_a_variant_that_no_study_file_has_is_bad_input(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = CLAIMS.replace("LEAST", "0.5").replace('variant = "slow"', 'variant = "slo"')
    (small / "claims.toml").write_text(text, encoding="utf-8")
    assert main(["reproduce", "small"]) == 2
    assert "variant a slow path: no study file has a variant slo; there are slow" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("quantity", "problem"),
    [
        (
            'measure = "goodput_bp"',
            "claims.900-1: experiment one: unknown column 'goodput_bp'; did you mean 'goodput_bps'?",
        ),
        (
            'measure = "goodput_bps", where = { speed = 1 }',
            "experiment one: unknown factor 'speed'; allowed: algorithm",
        ),
        (
            'measure = "goodput_bps", where = { algorithm = "cubic" }',
            "experiment one: has no cell with algorithm = cubic",
        ),
    ],
)
def test_a_claim_on_what_no_cell_will_have_is_refused_before_anything_runs(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], quantity: str, problem: str
) -> None:
    text = CLAIMS.replace("LEAST", "0.5")
    asked = text.replace('measure = "utilization_between(from=1s,until=3s)", over = "min"', quantity, 1)
    (small / "claims.toml").write_text(asked, encoding="utf-8")
    assert main(["reproduce", "small", "--out", str(tmp_path / "out")]) == 2
    assert problem in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("small")
def test_an_unknown_study_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "smal"]) == 2
    assert "did you mean 'small'?" in capsys.readouterr().err


def test_the_studies_that_ship_are_listed() -> None:
    listed = subprocess.run(
        command(["reproduce", "--list", "--json"]), capture_output=True, check=True, env=environment()
    )
    entries: list[dict[str, Any]] = json.loads(listed.stdout)
    assert [entry["name"] for entry in entries] == [each.name for each in published_studies()]
    assert all(entry["verdicts"] for entry in entries)


def test_the_list_counts_apart_what_a_size_has_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--list"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.endswith("without results of this size")]
    lacking = [
        sum(bool(claim["lacks"]) for claim in each.ledger["claims"]) for each in published_studies() if each.ledger
    ]
    assert [line.split(", ")[-1].split()[0] for line in lines] == [str(count) for count in lacking if count]


def test_the_list_says_which_verdicts_are_of_an_earlier_simulator(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--list"]) == 0
    said = capsys.readouterr().out
    assert main(["reproduce", "--list", "--json"]) == 0
    entries = {each["name"]: each["outdated"] for each in json.loads(capsys.readouterr().out)}
    for study in published_studies():
        since = study.results[study.ledger["size"]].get("since") if study.ledger else None
        assert entries[study.name] == since
        assert since is None or f"OUTDATED: these verdicts are of an earlier simulator; since then {since}\n" in said
    assert said.count("OUTDATED") == sum(each is not None for each in entries.values())


@pytest.mark.parametrize("study", published_studies(), ids=lambda each: each.name)
@pytest.mark.parametrize("size", ["quick", *(pytest.param(size, marks=LARGE) for size in ("medium", "full"))])
def test_every_experiment_of_every_study_resolves(study: StudyFolder, size: str) -> None:
    found = parts(study, size, None, None)
    assert {part.experiment for part in found} <= set(study.published.experiments)
    # Planning refuses claims on columns, levels and cells that no experiment has, so all 300 are checked here.
    assert found
    # No study file has a variant that the claims do not name.
    named = {variant.key for variant in study.published.variants}
    assert {variant for file in study.experiments(size).values() for variant in offered(file)[size]} <= named


def committed() -> list[dict[str, Any]]:
    """Return the ledgers of all sizes that are part of Narrows."""
    found = [each for study in published_studies() for each in (study.ledger, study.ledger_quick)]
    return list({(each["study"], each["size"]): each for each in found if each is not None}.values())


@pytest.mark.parametrize(
    "ledger",
    [pytest.param(each, id=f"{each['study']}-{each['size']}") for each in committed()],
)
def test_every_committed_ledger_judges_the_present_claims(ledger: dict[str, Any]) -> None:
    study = find(ledger["study"])
    asked = {claim.id: digest_of_test(claim) for claim in study.claims(ledger["size"]).claims}
    # A claim that was judged by another test has no verdict.
    judged = {claim["id"]: claim["test"] for claim in ledger["claims"] if claim["cause"] != RETESTED}
    assert judged == {name: asked[name] for name in judged}
    if ledger["outdated"] is None:
        assert (len(judged), ledger["format"]) == (len(asked), FORMATS["ledger.json"].number)
    # Digests of another definition are of an earlier simulator.
    assert ledger["outdated"] or ledger["digest_schema"] == core.digest_schema()
    assert [claim["id"] for claim in ledger["claims"]] == [claim.id for claim in study.published.claims]
    assert [claim["statement"] for claim in ledger["claims"]] == [claim.statement for claim in study.published.claims]
    assert sum(ledger["verdicts"].values()) == len(ledger["claims"])
    assert all(claim["cause"] for claim in ledger["claims"] if claim["verdict"] != "holds")


SAMPLES = {
    f"{ledger['study']}-{experiment}": (ledger["study"], experiment, work["sample"])
    for ledger in committed()
    if ledger["size"] == "quick"
    for experiment, work in ledger["experiments"].items()
}


@pytest.mark.parametrize(
    ("study", "experiment", "sample"),
    [
        pytest.param(
            *sample,
            id=name,
            marks=[] if sample[0] == "bansal-2001" else [LARGE, *outdated(sample[0], "quick", OLD_LEDGERS)],
        )
        for name, sample in SAMPLES.items()
    ],
)
def test_a_published_ledger_has_the_results_that_the_simulator_gives(
    study: str, experiment: str, sample: dict[str, Any]
) -> None:
    plan = quick_plans(study)[experiment]
    replication, digest, algorithm = (sample.pop(name) for name in ("replication", "digest", "algorithm"))
    (point,) = (
        point
        for point in plan.points
        if point.algorithm == algorithm and all(is_level(point.levels[name], level) for name, level in sample.items())
    )
    again = perform(plan.task(point, replication))
    assert isinstance(again, Finished)
    assert again.digest == digest


@functools.cache
def quick_plans(study: str) -> dict[str, Plan]:
    return {part.experiment: part.plan for part in parts(find(study), "quick", None, None) if not part.variant}


def is_level(level: object, cell: object) -> bool:
    """Whether a level is that of a cell, whose table has levels of several types as text."""
    return cell in (level, inline(level))


@pytest.mark.parametrize("study", published_studies(), ids=lambda each: each.name)
def test_every_account_names_claims_and_says_all_that_its_tables_show(study: StudyFolder) -> None:
    account = tomllib.loads((study.folder / "account.toml").read_text(encoding="utf-8"))
    wanted = {
        "deviations": {"what", "source", "ours", "why"},
        "threats": {"what", "so"},
        "changes": {"claims", "date", "what", "effect"},
    }
    assert set(account) == set(wanted)
    assert all(set(entry) == keys for name, keys in wanted.items() for entry in account[name])
    known = {claim.id for claim in study.published.claims} | {"all"}
    assert {claim for change in account["changes"] for claim in change["claims"]} <= known
