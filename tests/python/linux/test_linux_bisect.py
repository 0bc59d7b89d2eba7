# SPDX-License-Identifier: Apache-2.0
"""The script of docs/linux.md for `git bisect run`. Truth: contract. `narrows` and the kernels are stand-ins."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from repository import HOUSE

if TYPE_CHECKING:
    from pathlib import Path

# What a commit of the stand-in for a kernel does: status of its build, status of its trial, what is undecided.
GOOD, BROKEN, REFUSED, OPEN, BAD = "0 0 0", "2 0 0", "0 2 0", "0 0 1", "0 1 3"
NARROWS = """#!/bin/sh
echo "$@" >> "$CALLS"
read -r build trial undecided < kernel
case $1 in
linux) exit "$build" ;;
ab) printf '{\\n  "verdicts": {\\n    "undecided": %s\\n  }\\n}\\n' "$undecided"; exit "$trial" ;;
esac
"""


def script() -> str:
    """Return the script that the page shows."""
    [found] = re.findall(
        r"^```sh\n(#!/bin/sh\n.*?)^```", (HOUSE / "docs/linux.md").read_text(), re.DOTALL | re.MULTILINE
    )
    return str(found)


def prepared(tmp_path: Path) -> dict[str, str]:
    """Write the script and the stand-in for `narrows`, and return the environment in which it is found."""
    (tmp_path / "bin").mkdir()
    for name, text in (("bin/narrows", NARROWS), ("bisect.sh", script())):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    who = {f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    own = {
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "CALLS": str(tmp_path / "calls"),
        "TMPDIR": str(tmp_path),
    }
    return os.environ | who | own | {"GIT_CONFIG_GLOBAL": os.devnull}


@pytest.mark.parametrize(("commit", "status"), [(GOOD, 0), (BAD, 1), (BROKEN, 125), (REFUSED, 125), (OPEN, 125)])
def test_the_script_says_good_bad_or_skip(commit: str, status: int, tmp_path: Path) -> None:
    environment = prepared(tmp_path)
    (tmp_path / "kernel").write_text(f"{commit}\n")
    ended = subprocess.run(["./bisect.sh", "bbr1"], cwd=tmp_path, env=environment, check=False)
    assert ended.returncode == status
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[0] == "linux build --source . --name bisect --quiet"
    assert all(call.startswith("ab bbr1 --on linux:good,linux:bisect ") for call in calls[1:])


def test_git_finds_the_commit_and_passes_over_those_that_cannot_be_decided(tmp_path: Path) -> None:
    environment = prepared(tmp_path)
    tree = tmp_path / "linux"
    tree.mkdir()

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments],  # noqa: S607
            cwd=tree,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    git("init", "--quiet")
    made = []
    for number, commit in enumerate((GOOD, GOOD, BROKEN, GOOD, BAD, OPEN, BAD, BAD)):
        (tree / "kernel").write_text(f"{commit}\n")
        (tree / "number").write_text(f"{number}\n")
        git("add", ".")
        git("commit", "--quiet", "--message", str(number))
        made.append(git("rev-parse", "HEAD").strip())
    git("bisect", "start", made[-1], made[0])
    said = git("bisect", "run", "../bisect.sh", "bbr1")
    assert f"{made[4]} is the first bad commit" in said
