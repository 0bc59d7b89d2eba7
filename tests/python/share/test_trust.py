# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. A scenario may come from somebody else: what is executed is in its folder, or named by the user."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from claim_files import GOODPUT, SCENARIO, claim, claims_file, write_study

import narrows as nw
from command_line import SHORT, command, environment, write
from narrows._internal.files.json_objects import read_sealed, sealed

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows

# Whatever executes the file leaves a trace beside it.
TRACED = """\
import pathlib
pathlib.Path(__file__).with_name("executed").touch()

class Mine:
    def __init__(self, setup, a=1.0):
        self.window = 10.0

    def on_ack(self, ack): ...
    def on_loss(self, loss): ...
"""
SUITE = """\
title      = "Small"
source     = "a rule"
references = ["newreno"]

[[rows]]
section   = "1"
criterion = "It delivers"
level     = "MUST"
cells     = "path"
measure   = "group.tested.goodput_bps"
predicate = { kind = "liveness", at_least = 1.0 }
whose     = "ours"
"""
SUBJECT = SHORT.replace('algorithm = "newreno"', 'name = "tested"\nalgorithm = "subject"')


@pytest.fixture
def inner(tmp_path: Path) -> Path:
    """Return the folder of a scenario, with an algorithm in it and another one above it."""
    folder = tmp_path / "inner"
    (folder / "below").mkdir(parents=True)
    for each in (tmp_path, folder, folder / "below"):
        (each / "mine.py").write_text(TRACED, encoding="utf-8")
    (folder / "link.py").symlink_to(tmp_path / "mine.py")
    return folder


def scenario_with(folder: Path, algorithm: str) -> Path:
    return write(folder, SHORT.replace('"aiad"', f'"{algorithm}"'))


def executed(folder: Path) -> bool:
    return bool(list(folder.rglob("executed")))


def test_check_and_what_reads_results_execute_nothing(narrows: Narrows, tmp_path: Path, inner: Path) -> None:
    file = scenario_with(inner, "./mine.py:Mine")
    (inner / "study.toml").write_text(
        'scenario = "scenario.toml"\nalgorithms = ["newreno", "./mine.py:Mine"]\nreplications = 1\n', encoding="utf-8"
    )
    (tmp_path / "mine.py").unlink()
    assert narrows("check", file).returncode == 0
    assert narrows("study", "check", inner / "study.toml").returncode == 0
    assert narrows("show", f"{inner}/mine.py:Mine").returncode == 0
    nw.load(file).check()
    assert not executed(tmp_path)
    assert narrows("run", file, "--out", "run").returncode == 0
    assert narrows("study", "run", inner / "study.toml", "--out", "study").returncode == 0
    for trace in tmp_path.rglob("executed"):
        trace.unlink()
    for arguments in (
        ["report", "run"],
        ["export", "csv", "run"],
        ["export", "qlog", "run"],
        ["report", "study"],
        ["study", "status", "study"],
        ["study", "query", "study", "select count(*) from cells"],
        # Nothing is left to run.
        ["study", "resume", "study", "--trust"],
        ["list", "scenarios"],
    ):
        done = narrows(*arguments)
        assert done.returncode == 0, done.stderr
    assert not executed(tmp_path)


@pytest.mark.parametrize(
    "algorithm", ["../mine.py:Mine", "{above}/mine.py:Mine", "link.py:Mine", "below/../../mine.py:Mine"]
)
def test_a_file_outside_of_the_folder_is_executed_only_with_trust(
    narrows: Narrows, tmp_path: Path, inner: Path, algorithm: str
) -> None:
    algorithm = algorithm.format(above=tmp_path)
    file = scenario_with(inner, algorithm)
    for verb in ("check", "run"):
        done = narrows(verb, file)
        assert (done.returncode, done.stdout) == (2, "")
        for words in (
            f"{file}:16:13: flows.1.algorithm: the file is outside of the scenario's folder",
            f'given: "{algorithm}"',
            f"allowed: a file at or below {inner}",
            "--trust",
        ):
            assert words in done.stderr
    with pytest.raises(nw.ScenarioError, match="outside"):
        nw.load(file)
    assert not executed(tmp_path)
    assert narrows("check", file, "--trust").returncode == 0
    assert nw.load(file, trust=True).run().summary["groups"]
    assert executed(tmp_path)
    done = narrows("run", file, "--trust", "--out", "out")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("algorithm", ["mine.py:Mine", "./below/mine.py:Mine", "{inner}/mine.py:Mine(a=2)"])
def test_a_file_at_or_below_the_folder_is_executed(narrows: Narrows, inner: Path, algorithm: str) -> None:
    done = narrows("run", scenario_with(inner, algorithm.format(inner=inner)), "--out", "out")
    assert done.returncode == 0, done.stderr
    assert executed(inner)


@pytest.mark.parametrize("value", ["./mine.py:Mine", "./mine.py:Mine(a=2)", '{ name = "./mine.py:Mine", a = 2 }'])
def test_a_file_named_on_the_command_line_is_executed(
    narrows: Narrows, tmp_path: Path, inner: Path, value: str
) -> None:
    file = scenario_with(inner, "newreno")
    done = narrows("run", file, "--set", f"flows.1.algorithm={value}", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "executed").exists()
    # What is named does not allow anything else.
    file = scenario_with(inner, f"{tmp_path}/other.py:Mine")
    (tmp_path / "other.py").write_text(TRACED, encoding="utf-8")
    assert narrows("compare", "./mine.py:Mine", "--scenario", file).returncode == 2


def test_an_algorithm_that_a_comparison_a_matrix_or_a_program_names_is_executed(
    narrows: Narrows, tmp_path: Path, inner: Path
) -> None:
    file = write(inner, SUBJECT)
    short = ["--rates", "10Mbps", "--rtts", "20ms", "--buffers", "1bdp", "--replications", "2", "--set", "duration=5s"]
    for arguments in (
        ["compare", "./mine.py:Mine", "--scenario", file, "--replications", "1"],
        ["matrix", "./mine.py:Mine", *short, "--set", "warmup=1s", "--out", "matrix"],
    ):
        (tmp_path / "executed").unlink(missing_ok=True)
        done = narrows(*arguments)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "executed").exists()
    comparison = nw.load(file).compare([f"{tmp_path}/mine.py:Mine"], replications=1)
    assert comparison.summary["algorithms"]


def test_a_study_executes_files_in_its_folder_and_resumes_with_those_in_its_own(
    narrows: Narrows, tmp_path: Path, inner: Path
) -> None:
    write(inner, SUBJECT)
    study = inner / "study.toml"
    text = 'scenario = "scenario.toml"\nreplications = 1\nalgorithms = ["newreno", "{}"]\n'
    study.write_text(text.format("../mine.py:Mine"), encoding="utf-8")
    done = narrows("study", "run", study, "--out", "refused")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{study}:3:26" in done.stderr
    assert "--trust" in done.stderr
    assert not executed(tmp_path)
    assert narrows("study", "check", study, "--trust").returncode == 0
    assert narrows("study", "run", study, "--out", "trusted", "--trust").returncode == 0
    study.write_text(text.format("./mine.py:Mine"), encoding="utf-8")
    assert narrows("study", "run", study, "--out", "out").returncode == 0
    # A folder of a study may come from somebody else, too: what it keeps is not executed, either.
    (tmp_path / "out/cells.parquet").unlink()
    assert narrows("study", "resume", "out", "--trust").returncode == 0
    for path in tmp_path.rglob("executed"):
        path.unlink()
    (tmp_path / "out/cells.parquet").unlink()
    refused = narrows("study", "resume", "out")
    assert refused.returncode == 2
    assert "mine.py:Mine (class in a Python file)" in refused.stderr
    # Nor is any file that it names elsewhere.
    plan = read_sealed(tmp_path / "out/plan.json")
    (kept,) = plan["external"]
    text = json.dumps(plan).replace(kept, str(inner / "mine.py"))
    (tmp_path / "out/plan.json").write_text(json.dumps(sealed(json.loads(text))), encoding="utf-8")
    for arguments in (["study", "resume", "out"], ["study", "replay", "out", ""]):
        refused = narrows(*arguments)
        assert refused.returncode == 2
        assert "add --trust" in refused.stderr
    assert not executed(tmp_path)


@pytest.mark.parametrize("arguments", [["run"], ["run", "--replications", "2"], ["compare", "cubic", "--scenario"]])
def test_a_file_that_ends_its_process_is_an_error(narrows: Narrows, inner: Path, arguments: list[str]) -> None:
    (inner / "mine.py").write_text(f"import os\nos._exit(0)\n{TRACED}", encoding="utf-8")
    file = write(inner, SUBJECT.replace('"aiad"', '"./mine.py:Mine"'))
    done = narrows(*arguments, file, *(["--set", "flows.0.algorithm=cubic"] if arguments[0] == "run" else []))
    assert (done.returncode, done.stdout) == (2, "")
    assert "exit status 0" in done.stderr


def test_a_thread_that_a_file_starts_does_not_keep_the_command(narrows: Narrows, inner: Path) -> None:
    start = "import threading, time\nthreading.Thread(target=time.sleep, args=(1e6,)).start()\n"
    (inner / "mine.py").write_text(f"{start}{TRACED}", encoding="utf-8")
    assert narrows("run", scenario_with(inner, "./mine.py:Mine"), "--out", "out").returncode == 0


def test_what_is_no_file_is_not_read(narrows: Narrows, inner: Path) -> None:
    os.mkfifo(inner / "pipe.py")
    done = narrows("check", scenario_with(inner, "./pipe.py:Mine"))
    assert done.returncode == 2
    assert "is not a file" in done.stderr
    done = narrows("check", scenario_with(inner, "/dev/zero:Mine"), "--trust")
    assert done.returncode == 2
    assert "is not a file" in done.stderr
    (inner / "mine.py").write_bytes(b"#" * 10_000_001)
    assert "10000001 bytes" in narrows("check", scenario_with(inner, "./mine.py:Mine")).stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("class Base:\n    def on_ack(self, ack): ...\nclass Mine(Base): ...\n", "no method `on_loss`"),
        (TRACED.replace("on_ack(self, ack)", "on_ack(self)"), "on_ack cannot be called with one fact"),
        (TRACED.replace("on_loss", "on_los"), "did you mean `on_loss`?"),
        (f"{TRACED}    ecn = 'yes'\n", "Mine.ecn is 'yes'"),
        (TRACED.replace("a=1.0", "a=1.0, b"), "SyntaxError"),
        (TRACED.replace("setup, a=1.0", "setup, gain, a=1.0"), "needs a value for its parameter `gain`"),
        (TRACED.replace("a=1.0", "beta=1.0"), "has no parameter `a`"),
        (TRACED.replace("a=1.0", "a='slow'"), "Mine's parameter `a` is a text, 'slow' by default; given is 2"),
        (TRACED.replace("a=1.0", "a=True"), "`a` is true or false, True by default; given is 2"),
        ("Mine = 3\0", "null"),
    ],
)
def test_the_source_is_checked_without_being_executed(narrows: Narrows, inner: Path, text: str, words: str) -> None:
    (inner / "mine.py").write_text(text, encoding="utf-8")
    done = narrows("check", scenario_with(inner, "./mine.py:Mine(a=2)"))
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert not executed(inner)


@pytest.mark.parametrize(
    "text",
    [
        "from elsewhere import Base\nclass Mine(Base): ...\n",
        "from elsewhere import *\n",
        "from elsewhere import Theirs as Mine\n",
        "Mine = type('Mine', (), {})\n",
        "if 1:\n    class Mine:\n        def on_ack(self, *facts): ...\n        on_loss = on_ack\n",
        "import dataclasses\n@dataclasses.dataclass\nclass Mine:\n    setup: object\n    a: float\n",
    ],
)
def test_what_the_source_does_not_decide_is_not_refused(narrows: Narrows, inner: Path, text: str) -> None:
    (inner / "mine.py").write_text(text, encoding="utf-8")
    done = narrows("check", scenario_with(inner, "./mine.py:Mine(a=2)"))
    assert done.returncode == 0, done.stderr


def test_an_interrupt_while_a_file_is_executed_ends_the_command(tmp_path: Path, inner: Path) -> None:
    (inner / "mine.py").write_text(f"{TRACED}\nwhile True: pass\n", encoding="utf-8")
    file = scenario_with(inner, "./mine.py:Mine")
    process = subprocess.Popen(
        command(["run", file, "--replications", "2"]),
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    while not executed(inner):
        assert process.poll() is None
    process.send_signal(2)
    _, messages = process.communicate(timeout=20)
    assert process.returncode == 3
    assert "Traceback" not in messages


@pytest.mark.parametrize("given", ["high", "true"])
def test_a_parameter_is_of_the_kind_of_its_default(narrows: Narrows, inner: Path, given: str) -> None:
    (inner / "mine.py").write_text(TRACED, encoding="utf-8")
    done = narrows("check", scenario_with(inner, f"./mine.py:Mine(a={given})"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "Mine's parameter `a` is a number, 1.0 by default" in done.stderr
    assert "a number" in done.stderr.partition("allowed")[2]
    assert not executed(inner)


@pytest.mark.parametrize("verb", ["ab", "suite", "reproduce"])
def test_what_a_trial_a_suite_or_a_reproduction_names_elsewhere_is_executed_only_with_trust(
    narrows: Narrows, tmp_path: Path, inner: Path, verb: str
) -> None:
    rival = '\n[[flows]]\nname = "rival"\nalgorithm = "../mine.py:Mine"\nstart = "0s..0.1s"\n'
    shorter = SCENARIO.replace('"4s"', '"1s"').replace('warmup = "1s"', 'warmup = "0s"') + rival
    study = 'title = "A path"\nscenario = "base.toml"\nalgorithms = {}\nreplications = 2\n'
    if verb == "reproduce":
        direction = f"{{ is = {GOODPUT}, at_least = 1.0 }}"
        claims = claims_file(904, claim("delivers", "It delivers", direction))
        folder = write_study(inner / "study", study.format('["newreno"]') + "[sizes.quick]\n", claims, shorter)
        given: list[str | Path] = [folder]
    else:
        (inner / "base.toml").write_text(shorter, encoding="utf-8")
        (inner / "path.toml").write_text(study.format('"{subjects}"') + '[words]\nsubjects = ["cubic"]\n')
        (inner / "suite.toml").write_text(SUITE, encoding="utf-8")
        given = ["cubic", "newreno", "--scenario", inner / "base.toml"] if verb == "ab" else [inner, "cubic"]
    arguments = [verb, *given, "--out", "out", "--quiet"]
    refused = narrows(*arguments)
    assert refused.returncode == 2, refused.stderr
    assert "outside of the scenario's folder" in refused.stderr
    assert "--trust" in refused.stderr
    assert not executed(tmp_path)
    assert not (tmp_path / "out").exists()
    done = narrows(*arguments, "--trust")
    assert done.returncode in {0, 1}, done.stderr
    assert executed(tmp_path)
