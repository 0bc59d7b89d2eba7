# SPDX-License-Identifier: Apache-2.0
"""`narrows worst` from the command line: known weaknesses, the same atlas again, scenarios that run."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from command_line import command, environment
from narrows._internal.files.folder import appearing
from narrows._internal.files.json_objects import to_json
from narrows._internal.run import execution
from narrows._internal.run.jobs import Unwatched
from narrows._internal.run.options import Options
from narrows._internal.search.archive import Elite
from narrows._internal.search.finds import Find, Repeated
from narrows._internal.search.run import Search
from narrows._internal.search.space import Environment
from optional import needs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from command_line import Narrows
    from narrows._internal import core
    from narrows._internal.run.jobs import Job, Watch


built = needs("kernel")


def _atlas(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "atlas.json").read_text(encoding="utf-8"))
    return found


def _packets(environment: dict[str, Any]) -> float:
    """Return the bandwidth-delay product."""
    return float(environment["rate_bps"] * environment["rtt_s"] / 12000)


@pytest.mark.full("a search of 96 evaluations; the search of 64 for Vegas finds a known weakness, too")
def test_the_losses_of_bbr1_in_shallow_buffers_are_found(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("worst", "bbr1", "--budget", "96", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    losses = [each for each in _atlas(tmp_path / "out")["found"] if each["kind"] == "loss"]
    assert losses
    environment = losses[0]["environment"]
    assert environment["buffer_packets"] <= 1.5 * _packets(environment)
    assert environment["flows"] > 1
    ran = narrows("run", tmp_path / "out" / losses[0]["scenario"], "--out", "again", "--json", "--quiet")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["groups"]["test"]["loss_rate"]["mean"] > 0.05
    report = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert losses[0]["words"] in report
    # The page begins with the gravest find of each kind.
    answer = report[report.index('id="answer"') : report.index('id="found"')]
    assert max(losses, key=lambda each: each["score"])["words"] in answer


@pytest.mark.full("a search of 96 evaluations; the search of 64 for Vegas finds a known weakness, too")
def test_cubic_under_random_loss_on_a_path_of_many_packets_is_found(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("worst", "cubic", "--budget", "96", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    goodput = [each for each in _atlas(tmp_path / "out")["found"] if each["kind"] == "goodput"]
    found = [each["environment"] for each in goodput if each["environment"]["loss"] >= 0.003]
    # The window of sqrt(1.5 / p) that the losses allow (Mathis et al., CCR 27 (1997) 67) fills less than half the path.
    assert any((1.5 / each["loss"]) ** 0.5 < _packets(each) / 2 for each in found)


def test_vegas_beside_reno_is_found(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("worst", "vegas", "--against", "newreno", "--budget", "64", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    found = [each for each in _atlas(tmp_path / "out")["found"] if each["kind"] == "goodput"]
    beside_reno = [each for each in found if each["environment"]["rivals"] > 0 and each["score"] > 0.3]
    assert beside_reno
    # The whole interval, not the mean of five replications alone.
    assert any(each["interval"][0] > 0.2 for each in beside_reno)
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert narrows("report", "out").stdout == "out/report.html\n"
    assert (tmp_path / "out/report.html").read_text(encoding="utf-8") == page
    (tmp_path / "out/curves.json").unlink()
    assert "narrows worst ALG … --out out" in narrows("report", "out").stderr


SEARCH = ("worst", "bbr1", "--budget", "6", "--seed", "3", "--out", "out", "--quiet", "--jobs", "1")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a search that was not stopped."""
    folder = tmp_path_factory.mktemp("whole")
    process = _search(folder)
    _, messages = process.communicate()
    assert process.returncode == 0, messages
    return folder / "out"


def test_a_search_that_was_stopped_ends_with_the_files_of_one_that_was_not(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    # In the middle of the search, and of what simplifies its finds.
    for file, lines in (("search.json", 1), ("history.jsonl", 6)):
        stopped = _search(tmp_path)
        _wait_for(out / file, lines, stopped)
        stopped.send_signal(signal.SIGINT)
        _, messages = stopped.communicate()
        assert stopped.returncode == 3, messages
        assert "what was evaluated is kept" in messages
        assert not (out / "atlas.json").exists()
    # And killed in the middle of a line.
    with (out / "history.jsonl").open("a", encoding="utf-8") as history:
        history.write('{"environment": [3, ')
    last = _search(tmp_path)
    _, messages = last.communicate()
    assert last.returncode == 0, messages
    assert _data(out) == _data(whole)
    assert _atlas(out)["evaluations"] == 6


def test_a_search_goes_on_with_a_larger_budget(narrows: Narrows, tmp_path: Path) -> None:
    for folder, budgets in (("once", ["3"]), ("twice", ["1", "3"])):
        for budget in budgets:
            done = narrows("worst", "vegas", "--budget", budget, "--out", folder, "--quiet", "--jobs", "1")
            assert done.returncode == 0, done.stderr
    once, twice = (_atlas(tmp_path / name) for name in ("once", "twice"))
    del once["command"], twice["command"]
    assert once == twice


def test_every_find_runs_with_the_figures_that_were_printed(narrows: Narrows, whole: Path) -> None:
    found = _atlas(whole)["found"]
    assert {"stall", "harm"} < {find["kind"] for find in found}
    for find in found:
        file = whole / find["scenario"]
        text = file.read_text(encoding="utf-8")
        # The command as the file gives it.
        words = shlex.split(next(line for line in text.splitlines() if line.startswith("# narrows run")).split(": ")[0])
        ran = narrows(words[2], file, *words[4:], "--jobs", "1", "--json", "--quiet", "--out", f"run-{file.stem}")
        assert ran.returncode == 0, ran.stderr
        summary = json.loads(ran.stdout)
        assert summary["replications"] == find["replications"]
        assert summary["groups"][find["group"]][find["metric"]]["mean"] == find["measured"]
        assert f"{find['metric']} of group {find['group']} is {find['measured']}; with cubic" in text
    find = next(find for find in found if find["kind"] == "stall")
    flags = ("--scenario", whole / find["scenario"], "--metric", find["metric"], "--jobs", "1")
    ran = narrows("compare", "bbr1", "cubic", *flags, "--json", "--quiet", "--out", "both")
    assert ran.returncode == 0, ran.stderr
    algorithms = json.loads(ran.stdout)["algorithms"]
    values = [algorithms[name]["groups"][find["group"]][find["metric"]]["mean"] for name in ("bbr1", "cubic")]
    assert values == [find["measured"], find["reference_measured"]]


DAMAGE = {
    "no object": ("^.*$", "nonsense"),
    "another environment": (r'"environment": \[\d', '"environment": [2'),
    "a longer time": ('"time_s": [^,]*', '"time_s": 1e9'),
    "not a number": (r'"scores": {"(\w+)": [^,}]*', r'"scores": {"\1": NaN'),
    "text as a score": (r'"scores": {"(\w+)": [^,}]*', r'"scores": {"\1": "much"'),
    "no seal": (', "seal".*}', "}"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_line_of_the_history_is_evaluated_again(narrows: Narrows, tmp_path: Path, kind: str) -> None:
    flags = ("worst", "vegas", "--budget", "1", "--out", "out", "--quiet", "--jobs", "1")
    assert narrows(*flags).returncode == 0
    before, history = _data(tmp_path / "out"), tmp_path / "out/history.jsonl"
    lines = history.read_text(encoding="utf-8").splitlines()
    changed = re.sub(*DAMAGE[kind], lines[0])
    assert changed != lines[0]
    history.write_text("\n".join([changed, *lines[1:], ""]), encoding="utf-8")
    done = narrows(*flags)
    assert done.returncode == 0, done.stderr
    assert "out: 1 line is damaged, and evaluated again" in done.stderr
    after = _data(tmp_path / "out")
    assert sorted(before.pop("history.jsonl").splitlines()) == sorted(after.pop("history.jsonl").splitlines())
    assert after == before


def test_two_searches_do_not_work_in_one_folder(narrows: Narrows, tmp_path: Path) -> None:
    first = _search(tmp_path)
    _wait_for(tmp_path / "out/history.jsonl", 1, first)
    second = narrows(*SEARCH)
    assert second.returncode == 2
    assert f"is being worked on by process {first.pid}" in second.stderr
    first.kill()
    first.communicate()


def test_the_finds_are_there_until_new_ones_are(tmp_path: Path) -> None:
    """A command that is killed while it writes new finds leaves the old ones."""
    (tmp_path / "found").mkdir()
    (tmp_path / "found/01-harm.toml").write_text("old", encoding="utf-8")
    with suppress(KeyboardInterrupt), appearing(tmp_path / "found", instead=True) as new:
        (new / "01-harm.toml").write_text("new", encoding="utf-8")
        raise KeyboardInterrupt
    assert (tmp_path / "found/01-harm.toml").read_text(encoding="utf-8") == "old"
    with appearing(tmp_path / "found", instead=True) as new:
        (new / "02-loss.toml").write_text("new", encoding="utf-8")
    assert [each.name for each in (tmp_path / "found").iterdir()] == ["02-loss.toml"]
    assert [each.name for each in tmp_path.iterdir()] == ["found"]


def _search(folder: Path) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(command(SEARCH), cwd=folder, stdout=pipe, stderr=pipe, text=True, env=environment())


def _wait_for(file: Path, lines: int, process: subprocess.Popen[str]) -> None:
    while not file.exists() or len(file.read_bytes().splitlines()) < lines:
        assert process.poll() is None, "the search ended before it could be stopped"
        time.sleep(0.05)


def _data(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files of a search, without the times in its history."""
    files = {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    files["history.jsonl"] = re.sub(rb'"time_s": [^}]*', b"", files["history.jsonl"])
    return files


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cubik"], "the command line: algorithm: unknown algorithm"),
        (["cubic", "--against", "./none.py:Mine"], "the command line: algorithm: cannot be read"),
        (["cubic", "--against", "cubic"], "is the algorithm itself"),
        (["cubic", "--budget", "soon"], "as in 10min"),
        (["cubic", "--budget", "0"], "as in 10min"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(
    narrows: Narrows, tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = narrows("worst", *arguments, "--out", "out")
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert not (tmp_path / "out").exists()


@built
def test_every_find_is_repeated_on_the_kernel(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("worst", "bbr1", "--budget", "4", "--on", "linux", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    atlas = _atlas(tmp_path / "out")
    assert atlas["found"]
    for find in atlas["found"]:
        kernel = find["linux"]
        assert kernel["replications"] == find["replications"] == 5
        assert kernel["interval"][0] <= kernel["score"] <= kernel["interval"][1]
        assert kernel["confirmed"] == (kernel["interval"][0] > 0)
        assert "# --on linux: " in (tmp_path / "out" / find["scenario"]).read_text(encoding="utf-8")
    # Both are packets of BBR's first version, so what is lost in a shallow buffer is lost in either.
    assert any(find["kind"] == "loss" and find["linux"]["confirmed"] for find in atlas["found"])
    assert f"On Linux {atlas['kernel']['kernel']}" in (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert "on linux" in done.stdout
    # The search is that of the simulator: without a kernel the same folder goes on.
    again = narrows("worst", "bbr1", "--budget", "4", "--out", "out", "--quiet", "--json")
    assert again.returncode == 0, again.stderr
    plain = [{key: value for key, value in find.items() if key != "linux"} for find in atlas["found"]]
    assert json.loads(again.stdout)["found"] == plain


@built
def test_an_algorithm_that_the_kernel_lacks_is_refused_before_the_search(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("worst", "bbr3", "--budget", "16", "--on", "linux", "--out", "out")
    assert done.returncode == 2
    assert "the kernel has no bbr3" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("cubic", "--on", "both"), "--on linux repeats every find on the kernel beside it"),
        (("cubic", "--on", "windows"), "allowed: simulator, linux, linux:NAME"),
        (("linux:illinois",), "the search is the simulator's, which has no algorithms of a kernel"),
    ],
)
def test_a_search_elsewhere_is_refused(narrows: Narrows, arguments: tuple[str, ...], problem: str) -> None:
    done = narrows("worst", *arguments, "--out", "out")
    assert done.returncode == 2
    assert problem in done.stderr


def test_replications_that_are_the_same_run_confirm_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def same(jobs: Sequence[Job], threads: int | None, watch: Watch | None) -> list[core.Records | None]:
        return execution.execute([(scenario, 0) for scenario, _ in jobs], threads, watch)

    environment = Environment(0, 0, 0, 0, 0, 0, 0)
    find = Find(Elite("delay", (0, 0), environment, 0.5), environment, 0.5)
    search = Search("newreno", "cubic", tmp_path / "out", Options(seed=1, jobs=1))
    assert len(search._repeat(find, "simulator", Unwatched()).scores) == 5  # noqa: SLF001  # what is under test
    monkeypatch.setattr("narrows._internal.search.run.execute", same)
    repeated = search._repeat(find, "simulator", Unwatched())  # noqa: SLF001
    assert (len(repeated.scores), repeated.interval, repeated.confirmed) == (1, None, False)


@pytest.mark.parametrize(("score", "number", "confirmed"), [(1.0, 5, True), (0.0, 5, False), (1.0, 1, False)])
def test_scores_without_a_spread_have_no_interval(score: float, number: int, *, confirmed: bool) -> None:
    entry = Repeated([score] * number, [0.0] * number, [1.0] * number).entry()
    assert (entry["interval"], entry["confirmed"]) == (None, confirmed)
    assert json.loads(to_json(entry))["score"] == score
