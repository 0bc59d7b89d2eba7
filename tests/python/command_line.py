# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share: the command itself and small scenarios."""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING, Protocol

import pytest

from prefork import Prefork

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping, Sequence
    from pathlib import Path


class Narrows(Protocol):
    """Runs `narrows` with arguments in a fresh working directory."""

    def __call__(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run it to its end."""


@pytest.fixture
def narrows(tmp_path: Path) -> Narrows:
    """Return the command, run in the test's own directory."""
    return lambda *arguments: finished(arguments, tmp_path)


def finished(
    arguments: Sequence[str | Path], folder: Path, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `narrows` to its end in `folder`, with the environment `variables`, or that of the tests."""
    return _prefork().run([*map(str, arguments)], folder, environment() if variables is None else variables)


@functools.cache
def _prefork() -> Prefork:
    return Prefork()


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """Return a scenario file that runs in a fraction of a second."""
    return write(tmp_path, SHORT)


@pytest.fixture
def long_scenario(tmp_path: Path) -> Path:
    """Return a scenario file of which one replication takes about a second."""
    return write(tmp_path, SHORT.replace('"5s"', '"200s"').replace('"10Mbps"', '"100Mbps"'))


def write(folder: Path, text: str) -> Path:
    """Write a scenario file into `folder`."""
    file = folder / "scenario.toml"
    file.write_text(text, encoding="utf-8")
    return file


def command(arguments: Sequence[str | Path]) -> list[str]:
    """Return the command line of `narrows` with these arguments."""
    return [sys.executable, "-m", "narrows", *map(str, arguments)]


def environment() -> dict[str, str]:
    """Return the environment in which no terminal width or colour setting of the caller counts."""
    return {**os.environ, "COLUMNS": "80"}


SHORT = """\
title = "Two NewReno flows and one AIAD flow"
duration = "5s"
warmup = "1s"

[path]
rate = "10Mbps"
rtt = "40ms"

[[flows]]
algorithm = "newreno"
count = 2
start = "0s..1s"

[[flows]]
name = "other"
algorithm = "aiad"
start = "0s..1s"
"""
