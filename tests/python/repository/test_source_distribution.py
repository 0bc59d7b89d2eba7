# SPDX-License-Identifier: Apache-2.0
"""Contract: the source distribution has all that an installation from it needs, and fits its Cargo.lock."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
import tarfile
from pathlib import Path

import pytest

from repository import HOUSE, tracked

SCRIPTS = Path(sysconfig.get_path("scripts"))


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution and unpack it."""
    folder = tmp_path_factory.mktemp("source")
    command = [shutil.which("maturin", path=SCRIPTS) or "maturin", "sdist", "--out", str(folder)]
    subprocess.run(command, cwd=HOUSE, capture_output=True, check=True)
    (file,) = folder.glob("narrows-*.tar.gz")
    with tarfile.open(file) as archive:
        archive.extractall(folder, filter="data")
    return folder / file.name.removesuffix(".tar.gz")


def test_cargo_takes_the_crates_with_the_lock_as_it_is(unpacked: Path) -> None:
    # As an installation does. A crate that is missing, of the workspace or in place of another, would change the lock.
    command = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1"]
    done = subprocess.run(command, cwd=unpacked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (unpacked / "Cargo.lock").read_bytes() == (HOUSE / "Cargo.lock").read_bytes()


def test_it_has_every_source_of_the_crates_and_of_the_package(unpacked: Path) -> None:
    sources = [file.relative_to(HOUSE) for file in tracked()]
    wanted = [file for file in sources if file.parts[0] == "crates" or file.parts[:2] == ("python", "narrows")]
    assert wanted
    assert not [str(file) for file in wanted if not (unpacked / file).exists()]


@pytest.mark.parametrize("library", ["scenarios", "studies", "suites"])
def test_it_has_the_library_that_the_package_links_to(unpacked: Path, library: str) -> None:
    linked, copied = HOUSE / library, unpacked / "python/narrows" / library
    wanted = {file.relative_to(HOUSE / library) for file in tracked() if file.is_relative_to(linked)}
    found = {file.relative_to(copied) for file in copied.rglob("*") if file.is_file()}
    assert {file for file in wanted if file.suffix != ".md"} == found
