# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. The crates for other programs can be packaged, and need no standard library but for QUIC stacks."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from optional import BARE, needs, require
from repository import HOUSE

if TYPE_CHECKING:
    from pathlib import Path

VERSION = tomllib.loads((HOUSE / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]
CRATES = ("card", "cc", "engine", "link", "qdisc", "units", "wire")
# The stacks need the standard library.
FOR_STACKS = ("adapter", "noq", "quinn")
# The table of comparisons, which tests read and write.
WITH_STD = {"crates/card/src/comparison.rs"}


def manifest(crate: str) -> dict[str, Any]:
    """Return the manifest of a crate."""
    return tomllib.loads((HOUSE / f"crates/{crate}/Cargo.toml").read_text(encoding="utf-8"))


def released(file: Path) -> str:
    """Return what a file compiles besides its tests and comments."""
    code = re.split(r"#\[cfg\((all\()?test\b.*\n[a-z() ]*mod ", file.read_text(encoding="utf-8"))[0]
    return "\n".join(line for line in code.split("\n") if not line.lstrip().startswith("//"))


def test_these_crates_are_published_and_no_other() -> None:
    published = {
        file.parent.name
        for file in HOUSE.glob("crates/*/Cargo.toml")
        if manifest(file.parent.name)["package"]["publish"] is True
    }
    assert published == {*CRATES, *FOR_STACKS}


@pytest.mark.parametrize("crate", [*CRATES, *FOR_STACKS])
def test_a_manifest_has_what_a_registry_requires(crate: str) -> None:
    whole = manifest(crate)
    package = whole["package"]
    assert package["description"]
    assert 1 <= len(package["keywords"]) <= 5
    assert all(re.fullmatch(r"[a-z][a-z0-9-]{0,19}", word) for word in package["keywords"])
    assert (HOUSE / "crates" / crate / package["readme"]).is_file()
    for name, needed in whole["dependencies"].items():
        if name.startswith("narrows-"):
            assert name.removeprefix("narrows-") in {*CRATES, *FOR_STACKS}
            assert needed["version"] == VERSION


@pytest.mark.parametrize("crate", CRATES)
def test_a_crate_can_do_without_the_standard_library_down_to_its_dependencies(crate: str) -> None:
    whole = manifest(crate)
    assert whole["package"]["metadata"]["docs"]["rs"]["all-features"]
    assert whole["features"]["default"] == ["std"]
    inner = {name: needed for name, needed in whole["dependencies"].items() if name.startswith("narrows-")}
    for name, needed in inner.items():
        assert name.removeprefix("narrows-") in CRATES
        assert not needed["default-features"]
        assert f"{name}/std" in whole["features"]["std"]


@pytest.mark.parametrize("crate", [*CRATES, *FOR_STACKS])
def test_the_documentation_of_a_crate_begins_with_an_example(crate: str) -> None:
    text = (HOUSE / f"crates/{crate}/src/lib.rs").read_text(encoding="utf-8")
    assert text.count("//! ```") >= 2


@pytest.mark.parametrize("crate", CRATES)
def test_no_crate_names_the_standard_library(crate: str) -> None:
    files = [file for file in (HOUSE / f"crates/{crate}/src").rglob("*.rs") if "tests" not in file.stem]
    named = {str(file.relative_to(HOUSE)) for file in files if re.search(r"\bstd::", released(file))}
    assert named <= WITH_STD


@pytest.mark.full(
    "seven crates are compiled for a processor without an operating system; what they import is read above"
)
@needs("cargo", "bare")
def test_the_crates_build_for_a_processor_without_an_operating_system() -> None:
    packages = [word for crate in CRATES for word in ("--package", f"narrows-{crate}")]
    command = [require("cargo"), "check", "--locked", "--quiet", "--no-default-features", "--target", BARE, *packages]
    environment = {**os.environ, "RUSTC": require("bare")}
    done = subprocess.run(command, cwd=HOUSE, env=environment, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
