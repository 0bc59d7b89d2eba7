# SPDX-License-Identifier: Apache-2.0
"""Contract: what `pip install narrows` brings is enough to run and compare; each other need names its extra at once."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from narrows._internal.cli.shell import tree
from narrows._internal.extras import EXTRA_OF
from repository import HOUSE

PACKAGE = HOUSE / "python/narrows/_internal"
PROJECT = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NEEDED = {re.split(r"[\[<>=]", each)[0] for each in PROJECT["dependencies"]}
# Imported at the top of a module, which is itself imported after `require`.
AFTER_CHECK = {PACKAGE / "page/printed.py": "matplotlib"}
SMALL = ("--set", "duration=8s", "--set", "warmup=1s")
TINY = ("--rates", "10Mbps", "--rtts", "20ms", "--buffers", "1bdp", "--replications", "2", *SMALL)
SCENARIO = """
duration = "8s"
warmup = "1s"
[path]
rate = "5Mbps"
rtt = "20ms"
[[flows]]
name = "one"
algorithm = "cubic"
[record]
packets = true
"""
STUDY = """
title = "Two levels"
question = "Which?"
scenario = "s.toml"
measures = ["goodput_bps"]
replications = 2
algorithms = ["cubic", "newreno"]
[factors]
"path.rate" = ["5Mbps", "6Mbps"]
"""
# What the commands below read, by the command that makes it.
MADE = (
    ("run", "s.toml", "--replications", "3", "--out", "run"),
    ("matrix", "cubic", "newreno", *TINY, "--out", "matrix"),
    ("study", "run", "study.toml", "--shard", "1/2", "--out", "one"),
    ("study", "run", "study.toml", "--shard", "2/2", "--out", "two"),
    ("pack", "run", "--out", "run.zip"),
    ("export", "pcapng", "run", "--out", "run.pcapng"),
)
# Stands for the key of a cell of the matrix.
CELL = "CELL"
# An invocation of each command, and the extra that its message names; None where it works.
COMMANDS: dict[str, tuple[tuple[str, ...], str | None]] = {
    "run": (("s.toml", "--replications", "3", "--out", "again"), None),
    "compare": (("cubic", "newreno", "--scenario", "s.toml", "--replications", "3", "--out", "compared"), None),
    "emulate": (("s.toml", "--set", "duration=1s", "--out", "emulated", "--", "true"), None),
    "check": (("s.toml",), None),
    "playground": (("s.toml",), None),
    "matrix": (("cubic", "newreno", *TINY, "--out", "pairs"), None),
    "deploy": (("bbr3", "--fractions", "50", "--flows", "2", "--replications", "2", *SMALL, "--out", "deployed"), None),
    "suite": (("rfc9743", "cubic", "--rows", "5.1.3", "--replications", "2", *SMALL, "--out", "suite"), None),
    "identify": (("run.pcapng",), None),
    "ab": (("cubic", "newreno", "--scenario", "s.toml", "--out", "ab"), None),
    "worst": (("cubic", "--budget", "1", "--set", "duration=10s", "--out", "worst"), None),
    "study run": (("study.toml", "--out", "study"), "study"),
    "study resume": (("matrix",), "study"),
    "study status": (("matrix",), None),
    "study query": (("matrix", "select count(*) from cells"), "study"),
    "study replay": (("matrix", CELL), None),
    "study merge": (("one", "two", "--out", "joined"), "study"),
    "study check": (("study.toml",), None),
    "reproduce": (("welzl-2009", "--judge"), "study"),
    "report": (("run",), None),
    "figure": (("run", "rates", "--out", "rates.pdf"), "plot"),
    "why": (("run", "--flow", "one[0]", "--at", "4s"), None),
    "export csv": (("run", "--out", "tables"), None),
    "export pcapng": (("run", "--out", "packets.pcapng"), None),
    "export qlog": (("run", "--out", "one.qlog"), None),
    "import": (("run.pcapng", "--from", "10.0.0.0", "--out", "rates.csv"), None),
    "pack": (("run", "--out", "again.zip"), None),
    "verify": (("run.zip",), None),
    "list": (("algorithms",), None),
    "show": (("cubic",), None),
    "schema": ((), None),
    "man": ((), None),
    "new": (("algorithm", "mine"), None),
    "doctor": ((), None),
    "linux build": (("--source", "absent.tar.xz"), None),
    "linux pack": (("--out", "kernel.zip"), None),
    "linux get": (("absent.zip", "--sha256", "0" * 64), None),
    "linux status": ((), None),
    "completion": (("bash",), None),
}


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of work whose environment, in `venv`, has Narrows, what it depends on, and nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder / "venv")
    (packages,) = (folder / "venv").glob("lib/python3*/site-packages")
    ours = Path(sysconfig.get_path("purelib"))
    for name in NEEDED | {"narrows"}:
        for found in [*ours.glob(name), *ours.glob(f"{name}.libs"), *ours.glob(f"{name}-*.dist-info")]:
            (packages / found.name).symlink_to(found)
    (packages / "narrows.pth").write_text(f"{HOUSE / 'python'}\n", encoding="utf-8")
    (folder / "s.toml").write_text(SCENARIO, encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    for arguments in MADE:
        done = run(folder, "-m", "narrows", *arguments)
        assert done.returncode in {0, 1}, done.stdout + done.stderr
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(folder / "venv/bin/python"), "-I", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("package", sorted(EXTRA_OF))
def test_the_environment_has_no_package_of_an_extra(bare: Path, package: str) -> None:
    assert run(bare, "-c", f"import {package}").returncode == 1
    done = run(bare, "-c", f"from narrows._internal.extras import load; load('{package}')")
    assert done.stderr.splitlines()[-1].endswith(
        f"{package}: is needed here and not installed; install it by `pip install 'narrows[{EXTRA_OF[package]}]'`"
    )


def test_the_extras_are_those_of_the_project() -> None:
    extras = PROJECT["optional-dependencies"]
    first = {package: extra for package, extra in EXTRA_OF.items() if package != "pandas"}
    installed = {"dask": "distributed"}
    listed = {
        installed.get(name, name): extra
        for extra, needs in extras.items()
        for name in (re.split(r"[\[<>=]", each)[0] for each in needs)
        if extra != "all"
    }
    assert listed == first
    assert extras["all"] == [f"narrows[{','.join(sorted(set(extras) - {'all'}))}]"]
    assert {"numpy", "pyarrow"} == NEEDED


def imported(tree: ast.AST) -> list[str]:
    """Return the packages that a module imports when it runs."""
    found = []
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                continue
            case ast.Import(names=names):
                found += [each.name for each in names]
            case ast.ImportFrom(module=str(module), level=0):
                found.append(module)
            case _:
                found += imported(node)
    return [name.partition(".")[0] for name in found]


def test_packages_of_extras_are_loaded_in_one_way() -> None:
    """Otherwise a module that is missing would be a traceback after the work."""
    allowed = {*sys.stdlib_module_names, *NEEDED, "narrows"}
    for file in PACKAGE.rglob("*.py"):
        if "templates" in file.parts:
            continue
        others = set(imported(ast.parse(file.read_text(encoding="utf-8")))) - allowed
        assert others <= {AFTER_CHECK.get(file)}, file


def test_every_command_is_tried() -> None:
    commands = {" ".join(each.path) for each in tree()}
    groups = {name for name in commands if any(other.startswith(f"{name} ") for other in commands)}
    assert commands - groups - {""} == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_works_or_names_its_extra(bare: Path, command: str) -> None:
    arguments, extra = COMMANDS[command]
    key = pq.read_table(bare / "matrix/cells.parquet", columns=["cell"])["cell"][0].as_py()
    given = [key if each == CELL else each for each in arguments]
    done = run(bare, "-m", "narrows", *command.split(), *given)
    said = done.stdout + done.stderr
    assert "internal error:" not in said, said
    if extra is not None:
        assert done.returncode == 2, said
        assert f"`pip install 'narrows[{extra}]'`" in done.stderr
        out = arguments[arguments.index("--out") + 1] if "--out" in arguments else None
        assert out is None or not (bare / out).exists(), "nothing is left of what did not begin"
    else:
        # What these lack is no package of Python.
        assert done.returncode in {0, 1} or command in {
            "emulate",
            "linux build",
            "linux pack",
            "linux get",
            "playground",
        }, said
