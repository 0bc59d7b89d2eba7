# SPDX-License-Identifier: Apache-2.0
"""Contract: the package starts and runs where modules and functions of POSIX are missing, as on Windows.

It is not run there; what one system lacks is taken away from this one.
"""

from __future__ import annotations

import ast
import errno
import pathlib
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from narrows._internal.errors import OutputError
from narrows._internal.files import system
from narrows._internal.files.folder import appearing
from narrows._internal.files.system import is_alive, lock, move_file, peak_rss_bytes
from repository import HOUSE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGE = HOUSE / "python/narrows/_internal"
ONE_PLACE = PACKAGE / "files/system.py"
# A program of its own, which imports nothing of the package and runs on Linux alone.
PROGRAM = PACKAGE / "emulate/host.py"
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
        if file not in {ONE_PLACE, PROGRAM}:
            assert not {*imports(ast.parse(file.read_text(encoding="utf-8")))} & set(MODULES), file


def renames(tree: ast.AST) -> Iterator[str]:
    """Yield the calls that rename something: a replacement of text has two arguments, and one of fields has names."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="rename" | "renames" | "move" | "link_to")):
                yield ast.unparse(node)
            case ast.Call(func=ast.Attribute(attr="replace"), args=[_], keywords=[]):
                yield ast.unparse(node)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="os"), attr="replace")):
                yield ast.unparse(node)


def test_files_and_folders_are_renamed_in_one_place() -> None:
    found = {file: [*renames(ast.parse(file.read_text(encoding="utf-8")))] for file in PACKAGE.rglob("*.py")}
    assert found.pop(ONE_PLACE) == ["file.replace(target)", "folder.rename(target)"]
    assert not {file: calls for file, calls in found.items() if calls}


@pytest.fixture
def as_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Renames as on Windows: no folder takes the place of another, and at first another process has the file open."""
    rename, opened = pathlib.Path.rename, iter([True, True])

    def strict(path: Path, target: Path) -> Path:
        if target.exists():
            raise FileExistsError(errno.EEXIST, "Cannot create a file when that file already exists")
        if next(opened, False):
            raise PermissionError(errno.EACCES, "The process cannot access the file")
        return rename(path, target)

    monkeypatch.setattr(pathlib.Path, "rename", strict)
    monkeypatch.setattr(system, "AGAIN_S", 0.0)
    monkeypatch.setattr(system, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setattr(system, "is_alive", lambda _: True)
    monkeypatch.setattr("narrows._internal.files.folder.sync", lambda _: None)


@pytest.mark.usefixtures("as_on_windows")
def test_a_folder_takes_its_place_as_windows_renames(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    for content in ("old", "new"):
        with appearing(folder, instead=True) as partial:
            (partial / "data").write_text(content)
    assert (folder / "data").read_text() == "new"
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


@pytest.mark.usefixtures("as_on_windows")
def test_a_folder_that_another_process_has_made_is_kept_as_windows_renames(tmp_path: Path) -> None:
    def begin() -> None:
        with appearing(tmp_path / "out"):
            (tmp_path / "out").mkdir()
            (tmp_path / "out/data").write_text("theirs")

    with pytest.raises(OutputError, match="another process"):
        begin()
    assert (tmp_path / "out/data").read_text() == "theirs"


def test_a_file_that_stays_open_elsewhere_is_refused_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object) -> None:
        raise PermissionError(errno.EACCES, "The process cannot access the file")

    monkeypatch.setattr(pathlib.Path, "replace", busy)
    monkeypatch.setattr(system, "PATIENCE_S", 0.0)
    monkeypatch.setattr(system, "sys", SimpleNamespace(platform="win32"))
    with pytest.raises(PermissionError):
        move_file(tmp_path / "a", tmp_path / "b")


# Asks at each rename which files this process has open, since Windows would refuse.
CLOSED = """
import os
from narrows._internal.files import system
done, wait = [], system._again_where_open
def asked(rename):
    given = dict(zip(rename.__code__.co_freevars, (cell.cell_contents for cell in rename.__closure__)))
    moved = str((given.get("file") or given["folder"]).resolve())
    open_files = [os.path.realpath(f"/proc/self/fd/{each}") for each in os.listdir("/proc/self/fd")]
    mapped = [line.split(maxsplit=5)[-1].strip() for line in open("/proc/self/maps")]
    inside = [file for file in open_files + mapped if file == moved or file.startswith(moved + "/")]
    assert not inside, inside
    done.append(moved)
    wait(rename)
system._again_where_open = asked
from narrows._internal.cli import main
"""


@pytest.mark.skipif(sys.platform != "linux", reason="open files are read from /proc")
def test_nothing_is_open_that_is_renamed(tmp_path: Path) -> None:
    short = ["--set", "duration=20s", "--replications", "2", "--out"]
    commands = [
        ["run", "two-flows", *short, "run"],
        ["compare", "cubic", "newreno", "--scenario", "two-flows", *short, "compared"],
        ["report", "compared"],
        ["report", "."],
        ["pack", "run", "--out", "run.zip"],
    ]
    program = f"{CLOSED}\nfor each in {commands!r}: assert main(each) == 0, each\nassert len(done) >= 5, done"
    finished = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr


def test_every_module_is_imported_without_them(tmp_path: Path) -> None:
    program = (
        f"{WITHOUT}\nimport importlib, pkgutil, narrows\n"
        "for each in pkgutil.walk_packages(narrows.__path__, 'narrows.'):\n"
        "    if each.name not in ('narrows.__main__', 'narrows._internal.page.printed'):\n"
        "        importlib.import_module(each.name)\n"
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
        f"{WITHOUT}\nimport narrows._internal.files.system as system\nsystem.peak_rss_bytes = lambda: 0\n"
        f"from narrows._internal.cli import main\nsys.exit(main({arguments!r}))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_lock_is_held_by_one_process(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    program = (
        "import sys\nfrom narrows._internal.files.system import lock\n"
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
