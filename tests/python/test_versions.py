# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. The files that state the version of Narrows, or the lowest of Python and Rust, agree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

HOUSE = Path(__file__).parents[2]
RELEASE = re.compile(r"^## (\d+\.\d+\.\d+), (\d{4}-\d\d-\d\d)$", re.MULTILINE)
NONE_YET = "No version has been released yet"


def faults(changelog: str, citation: str, version: str) -> list[str]:
    """Return in what the files disagree.

    Args:
        changelog: Text of `CHANGELOG.md`.
        citation: Text of `CITATION.cff`.
        version: The version that is built.
    """
    cited = dict(re.findall(r"^([\w-]+): *(.*)$", citation, re.MULTILINE))
    releases = RELEASE.findall(changelog)
    newest, date = releases[0] if releases else (version, None)
    wanted = {
        f"the newest release is {newest}, but {version} is built": newest == version,
        f"CITATION.cff has version {cited.get('version')}, not {newest}": cited.get("version") == newest,
        f"CITATION.cff has the date {cited.get('date-released')}, not {date}": cited.get("date-released") == date,
        f"CHANGELOG.md says '{NONE_YET}'": (NONE_YET in changelog) == (not releases),
        "CHANGELOG.md does not begin with Unreleased": changelog.find("\n## ") == changelog.find("\n## Unreleased\n"),
    }
    return [fault for fault, holds in wanted.items() if not holds]


def test_the_files_that_state_the_version_agree() -> None:
    changelog, citation = ((HOUSE / name).read_text(encoding="utf-8") for name in ("CHANGELOG.md", "CITATION.cff"))
    manifest = tomllib.loads((HOUSE / "Cargo.toml").read_text(encoding="utf-8"))
    assert not faults(changelog, citation, manifest["workspace"]["package"]["version"])


def test_a_release_that_a_file_does_not_know_is_found() -> None:
    before, after = f"# Changes\n\n{NONE_YET}.\n\n## Unreleased\n", "\n## Unreleased\n\n## 0.1.0, 2026-12-31\n"
    assert faults(before, "version: 0.1.0\n", "0.1.0") == []
    assert faults(after, "version: 0.1.0\ndate-released: 2026-12-31\n", "0.1.0") == []
    assert faults(before, "version: 0.1.0\ndate-released: 2026-12-31\n", "0.1.0") == [
        "CITATION.cff has the date 2026-12-31, not None"
    ]
    assert faults(after, "version: 0.1.0\n", "0.2.0") == [
        "the newest release is 0.1.0, but 0.2.0 is built",
        "CITATION.cff has the date None, not 2026-12-31",
    ]


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
