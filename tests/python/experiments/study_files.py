# SPDX-License-Identifier: Apache-2.0
"""Small studies for tests, and how to start the command."""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from command_line import command, environment, finished

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """\
title = "Two flows"
duration = "5s"
warmup = "1s"

[path]
rate = "10Mbps"
rtt = "40ms"

[[flows]]
name = "tested"
algorithm = "subject"
count = 2
start = "0s..1s"

[[flows]]
name = "other"
algorithm = "newreno"
start = "0s..1s"
"""
# Of cells that last, so that a process can be stopped after some of them were written.
LONGER = SCENARIO.replace('duration = "5s"', 'duration = "40s"')
STUDY = """\
title = "Small study"
scenario = "base.toml"
algorithms = ["newreno", "aimd(a=1,b=0.8)"]
replications = 3

[factors]
"path.rtt" = ["10ms", "40ms"]
"path.queue.limit" = ["0.5bdp", "1bdp"]
"""


def write_study(folder: Path, text: str = STUDY, scenario: str = SCENARIO) -> Path:
    """Write a study file and its base scenario into `folder`."""
    (folder / "base.toml").write_text(scenario, encoding="utf-8")
    file = folder / "study.toml"
    file.write_text(text, encoding="utf-8")
    return file


def kept(folder: Path) -> dict[str, Path]:
    """Return the file of each finished cell that is not in the table yet, after checking that it is whole."""
    found = {}
    for file in (folder / "cells").glob("*.json"):
        # The cells may be moving into the table.
        with suppress(FileNotFoundError):
            for key, cell in json.loads(file.read_text(encoding="utf-8"))["cells"].items():
                assert cell["digest"]
                found[key] = file
    return found


def begin(folder: Path, *arguments: str | Path) -> subprocess.Popen[str]:
    """Start `narrows study …` in `folder`."""
    return subprocess.Popen(
        command(["study", *arguments]),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait for its end: exit status, standard output, standard error."""
    out, messages = process.communicate()
    return process.returncode, out, messages


def study(folder: Path, *arguments: str | Path) -> tuple[int, str, str]:
    """Run `narrows study …` in `folder` to its end."""
    done = finished(["study", *arguments], folder)
    return done.returncode, done.stdout, done.stderr


def ask(folder: Path, sql: str, out: str = "out") -> list[dict[str, Any]]:
    """Ask the table of cells."""
    status, answer, messages = study(folder, "query", out, sql, "--json")
    assert status == 0, messages
    rows: list[dict[str, Any]] = json.loads(answer)
    return rows


def digests(folder: Path, out: str = "out") -> dict[str, str]:
    """Return the digest of each finished cell."""
    return {row["cell"]: row["digest"] for row in ask(folder, "select cell, digest from cells", out)}


def state(folder: Path, out: str = "out") -> dict[str, Any]:
    """Return what `study status --json` says."""
    status, answer, messages = study(folder, "status", out, "--json")
    assert status == 0, messages
    found: dict[str, Any] = json.loads(answer)
    return found
