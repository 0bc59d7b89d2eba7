# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. The worked examples of CONTRIBUTING.md are followed to the letter in a copy of the repository."""

from __future__ import annotations

import filecmp
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from repository import HOUSE, tracked

if TYPE_CHECKING:
    from collections.abc import Iterator

QUEUE = "Adding a queue"
# Of the sections whose example is a patch, its name.
PATCHES = {
    "Adding an algorithm": "steady",
    "Adding a kind of traffic": "bursts",
    "Adding a key to the scenario": "keep-window",
    "Adding a command": "alone",
}
ROW = re.compile(r"^\| `(?P<file>[^`]+)` \| (?P<what>.+) \|$", re.MULTILINE)
EDITED = re.compile(r"^\+\+\+ b/(.+)$", re.MULTILINE)
# What finds a place that an example of Rust leaves out although everything compiles.
RUST = (
    "-p narrows-cc -p narrows-qdisc -p narrows-scenario --lib --test rules",
    "-p narrows-transport --test all -- idle::",
)
# The same for the structure of the repository, and for a command.
PYTHON = (
    *("repository/test_house.py", "repository/test_words.py", "repository/test_licence.py", "api/test_public.py"),
    *("cli/test_shell.py", "api/test_api_commands.py::test_alone"),
    "report/test_page.py::test_a_page_that_cannot_be_built_costs_no_results[alone]",
    "repository/test_shown_commands.py::test_every_command_has_examples_and_a_group",
)


def section(heading: str) -> str:
    """Return the text of CONTRIBUTING.md below `heading`, up to the next heading."""
    text = (HOUSE / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]


def patch(name: str) -> Path:
    """Return the file of an example."""
    return HOUSE / f"docs/worked/{name}.patch"


def add_queue(tree: Path) -> None:
    """Make in `tree` the three edits of the table of the section on a queue."""
    text = section(QUEUE)
    edits = {row["file"]: re.findall(r"`([^`]+)`", row["what"]) for row in ROW.finditer(text)}
    own, modules, catalogue = (tree / file for file in edits)
    assert not own.exists()
    own.write_text(text.split("```rust\n", 1)[1].split("```", 1)[0], encoding="utf-8")
    [declaration] = edits["crates/qdisc/src/lib.rs"]
    put(modules, declaration, before="pub mod ")
    used, _, entry = edits["crates/qdisc/src/catalogue.rs"]
    put(catalogue, f"use crate::{used};", before="use ")
    put(catalogue, entry, before="&red::ENTRY,")


def put(file: Path, line: str, *, before: str) -> None:
    """Insert `line` in front of the first line that begins with `before`, apart from its indentation."""
    lines = file.read_text(encoding="utf-8").splitlines()
    place = next(index for index, each in enumerate(lines) if each.strip().startswith(before))
    lines.insert(place, line)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(tree: Path, *command: str, **variables: str) -> str:
    """Return what a command prints in `tree`, which must succeed."""
    ended = subprocess.run(command, cwd=tree, env=os.environ | variables, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, f"{command}\n{ended.stdout}{ended.stderr}"
    return ended.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the repository with all examples."""
    tree = tmp_path_factory.mktemp("worked")
    # The library is linked into the package.
    for file in [*tracked(), *(each for each in (HOUSE / "python/narrows").iterdir() if each.is_symlink())]:
        copy = tree / file.relative_to(HOUSE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy, follow_symlinks=False)
    add_queue(tree)
    for name in PATCHES.values():
        run(tree, "git", "apply", str(patch(name)))
    return tree


def files(tree: Path) -> Iterator[Path]:
    """Yield the files of a tree by their paths in it, without files of git and of Python's compiler."""
    for folder, inner, names in os.walk(tree):
        inner[:] = [each for each in inner if each not in {".git", "__pycache__"}]
        links = [each for each in inner if (Path(folder) / each).is_symlink()]
        yield from ((Path(folder) / name).relative_to(tree) for name in [*names, *links])


def renew(kept: Path, tree: Path) -> None:
    """Make `kept` the same as `tree`; files that have not changed keep their times, by which cargo knows them."""
    wanted = set(files(tree))
    for file in set(files(kept)) - wanted:
        (kept / file).unlink()
    for file in wanted:
        new, old = tree / file, kept / file
        if not (old.is_symlink() or (old.is_file() and filecmp.cmp(new, old, shallow=False))):
            old.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(new, old, follow_symlinks=False)


@pytest.mark.parametrize(("heading", "name"), PATCHES.items(), ids=PATCHES.values())
def test_a_table_names_the_files_that_the_example_edits(heading: str, name: str) -> None:
    text = section(heading)
    assert f"(docs/worked/{name}.patch)" in text
    edited = EDITED.findall(patch(name).read_text(encoding="utf-8"))
    assert sorted(row["file"] for row in ROW.finditer(text)) == edited


def test_every_example_has_a_section() -> None:
    assert {file.stem for file in patch("").parent.glob("*.patch")} == set(PATCHES.values())


def test_the_examples_are_formatted(tree: Path) -> None:
    edited = [each for name in PATCHES.values() for each in EDITED.findall(patch(name).read_text(encoding="utf-8"))]
    rust, python = ([each for each in edited if each.endswith(suffix)] for suffix in (".rs", ".py"))
    run(tree, "rustfmt", "--check", "--edition", "2024", *rust)
    for check in (["format", "--check"], ["check"]):
        run(tree, sys.executable, "-m", "ruff", *check, "--no-cache", *python)


def test_the_queue_of_the_worked_example_compiles(tree: Path) -> None:
    """All examples are there: each applies beside the others."""
    kept = str(HOUSE / "target/contributing")
    run(tree, "cargo", "check", "--offline", "--package", "narrows-qdisc", CARGO_TARGET_DIR=kept)


@pytest.mark.full(
    "All crates are compiled with the examples, for two minutes; that the examples apply is always tested."
)
def test_the_worked_examples_forget_no_place(tree: Path) -> None:
    kept = HOUSE / "target/worked"
    kept.mkdir(parents=True, exist_ok=True)
    renew(kept, tree)
    # Tests of the structure ask git which files there are.
    run(kept, "git", "init", "--quiet")
    # Crates of others are shared with the repository. Its own would be replaced there, but for the wrapper.
    shared = {
        "CARGO_TARGET_DIR": str(HOUSE / "target"),
        "RUSTC_WORKSPACE_WRAPPER": "env",
        "PYO3_PYTHON": os.environ.get("PYO3_PYTHON", sys.executable),
    }
    run(kept, "cargo", "check", "--offline", "--workspace", "--all-targets", **shared)
    crates = re.findall(r'^name = "(narrows-\w+)"', (kept / "Cargo.lock").read_text(encoding="utf-8"), re.MULTILINE)
    # Not optimized, they compile in a third of the time.
    plain = [word for name in crates for word in ("--config", f"profile.dev.package.{name}.opt-level=0")]
    printed = [run(kept, "cargo", "test", "--offline", *plain, *chosen.split(), **shared) for chosen in RUST]
    ran = set(re.findall(r"^test (\S+) \.\.\. ok", "".join(printed), re.MULTILINE))
    for wanted in ("steady::", "lifo::tests::", "idle::with_keep_window", "tests::effect::every_key"):
        assert any(each.startswith(wanted) for each in ran), f"{wanted} ran"
    # The extension without the examples: its crate takes the longest to compile, and these tests run none of them.
    for extension in (HOUSE / "python/narrows").glob("_core*.so"):
        shutil.copy(extension, kept / "python/narrows")
    tests = [f"tests/python/{each}" for each in PYTHON]
    options = (
        "-p",
        "no:cacheprovider",
        "--override-ini",
        "addopts=-q -p browsers -p command_line -p full -p longest -p rest",
    )
    run(kept, sys.executable, "-m", "pytest", *options, *tests, PYTHONPATH=str(kept / "python"))
