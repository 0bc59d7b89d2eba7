# SPDX-License-Identifier: Apache-2.0
"""Contract: the package starts and runs where modules and functions of POSIX are missing, as on Windows.

It is not run there; what one system lacks is taken away from this one.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from narrows.files.system import is_alive, lock, peak_rss_bytes
from repository import HOUSE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGE = HOUSE / "python/narrows"
ONE_PLACE = PACKAGE / "files/system.py"
# Modules that Windows does not have, and functions of `os` and names of `signal` that are missing there.
MODULES = ("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")
FUNCTIONS = ("fork", "getuid", "geteuid", "sysconf", "sched_getaffinity", "uname", "killpg", "getpgid", "setsid")
SIGNALS = ("SIGKILL", "SIGHUP", "SIGCHLD", "SIGALRM", "SIGUSR1", "SIGPIPE", "setitimer")
WITHOUT = f"""
import os, signal, sys
import concurrent.futures, multiprocessing.util, platform, subprocess, tempfile
import numpy, pyarrow.parquet
for name in {MODULES!r}: sys.modules[name] = None
for name in {FUNCTIONS!r}: delattr(os, name)
for name in {SIGNALS!r}: delattr(signal, name)
"""


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (each.name.partition(".")[0] for each in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0]


def test_what_only_some_systems_have_is_imported_in_one_place() -> None:
    for file in PACKAGE.rglob("*.py"):
        if file != ONE_PLACE:
            assert not {*imports(ast.parse(file.read_text(encoding="utf-8")))} & set(MODULES), file


def test_every_module_is_imported_without_them(tmp_path: Path) -> None:
    program = (
        f"{WITHOUT}\nimport importlib, pkgutil, narrows\n"
        "for each in pkgutil.walk_packages(narrows.__path__, 'narrows.'):\n"
        "    if each.name not in ('narrows.__main__', 'narrows.page.printed'): importlib.import_module(each.name)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "two-flows", "--set", "duration=20s", "--replications", "2", "--out", "out"],
        ["compare", "cubic", "newreno", "--set", "duration=20s", "--replications", "2", "--out", "out"],
        ["playground", "--help"],
        ["list", "algorithms"],
        ["check", "two-flows"],
        ["doctor"],
    ],
)
def test_a_command_runs_without_them(tmp_path: Path, arguments: list[str]) -> None:
    # What it measures of its memory is asked of the system that it is on.
    program = (
        f"{WITHOUT}\nimport narrows.files.system as system\nsystem.peak_rss_bytes = lambda: 0\n"
        f"from narrows.cli import main\nsys.exit(main({arguments!r}))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_lock_is_held_by_one_process(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    program = (
        "import sys\nfrom narrows.files.system import lock\n"
        f"with open({str(file)!r}, 'w') as opened: lock(opened, wait=False)"
    )
    attempt = [sys.executable, "-c", program]
    with file.open("w", encoding="utf-8") as opened:
        lock(opened)
        assert b"BlockingIOError" in subprocess.run(attempt, capture_output=True, check=False).stderr
    assert subprocess.run(attempt, check=False).returncode == 0


def test_a_process_that_has_ended_is_not_alive() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert is_alive(process.pid)
    assert not is_alive(process.pid)
    assert peak_rss_bytes() > 1_000_000
