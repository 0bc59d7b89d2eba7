# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. A release has no placeholder, and its packages lead to the repository."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

import pytest
import release

from repository import HOUSE

ADDRESS = "https://example.org/someone/narrows"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return the files that a release changes, in a folder of their own."""
    named = [HOUSE / name for name in ("README.md", "pyproject.toml", "Cargo.toml")]
    for file in [*named, *HOUSE.glob("crates/*/Cargo.toml")]:
        to = tmp_path / file.relative_to(HOUSE)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, to)
    return tmp_path


def test_the_readme_of_a_release_needs_no_repository(copy: Path) -> None:
    before = re.findall(r"\]\((?!https?:|#)([^)]+)\)", (HOUSE / "README.md").read_text(encoding="utf-8"))
    release.write_address(copy, ADDRESS, "v0.1.0")
    text = (copy / "README.md").read_text(encoding="utf-8")
    assert not re.findall(r"\]\((?!https?:|#)([^)]+)\)", text)
    assert f"{ADDRESS}/raw/v0.1.0/docs/picture.svg" in text
    # Nothing else has changed.
    assert re.sub(rf"{ADDRESS}/(raw|blob|tree)/v0\.1\.0/", "", text) == (HOUSE / "README.md").read_text(
        encoding="utf-8"
    )
    assert all((HOUSE / name.partition("#")[0]).exists() for name in before)


def test_every_package_of_a_release_names_the_repository(copy: Path) -> None:
    release.write_address(copy, f"{ADDRESS}.git", "v0.1.0")
    urls = tomllib.loads((copy / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    assert urls["Repository"] == ADDRESS
    assert {"Documentation", "Changelog", "Issues"} <= set(urls)
    assert tomllib.loads((copy / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["repository"] == ADDRESS
    packages = [tomllib.loads(file.read_text("utf-8"))["package"] for file in copy.glob("crates/*/Cargo.toml")]
    published = [each for each in packages if each["publish"] is True]
    assert published
    assert all(each["repository"] == {"workspace": True} for each in published)


@pytest.mark.parametrize(
    "address", ["narrows", "http://example.org/a/b", "https://example.org/narrows", "https://a b/c/d"]
)
def test_what_is_no_address_of_a_repository_is_refused_before_anything_is_written(copy: Path, address: str) -> None:
    with pytest.raises(release.ReleaseError, match="expected https://HOST/OWNER/NAME"):
        release.write_address(copy, address, "v0.1.0")
    assert (copy / "README.md").read_text("utf-8") == (HOUSE / "README.md").read_text("utf-8")


def test_an_address_is_written_once(copy: Path) -> None:
    release.write_address(copy, ADDRESS, "v0.1.0")
    with pytest.raises(release.ReleaseError, match="has an address already"):
        release.write_address(copy, ADDRESS, "v0.1.0")


def test_a_placeholder_is_named_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/ab.md").write_text("First.\nuses: OWNER/narrows@v1\n", encoding="utf-8")
    (tmp_path / "README.md").write_text("Is not published yet.\n", encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text("## 0.1.0, not released yet\n", encoding="utf-8")
    (tmp_path / "CITATION.cff").write_text("version: 0.1.0\n", encoding="utf-8")
    found = release.placeholders(tmp_path)
    assert [each.partition(": ")[0] for each in found] == [
        "docs/ab.md:2",
        "README.md:1",
        "CHANGELOG.md:1",
        "CITATION.cff:1",
    ]
    for file, text in (
        ("docs/ab.md", "someone/narrows"),
        ("README.md", "Is published."),
        ("CHANGELOG.md", "## 0.1.0, 2027-01-01"),
    ):
        (tmp_path / file).write_text(text, encoding="utf-8")
    (tmp_path / "CITATION.cff").write_text("version: 0.1.0\ndate-released: 2027-01-01\n", encoding="utf-8")
    assert release.placeholders(tmp_path) == []


def test_every_published_crate_has_its_readme_and_the_licence() -> None:
    for file in HOUSE.glob("crates/*/Cargo.toml"):
        package = tomllib.loads(file.read_text("utf-8"))["package"]
        if package["publish"] is True:
            assert package["readme"] == "README.md"
            assert (file.parent / "README.md").read_text("utf-8").startswith(f"# {package['name']}\n")
            assert (file.parent / "LICENSE").read_text("utf-8") == (HOUSE / "LICENSE").read_text("utf-8")


def test_nothing_is_published_before_its_tests_have_passed() -> None:
    text = (HOUSE / ".github/workflows/release.yml").read_text("utf-8")
    assert text.count("needs: [tests, lint, wheels]") == len(re.findall(r"^  publish[\w-]*:$", text, re.MULTILINE)) == 3
