# SPDX-License-Identifier: Apache-2.0
"""Contract: what `.ci/bare-root` cannot run is refused before anything is made, with what is needed or allowed."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from repository import HOUSE

if TYPE_CHECKING:
    from pathlib import Path

BASH = shutil.which("bash")
OWN = platform.machine()
OTHER = "x86_64" if OWN == "aarch64" else "aarch64"
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or OWN not in {"x86_64", "aarch64"}, reason="wheels for Linux are run on Linux"
)


def named(machine: str) -> str:
    """Return the name of a wheel for a machine."""
    return f"narrows-0.1.0-cp311-abi3-manylinux_2_17_{machine}.manylinux2014_{machine}.whl"


def refused(folder: Path, *arguments: str) -> str:
    """Return the message with which the arguments are refused; no emulator is on the path."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    for tool in ("chroot", "mktemp", "rm", "uname"):
        place = shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
        if place is None:
            pytest.skip(f"{tool} is missing")
        (tools / tool).unlink(missing_ok=True)
        (tools / tool).symlink_to(place)
    # The script adds the folders of the system's own tools, where no emulator is either.
    command = [str(BASH), str(HOUSE / ".ci/bare-root"), *arguments]
    environment = {"PATH": str(tools), "TMPDIR": str(folder), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    # The folder for roots is removed again.
    assert not list(folder.glob("tmp*"))
    assert done.stderr.startswith("bare-root: ")
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("bare-root: ").rstrip("\n")


def test_without_a_wheel_its_form_is_shown(tmp_path: Path) -> None:
    assert refused(tmp_path) == "a wheel is needed: .ci/bare-root WHEEL[=ROOT]..."


@pytest.mark.parametrize(
    "name",
    [
        "narrows-0.1.0.tar.gz",
        "numpy-2.4.6-cp311-cp311-manylinux_2_28_x86_64.whl",
        "narrows-0.1.0-cp311-abi3-macosx_11_0_arm64.whl",
        "narrows-0.1.0-cp311-abi3-manylinux_2_17_riscv64.whl",
    ],
)
def test_a_file_that_is_no_wheel_for_linux_on_a_machine_that_is_supported_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    message = refused(tmp_path, name)
    assert message.startswith(f"{name}: expected a wheel for Linux, narrows-VERSION-cp311-abi3-")
    assert message.endswith("_{x86_64,aarch64}.whl")


def test_a_missing_file_is_named_even_behind_one_that_is_there(tmp_path: Path) -> None:
    (tmp_path / named(OWN)).touch()
    missing = named(OWN).replace("0.1.0", "0.2.0")
    assert refused(tmp_path, named(OWN), missing) == f"{missing}: no such file"


@pytest.mark.parametrize("root", ["gone", ""])
def test_a_missing_root_is_named(tmp_path: Path, root: str) -> None:
    (tmp_path / named(OWN)).touch()
    message = refused(tmp_path, f"{named(OWN)}={root}")
    assert message == f"{root}: no such folder, in which the root of {named(OWN)} should be"


def test_another_machine_needs_its_emulator(tmp_path: Path) -> None:
    (tmp_path / named(OTHER)).touch()
    message = refused(tmp_path, named(OTHER))
    assert message == f"{named(OTHER)}: qemu-{OTHER}-static is needed (apt-get install qemu-user-static)"
