# SPDX-License-Identifier: Apache-2.0
"""Contract: a wheel holds all that running needs, and works in an environment that has nothing of the source tree.

The core is not compiled again: the wheel has the options of the build that made this tree's extension. The variable
`NARROWS_WHEEL` names a wheel that is tested instead.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import exercises_page
import pytest

from once import once
from optional import require
from repository import HOUSE

EXERCISES = tomllib.loads(exercises_page.SOURCE.read_text("utf-8"))["exercises"]
SCRIPTS = Path(sysconfig.get_path("scripts"))
# Where cargo and maturin are looked for.
TOOLS = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, unless one is given; without the tools of a build the tests are skipped."""
    if given := os.environ.get("NARROWS_WHEEL"):
        return Path(given).resolve()
    maturin = require("maturin")
    options = ("--profile", "light", "--locked", "--quiet", "--compatibility", "off", "--out")
    folder = once(tmp_path_factory, "wheel", lambda folder: built(folder, maturin, "build", *options))
    (file,) = folder.glob("*.whl")
    return file


def built(folder: Path, *command: str) -> None:
    """Build a wheel by a command into a folder, its last argument."""
    require("cargo")
    variables = {**os.environ, "PATH": TOOLS, "PYO3_PYTHON": str(SCRIPTS / "python")}
    done = subprocess.run([*command, folder], cwd=HOUSE, capture_output=True, text=True, check=False, env=variables)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of a fresh environment that has the wheel alone."""
    return once(tmp_path_factory, "fresh", lambda place: installed(wheel, place)) / "bin"


def installed(wheel: Path, place: Path) -> None:
    """Install a wheel into a new environment."""
    venv.create(place, with_pip=True)
    done = subprocess.run(
        [place / "bin/python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


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


def test_releases_are_compiled_as_a_release_and_installations_from_source_lightly() -> None:
    options = tomllib.loads((HOUSE / "pyproject.toml").read_text("utf-8"))["tool"]["maturin"]
    assert (options["profile"], options["editable-profile"]) == ("light", "light")
    assert tomllib.loads((HOUSE / "Cargo.toml").read_text("utf-8"))["profile"]["light"]["inherits"] == "release"
    for file in (".github/workflows/wheels.yml", "crates/python/wheels.sh"):
        builds = re.findall(r"maturin (?:build|develop) .*", (HOUSE / file).read_text("utf-8"))
        assert builds, file
        assert all(" --release " in each for each in builds), file


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


def indented(page: str, program: str) -> list[list[str]]:
    """Return the commands of a program that a page of the repository shows, as arguments."""
    lines = re.findall(rf"^    ({program} .*)$", (HOUSE / page).read_text("utf-8"), re.MULTILINE)
    return [shlex.split(line.partition("   #")[0]) for line in lines]


@pytest.mark.full("the tasks of a student and of an operator are twenty commands; that a wheel runs is tested above")
def test_a_student_and_an_operator_need_the_wheel_alone(environment: Path, tmp_path: Path) -> None:
    def done(command: str, *more: str) -> str:
        found = run(environment, tmp_path, *shlex.split(command), *more)
        assert found.returncode == 0, f"{command}: {found.stderr}"
        assert str(HOUSE) not in found.stdout + found.stderr
        return found.stdout

    def means(folder: str, owner: str, metric: str) -> list[float]:
        summary = json.loads((tmp_path / folder / "summary.json").read_text("utf-8"))
        runs = summary.get("levels") or summary["algorithms"]
        return [{**each["groups"], **each["links"]}[owner][metric]["mean"] for each in runs.values()]

    # The picture of README.md, and its lines of Python.
    (shares,) = indented("README.md", "narrows")
    done(shlex.join(shares))
    cubic, bbr, vegas = means("shares", "contender", "goodput_bps")
    assert vegas < cubic < bbr
    (program,) = re.findall(
        r"^```python\n(.*?)^```", (HOUSE / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    printed = done("python -c", program).splitlines()
    assert [line.split()[0] for line in printed] == ["cubic", "bbr3"]
    assert (tmp_path / "two/report.html").is_file()

    # The first hour, as far as it needs no file of one's own.
    hour = tmp_path / "hour"
    hour.mkdir()
    for each in indented("docs/first-hour.md", "narrows"):
        if "line.toml" not in each:
            assert run(environment, hour, *each).returncode == (2 if each[1] == "check" else 0), each
    digests = {json.loads((hour / name / "summary.json").read_text("utf-8"))["digest"] for name in ("first", "again")}
    assert len(digests) == 1

    # An exercise, with the printed answer.
    exercise = EXERCISES[0]
    (command,) = exercise["commands"]
    done(f"narrows {command} --out exercise")
    summary = json.loads((tmp_path / "exercise/summary.json").read_text("utf-8"))
    answer = " ".join(exercises_page.quoted(exercise["answer"], [summary]).split())
    assert answer in " ".join((HOUSE / "docs/exercises.md").read_text("utf-8").split())

    # How much buffer, and what a new algorithm does to those who stay.
    sizes = "--vary path.queue.limit=0.1bdp,0.5bdp,1bdp --scenario buffer-size"
    done(f"narrows compare newreno {sizes} --replications 2 --out sizes")
    small, half, whole = means("sizes", "bottleneck", "utilization")
    assert small < half < whole
    done("narrows deploy bbr3 --fractions 50 --flows 4 --set duration=40s --replications 2 --out deploy")
    queues = "--vary path.queue=droptail,fq-codel,cake --scenario home --set duration=40s"
    done(f"narrows compare cubic {queues} --replications 2 --out queues")
    for folder in ("sizes", "deploy", "queues"):
        page = (tmp_path / folder / "report.html").read_text("utf-8")
        assert str(HOUSE) not in page
        assert "<svg" in page

    # The file that is handed on.
    name = done("narrows figure sizes").split()[0]
    done(f"narrows figure sizes {name} --out sizes.svg")
    assert (tmp_path / "sizes.svg").read_text("utf-8").startswith(("<svg", "<?xml"))
    done("narrows pack sizes --out sizes.narrows")
    assert "equal" in done("narrows verify sizes.narrows")


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
