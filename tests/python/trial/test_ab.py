# SPDX-License-Identifier: Apache-2.0
"""`narrows ab` from the command line: planted changes, its files, its errors."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from command_line import command, environment, finished
from narrows._internal.files.lease import Lease
from narrows._internal.linux import cache
from narrows._internal.report.trial.comment import remarks
from narrows._internal.trial import scenarios
from narrows._internal.trial.contest import contests
from narrows._internal.trial.scenarios import Sides
from optional import needs

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows

built = needs("kernel")
SCENARIO = """
duration = "20s"
warmup   = "2s"

[path]
rate  = { kind = "steps", rates = ["20Mbps", "5Mbps", "20Mbps"], times = ["0s", "8s", "14s"] }
rtt   = "40ms"
queue = { kind = "droptail", limit = "60pkt" }

[path.reverse]
rate = "20Mbps"

[[flows]]
name      = "test"
algorithm = "cubic"
subject   = true
start     = "0s..1s"
"""
PACED = '''
class Paced:
    """AIMD, paced at a gain times the window per round trip."""

    def __init__(self, setup, gain=1.25):
        self.gain = gain
        self.window = setup.initial_window
        self.rtt = None
        self.pacing_rate = None

    def on_ack(self, ack):
        if ack.may_grow:
            self.window += ack.newly_acked / self.window

    def on_loss(self, loss):
        if loss.new_episode:
            self.window = max(self.window / 2, 2.0)
'''

MODEL = '''
class Model:
    """Paces at a cycle of gains times the greatest delivery rate of ten rounds, within two bandwidth-delay products."""

    def __init__(self, setup, gain=1.0):
        self.gain = gain
        self.bits = 8 * setup.mss_bytes
        self.window = setup.initial_window
        self.pacing_rate = None
        self.samples = []
        self.full, self.counted, self.stuck = 0.0, 0, 0

    def on_ack(self, ack):
        if not ack.delivery_rate_bps:
            return
        self.samples = [each for each in self.samples if each[0] > ack.rounds - 10 and each[1] > ack.delivery_rate_bps]
        self.samples.append((ack.rounds, ack.delivery_rate_bps))
        bandwidth = max(rate for _, rate in self.samples)
        if ack.rounds > self.counted:
            self.counted = ack.rounds
            self.stuck = 0 if bandwidth > 1.25 * self.full else self.stuck + 1
            self.full = max(self.full, bandwidth)
        cycle = (1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)[ack.rounds % 8] if self.stuck >= 3 else 2.89
        self.pacing_rate = self.gain * cycle * bandwidth
        self.window = 4 + 2 * bandwidth * ack.min_rtt_s / self.bits

    def on_loss(self, loss):
        pass
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a scenario whose rate falls and rises."""
    place = tmp_path / "falls.toml"
    place.write_text(SCENARIO, encoding="utf-8")
    return place


def _summary(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return found


def test_equal_algorithms_are_no_worse(narrows: Narrows, file: Path, tmp_path: Path) -> None:
    done = narrows("ab", "cubic", "cubic(beta=0.7)", "--scenario", file, "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    summary = _summary(tmp_path / "out")
    assert {row["verdict"] for row in summary["rows"]} == {"no worse"}
    assert {row["replications"] for row in summary["rows"]} == {10}


def test_a_planted_regression_is_worse_and_all_files_say_so(narrows: Narrows, file: Path, tmp_path: Path) -> None:
    done = narrows("ab", "cubic", "cubic(beta=0.9)", "--scenario", file, "--margin", "2%", "--out", "out", "--quiet")
    assert done.returncode == 1, done.stderr
    summary = _summary(tmp_path / "out")
    worse = [row for row in summary["rows"] if row["verdict"] == "worse"]
    assert worse
    assert worse[0]["scenario"] == "falls"
    assert worse[0]["interval"][0] <= worse[0]["difference"] <= worse[0]["interval"][1]
    cases = ET.parse(tmp_path / "out/junit.xml").getroot()  # noqa: S314  # our own file
    assert len(cases.findall("testcase/failure")) == len(worse) == int(cases.attrib["failures"])
    assert "▼ worse" in (tmp_path / "out/comment.md").read_text(encoding="utf-8")
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    # The answer names what is worse first, and where.
    answer = page[page.index('id="answer"') : page.index('id="metrics"')]
    assert f"in {worse[0]['scenario']}: " in answer.partition("</li>")[0]
    assert '<span class="word worse">worse</span>' in answer.partition("</li>")[0]
    (tmp_path / "out/report.html").unlink()
    assert narrows("report", "out").stdout == "out/report.html\n"
    assert (tmp_path / "out/report.html").read_text(encoding="utf-8") == page
    # All changes are in a figure, and each metric that is worse has the command that runs what it rests on.
    assert 'data-name="changes"' in page
    collected = page[page.index('id="worse"') : page.index('id="metrics"')]
    assert collected.count("<tr>") == 1 + min(len(worse), 10)
    command = re.findall(r"<code>narrows (run [^<]*)</code>", collected)[0]
    again = finished([*shlex.split(command), "--out", "again", "--quiet"], tmp_path / "out")
    assert again.returncode == 0, again.stderr
    run = json.loads((tmp_path / "out/again/summary.json").read_text(encoding="utf-8"))
    owners = {**run["groups"], **run["links"]}
    assert owners[worse[0]["owner"]][worse[0]["metric"]]["mean"] == pytest.approx(worse[0]["b"], rel=1e-9)


def test_a_trial_that_was_killed_and_interrupted_ends_with_the_results_of_one_that_was_not(
    narrows: Narrows, file: Path, tmp_path: Path
) -> None:
    flags = ("ab", "cubic", "cubic(beta=0.72)", "--scenario", file, "--replications", "14", "--jobs", "1", "--quiet")
    whole = narrows(*flags, "--out", "whole")
    pairs = tmp_path / "out/pairs.jsonl"
    for lines, stop in ((2, signal.SIGKILL), (5, signal.SIGINT), (12, signal.SIGKILL)):
        process = subprocess.Popen(
            command([*flags, "--out", "out"]), cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True
        )
        while not pairs.exists() or len(pairs.read_bytes().splitlines()) < lines:
            assert process.poll() is None, "the trial ended before it could be stopped"
            time.sleep(0.02)
        process.send_signal(stop)
        process.communicate()
        assert len(pairs.read_bytes().splitlines()) >= lines
    torn = pairs.read_text(encoding="utf-8").splitlines()
    # One whole line was changed, and a process was killed in the middle of another one.
    torn[0] = torn[0].replace('"a": [', '"a": [1')
    pairs.write_text("\n".join([*torn, '{"scenario": 0, ']), encoding="utf-8")
    last = narrows(*flags, "--out", "out")
    assert "out: 1 line is damaged, and run again" in last.stderr
    assert last.returncode == whole.returncode
    first, second = (_summary(tmp_path / name) for name in ("whole", "out"))
    del first["command"], second["command"]
    assert first == second
    assert len(pairs.read_bytes().splitlines()) == 10 + 2 * (first["rows"][0]["replications"] - 10) // 2


def test_the_folder_of_a_trial_is_for_that_trial_alone(narrows: Narrows, file: Path, tmp_path: Path) -> None:
    flags = ("--scenario", file, "--replications", "2", "--out", "out", "--quiet")
    assert narrows("ab", "cubic", "cubic(beta=0.7)", *flags).returncode == 0
    other = narrows("ab", "cubic", "cubic(beta=0.8)", *flags)
    assert (other.returncode, "holds a trial of something else" in other.stderr) == (2, True)
    with Lease(tmp_path / "out"):
        second = narrows("ab", "cubic", "cubic(beta=0.7)", *flags)
    assert (second.returncode, "is being worked on by process" in second.stderr) == (2, True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/notes").write_text("", encoding="utf-8")
    third = narrows("ab", "cubic", "cubic(beta=0.7)", *flags[:-3], "--out", "other")
    assert (third.returncode, [each.name for each in (tmp_path / "other").iterdir()]) == (2, ["notes"])


def test_a_cut_of_0_72_instead_of_0_7_is_found_without_flags(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("ab", "cubic", "cubic(beta=0.72)", "--out", "out", "--quiet")
    assert done.returncode == 1, done.stderr
    summary = _summary(tmp_path / "out")
    assert summary["margin"] == "1%"
    worse = [row for row in summary["rows"] if row["verdict"] == "worse"]
    # A smaller reduction leaves more packets in the queue, and loses more of them.
    assert worse
    assert {row["metric"] for row in worse} <= {"loss_rate", "delay_mean_s", "delay_p95_s"}
    # In the terminal every space is a space.
    assert "\\u" not in done.stdout
    assert re.search(r"\d ms → \d", done.stdout)


def test_a_queue_that_is_longer_on_average_is_found_though_it_is_as_long_when_full(
    narrows: Narrows, tmp_path: Path
) -> None:
    file = tmp_path / "one.toml"
    file.write_text(
        'duration = "40s"\nwarmup = "10s"\n[path]\nrate = "10Mbps"\nrtt = "40ms"\n'
        'queue = { kind = "droptail", limit = "1bdp" }\n'
        '[[flows]]\nname = "test"\nalgorithm = "cubic"\nsubject = true\nstart = "0s..1s"\n',
        encoding="utf-8",
    )
    done = narrows(
        "ab", "cubic", "cubic(beta=0.9)", "--scenario", file, "--replications", "12", "--out", "out", "--quiet"
    )
    assert done.returncode == 1, done.stderr
    verdicts = {row["metric"]: row["verdict"] for row in _summary(tmp_path / "out")["rows"]}
    assert verdicts["delay_mean_s"] == "worse"
    assert verdicts["delay_p95_s"] == "no worse"


def test_a_change_within_the_margin_that_is_certain_is_named() -> None:
    def row(metric: str, verdict: str, better: str, ends: list[float]) -> dict[str, Any]:
        mean = sum(ends) / 2
        return {
            "scenario": "path", "owner": "test", "metric": metric, "unit": "s", "better": better, "verdict": verdict,
            "a": 1.0, "b": 1.0 + mean, "difference": mean, "interval": ends, "relative": mean, "margin": 0.02,
            "replications": 10,
        }  # fmt: skip

    worse = row("delay_p99_s", "worse", "lower", [0.03, 0.05])
    rows = [
        row("delay_mean_s", "no worse", "lower", [0.01, 0.014]),
        row("delay_p95_s", "undecided", "lower", [-0.01, 0.014]),
        row("goodput_bps", "no worse", "higher", [0.01, 0.014]),
        worse,
    ]
    (said,) = remarks({"rows": rows})
    assert "delay_mean_s of test in path, +1.2" in said
    assert "delay_p95_s" not in said
    assert "goodput" not in said
    assert "delay_p99_s" not in said
    assert not remarks({"rows": [worse]})


def test_a_pacing_gain_that_is_off_by_5_percent_is_found(narrows: Narrows, file: Path, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    done = narrows(
        "ab", "model.py:Model", "model.py:Model(gain=1.05)", "--scenario", file, "--replications", "12", "--out", "out",
        "--margin", "2%", "--quiet",
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    worse = {row["metric"] for row in _summary(tmp_path / "out")["rows"] if row["verdict"] == "worse"}
    # What it sends above the rate of the path fills the queue and is lost.
    assert "loss_rate" in worse


def test_the_cells_and_measures_of_a_suite_are_judged(narrows: Narrows, file: Path, tmp_path: Path) -> None:
    home = tmp_path / "mine"
    home.mkdir()
    (home / "scenario.toml").write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    (home / "path.toml").write_text(
        'title = "A path"\nscenario = "scenario.toml"\nalgorithms = "{subjects}"\n[words]\nsubjects = ["cubic"]\n'
        '[factors]\nrtt = { "path.rtt" = ["20ms", "40ms"] }\n',
        encoding="utf-8",
    )
    (home / "suite.toml").write_text(
        'title = "Mine"\nsource = "ours"\nreferences = ["cubic"]\n[[rows]]\nsection = "1"\ncriterion = "It delivers"\n'
        'cells = "path"\nmeasure = "group.test.goodput_bps"\nwhose = "ours"\n'
        'predicate = { kind = "bound", at_least = 1 }\n',
        encoding="utf-8",
    )
    done = narrows("ab", "cubic", "newreno", "--suite", home, "--out", "out", "--replications", "4", "--quiet")
    assert done.returncode in {0, 1}, done.stderr
    rows = _summary(tmp_path / "out")["rows"]
    assert [(row["scenario"], row["metric"]) for row in rows] == [
        ("path 20ms", "goodput_bps"),
        ("path 40ms", "goodput_bps"),
    ]


def test_two_versions_of_a_python_file_are_compared(narrows: Narrows, file: Path, tmp_path: Path) -> None:
    for folder, share in (("old", "2"), ("new", "1.02")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(PACED.replace("window / 2", f"window / {share}"), encoding="utf-8")
    done = narrows(
        "ab", "old/mine.py:Paced", "new/mine.py:Paced", "--scenario", file, "--replications", "12", "--out", "out",
        "--metric", "loss_rate", "--json", "--quiet",
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert (found["a"], found["b"]) == ("old/mine.py:Paced", "new/mine.py:Paced")
    assert [row["metric"] for row in found["rows"]] == ["loss_rate"]
    old, new = (tmp_path / "out" / each for each in found["scenarios"]["falls"])
    assert finished(["run", new, "--replications", "1", "--out", "again", "--quiet"], tmp_path).returncode == 0
    assert old.read_text() != new.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cubic", "cubik"], "cubic"),
        (["cubic", "newreno", "--margin", "2"], "as in 2%"),
        (["cubic", "newreno", "--margin=-2%"], "as in 2%"),
        (["cubic", "newreno", "--metric", "cwnd_mean_packets"], "neither more nor less"),
        (["cubic", "newreno", "--metric", "goodputs"], "did you mean"),
        (["cubic", "newreno", "--suite", "rfc974"], "did you mean 'rfc9743'"),
        (["cubic", "newreno", "--scenario", "none.toml"], "no such file"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(
    narrows: Narrows, tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = narrows("ab", *arguments, "--out", "out")
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("on", ["both", "linux,linux,linux", "simulator,", "windows"])
def test_a_backend_that_is_none_is_refused(narrows: Narrows, on: str) -> None:
    done = narrows("ab", "cubic", "newreno", "--on", on)
    assert done.returncode == 2
    assert "allowed: simulator, linux" in done.stderr


def test_one_algorithm_on_one_backend_is_no_trial(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("ab", "cubic", "--out", "out")
    assert done.returncode == 2
    assert "B: is missing, and --on simulator is one backend" in done.stderr
    assert "--on linux:6.12,linux:7.3" in done.stderr
    assert not (tmp_path / "out").exists()


@built
def test_a_trial_of_one_algorithm_has_two_backends(narrows: Narrows, tmp_path: Path) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(SCENARIO.replace('duration = "20s"', 'duration = "5s"'), encoding="utf-8")
    how = ("--on", "simulator,linux", "--scenario", file, "--replications", "2")
    done = narrows("ab", "cubic", *how, "--out", "out", "--json")
    assert done.returncode in {0, 1}, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["a"], summary["b"]) == ("cubic on simulator", "cubic on linux")
    assert [each["on"] for each in summary["backends"]] == ["simulator", "linux"]
    kernel = summary["backends"][1]
    assert f"{kernel['kernel']}, {kernel['timer_hz']} Hz" in (tmp_path / "out/report.html").read_text(encoding="utf-8")
    # The same as with the algorithm twice, and what either backend lacks is named with it.
    again = narrows("ab", "cubic", "cubic", *how, "--out", "again", "--json")
    assert json.loads(again.stdout)["rows"] == summary["rows"]
    for algorithm, said in (("bbr3", "has no bbr3"), ("dctcp", "needs ecn = true")):
        refused = narrows("ab", algorithm, *how, "--out", "none")
        assert refused.returncode == 2
        assert refused.stderr.startswith("--on linux: ")
        assert said in refused.stderr
    own = json.loads(narrows("linux", "status", "--json").stdout)["kernels"]
    [version] = [each["version"] for each in own if each["name"] == cache.DEFAULT]
    twice = narrows("ab", "cubic", "--on", f"linux,linux:{version}", "--out", "none")
    assert twice.returncode == 2
    assert "names one kernel twice, linux" in twice.stderr
    assert not (tmp_path / "none").exists()


@built
def test_two_backends_are_the_sides_of_a_trial(narrows: Narrows, tmp_path: Path) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(SCENARIO.replace('duration = "20s"', 'duration = "5s"'), encoding="utf-8")
    done = narrows(
        "ab", "linux:illinois", "linux:illinois", "--on", "linux", "--scenario", file, "--out", "same", "--json"
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["on"] == ["linux", "linux"]
    # The same kernel with the same seeds is the same run.
    assert {row["verdict"] for row in summary["rows"]} == {"no worse"}
    assert all(row["difference"] == 0 for row in summary["rows"])
    two = narrows("ab", "cubic", "cubic", "--on", "simulator,linux", "--scenario", file, "--replications", "4", "--out",
                  "two", "--json")  # fmt: skip
    assert two.returncode in {0, 1}, two.stderr
    found = json.loads(two.stdout)
    assert (found["a"], found["b"]) == ("cubic on simulator", "cubic on linux")
    assert any(row["difference"] != 0 for row in found["rows"])
    refused = narrows("ab", "cubic", "bbr3", "--on", "linux", "--scenario", file, "--out", "none")
    assert refused.returncode == 2
    assert "the kernel has no bbr3" in refused.stderr
    assert not (tmp_path / "none").exists()


def test_the_shares_of_transfers_are_no_matter_of_fairness() -> None:
    pairs = scenarios.of_files(scenarios.of_narrows(), Sides("cubic", "newreno"), None)
    judged = {each.pair.name: [wanted.metric.text for wanted in each.wanted] for each in contests(pairs, ())}
    assert "jain" not in judged["short-transfers"]
    assert "jain" in judged["one-flow"]
    assert "jain" in [wanted.metric.text for wanted in contests(pairs, ["jain"])[-1].wanted]
