# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Processes that run algorithms in Python end with the command; its folder does not affect them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

import narrows as nw
from command_line import SHORT, command, environment, write

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows

ALGORITHM = """\
import os

class Mine:
    def __init__(self, setup):
        self.window = 10.0

    def on_ack(self, ack):
        {on_ack}

    def on_loss(self, loss): ...
"""
NOTE_PID = "open('partial', 'w').write(str(os.getpid())); os.replace('partial', 'pid')"


def place(folder: Path, on_ack: str) -> Path:
    """Write an algorithm and a scenario that uses it; return the scenario."""
    (folder / "mine.py").write_text(ALGORITHM.format(on_ack=on_ack), encoding="utf-8")
    return write(folder, SHORT.replace('"aiad"', '"./mine.py:Mine"'))


def wait_for(condition: object, message: str) -> None:
    """Wait until a function of no argument returns True."""
    assert callable(condition)
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, message
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    """Return whether a process exists and is no zombie."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)  # noqa: S607
    return bool(done.stdout) and not done.stdout.startswith("Z")


@pytest.mark.parametrize(
    "loop",
    [
        "while True: pass",
        pytest.param(
            # Iterates in C and never lets another thread of Python run.
            "import collections, itertools; collections.deque(itertools.repeat(None), maxlen=0)",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends such a process"),
        ),
    ],
)
def test_a_worker_ends_when_the_command_is_killed(tmp_path: Path, loop: str) -> None:
    scenario = place(tmp_path, f"{NOTE_PID}\n        {loop}")
    process = subprocess.Popen(command(["run", scenario]), cwd=tmp_path, stderr=subprocess.DEVNULL, env=environment())
    wait_for((tmp_path / "pid").exists, "the algorithm was never called")
    worker = int((tmp_path / "pid").read_text())
    assert is_alive(worker)
    process.kill()
    process.wait()
    wait_for(lambda: not is_alive(worker), "the worker outlives the command")


@pytest.mark.parametrize("module", ["queue", "random", "numpy", "narrows"])
def test_a_worker_imports_nothing_from_the_working_directory(tmp_path: Path, module: str) -> None:
    scenario = place(tmp_path, "pass")
    (tmp_path / f"{module}.py").write_text("open('executed', 'w')\nraise SystemExit(1)\n", encoding="utf-8")
    program = "import sys; from narrows._internal.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, "run", scenario, "--out", "out"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "executed").exists()


def test_output_to_the_descriptors_of_the_process_is_an_error_of_the_algorithm(
    narrows: Narrows, tmp_path: Path
) -> None:
    write_to_all = """
        for descriptor in range(3, 30):
            try:
                os.write(descriptor, b"garbage that is no frame")
            except OSError:
                pass
"""
    done = narrows("run", place(tmp_path, write_to_all), "--out", "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert "file descriptor" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_process_that_an_algorithm_forks_ends_at_once(narrows: Narrows, tmp_path: Path) -> None:
    fork = """
        if not os.path.exists("pid"):
            child = os.fork()
            assert child
            open("pid", "w").write(str(child))
"""
    done = narrows("run", place(tmp_path, fork), "--out", "out")
    assert done.returncode == 0, done.stderr
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_an_algorithm_has_nothing_to_read(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("run", place(tmp_path, "assert not os.read(0, 1)"), "--out", "out")
    assert done.returncode == 0, done.stderr


def test_a_thread_that_an_algorithm_starts_does_not_keep_the_command(narrows: Narrows, tmp_path: Path) -> None:
    start = "threading.active_count() > 9 or threading.Thread(target=time.sleep, args=(1e6,)).start()"
    done = narrows("run", place(tmp_path, f"import threading, time; {start}"), "--out", "out")
    assert done.returncode == 0, done.stderr


def test_a_run_shares_nothing_with_an_earlier_one_of_the_same_process(tmp_path: Path) -> None:
    note = "os.environ['LEFT'] = os.environ.get('LEFT', '') + 'x'; assert os.environ['LEFT'] == 'x', 'not alone'"
    scenario = place(tmp_path, "pass")
    file = tmp_path / "mine.py"
    file.write_text(file.read_text(encoding="utf-8").replace("import os\n", f"import os\n{note}\n"), encoding="utf-8")
    loaded = nw.load(scenario)
    first = loaded.run(replications=3)
    assert loaded.run(replications=3).groups.equals(first.groups)


def test_a_run_has_the_environment_and_the_folder_of_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = place(tmp_path, "open('seen', 'w').write(os.environ['SEEN'])")
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        monkeypatch.setenv("SEEN", name)
        nw.load(scenario).run(replications=1)
        assert (tmp_path / name / "seen").read_text(encoding="utf-8") == name


def test_a_process_that_ends_without_an_answer_is_named_with_its_signal(tmp_path: Path) -> None:
    scenario = place(tmp_path, "os.kill(os.getpid(), 9)")
    with pytest.raises(nw.AlgorithmError, match="ended by signal SIGKILL"):
        nw.load(scenario).run(replications=2)


def test_a_process_that_stops_itself_is_an_error(tmp_path: Path) -> None:
    scenario = place(tmp_path, "os.kill(os.getpid(), 19)")
    with pytest.raises(nw.AlgorithmError, match=r"it had stopped itself \(SIGSTOP\), and was killed"):
        nw.load(scenario).run(replications=2)
    # The template goes on with others.
    assert nw.load(place(tmp_path, "pass")).run(replications=1).summary["groups"]


@pytest.mark.skipif(sys.platform != "linux", reason="it is the template of processes on Linux")
def test_a_stopped_process_is_killed_after_five_seconds_however_many_others_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from narrows._internal.run import template

    clock, killed = [0.0], []
    monkeypatch.setattr(template, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(template, "_is_stopped", lambda _process: True)
    monkeypatch.setattr(os, "kill", lambda *process: killed.append((clock[0], *process)))
    found = template._Template.__new__(template._Template)  # noqa: SLF001  # without its sockets
    found._stopped = {7: (0, 0.0)}  # noqa: SLF001
    for turn in range(80):
        clock[0] = turn / 10
        found._end_stopped()  # noqa: SLF001
    assert killed == [(5.0, 7, signal.SIGKILL)]


@pytest.mark.parametrize("ends", ["pass", "os._exit(0)"])
def test_what_a_process_starts_ends_with_its_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str) -> None:
    """Also a process in its own session whose parent has ended: the C library forks it without Python's knowledge."""
    lines = [
        "import ctypes",
        "c = ctypes.CDLL(None)",
        "if not os.path.exists('pid'):",
        "    if c.fork() == 0:",
        "        c.setsid()",
        "        if c.fork() == 0:",
        f"            {NOTE_PID}",
        "            c.sleep(600)",
        "        c._exit(0)",
        "    while not os.path.exists('pid'):",
        "        pass",
        f"    {ends}",
    ]
    monkeypatch.chdir(tmp_path)
    with suppress(nw.AlgorithmError):
        nw.load(place(tmp_path, "\n        ".join(lines))).run(replications=1)
    process = int((tmp_path / "pid").read_text(encoding="utf-8"))
    wait_for(lambda: not is_alive(process), "it lives on")
