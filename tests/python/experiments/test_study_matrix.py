# SPDX-License-Identifier: Apache-2.0
"""`narrows matrix`: every algorithm beside every other. Truth: product and statistics."""

from __future__ import annotations

import html
import json
import re
import shlex
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from study_files import ask, finish, state, study
from test_study_interrupt import wait_for_cells
from test_study_report import words

from command_line import command, environment, finished
from narrows._internal.statistics import estimate

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows

QUICK = ["--rates", "10Mbps", "--rtts", "20ms", "--set", "duration=8s", "--set", "warmup=2s", "--quiet"]


def fields(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the pairs over all conditions, by contender and incumbent."""
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return {(each["contender"], each["incumbent"]): each for each in summary["matrix"] if each["condition"] is None}


def test_a_matrix_is_a_study_with_a_report_of_its_own(narrows: Narrows, tmp_path: Path) -> None:
    asked = ["matrix", "cubic", "bbr1", *QUICK, "--buffers", "1bdp", "--queues", "droptail,fq-codel",
             "--replications", "3"]  # fmt: skip
    done = narrows(*asked, "--out", "out")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "out"
    assert done.stdout.index("beyond what its own kind takes") < done.stdout.index("Share of its fair rate")
    # Three pairs and two alone, under two conditions.
    assert state(tmp_path) == {"cells": 30, "finished": 30, "failed": 0, "running": None}
    summary = json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))
    assert len(summary["matrix"]) == 4 * 3
    by_hand = ask(
        tmp_path,
        "select avg(case when pair = 'bbr1 beside cubic' then \"group.incumbent.goodput_bps\" end) beside, "
        "avg(case when pair = 'cubic alone' then \"group.incumbent.goodput_bps\" end) alone "
        "from cells where queue = 'droptail'",
    )[0]
    (droptail,) = [
        each for each in summary["matrix"]
        if each["condition"] and each["condition"]["queue"] == "droptail"
        and (each["contender"], each["incumbent"]) == ("bbr1", "cubic")
    ]  # fmt: skip
    assert droptail["share"]["mean"] == pytest.approx(by_hand["beside"] / (10e6 * 1460 / 1500 / 2))
    assert droptail["harm"]["mean"] == pytest.approx(1 - by_hand["beside"] / by_hand["alone"], abs=0.01)
    # Between two flows of as many rights, a fair queue takes the harm away that BBR does without one.
    assert droptail["share"]["mean"] < 0.7
    text = words(tmp_path / "out/report.html")
    assert text.index("Beside bbr1, cubic loses") < text.index("Excess harm to goodput") < text.index(" fq-codel ")
    assert "Command, as typed narrows matrix cubic bbr1" in text
    assert "3 replications, seed 1." in text
    before = (tmp_path / "out/report.html").read_bytes()
    assert narrows("report", "out").returncode == 0
    assert (tmp_path / "out/report.html").read_bytes() == before


def test_an_algorithm_under_another_name_gets_its_fair_share(narrows: Narrows, tmp_path: Path) -> None:
    arguments = ["reno", "newreno", *QUICK, "--buffers", "1bdp", "--replications", "5", "--set", "duration=30s"]
    assert narrows("matrix", *arguments, "--out", "out").returncode == 0
    for (contender, incumbent), pair in fields(tmp_path / "out").items():
        low, high = pair["share"]["ci95"]
        # Beside itself both sides count, which together have what the link carries: almost all, in every replication.
        assert 0.95 < low <= high <= 1 if contender == incumbent else low < 1 < high
        if contender == incumbent:
            # It is what the excess is measured from.
            assert (pair["excess_harm"]["mean"], pair["excess_harm"]["ci95"]) == (0, None)
            continue
        low, high = pair["excess_harm"]["ci95"]
        assert low <= 0 <= high


MINE = """
class Mine:
    def __init__(self, setup):
        self.window = 10.0

    def on_ack(self, ack):
        self.window += 1 / self.window

    def on_loss(self, loss):
        self.window *= 0.8
"""


def test_the_command_of_a_pair_runs_what_the_matrix_ran(narrows: Narrows, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    arguments = ["cubic", "./mine.py:Mine", *QUICK, "--rates", "7Mbps", "--buffers", "2bdp", "--replications", "1"]
    done = narrows("matrix", *arguments, "--seed", "5", "--out", "out")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    (printed,) = re.findall("under the first condition, in the folder of this page: <code>(.*?)</code>", page)
    ran = finished([*shlex.split(html.unescape(printed))[1:], "--json", "--out", "again"], tmp_path / "out")
    assert ran.returncode == 0, ran.stderr
    of_matrix = ask(tmp_path, "select \"group.contender.goodput_bps\" g from cells where pair = 'Mine beside cubic'")
    assert json.loads(ran.stdout)["groups"]["contender"]["goodput_bps"]["mean"] == pytest.approx(of_matrix[0]["g"])


def test_the_same_words_go_on_with_what_they_left(narrows: Narrows, tmp_path: Path) -> None:
    arguments = ["matrix", "newreno", *QUICK, "--buffers", "1bdp", "--replications", "2", "--json"]
    first = narrows(*arguments)
    assert first.returncode == 0, first.stderr
    folder = tmp_path / first.stderr.splitlines()[-1]
    assert folder.parent == tmp_path / "runs"
    (folder / "summary.json").unlink()
    again = narrows(*arguments)
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert json.loads(again.stdout) == json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert study(tmp_path, "resume", folder)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["cubic", "foo"], "foo: unknown algorithm"),
        (["cubic", "cubic(c=0.4)"], "cubic(c=0.4): is the same as cubic"),
        (["cubic", "--rates", "10"], "--rates 10: a number without a unit"),
        (["cubic", "--rates", "1Mbps,1Mbps"], "--rates: 1Mbps is there twice"),
        (["cubic", "--rtts", "1ms,,2ms"], "--rtts: an element is empty"),
        (["cubic", "--buffers", "much"], "--buffers much: no number"),
        (["cubic", "--queues", "red(gentl=true)"], "did you mean `gentle`?"),
        (["cubic", "--queues", "red(gentle"], "a parenthesis is not closed"),
        (["cubic", "--set", "path.rte=1"], "did you mean `rate`?"),
        (["cubic", "--out", "."], "exists and is not empty"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(
    narrows: Narrows, tmp_path: Path, arguments: list[str], expected: str
) -> None:
    (tmp_path / "taken").touch()
    done = narrows("matrix", *arguments)
    assert done.returncode == 2
    assert expected in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_an_interrupted_matrix_is_resumed_as_a_study(tmp_path: Path) -> None:
    asked = ["matrix", "newreno", *QUICK, "--buffers", "1bdp", "--replications", "300", "--jobs", "1", "--out", "out"]
    process = subprocess.Popen(
        command(asked), cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment()
    )
    wait_for_cells(tmp_path, 3)
    process.send_signal(signal.SIGINT)
    assert finish(process)[0] == 3
    assert not (tmp_path / "out/summary.json").exists()
    assert study(tmp_path, "resume", "out", "--quiet")[0] == 0
    assert state(tmp_path)["finished"] == 600
    assert fields(tmp_path / "out")["newreno", "newreno"]["harm"]["mean"] == pytest.approx(0.5, abs=0.1)
    assert "Command, as typed narrows matrix newreno" in words(tmp_path / "out/report.html")


def test_replications_are_added_until_every_share_is_known(narrows: Narrows, tmp_path: Path) -> None:
    """By hand: the rule asks for the interval of each pair's share, mean over both buffers, and for nothing else."""
    asked = ["matrix", "cubic", "newreno", *QUICK, "--buffers", "1bdp,2bdp", "--within", "3%", "--maximum", "40"]
    done = narrows(*asked, "--out", "out")
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))
    count, payload = summary["replications"], 1460 / 1500
    assert 5 < count < 40
    assert f"After {count} replications the share of each pair is known to ± 3 %" in done.stdout
    # All conditions have as many, pairs and each alone, so that harm is paired in every replication.
    assert state(tmp_path)["finished"] == 2 * 5 * count == summary["cells"]
    rows = ask(
        tmp_path,
        'select replication r, avg("group.incumbent.goodput_fraction") i, avg("group.contender.goodput_fraction") c '
        "from cells where pair = 'newreno beside cubic' group by replication order by replication",
    )

    def width(side: str, replications: int) -> float:
        low, high = estimate([row[side] for row in rows[:replications]])["ci95"] or (0.0, 9.0)
        return (high - low) / payload

    assert all(width(side, count) <= 0.03 for side in "ic")
    assert any(width(side, count - 1) > 0.03 for side in "ic")
    text = words(tmp_path / "out/report.html")
    assert f"{count} replications, seed 1. After {count} replications" in text


def test_a_matrix_that_reaches_the_maximum_names_what_is_not_known(narrows: Narrows) -> None:
    asked = ["matrix", "cubic", "newreno", *QUICK, "--buffers", "1bdp", "--within", "0.1%", "--maximum", "3"]
    done = narrows(*asked, "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "After 3 replications, the most allowed, these are not known to ± 0.1 %" in done.stdout
    assert "newreno beside cubic" in done.stdout.rpartition("these are not known")[2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--within", "0"], "within: expected a percentage in (0, 100), as in 5%, got '0'"),
        (["--within", "narrow"], "within: expected a percentage in (0, 100), as in 5%, got 'narrow'"),
        (["--within", "5%", "--replications", "3"], "replications: fixes the number"),
        (["--maximum", "1"], "--maximum"),
    ],
)
def test_a_width_that_is_none_is_refused(narrows: Narrows, tmp_path: Path, arguments: list[str], said: str) -> None:
    done = narrows("matrix", "cubic", "newreno", *arguments, "--out", "out")
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "out").exists()
