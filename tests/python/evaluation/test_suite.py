# SPDX-License-Identifier: Apache-2.0
"""`narrows suite` from the command line: its files, its verdicts, its errors."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from broken_rules import RULES

import narrows as nw
from command_line import command, environment
from narrows._internal import cards
from narrows._internal.evaluation import campaign, definition
from narrows._internal.evaluation.definition import find_suite, read_suite
from narrows._internal.evaluation.verdict import is_broken
from narrows._internal.experiments.definition import read_study
from narrows._internal.experiments.overlay import Choice, offered
from narrows._internal.experiments.planner import make_plan
from narrows._internal.library import SUITES
from narrows._internal.report.evaluation import words
from optional import needs

if TYPE_CHECKING:
    from collections.abc import Callable

    from command_line import Narrows

built = needs("kernel")
DOCS = Path(__file__).parents[3] / "docs/suites.md"
SUITE = """
title      = "Small"
source     = "a rule"
references = ["newreno"]

[[rows]]
section   = "1"
criterion = "It loses little"
cells     = "path"
measure   = "group.flow.loss_rate"
predicate = { kind = "relative", at_most = 1, plus = 0.02, than = "newreno" }
whose     = "ours"

[[rows]]
section   = "2"
criterion = "It delivers"
level     = "MUST"
cells     = "path"
where     = { rate = "2Mbps" }
measure   = "group.flow.goodput_bps"
predicate = { kind = "liveness", at_least = LEAST }
whose     = "ours"

[[rows]]
section      = "3"
criterion    = "Nothing can measure this"
not_measured = "there is no such key"

[[rows]]
section   = "4"
criterion = "Deviations are explained"
card      = "deviations"
"""
CELLS = """
title        = "A path"
scenario     = "scenario.toml"
algorithms   = "{subjects}"
replications = 2

[words]
subjects = ["cubic"]

[factors]
rate = { "path.rate" = ["2Mbps", "4Mbps"] }
"""
SCENARIO = """
duration = "6s"
warmup   = "1s"
path     = { rate = "2Mbps", rtt = "40ms" }
flows    = [{ name = "flow", algorithm = "cubic", subject = true, start = "0s..100ms" }]
"""
MINE = '''
class Mine:
    """One packet a round trip.

    Deviations: it ignores everything.
    """

    def __init__(self, setup):
        self.window = 1.0

    def on_ack(self, ack):
        pass

    def on_loss(self, loss):
        pass
'''


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Return the folder of a suite that runs in a moment."""
    return _written(tmp_path, "100000")


def _written(folder: Path, least: str) -> Path:
    home = folder / "small"
    home.mkdir(exist_ok=True)
    (home / "suite.toml").write_text(SUITE.replace("LEAST", least), encoding="utf-8")
    (home / "path.toml").write_text(CELLS, encoding="utf-8")
    (home / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    return home


def _rows(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))["rows"]
    return rows


def test_each_row_has_a_verdict_its_source_and_a_scenario_that_runs(
    narrows: Narrows, small: Path, tmp_path: Path
) -> None:
    done = narrows("suite", small, "cubic", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    rows = _rows(tmp_path / "out")
    assert [row["section"] for row in rows] == ["1", "1", "2", "3", "4"]
    assert {row["verdict"] for row in rows[:2]} <= {"within", "better"}
    assert [row["verdict"] for row in rows[2:]] == ["within", "not measured", "within"]
    assert rows[0]["reference"] == "newreno"
    assert rows[0]["predicate_source"] == "ours"
    assert rows[0]["interval"][0] <= rows[0]["measured"] <= rows[0]["interval"][1]
    ran = narrows("run", tmp_path / "out" / rows[2]["scenario"], "--out", "again", "--replications", "2", "--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["groups"]["flow"]["goodput_bps"]["mean"] == pytest.approx(rows[2]["measured"])


def test_a_broken_liveness_bound_alone_ends_with_status_1(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("suite", _written(tmp_path, "1e9"), "cubic", "--out", "out", "--json", "--quiet")
    assert done.returncode == 1
    rows = json.loads(done.stdout)["rows"]
    assert [row["verdict"] for row in rows].count("broken") == 1
    # The page begins with it.
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    first = page[page.index('id="answer"') :].partition("</li>")[0]
    assert next(row["criterion"] for row in rows if row["verdict"] == "broken") in first
    assert '<span class="word worse">broken</span>' in first


FAILS_WHERE_FAST = """
class Fails:
    def __init__(self, setup):
        self.window = 12.0
        self.left = 700

    def on_ack(self, ack):
        self.left -= 1
        if not self.left:
            raise ValueError("it lost its way")

    def on_loss(self, loss):
        pass
"""


def test_cells_that_fail_leave_the_verdicts_of_all_other_rows(narrows: Narrows, tmp_path: Path) -> None:
    small = _written(tmp_path, "100000")
    (tmp_path / "fails.py").write_text(FAILS_WHERE_FAST, encoding="utf-8")
    done = narrows("suite", small, "./fails.py:Fails", "--out", "out", "--quiet")
    assert done.returncode == 2
    assert "2 cells failed, 1 row not measured for that: ValueError: it lost its way" in done.stderr
    assert "not measured: 1 It loses little, rate=4Mbps\n" in done.stderr
    rows = _rows(tmp_path / "out")
    lacking = [row for row in rows if row["condition"] == {"rate": "4Mbps"}]
    assert [row["verdict"] for row in lacking] == ["not measured"]
    assert lacking[0]["reason"] == "a cell failed: ValueError: it lost its way"
    others = [row["verdict"] for row in rows if row["condition"] == {"rate": "2Mbps"}]
    assert len(others) == 2
    assert set(others) <= {"within", "worse", "better"}
    assert (tmp_path / "out/report.html").is_file()


def test_in_python_cells_that_fail_are_named_beside_all_other_rows(tmp_path: Path) -> None:
    small = _written(tmp_path, "100000")
    (tmp_path / "fails.py").write_text(FAILS_WHERE_FAST, encoding="utf-8")
    found = nw.suite(small, f"{tmp_path}/fails.py:Fails", tmp_path / "out", replications=2)
    assert [each["condition"]["rate"] for each in found["failed"]] == ["4Mbps"] * 2
    assert {each["reason"] for each in found["failed"]} == {"ValueError: it lost its way"}
    assert all("Fails" in each["algorithm"] for each in found["failed"])
    verdicts = {
        row["condition"].get("rate"): row["verdict"] for row in found["rows"] if row["criterion"] == "It loses little"
    }
    assert verdicts["4Mbps"] == "not measured"
    assert verdicts["2Mbps"] != "not measured"
    assert nw.suite(small, "cubic", tmp_path / "whole", replications=2)["failed"] == []


def test_the_page_begins_with_a_sentence_per_criterion_and_links_to_files_of_any_name(
    narrows: Narrows, tmp_path: Path
) -> None:
    small = _written(tmp_path, "1e9")
    suite, cells = small / "suite.toml", small / "path.toml"
    suite.write_text(
        suite.read_text(encoding="utf-8").replace('where     = { rate = "2Mbps" }\n', ""), encoding="utf-8"
    )
    labels = '"4Mbps"], labels = ["50%", "100%"]'
    cells.write_text(cells.read_text(encoding="utf-8").replace('"4Mbps"]', labels), encoding="utf-8")
    assert narrows("suite", small, "cubic", "--out", "out", "--quiet").returncode == 1
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    answer = page[page.index('id="answer"') : page.index('id="worse"')]
    # A mark for each row with a bound, on the side of the bound on which its measure is.
    figure = answer[answer.index('data-name="distances"') : answer.index("<figcaption>")]
    wide = figure[figure.index("paper wide") : figure.index("paper narrow")]
    rows = json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))["rows"]
    bounded = [row for row in rows if row["bound"] and all(row["bound"].values()) and row["excess"]["mean"]]
    assert wide.count("data-point=") == len(bounded) > 0
    assert len(re.findall(r'data-point="[^"]*beyond the bound, (?:worse|broken)"', wide)) == sum(
        row["verdict"] in {"worse", "broken"} for row in bounded
    )
    assert answer.partition("</ul>")[0].count("It delivers") == 1
    together = page[page.index('id="worse"') : page.index('id="overview"')]
    assert together.count("It delivers") == 2
    assert "<code>narrows run scenarios/" in together
    assert "broken</span>; so is the other condition." in answer
    # 1 Gbps is further from 2 Mbps than from 4 Mbps.
    assert "rate 50%" in answer
    assert (tmp_path / "out/scenarios/path-50%.toml").is_file()
    assert 'href="scenarios/path-50%25.toml"' in page
    assert "(scenarios/path-50%25.toml)" in (tmp_path / "out/annex.md").read_text(encoding="utf-8")


def test_a_python_algorithm_is_a_subject_and_its_scenarios_run_anywhere(
    narrows: Narrows, small: Path, tmp_path: Path
) -> None:
    done = narrows("suite", small, "./mine.py:Mine", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    rows = _rows(tmp_path / "out")
    assert rows[-1]["reason"] == "it ignores everything"
    (tmp_path / "mine.py").unlink()
    ran = narrows("run", tmp_path / "out" / rows[0]["scenario"], "--out", "again", "--quiet", "--json")
    assert ran.returncode == 0, ran.stderr
    # The file has the replications of the row, so it gives the figure of the row.
    assert json.loads(ran.stdout)["groups"]["flow"]["loss_rate"]["mean"] == rows[0]["measured"]


def test_a_suite_goes_on_where_it_stopped_and_refuses_the_folder_of_another(
    narrows: Narrows, small: Path, tmp_path: Path
) -> None:
    assert narrows("suite", small, "cubic", "--out", "out", "--quiet").returncode == 0
    first = (tmp_path / "out/summary.json").read_bytes()
    assert narrows("suite", small, "cubic", "--out", "out", "--quiet").returncode == 0
    assert (tmp_path / "out/summary.json").read_bytes() == first
    refused = narrows("suite", small, "newreno", "--out", "out", "--quiet")
    assert refused.returncode == 2
    assert "name another folder" in refused.stderr


def test_a_suite_that_was_interrupted_ends_as_one_that_was_not(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for folder in (whole, parts):
        folder.mkdir()
        # So long that it can be stopped between two cells.
        scenario = _written(folder, "1e12") / "scenario.toml"
        scenario.write_text(SCENARIO.replace('"6s"', '"600s"'), encoding="utf-8")
    ended = _begun(whole)
    printed, messages = ended.communicate()
    stopped = _begun(parts)
    cells = parts / "out/cells/path/cells"
    while not any(cells.glob("*.json")):
        assert stopped.poll() is None, "the suite ended before it could be stopped"
        time.sleep(0.02)
    stopped.send_signal(signal.SIGINT)
    _, stop = stopped.communicate()
    assert stopped.returncode == 3, stop
    assert "go on with `narrows suite small cubic --out out" in stop
    assert not (parts / "out/summary.json").exists()
    kept = {file.name: file.read_bytes() for file in cells.glob("*.json")}
    assert 1 <= len(kept) < 8
    again = _begun(parts)
    assert again.communicate() == (printed, messages)
    assert again.returncode == ended.returncode == 1
    for file in ("summary.json", "annex.md", "report.html"):
        assert (parts / "out" / file).read_bytes() == (whole / "out" / file).read_bytes()


def _begun(folder: Path) -> subprocess.Popen[str]:
    words, pipe = ("suite", "small", "cubic", "--out", "out", "--quiet", "--jobs", "1"), subprocess.PIPE
    return subprocess.Popen(command(words), cwd=folder, stdout=pipe, stderr=pipe, text=True, env=environment())


def test_the_annex_is_a_page_and_markdown_with_every_criterion(narrows: Narrows, small: Path, tmp_path: Path) -> None:
    narrows("suite", small, "cubic", "--out", "out", "--quiet")
    for name in ("annex.md", "report.html"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert all(row["criterion"] in text for row in _rows(tmp_path / "out"))
    deviations = next(card["deviations"] for card in cards.algorithms() if card["name"] == "cubic")
    assert len(deviations) > 1
    stated = "; ".join(f"({place}) {each}" for place, each in enumerate(deviations, 1))
    assert _rows(tmp_path / "out")[-1]["reason"] == stated
    (tmp_path / "out/report.html").unlink()
    assert narrows("report", "out").stdout == "out/report.html\n"
    assert (tmp_path / "out/report.html").read_text(encoding="utf-8") == text
    said = narrows("report", "out", "--paragraph").stdout
    assert re.match(r"cubic was evaluated by \d+ rows of the criteria of .* on common random numbers\)\. ", said)
    assert "The command was: narrows suite " in said


def test_the_annex_says_how_many_rows_are_not_decided_and_how_many_leave_the_bound_by_chance() -> None:
    rows: list[dict[str, Any]] = [
        {"verdict": "within", "decided": False},
        {"verdict": "within", "decided": True},
        {"verdict": "worse"},
    ]
    assert [words.count(rows, verdict) for verdict in ("within", "worse", "better")] == ["2 (1 not decided)", "1", "0"]
    summary = {"subject": "mine", "references": ["cubic"], "note": None, "sections": None, "kernel": None}
    for relative, said in ((16, "of 16 rows that compare with a reference, fewer than one"), (200, "about 5 would")):
        assert said in " ".join(words.preface({**summary, "rows": relative * [{"predicate": "relative"}]}))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('than = "newreno"', 'than = "newrano"', "did you mean `newreno`"),
        ("group.flow.loss_rate", "group.flow.loss_rat", "did you mean"),
        ("group.flow.loss_rate", "loss_rate", "group.NAME.METRIC"),
        ("at_most = 1,", "", "at_most or at_least"),
        ('cells     = "path"', 'cells     = "paths"', "no study file paths.toml"),
        ('cells     = "path"', 'cells     = "../small/path"', "rows.0.cells: is outside of the folder of the suite"),
        ("criterion = ", "criterium = ", "did you mean `criterion`"),
        ('rate = "2Mbps" }', 'rates = "2Mbps" }', "no factor rates"),
    ],
)
def test_a_fault_of_a_suite_file_is_named(narrows: Narrows, small: Path, old: str, new: str, said: str) -> None:
    file = small / "suite.toml"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    done = narrows("suite", small, "cubic", "--out", "out", "--quiet")
    assert done.returncode == 2, done.stdout
    assert said in done.stderr


def test_the_transitions_of_the_draft_of_bbr_are_those_of_bbr3_and_not_of_bbr1(
    narrows: Narrows, tmp_path: Path
) -> None:
    sections = "A.2,A.6,A.7,A.9,A.11,A.20,A.21,A.22"
    for algorithm in ("bbr3", "bbr1"):
        done = narrows("suite", "bbr-draft", algorithm, "--rows", sections, "--out", algorithm, "--quiet")
        assert done.returncode == 0, done.stderr
    assert {row["verdict"] for row in _rows(tmp_path / "bbr3")} == {"within"}
    rows = {row["criterion"]: row for row in _rows(tmp_path / "bbr1")}
    assert rows["Loss ends STARTUP although the application limits the rate"]["verdict"] == "worse"
    lacking = rows["PROBE_DOWN ends after bw_probe_wait"]
    assert lacking["verdict"] == "not measured"
    assert lacking["reason"] == "group.test.longest_stay_s(state=probe-bw-down) has no value with bbr1"


def test_a_call_suffers_from_bbr1_in_a_shallow_buffer(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("suite", "rfc9743", "bbr1", "--rows", "5.2.2", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    of_call = [row for row in _rows(tmp_path / "out") if row["measure"].startswith("group.call.")]
    assert [row["verdict"] for row in of_call if row["condition"]["buffer"] == "1bdp"] == ["worse", "worse"]


def test_a_flow_of_bbr3_that_pauses_has_its_share_again(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("suite", "rmcat", "bbr3", "--rows", "5.8", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    others, itself = _rows(tmp_path / "out")
    assert others["verdict"] in {"within", "better"}
    assert (itself["verdict"], itself["decided"]) == ("within", True)


def test_copa_takes_a_longer_path_for_a_queue_and_cubic_does_not(narrows: Narrows, tmp_path: Path) -> None:
    verdicts = {}
    for algorithm in ("copa", "cubic"):
        done = narrows("suite", "access", algorithm, "--rows", "1.1", "--out", algorithm, "--quiet")
        assert done.returncode == 0, done.stderr
        verdicts[algorithm] = [row["verdict"] for row in _rows(tmp_path / algorithm)]
    # Steps of 5, 15 and 30 ms.
    assert verdicts["copa"][1:] == ["worse", "worse"]
    assert not {"worse", "broken"} & set(verdicts["cubic"])


def test_rows_of_some_sections_alone_run_only_their_cells(narrows: Narrows, small: Path, tmp_path: Path) -> None:
    file = small / "suite.toml"
    text = file.read_text(encoding="utf-8")
    text = text.replace('section   = "2"', 'section   = "2.1, 5"').replace(
        'section      = "3"', 'section      = "2.10"'
    )
    file.write_text(text, encoding="utf-8")
    for given, sections in (("2", ["2.1, 5", "2.10"]), ("5, 4", ["2.1, 5", "4"]), ("2.1", ["2.1, 5"])):
        done = narrows("suite", small, "cubic", "--rows", given, "--out", given, "--json", "--quiet")
        assert done.returncode == 0, done.stderr
        assert [row["section"] for row in json.loads(done.stdout)["rows"]] == sections
    none = narrows("suite", small, "cubic", "--rows", "4", "--out", "none", "--json", "--quiet")
    assert json.loads(none.stdout)["seeds"] == {}
    assert narrows("suite", small, "cubic", "--rows", "4", "--out", "2", "--quiet").returncode == 2
    refused = narrows("suite", small, "cubic", "--rows", "2.2")
    assert refused.returncode == 2
    assert "--rows 2.2: no row of Small is of this section; allowed: 1, 2.1, 5, 2.10, 4" in refused.stderr
    found = nw.suite(small, "cubic", tmp_path / "python", rows=["2"])
    assert found["sections"] == ["2"]
    assert "Rows of section 2 alone." in (tmp_path / "python/annex.md").read_text(encoding="utf-8")


def test_an_unknown_suite_or_subject_is_bad_input(narrows: Narrows) -> None:
    assert "unknown suite 'rfc9473'; did you mean 'rfc9743'?" in narrows("suite", "rfc9473", "cubic").stderr
    assert "unknown algorithm 'bbr33'; did you mean 'bbr3'?" in narrows("suite", "rfc9743", "bbr33").stderr


@pytest.mark.parametrize("file", sorted(SUITES.glob("*/suite.toml")), ids=lambda file: file.parent.name)
@pytest.mark.parametrize("size", ["quick", "full"])
def test_the_files_of_every_suite_are_valid(file: Path, size: str) -> None:
    suite = read_suite(file)
    assert suite.rows
    subject = "bbr3" if suite.subject == "algorithm" else "codel"
    evaluation = campaign.prepare(str(file), subject, size, None, None)
    assert not evaluation.faults
    for name, cells in suite.cells.items():
        # A study file of a suite is one of its own, too.
        alone = make_plan(read_study(cells, choice=Choice(size if size in offered(cells) else None)))
        assert alone.points, name


def test_a_suite_from_python_has_the_rows_of_the_command(small: Path, tmp_path: Path) -> None:
    found = nw.suite(small, "cubic", tmp_path / "out")
    assert [row["section"] for row in found["rows"]] == ["1", "1", "2", "3", "4"]


def test_a_kernel_breaks_a_suite_as_the_simulator_does() -> None:
    row = {"verdict": "within", "linux": {"verdict": "broken"}}
    assert is_broken({"rows": [row], "on": "both"})
    assert not is_broken({"rows": [row], "on": "simulator"})


def test_an_algorithm_of_the_kernel_needs_the_kernel(narrows: Narrows, small: Path) -> None:
    done = narrows("suite", small, "linux:illinois", "--out", "out")
    assert done.returncode == 2
    assert "linux:illinois: only a Linux kernel has it; allowed with --on linux or both" in done.stderr
    assert "allowed: simulator, linux, linux:NAME" in narrows("suite", small, "cubic", "--on", "windows").stderr


@built
def test_every_row_has_the_kernel_beside_the_simulator(narrows: Narrows, small: Path, tmp_path: Path) -> None:
    done = narrows("suite", small, "cubic", "--on", "both", "--out", "out", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["on"] == "both"
    assert summary["kernel"]["kernel"]
    assert sum(summary["verdicts"].values()) == sum(summary["linux"]["verdicts"].values()) == 5
    lost = summary["rows"][0]["linux"]
    assert lost["interval"][0] <= lost["measured"] <= lost["interval"][1]
    row = summary["rows"][2]
    assert row["linux"]["verdict"] == "within"
    assert row["difference"]["mean"] == pytest.approx(row["linux"]["measured"] - row["measured"])
    assert [each["linux"]["verdict"] for each in summary["rows"][3:]] == ["not measured", "within"]
    for name in ("annex.md", "report.html"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert "kernel minus simulator" in text
        assert text.count(">linux<") + text.count("| linux |") >= 3
    # The file of the kernel's line gives what the line says.
    file = tmp_path / "out" / row["linux"]["scenario"]
    ran = narrows("run", file, "--on", "linux", "--out", "again", "--replications", "2", "--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["groups"]["flow"]["goodput_bps"]["mean"] == pytest.approx(row["linux"]["measured"])
    alone = nw.suite(small, "cubic", tmp_path / "alone", on="linux")
    assert alone["rows"][2]["measured"] == row["linux"]["measured"]


@built
def test_what_the_kernel_cannot_do_is_not_applicable_to_it_for_a_reason(
    narrows: Narrows, small: Path, tmp_path: Path
) -> None:
    cells = small / "path.toml"
    more = 'acks = { "flows.0.ack_division" = [1, 4] }\n'
    cells.write_text(cells.read_text(encoding="utf-8") + more, encoding="utf-8")
    suite = small / "suite.toml"
    suite.write_text(suite.read_text(encoding="utf-8").replace('"newreno"', '"bbr3"'), encoding="utf-8")
    done = narrows("suite", small, "cubic", "--on", "both", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    rows = [row for row in _rows(tmp_path / "out") if row["condition"]]
    assert all(row["measured"] is not None for row in rows)
    verdicts = {(row["section"], str(row["condition"]["acks"])): row["linux"] for row in rows}
    assert verdicts["2", "1"]["verdict"] == "within"
    assert verdicts["2", "4"]["verdict"] == "not applicable"
    assert "ack_division: linux cannot honour this: the kernel's TCP decides this" in verdicts["2", "4"]["reason"]
    # The reference is what the kernel lacks.
    assert verdicts["1", "1"]["verdict"] == "not applicable"
    assert (
        "without the reference bbr3: algorithm: linux cannot honour this: the kernel has no bbr3"
        in verdicts["1", "1"]["reason"]
    )
    assert "the kernel has no bbr3" in (tmp_path / "out/report.html").read_text(encoding="utf-8")


@built
def test_a_subject_that_no_backend_runs_is_bad_input(narrows: Narrows, small: Path, tmp_path: Path) -> None:
    done = narrows("suite", small, "bbr3", "--on", "linux", "--out", "out")
    assert done.returncode == 2
    assert (
        "bbr3: no cell of Small runs with it: algorithm: linux cannot honour this: the kernel has no bbr3"
        in done.stderr
    )
    assert not (tmp_path / "out").exists()
    both = narrows("suite", small, "linux:illinois", "--on", "both", "--out", "out", "--quiet")
    assert both.returncode == 0, both.stderr
    row = _rows(tmp_path / "out")[2]
    assert (row["verdict"], row["linux"]["verdict"]) == ("not applicable", "within")
    assert "only a Linux kernel has it" in row["reason"]


def test_the_page_on_suites_has_every_key() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for key in (*definition.SUITE, *definition.ROW, *definition.PREDICATE):
        assert f"| `{key.name}` | {key.holds} | {key.default} | {key.documented} |" in text


def test_the_page_on_suites_counts_the_runs_that_there_are() -> None:
    text = DOCS.read_text(encoding="utf-8")
    parts = campaign.prepare(find_suite("rfc9743"), "bbr3", "quick", None, None).parts
    cells, simulated_s = sum(each.cells for each in parts), sum(each.simulated_s for each in parts)
    assert f"The quick size of `rfc9743`, {cells:,} runs of {round(simulated_s, -3):,.0f} s of simulated time" in text
    replications = {
        size: {
            part.plan.replications.minimum
            for file in SUITES.glob("*/suite.toml")
            for part in campaign.prepare(
                str(file), "codel" if file.parent.name == "aqm" else "bbr3", size, None, None
            ).parts
        }
        for size in ("quick", "full")
    }
    assert replications == {"quick": {3, 4}, "full": {10}}
    assert "a few conditions and three or four replications" in text
    assert "all conditions and ten" in text


@pytest.mark.full("two algorithms in all rows of a section; rules that are broken on purpose are found in a row each")
def test_bbr1_fails_what_rfc_9743_says_of_it_and_bbr3_does_not(narrows: Narrows, tmp_path: Path) -> None:
    home = _part_of_rfc9743(tmp_path, lambda row: row["section"] == "5.1.3")
    for algorithm, expected in (("bbr1", {"worse"}), ("bbr3", {"within", "better"})):
        done = narrows("suite", home, algorithm, "--out", algorithm, "--quiet")
        assert done.returncode == 0, done.stderr
        # The RFC says it of several flows; of two in a buffer of one BDP, four replications do not decide it.
        several = [row for row in _rows(tmp_path / algorithm) if row["condition"]["senders"] == "6"]
        assert several
        assert {row["verdict"] for row in several} <= expected


@pytest.mark.parametrize(
    ("algorithm", "cells", "verdict", "measure", "status"),
    [
        # It starves the flow beside it, where the standards do not starve each other.
        ("Never", "competition", "broken", "group.other.goodput_least(bin=30s)", 1),
        # It sends on without feedback.
        ("Fixed", "no-feedback", "broken", "link.bottleneck.utilization_between(from=25s,until=50s)", 1),
        # It takes no notice of marks, so that the queue grows: no liveness bound.
        ("Unmarked", "ecn", "worse", "link.bottleneck.queue_delay_mean_s", 0),
        # It counts acknowledgements, so that a receiver that divides them makes it faster.
        ("PerAck", "misbehaving", "worse", "group.test.goodput_bps", 0),
        # Its window does not grow after the first loss.
        ("Frozen", "rate-change", "worse", "group.test.goodput_between(from=30s,until=60s)", 0),
    ],
)
def test_the_row_of_the_rule_that_an_algorithm_breaks_says_so(  # noqa: PLR0913, PLR0917
    narrows: Narrows, tmp_path: Path, algorithm: str, cells: str, verdict: str, measure: str, status: int
) -> None:
    (tmp_path / "rules.py").write_text(RULES, encoding="utf-8")
    home = _part_of_rfc9743(tmp_path, lambda row: row.get("cells") == cells)
    subject = f"rules.py:{algorithm}"
    done = narrows("suite", home, subject, "--replications", "3", "--out", "out", "--quiet")
    assert done.returncode == status, done.stderr
    rows = _rows(tmp_path / "out")
    assert {row["measure"] for row in rows if row["verdict"] == verdict} >= {measure}
    assert all(row["verdict"] != "broken" or row["measure"] == measure for row in rows)


def _part_of_rfc9743(folder: Path, wanted: Callable[[dict[str, Any]], bool]) -> Path:
    """Return a suite of some rows of rfc9743 with their cells."""
    home, origin = folder / "part", Path(find_suite("rfc9743")).parent
    shutil.copytree(origin, home)
    head, *rows = (origin / "suite.toml").read_text(encoding="utf-8").split("[[rows]]")
    (home / "suite.toml").write_text(
        "[[rows]]".join([head, *(row for row in rows if wanted(tomllib.loads(row)))]), encoding="utf-8"
    )
    return home
