# SPDX-License-Identifier: Apache-2.0
"""Contract: a wheel holds all that running needs, and works in an environment that has nothing of the source tree.

The core is not compiled again: the build that made this tree's extension has the same options.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from optional import require
from repository import HOUSE

SCRIPTS = Path(sysconfig.get_path("scripts"))
# Where cargo and maturin are looked for.
TOOLS = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel; without the tools of a build the tests are skipped."""
    require("cargo")
    require("maturin")
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, HOUSE],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": TOOLS, "PYO3_PYTHON": str(SCRIPTS / "python")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of a fresh environment that has the wheel alone."""
    place = tmp_path_factory.mktemp("fresh")
    venv.create(place, with_pip=True)
    done = subprocess.run(
        [place / "bin/python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return place / "bin"


def run(programs: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the environment; what the wheel depends on comes from the one that runs the tests."""
    variables = {**os.environ, "PYTHONPATH": sysconfig.get_path("purelib"), "COLUMNS": "80"}
    return subprocess.run(
        [programs / arguments[0], *arguments[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=variables,
    )


def test_a_wheel_is_small_serves_every_python_and_has_all_data(wheel: Path) -> None:
    assert re.fullmatch(r"narrows-[\d.]+-cp311-abi3-\w+\.whl", wheel.name)
    assert wheel.stat().st_size < 12_000_000
    names = zipfile.ZipFile(wheel).namelist()
    for part in (
        "_core.abi3.so",
        "_core.pyi",
        "py.typed",
        "_internal/page/script/page.js",
        "_internal/linux/kernel/",
        "_internal/external/templates/rule.rs",
    ):
        assert any(name.startswith(f"narrows/{part}") for name in names), part
    for kind in ("scenarios", "studies", "suites"):
        files = [file for file in (HOUSE / kind).rglob("*") if file.is_file() and file.suffix != ".md"]
        tree = {file.relative_to(HOUSE).as_posix() for file in files}
        assert {name.removeprefix("narrows/") for name in names if name.startswith(f"narrows/{kind}/")} >= tree
    assert not [name for name in names if name.split("/")[-1].startswith(("test", "conftest"))]


def test_an_environment_with_the_wheel_alone_runs_and_reports(environment: Path, tmp_path: Path) -> None:
    where = run(environment, tmp_path, "python", "-c", "import narrows; print(narrows.__file__)")
    assert Path(where.stdout.strip()).is_relative_to(environment.parent), where.stdout + where.stderr
    done = run(environment, tmp_path, "narrows", "run", "two-flows", "--set", "duration=20s", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/report.html").is_file()
    for arguments in (("reproduce", "--list"), ("list", "scenarios"), ("show", "cubic"), ("doctor",), ("man",)):
        printed = run(environment, tmp_path, "narrows", *arguments)
        assert printed.returncode == 0, printed.stderr
        assert printed.stdout
    asked = run(environment, tmp_path, "narrows", "check", "rfc9743-none")
    assert asked.returncode == 2


# The one with the fewest claims, and all others.
SMALLEST, *OTHERS = sorted(
    (file.parent.name for file in (HOUSE / "studies").glob("*/claims.toml")),
    key=lambda name: (HOUSE / "studies" / name / "claims.toml").stat().st_size,
)
LONG = pytest.mark.full("planning a study takes up to ten seconds; that its files are in the wheel is tested above")


@pytest.mark.parametrize("name", [SMALLEST, *(pytest.param(name, marks=LONG) for name in OTHERS)])
@pytest.mark.parametrize("size", ["--quick", "--medium"])
def test_every_published_study_can_be_judged_where_the_wheel_alone_is(
    environment: Path, tmp_path: Path, name: str, size: str
) -> None:
    # Without a cell, all that needs one is open; what other implementations gave is read.
    done = run(environment, tmp_path, "narrows", "reproduce", name, size, "--judge", "--out", "out")
    assert done.returncode in {0, 1}, done.stderr
