# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Fragments of the changelog have one form, and become the part of a version without a loss."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import changelog
import pytest
from changelog import AREAS, ChangelogError, Fragment, collected, fragments, main, notes

from repository import HOUSE

if TYPE_CHECKING:
    from pathlib import Path

TEXT = (HOUSE / "CHANGELOG.md").read_text(encoding="utf-8")
OLD = "# Changelog\n\nAbout it.\n\n## 0.1.0, 2026-12-31\n\n### Python\n\n* The first.\n"
GOOD = "### Python\n\n* A name\n  of two lines.\n* Another.\n\n### Changed results\n\n* Which, and why.\n"


def test_every_fragment_has_the_form() -> None:
    fragments(HOUSE / "changelog.d")
    assert main(["check"]) == 0


def test_the_areas_are_those_of_the_changelog() -> None:
    used = list(dict.fromkeys(re.findall(r"^### (.*)$", TEXT, re.MULTILINE)))
    assert [area for area in AREAS if area in used] == used


def test_fragments_become_the_part_of_a_version_in_the_order_of_the_areas(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# About\n", encoding="utf-8")
    (tmp_path / "b.md").write_text(GOOD, encoding="utf-8")
    (tmp_path / "a.md").write_text(
        "### Python\n\n* First by name.\n\n### Algorithms\n\n* One more.\n", encoding="utf-8"
    )
    new = collected(OLD, fragments(tmp_path), "0.2.0", "2027-03-31")
    assert new == (
        "# Changelog\n\nAbout it.\n\n## 0.2.0, 2027-03-31\n\n### Algorithms\n\n* One more.\n\n### Python\n\n"
        "* First by name.\n* A name\n  of two lines.\n* Another.\n\n### Changed results\n\n* Which, and why.\n\n"
        "## 0.1.0, 2026-12-31\n\n### Python\n\n* The first.\n"
    )
    assert notes(new, "v0.2.0", "0.2.0", []).startswith("### Algorithms\n\n* One more.")
    assert notes(new, "v0.1.0", "0.1.0", []) == "### Python\n\n* The first.\n"


def test_fragments_join_the_part_of_a_version_that_is_not_released_yet() -> None:
    begun = OLD.replace("2026-12-31", "not released yet")
    new = collected(
        begun, [Fragment("Python", "* One more."), Fragment("Algorithms", "* A rule.")], "0.1.0", "2027-01-31"
    )
    assert new == (
        "# Changelog\n\nAbout it.\n\n## 0.1.0, 2027-01-31\n\n### Algorithms\n\n* A rule.\n\n"
        "### Python\n\n* The first.\n* One more.\n"
    )
    assert collected(begun, [], "0.1.0", "2026-12-31") == OLD
    with pytest.raises(ChangelogError, match=re.escape("no part of version 0.1.0 with a date")):
        notes(begun, "v0.1.0", "0.1.0", [])


def test_the_part_that_is_being_written_loses_nothing() -> None:
    entries = re.findall(r"^(?:[*] |  ).*$", TEXT, re.MULTILINE)
    version = str(re.findall(r"^## ([\d.]+)", TEXT, re.MULTILINE)[0])
    begun = re.sub(rf"^## {re.escape(version)}.*$", f"## {version}, not released yet", TEXT, flags=re.MULTILINE)
    new = collected(begun, fragments(HOUSE / "changelog.d"), version, "2027-01-31")
    assert set(entries) <= set(new.splitlines())
    assert new.count("\n### ") == len(set(re.findall(r"^### .*$", new, re.MULTILINE)))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", GOOD, "a.txt: expected a file NAME.md"),
        ("a.md", "", "a.md: begins with ''; expected `### AREA`"),
        ("a.md", f"A title\n\n{GOOD}", "a.md: begins with 'A title'"),
        ("a.md", "### Pyton\n\n* Text.\n", "a.md: no area 'Pyton'; there are Scenarios and the simulator, "),
        ("a.md", "### Python\n", "a.md: Python has no entry"),
        ("a.md", "### Python\n\nText.\n", "a.md: 'Text.'; expected"),
        ("a.md", "### Python\n\n* Text.\nmore\n", "a.md: 'more'; expected"),
        ("a.md", f"### Python\n\n* {'x' * 200}\n", "a.md: a line of 202 characters; at most 150"),
    ],
)
def test_a_fragment_of_another_form_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ChangelogError, match=f"^{re.escape(message)}"):
        fragments(tmp_path)


@pytest.mark.parametrize(
    ("version", "date", "message"),
    [
        ("0.2", "2027-03-31", "expected a version and a date"),
        ("0.2.0", "today", "expected a version and a date"),
        ("0.1.0", "2027-03-31", "0.1.0: is in CHANGELOG.md already"),
    ],
)
def test_a_version_that_cannot_be_collected_is_refused(version: str, date: str, message: str) -> None:
    with pytest.raises(ChangelogError, match=message):
        collected(OLD, [Fragment("Python", "* Text.")], version, date)
    with pytest.raises(ChangelogError, match="no fragment"):
        collected(OLD, [], "0.2.0", "2027-03-31")


@pytest.mark.parametrize(
    ("tag", "built", "left", "message"),
    [
        ("v0.2.0", "0.1.0", 0, "the tag is v0.2.0, but version 0.1.0 is built: expected v0.1.0"),
        ("v0.1.0", "0.1.0", 2, "changelog.d has 2 fragments"),
        ("v0.3.0", "0.3.0", 0, "no part of version 0.3.0 with a date"),
    ],
)
def test_a_tag_that_may_not_be_released_is_refused(tag: str, built: str, left: int, message: str) -> None:
    with pytest.raises(ChangelogError, match=message):
        notes(OLD, tag, built, [Fragment("Python", "* Text.")] * left)


def test_what_is_wrong_is_a_message_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert changelog.main(["release"]) == 2
    assert capsys.readouterr().err == "expected check, collect VERSION DATE or notes TAG, got 'release'\n"
    assert changelog.main(["notes", "v9.9.9"]) == 2
    assert "the tag is v9.9.9" in capsys.readouterr().err
