# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. A release has no placeholder, and its packages lead to the repository."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import release
import yaml

from optional import needs
from repository import HOUSE

ADDRESS = "https://example.org/someone/narrows"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return the files that a release changes, in a folder of their own."""
    named = [HOUSE / name for name in ("README.md", "pyproject.toml", "Cargo.toml", "recipe/recipe.yaml")]
    for file in [*named, *HOUSE.glob("crates/*/Cargo.toml"), *HOUSE.glob("docs/notebooks/*")]:
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
    with pytest.raises(release.ReleaseError, match="expected https://HOST/OWNER/NAME"):
        release.notebooks(copy, address, "v0.1.0")
    assert (copy / "README.md").read_text("utf-8") == (HOUSE / "README.md").read_text("utf-8")


def test_an_address_is_written_once(copy: Path) -> None:
    release.write_address(copy, ADDRESS, "v0.1.0")
    with pytest.raises(release.ReleaseError, match="has an address already"):
        release.write_address(copy, ADDRESS, "v0.1.0")


def test_every_notebook_has_links_that_open_it_at_its_revision(copy: Path) -> None:
    page = copy / "docs/notebooks/README.md"
    before = page.read_text("utf-8")
    # Binder and Colab open repositories of GitHub.
    assert not release.notebooks(copy, ADDRESS, "v0.1.0")
    assert page.read_text("utf-8") == before
    listed = release.notebooks(copy, "https://github.com/someone/narrows", "v0.1.0").splitlines()
    files = sorted(file.name for file in copy.glob("docs/notebooks/*.ipynb"))
    assert [line.split(":")[0] for line in listed] == [f"* {name}" for name in files]
    for name, line in zip(files, listed, strict=True):
        path = f"docs/notebooks/{name}"
        assert f"https://mybinder.org/v2/gh/someone/narrows/v0.1.0?urlpath=lab/tree/{path}" in line
        assert f"https://colab.research.google.com/github/someone/narrows/blob/v0.1.0/{path}" in line
        (row,) = [row for row in page.read_text("utf-8").splitlines() if row.startswith(f"| [{name}]")]
        assert line.partition(": ")[2] in row


def test_the_recipe_names_the_source_distribution_by_its_digest(copy: Path, tmp_path: Path) -> None:
    dist = tmp_path / "dist"
    dist.mkdir()
    with pytest.raises(release.ReleaseError, match="has 0 source distributions; expected one"):
        release.write_recipe(copy, ADDRESS, dist)
    (dist / "narrows-1.2.3.tar.gz").write_bytes(b"source")
    text = release.write_recipe(copy, ADDRESS, dist).read_text("utf-8")
    assert not re.findall(r"@\w+@", text)
    recipe = yaml.safe_load(text)
    assert recipe["context"]["version"] == "1.2.3"
    assert recipe["source"]["sha256"] == hashlib.sha256(b"source").hexdigest()
    assert recipe["source"]["url"].startswith(f"{ADDRESS}/releases/download/v${{{{ version }}}}/narrows-")
    assert recipe["about"]["repository"] == ADDRESS
    # It requires what the package requires.
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text("utf-8"))
    required = {each.replace(" ", "") for each in recipe["requirements"]["run"]}
    assert required == {"python", *project["project"]["dependencies"]}
    assert {each.replace(" ", "") for each in recipe["requirements"]["host"]} >= {*project["build-system"]["requires"]}
    assert recipe["about"]["license"] == project["project"]["license"]


def test_the_container_has_what_a_release_makes_and_a_user_without_rights() -> None:
    text = (HOUSE / "Containerfile").read_text("utf-8")
    steps = re.findall(r"^([A-Z]+) ((?:.*\\\n)*.*)$", text, re.MULTILINE)
    names = [name for name, _ in steps]
    assert names == ["FROM", "RUN", "RUN", "USER", "RUN", "WORKDIR", "ENTRYPOINT", "CMD"]
    values = dict(steps)
    assert re.fullmatch(r"docker\.io/library/python:3\.\d+-slim", values["FROM"])
    assert values["USER"] not in {"root", "0"}
    assert values["ENTRYPOINT"] == '["narrows"]'
    # What it takes from the folder is what the workflow puts there.
    workflow = (HOUSE / ".github/workflows/wheels.yml").read_text("utf-8")
    for file in re.findall(r"/dist/([\w.]+)", text):
        assert file == "narrows" or f"kernel/{file}" in workflow
    assert "docker build --file Containerfile --tag narrows dist" in workflow


@needs("bash")
def test_the_steps_of_the_container_take_the_version_of_the_wheel(tmp_path: Path) -> None:
    (tmp_path / "dist").mkdir()
    for tag in ("manylinux_2_17_x86_64", "musllinux_1_2_x86_64"):
        (tmp_path / f"dist/narrows-1.2.3-cp311-abi3-{tag}.whl").touch()
    calls = tmp_path / "calls"
    (tmp_path / "bin").mkdir()
    for name in ("pip", "narrows", "useradd", "chown", "mkdir"):
        program = tmp_path / "bin" / name
        program.write_text(f'#!/bin/sh\necho {name} "$@" >> {calls}\n', encoding="utf-8")
        program.chmod(0o755)
    text = (HOUSE / "Containerfile").read_text("utf-8")
    scripts = re.findall(r"^RUN (?:--mount=\S+ \\\n)?((?:.*\\\n)*.*)$", text, re.MULTILINE)
    (tmp_path / "dist/kernel.zip").touch()
    (tmp_path / "dist/kernel.zip.sha256").write_text("0123  kernel.zip\n", encoding="utf-8")
    for script in scripts:
        there = script.replace("/dist/", f"{tmp_path}/dist/").replace("--find-links /dist", "--find-links dist")
        environment = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
        subprocess.run(["bash", "-ec", there], env=environment, check=True)  # noqa: S607
    said = calls.read_text("utf-8").splitlines()
    assert said[0] == "pip install --no-cache-dir --find-links dist narrows[study,plot]==1.2.3"
    assert said[-1] == f"narrows linux get {tmp_path}/dist/kernel.zip --sha256 0123"


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


def test_all_that_a_release_builds_of_the_sources_has_the_address() -> None:
    # Manifests are in the fingerprint by which extension, module and network find each other.
    jobs = yaml.safe_load((HOUSE / ".github/workflows/wheels.yml").read_text("utf-8"))["jobs"]
    for name in ("module", "wheel", "kernel", "source", "npm"):
        written = [step for step in jobs[name]["steps"] if ".ci/release.py address" in step.get("run", "")]
        assert [step["if"] for step in written] == ["github.ref_type == 'tag'"], name


def test_nothing_is_published_before_its_tests_have_passed() -> None:
    text = (HOUSE / ".github/workflows/release.yml").read_text("utf-8")
    assert text.count("needs: [tests, lint, wheels]") == len(re.findall(r"^  publish[\w-]*:$", text, re.MULTILINE)) == 3
