# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. The files that state the version of Narrows, or the lowest of Python and Rust, agree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from changelog import DATE

from narrows._internal import core
from narrows._internal.files.format import FORMATS

if TYPE_CHECKING:
    from command_line import Narrows

HOUSE = Path(__file__).parents[3]
PART = re.compile(r"^## (\d+\.\d+\.\d+), (\d{4}-\d\d-\d\d|not released yet)$", re.MULTILINE)


def faults(changelog: str, citation: str, version: str) -> list[str]:
    """Return in what the files disagree.

    Args:
        changelog: Text of `CHANGELOG.md`.
        citation: Text of `CITATION.cff`.
        version: The version that is built.
    """
    cited = dict(re.findall(r"^([\w-]+): *(.*)$", citation, re.MULTILINE))
    parts = PART.findall(changelog)
    newest, state = parts[0]
    date = None if state == "not released yet" else state
    wanted = {
        f"the newest part is of {newest}, but {version} is built": newest == version,
        f"CITATION.cff has version {cited.get('version')}, not {newest}": cited.get("version") == newest,
        f"CITATION.cff has the date {cited.get('date-released')}, not {date}": cited.get("date-released") == date,
        "an older part has no date": all(DATE.fullmatch(each) for _, each in parts[1:]),
        "a part is of no version": len(parts) == len(re.findall(r"^## ", changelog, re.MULTILINE)),
    }
    return [fault for fault, holds in wanted.items() if not holds]


def test_the_files_that_state_the_version_agree() -> None:
    changelog, citation = ((HOUSE / name).read_text(encoding="utf-8") for name in ("CHANGELOG.md", "CITATION.cff"))
    manifest = tomllib.loads((HOUSE / "Cargo.toml").read_text(encoding="utf-8"))
    assert not faults(changelog, citation, manifest["workspace"]["package"]["version"])


def test_a_release_that_a_file_does_not_know_is_found() -> None:
    before, after = "# Changes\n\n## 0.1.0, not released yet\n", "# Changes\n\n## 0.1.0, 2026-12-31\n"
    assert faults(before, "version: 0.1.0\n", "0.1.0") == []
    assert faults(after, "version: 0.1.0\ndate-released: 2026-12-31\n", "0.1.0") == []
    assert faults(before, "version: 0.1.0\ndate-released: 2026-12-31\n", "0.1.0") == [
        "CITATION.cff has the date 2026-12-31, not None"
    ]
    assert faults(f"{after}## 0.0.9, not released yet\n## Older\n", "version: 0.1.0\n", "0.2.0") == [
        "the newest part is of 0.1.0, but 0.2.0 is built",
        "CITATION.cff has the date None, not 2026-12-31",
        "an older part has no date",
        "a part is of no version",
    ]


def test_the_version_is_printed_with_the_numbers_of_all_that_it_fits(narrows: Narrows) -> None:
    done = narrows("--version")
    assert done.returncode == 0, done.stderr
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert list(lines) == ["narrows", "engine", "digest", "header", "formats"]
    assert core.fingerprint().startswith(lines["engine"])
    assert lines["digest"] == str(core.digest_schema())
    assert f"#define NARROWS_VERSION {lines['header']}\n" in core.c_header()
    numbers = [each.split()[:2] for each in lines["formats"].split(", ")]
    assert numbers == [[name, str(each.number)] for name, each in FORMATS.items()]
    # The page explains each line.
    page = (HOUSE / "docs/versioning.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(lines)


def test_checkers_locks_and_installation_are_for_the_lowest_versions_that_are_supported() -> None:
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))
    lowest = project["project"]["requires-python"].removeprefix(">=")
    assert project["tool"]["mypy"]["python_version"] == lowest
    assert project["tool"]["ruff"]["target-version"] == f"py{lowest.replace('.', '')}"
    assert f"--python-version {lowest} " in (HOUSE / "Makefile").read_text(encoding="utf-8")
    rust = tomllib.loads((HOUSE / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["rust-version"]
    installation = (HOUSE / "docs/install.md").read_text(encoding="utf-8")
    assert f"Python {lowest} or later, Rust {rust} or later" in installation
    extension = (HOUSE / "crates/python/Cargo.toml").read_text(encoding="utf-8")
    assert f"abi3-py{lowest.replace('.', '')}" in extension
