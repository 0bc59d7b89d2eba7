# SPDX-License-Identifier: Apache-2.0
"""Contract: the wheels that `make wheels` puts into `dist` run where their names say, and carry what they must."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from third_party import crates

from narrows._internal.browser.page import MODULE, fault
from repository import HOUSE

WHEELS = sorted((HOUSE / "dist").glob("narrows-*.whl"))
EXTENSION = "narrows/_core.abi3.so"
# Of an ELF file, the number of its machine.
MACHINES = {"x86_64": 62, "aarch64": 183}
GREATEST = 15_000_000
CARGO = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))

pytestmark = pytest.mark.skipif(not WHEELS, reason="dist has no wheels: `make wheels` builds them")
each_wheel = pytest.mark.parametrize("wheel", WHEELS, ids=lambda file: file.stem.rpartition("-")[2])


def platform(wheel: Path) -> tuple[str, str]:
    """Return the C library, `manylinux` or `musllinux`, and the machine that the name of a wheel promises."""
    form = r"narrows-[\d.]+-cp311-abi3-(manylinux2014|musllinux_1_2)_(x86_64|aarch64)[\w.]*\.whl"
    found = re.fullmatch(form, wheel.name)
    assert found, wheel.name
    return re.sub(r"\d.*", "", found[1]).rstrip("_"), found[2]


@each_wheel
def test_the_extension_is_of_the_promised_machine_and_asks_for_no_newer_c_library(wheel: Path) -> None:
    library, machine = platform(wheel)
    code = zipfile.ZipFile(wheel).read(EXTENSION)
    assert code[:4] == b"\x7fELF"
    assert struct.unpack_from("<H", code, 18) == (MACHINES[machine],)
    versions = {tuple(map(int, each.split(b"."))) for each in re.findall(rb"GLIBC_(\d+(?:\.\d+)+)\x00", code)}
    if library == "manylinux":
        assert (2, 2, 5) in versions or (2, 17) in versions
        assert max(versions) <= (2, 17)
    else:
        assert not versions
    # One wheel serves every Python: it is bound to none.
    assert not re.search(rb"libpython3\.\d", code)


@each_wheel
def test_a_wheel_is_small_and_holds_the_licence_of_every_crate(wheel: Path) -> None:
    assert wheel.stat().st_size < GREATEST
    inside = zipfile.ZipFile(wheel)
    assert any(name.endswith("dist-info/licenses/LICENSE") for name in inside.namelist())
    listed = inside.read("narrows/THIRD-PARTY.txt").decode()
    library, machine = platform(wheel)
    target = f"{machine}-unknown-linux-{'gnu' if library == 'manylinux' else 'musl'}"
    for crate in crates("narrows-python", [target]):
        assert f"\n  {crate['name']} {crate['version']}: {crate['license']}" in listed


@each_wheel
def test_a_wheel_has_the_simulator_for_pages_of_the_same_sources(wheel: Path, tmp_path: Path) -> None:
    module = zipfile.ZipFile(wheel).extract(f"narrows/_internal/browser/{MODULE}", tmp_path)
    assert not fault(Path(module))


@each_wheel
def test_no_file_of_a_wheel_has_a_path_of_the_machine_that_built_it(wheel: Path) -> None:
    inside = zipfile.ZipFile(wheel)
    paths = [f"{path}/".encode() for path in (HOUSE, CARGO, Path.home()) if path != Path("/")]
    for name in inside.namelist():
        content = inside.read(name)
        assert not [path for path in paths if path in content], name


def test_the_source_distribution_has_what_a_build_needs() -> None:
    (file,) = (HOUSE / "dist").glob("narrows-*.tar.gz")
    with tarfile.open(file) as inside:
        names = {name.partition("/")[2] for name in inside.getnames()}
    assert {
        "Cargo.lock",
        "LICENSE",
        "crates/python/build.rs",
        "pyproject.toml",
        "python/narrows/_internal/api/measuring.py",
    } <= names


def test_the_wheel_of_this_machine_runs_in_an_environment_of_its_own(tmp_path: Path) -> None:
    ours = [wheel for wheel in WHEELS if platform(wheel) == (_library(), os.uname().machine)]
    if not ours:
        pytest.skip("no wheel is for this machine")
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(tmp_path / "venv/bin/python")
    (packages,) = (tmp_path / "venv").glob("lib/python3*/site-packages")
    for found in [*Path(sysconfig.get_path("purelib")).iterdir()]:
        if re.match(r"(numpy|pyarrow)\b", found.name):
            (packages / found.name).symlink_to(found)
    install = [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", str(ours[0])]
    assert subprocess.run(install, capture_output=True, text=True, check=False).returncode == 0
    compare = ["compare", "newreno", "cubic", "--set", "duration=20s", "--replications", "2", "--out", "compared"]
    done = subprocess.run(
        [python, "-I", "-m", "narrows", *compare], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "compared/report.html").is_file()


def _library() -> str:
    return "musllinux" if "musl" in (sysconfig.get_config_var("SOABI") or "") else "manylinux"
