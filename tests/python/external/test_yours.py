# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. An algorithm written in Python is named as any other, and errors in it are reported as such."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

import narrows as nw
from command_line import SHORT, command, environment, write
from narrows._internal.external import scaffold
from narrows._internal.typed import Typed

if TYPE_CHECKING:
    from command_line import Narrows

SUBJECT = SHORT.replace('algorithm = "newreno"', 'name = "tested"\nalgorithm = "subject"')

# The rule of RFC 5681 §3.1 in the frame that all window algorithms here share.
RENO = """\
class Reno:
    def __init__(self, setup, a=1.0, b=0.5):
        self.a, self.b = a, b
        self.window, self.ssthresh = setup.initial_window, setup.initial_ssthresh
        self.before = None

    def on_ack(self, ack):
        if not ack.may_grow:
            return
        acked = ack.newly_acked
        if self.window < self.ssthresh:
            room = self.ssthresh - self.window
            self.window += min(acked, room)
            acked = max(acked - room, 0)
        self.window += self.a * acked / self.window

    def on_loss(self, loss):
        if loss.new_episode:
            self.before = self.window, self.ssthresh
            self.ssthresh = self.window = max(self.window * self.b, 2.0)
        if loss.cause == "timeout":
            self.window = 1.0

    def on_spurious_loss(self, moment):
        if self.before:
            self.window, self.ssthresh = max(self.window, self.before[0]), self.before[1]
            self.before = None
"""

PLAIN = """\
class Mine:
    def __init__(self, setup):
        self.window = setup.initial_window

    def on_ack(self, ack):
        {on_ack}

    def on_loss(self, loss):
        self.window = max(self.window / 2, 1)
"""


def place(folder: Path, text: str, name: str = "mine.py") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def flows(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(folder / "flows.parquet").drop_columns(["algorithm"]).to_pylist()
    return rows


def test_the_same_rule_in_python_gives_the_same_numbers(narrows: Narrows, tmp_path: Path) -> None:
    place(tmp_path, RENO)
    names = ["newreno", "./mine.py:Reno", "./mine.py:Reno(a=2,b=0.8)"]
    # A class starts by its own rule; that of newreno is the transport's `slow_start`.
    scenario = write(tmp_path, SUBJECT + '[transport]\nslow_start = "standard"\n')
    done = narrows("compare", *names, "--scenario", scenario, "--replications", "2", "--out", "out")
    assert done.returncode == 0, done.stderr
    called = list(json.loads((tmp_path / "out/summary.json").read_text())["algorithms"])
    assert called == ["newreno", "Reno", "Reno(a=2,b=0.8)"]
    assert flows(tmp_path / "out/Reno") == flows(tmp_path / "out/newreno")
    assert flows(tmp_path / "out/Reno(a=2,b=0.8)") != flows(tmp_path / "out/newreno")


def test_a_study_runs_it_in_every_cell_and_fails_only_those_in_which_it_errs(narrows: Narrows, tmp_path: Path) -> None:
    place(tmp_path, RENO)
    place(tmp_path, PLAIN.format(on_ack="self.window = 4 if ack.min_rtt_s < 0.06 else 1 / 0"), "errs.py")
    write(tmp_path, SUBJECT)
    names = '["newreno", "./mine.py:Reno", "./errs.py:Mine"]'
    levels = '[factors]\n"path.rtt" = ["40ms", "80ms"]\n'
    text = f'scenario = "scenario.toml"\nalgorithms = {names}\nreplications = 2\n{levels}'
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    done = narrows("study", "run", "study.toml", "--out", "out", "--set", "path.queue.limit=4pkt")
    assert done.returncode == 4
    assert "division by zero" in done.stderr
    assert "10 of 12 cells are finished, 2 failed" in done.stdout
    rows = pq.read_table(tmp_path / "out/cells.parquet").to_pylist()
    of = {
        name: [(row["path.rtt"], row["goodput_bps"], row["packet_hops"]) for row in rows if row["algorithm"] == name]
        for name in ("newreno", "Reno", "Mine")
    }
    assert sorted(of["newreno"]) == sorted(of["Reno"])
    assert [rtt for rtt, _, _ in of["Mine"]] == ["40ms"] * 2


def test_the_digest_is_the_same_for_any_number_of_jobs_and_wherever_the_file_lies(
    narrows: Narrows, tmp_path: Path
) -> None:
    (tmp_path / "deep").mkdir()
    place(tmp_path, RENO)
    elsewhere = place(tmp_path / "deep", RENO)
    file = write(tmp_path, SUBJECT)
    digests: set[str] = set()
    for name, jobs in (("./mine.py:Reno", "1"), ("./mine.py:Reno", "2"), (f"{elsewhere}:Reno", "3")):
        done = narrows("compare", name, "--scenario", file, "--jobs", jobs, "--json", "--out", f"out{jobs}")
        digests.add(json.loads(done.stdout)["digest"])
    assert len(digests) == 1


def test_a_path_is_relative_to_the_file_and_in_an_argument_to_the_working_directory(
    narrows: Narrows, tmp_path: Path
) -> None:
    folder = tmp_path / "below"
    folder.mkdir()
    place(folder, RENO)
    file = write(folder, SHORT.replace('"aiad"', '"./mine.py:Reno"'))
    assert narrows("check", file).returncode == 0
    assert narrows("check", file, "--set", "flows.0.algorithm=./mine.py:Reno").returncode == 2
    assert narrows("check", file, "--set", "flows.0.algorithm=below/mine.py:Reno(a=2)").returncode == 0
    table = SHORT.replace('"aiad"', '{ name = "mine.py:Reno", b = 0.8 }')
    done = narrows("run", write(folder, table), "--out", "out")
    assert done.returncode == 0, done.stderr
    # As resolved it runs again, from anywhere, to the same bits.
    again = narrows("run", tmp_path / "out/scenario.toml", "--out", "again", "--trust")
    assert again.returncode == 0, again.stderr
    digests = {json.loads((tmp_path / each / "summary.json").read_text())["digest"] for each in ("out", "again")}
    assert len(digests) == 1


def test_the_content_of_the_file_is_part_of_the_scenario(tmp_path: Path) -> None:
    scenario = nw.Scenario(SUBJECT)
    file = place(tmp_path, RENO)
    subject = Typed(f"{file}:Reno")
    one = scenario.resolve(subject)
    assert [path for path, _, _ in one.files] == [str(file)]
    place(tmp_path, RENO.replace("2.0", "3.0"))
    assert scenario.resolve(subject).digest != one.digest


def test_a_group_is_named_after_its_class(tmp_path: Path) -> None:
    file = place(tmp_path, RENO)
    run = nw.Scenario(SHORT.replace('"newreno"', f'"{file}:Reno"'), directory=tmp_path).run()
    assert list(run.summary["groups"]) == ["Reno", "other"]
    assert set(run.flows.column("algorithm").to_pylist()) == {"mine.py:Reno", "aiad"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("class Mine\n", ["SyntaxError", 'mine.py", line 1']),
        (f"import no_such_module\n{PLAIN.format(on_ack='pass')}", ["no_such_module", "line 1, in <module>"]),
        ("def Mine(setup): ...\n", ["is a function, not a class"]),
        ("class Mime: ...\n", ["unknown class Mine", "did you mean `Mime`"]),
        (PLAIN.replace("on_ack(self", "on_akk(self").format(on_ack="pass"), ["on_akk", "did you mean `on_ack`"]),
        (PLAIN.replace("on_ack(self, ack", "on_ack(self").format(on_ack="pass"), ["on_ack cannot be called"]),
        (PLAIN.split("    def on_loss", maxsplit=1)[0].format(on_ack="pass"), ["has no method `on_loss`"]),
        (PLAIN.replace("initial_window", "nonsense").format(on_ack="pass"), ["AttributeError", "in __init__"]),
        (PLAIN.replace("setup.initial_window", "None").format(on_ack="pass"), ["neither window nor pacing_rate"]),
        (PLAIN.replace("setup.initial_window", "'ten'").format(on_ack="pass"), ["window is 'ten'"]),
    ],
)
def test_an_error_in_the_file_is_bad_input(
    narrows: Narrows, tmp_path: Path, scenario: Path, text: str, words: list[str]
) -> None:
    place(tmp_path, text)
    done = narrows("compare", "newreno", "./mine.py:Mine", "--scenario", scenario)
    assert (done.returncode, done.stdout) == (2, "")
    for word in words:
        assert word in done.stderr
    assert "narrows/external/" not in done.stderr
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    "name", ["./mine.py", "./mine.py:", "./none.py:Mine", "./mine.py:Mine(gain=2)", "./mine.py:Mine(1)"]
)
def test_what_names_no_algorithm_is_bad_input(narrows: Narrows, tmp_path: Path, scenario: Path, name: str) -> None:
    place(tmp_path, PLAIN.format(on_ack="pass"))
    done = narrows("compare", name, "--scenario", scenario)
    assert (done.returncode, done.stdout) == (2, "")
    assert "mine.py" in done.stderr or "none.py" in done.stderr


@pytest.mark.parametrize(
    ("on_ack", "words"),
    [
        ("1 / (ack.now_s < 3)", ["ZeroDivisionError", 'mine.py", line 6, in on_ack']),
        ("self.window = float('nan')", ["after on_ack, window is NaN"]),
        ("self.window = -1", ["after on_ack, window is -1"]),
        ("self.window = None", ["neither window nor pacing_rate"]),
        ("self.window = 'wide'", ["window is 'wide'"]),
        ("self.pacing_rate = 0", ["pacing_rate is 0"]),
        ("self.timer_s = ack.now_s", ["timer_s is"]),
        ("import os; os._exit(7)", ["exit status 7"]),
    ],
)
def test_an_error_in_a_run_says_when_and_where_and_writes_nothing(
    narrows: Narrows, tmp_path: Path, on_ack: str, words: list[str]
) -> None:
    place(tmp_path, PLAIN.format(on_ack=on_ack))
    done = narrows("run", write(tmp_path, SHORT.replace('"aiad"', '"./mine.py:Mine"')), "--out", "out")
    assert (done.returncode, done.stdout) == (2, "")
    for word in words:
        assert word in done.stderr
    if "_exit" not in on_ack:
        assert "s of simulated time, in flow 2 of group other" in done.stderr
    assert {entry.name for entry in tmp_path.iterdir()} == {"scenario.toml", "mine.py"}


def test_the_time_of_an_error_is_that_of_its_fact(tmp_path: Path) -> None:
    file = place(tmp_path, PLAIN.format(on_ack="assert ack.now_s < 3, f'now is {ack.now_s}'"))
    with pytest.raises(nw.AlgorithmError) as caught:
        nw.Scenario(SHORT.replace('"aiad"', f'"{file}:Mine"'), directory=tmp_path).run()
    text = str(caught.value)
    now = text.rsplit("now is ", maxsplit=1)[1].strip()
    assert f"failed at {now} s" in text


def test_an_endless_loop_can_be_interrupted(tmp_path: Path, scenario: Path) -> None:
    place(tmp_path, PLAIN.format(on_ack="while True: pass"))
    process = subprocess.Popen(
        command(["compare", "newreno", "./mine.py:Mine", "--scenario", scenario, "--jobs", "2", "--out", "out"]),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stderr is not None
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate()
    assert process.returncode == 3, messages
    manifest = json.loads((tmp_path / "out/manifest.json").read_text(encoding="utf-8"))
    assert list(manifest["finished"]) == ["newreno"]


def test_what_an_algorithm_prints_does_not_reach_the_results(narrows: Narrows, tmp_path: Path) -> None:
    place(tmp_path, PLAIN.format(on_ack="print('called')"))
    done = narrows("run", write(tmp_path, SHORT.replace('"aiad"', '"./mine.py:Mine"')), "--json", "--out", "out")
    assert done.returncode == 0
    assert set(json.loads(done.stdout)["groups"]) == {"newreno", "other"}
    assert "called" in done.stderr


def test_runs_do_not_see_what_others_left_in_a_class(tmp_path: Path) -> None:
    counting = PLAIN.format(on_ack="Mine.acks = getattr(Mine, 'acks', 0) + 1; self.window = 5 + Mine.acks % 7")
    file = place(tmp_path, counting)
    scenario = nw.Scenario(SHORT.replace('"aiad"', f'"{file}:Mine"'), directory=tmp_path)
    assert (
        scenario.run(replications=2, jobs=1).summary["digest"] == scenario.run(replications=2, jobs=2).summary["digest"]
    )


def test_a_rate_and_a_timer_alone_make_an_algorithm(tmp_path: Path) -> None:
    file = place(
        tmp_path,
        """\
class Clock:
    def __init__(self, setup):
        self.pacing_rate, self.timer_s = 1e6, 2.0
    def on_ack(self, ack): ...
    def on_loss(self, loss): ...
    def on_timer(self, moment):
        assert moment.now_s == 2.0, moment.now_s
        self.pacing_rate = 2e6
""",
    )
    text = SHORT.replace('"newreno"', f'"{file}:Clock"').replace("count = 2", "count = 1").replace('"0s..1s"', '"0s"')
    run = nw.Scenario(text.split("[[flows]]\nname")[0].replace("1s", "2s"), directory=tmp_path).run()
    assert run.summary["groups"]["Clock"]["goodput_bps"]["mean"] == pytest.approx(2e6, rel=0.02)


def test_a_new_algorithm_passes_its_own_test_and_runs(narrows: Narrows, tmp_path: Path) -> None:
    made = narrows("new", "algorithm", "my_rule")
    assert (made.returncode, made.stdout.split()) == (0, ["my_rule.py", "test_my_rule.py"])
    tested = subprocess.run(
        [sys.executable, "test_my_rule.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert tested.returncode == 0, tested.stderr
    assert tested.stdout.count("passed") == 4
    done = narrows("compare", "newreno", "./my_rule.py:MyRule", "--scenario", write(tmp_path, SUBJECT))
    assert done.returncode == 0, done.stderr


def test_a_new_algorithm_overwrites_nothing(narrows: Narrows, tmp_path: Path) -> None:
    place(tmp_path, "mine", "test_mine.py")
    done = narrows("new", "algorithm", "mine")
    assert (done.returncode, done.stdout) == (2, "")
    assert "test_mine.py" in done.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["test_mine.py"]


@pytest.mark.parametrize("name", ["", "Mine", "2fast", "my-rule", "../mine", "class", "x" * 31])
def test_a_name_that_cannot_be_is_refused(narrows: Narrows, tmp_path: Path, name: str) -> None:
    assert narrows("new", "algorithm", name).returncode == 2
    assert not list(tmp_path.iterdir())


def test_the_page_shows_what_is_written() -> None:
    page = (Path(__file__).parents[3] / "docs/your-algorithm.md").read_text(encoding="utf-8")
    assert f"```python\n{scaffold.filled('algorithm.py.template', 'mine')}```" in page


def test_its_card_is_its_docstring(narrows: Narrows) -> None:
    assert narrows("new", "algorithm", "mine").returncode == 0
    shown = narrows("show", "./mine.py:Mine")
    assert shown.returncode == 0
    for expected in ("./mine.py:Mine (python)", "  w += a * acked / w", "  a = 1.0", "  none yet."):
        assert expected in shown.stdout
    card = json.loads(narrows("show", "mine.py:Mine", "--json").stdout)
    assert [(each["name"], each["default"]) for each in card["parameters"]] == [("a", 1.0), ("b", 0.5)]
    wrong = narrows("show", "./mine.py:Mime")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "did you mean `Mine`?" in wrong.stderr


def test_a_docstring_declares_variables_with_units_and_meanings(narrows: Narrows, tmp_path: Path) -> None:
    source = scaffold.filled("algorithm.py.template", "mine")
    documented = "    Variables: queue_s (s): time in the queue; gain: of the controller; bare.\n    Deviations"
    (tmp_path / "mine.py").write_text(source.replace("    Deviations", documented), encoding="utf-8")
    assert "  queue_s (s): time in the queue" in narrows("show", "./mine.py:Mine").stdout
    card = json.loads(narrows("show", "mine.py:Mine", "--json").stdout)
    assert [tuple(each.values()) for each in card["variables"]] == [
        ("queue_s", "s", "time in the queue"),
        ("gain", "", "of the controller"),
        ("bare", "", ""),
    ]


SCRIPT = """\
import narrows as nw

{algorithm}

{guard}
    result = nw.load("scenario.toml").compare(["newreno", Reno], replications=1)
    print(list(result.summary["algorithms"]))
"""


def test_a_script_compares_the_class_that_it_defines(tmp_path: Path) -> None:
    write(tmp_path, SUBJECT)

    def run(guard: str) -> subprocess.CompletedProcess[str]:
        script = place(tmp_path, SCRIPT.format(algorithm=RENO, guard=guard), "script.py")
        return subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)

    done = run('if __name__ == "__main__":')
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['newreno', 'Reno']\n"
    # Without the guard the file would start runs whenever a run reads it, and those would start more.
    assert 'put them below `if __name__ == "__main__":`' in run("if True:").stderr


def test_a_class_that_no_run_could_find_is_refused(tmp_path: Path) -> None:
    class Hidden:
        """It is inside of a function."""

    with pytest.raises(nw.InputError, match="must be at the top of a file"):
        nw.load(write(tmp_path, SUBJECT)).compare(["newreno", Hidden])


def test_a_name_without_its_unit_is_answered_with_the_name(narrows: Narrows, tmp_path: Path) -> None:
    write(tmp_path, SHORT)
    assert narrows("new", "algorithm", "mine").returncode == 0
    source = (tmp_path / "mine.py").read_text("utf-8")
    (tmp_path / "mine.py").write_text(source.replace("if ack.may_grow:", "if ack.rtt and ack.may_grow:"), "utf-8")
    done = narrows("run", "scenario.toml", "--set", "flows.0.algorithm=./mine.py:Mine", "--out", "out")
    assert done.returncode == 2
    assert "no attribute 'rtt'. Did you mean: 'rtt_s'?" in done.stderr


COUNTS = """\
class Counts:
    def __init__(self, setup):
        self.window = setup.initial_window
        self.sent, self.acked, self.lost = {}, 0, 0

    def on_sent(self, sent):
        self.sent[sent.number] = sent.now_s

    def on_ack(self, ack):
        assert len(ack.packets) == ack.newly_acked, ack
        for packet in ack.packets:
            assert 0 <= packet.now_s <= ack.now_s and packet.number in self.sent, packet.number
            # Since its last transmission, unless that is found to have been in vain.
            assert packet.now_s <= self.sent[packet.number]
            self.acked += 1
        self.window += ack.newly_acked / self.window

    def on_loss(self, loss):
        assert len(loss.packets) == loss.lost, loss
        self.lost += sum(self.sent[packet.number] == packet.now_s for packet in loss.packets)
        if loss.new_episode:
            self.window = max(self.window / 2, 2)

    def observe(self):
        return {"acked": self.acked, "lost": self.lost}
"""


def test_acknowledgements_and_losses_name_their_packets(narrows: Narrows, tmp_path: Path) -> None:
    place(tmp_path, COUNTS)
    text = SUBJECT.replace('algorithm = "subject"', 'algorithm = "./mine.py:Counts"')
    scenario = write(tmp_path, text + "[record]\ninternals = true\n")
    done = narrows("run", scenario, "--set", "path.loss={kind='bernoulli',rate='1%'}", "--out", "out")
    assert done.returncode == 0, done.stderr
    rows = pq.read_table(tmp_path / "out/internals.parquet").to_pylist()
    last = {row["variable"]: row["value"] for row in rows if row["variable"] in {"acked", "lost"}}
    assert last["acked"] > 100
    assert last["lost"] > 0
    packet = nw.Sent(number=7, now_s=1.5)
    assert nw.Ack(packets=[packet]).packets[0].number == nw.Loss(packets=[packet]).packets[0].number == 7
    assert nw.Ack().packets == ()
