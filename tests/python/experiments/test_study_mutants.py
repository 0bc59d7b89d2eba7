# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Whatever stands in a study file, it is accepted or refused with a reason and a place."""

from __future__ import annotations

import os
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from study_files import SCENARIO, write_study

from narrows._internal.cli import main

if TYPE_CHECKING:
    from pathlib import Path

STUDY = """\
title = "A study of everything"
question = "What does {what} do?"
scenario = "base.toml"
algorithms = ["newreno", "aimd(a=1,b=0.8)"]
replications = { minimum = 2, maximum = 9, measure = "goodput_bps", within = "5%" }
seed = 7
measures = ["goodput_bps", "utilization", "cov(bin=1s)"]
words = { what = "nothing" }

[design]
kind = "full"

[set]
"path.queue.limit" = "1bdp"

[factors]
"path.rtt" = ["10ms", "40ms"]
rate = { "path.rate" = ["5Mbps", "10Mbps"], labels = ["slow", "fast"] }

[sizes.quick]
replications = 2

[variants.long]
set = { duration = "6s" }
"""
LONG = "a" * 300
KEYS = ["seed", "extends", "design", "sizes", "x", "", '"a.b"']
ODD = [
    '""', '"\\u0000"', "0", "-1", "1e400", "nan", "true", "[]", "{}", "[[]]", "1979-05-27", '"10Mbps"', '"subject"',
    '"../base.toml"', f'"{LONG}"', '"/dev/zero"', '"./none.py:Mine"', '"{what}"', '"{"', "9223372036854775808",
    "'",
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the study and its scenario."""
    found = tmp_path_factory.mktemp("mutants")
    write_study(found, STUDY, SCENARIO)
    return found


def check(file: Path, *arguments: str) -> tuple[int, str]:
    """Run `narrows study check` in this process: exit status and messages."""
    messages = StringIO()
    with redirect_stdout(StringIO()), redirect_stderr(messages):
        status = main(["study", "check", str(file), *arguments])
    return status, messages.getvalue()


def mutated(text: str, random: Random) -> str:
    """Return a text with one to three of its lines, values or characters changed."""
    lines = text.splitlines()
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(lines))
        key, equals, value = lines[at].partition(" = ")
        match random.randrange(6):
            case 0:
                del lines[at]
            case 1:
                lines.insert(random.randrange(len(lines)), lines[at])
            case 2 if equals:
                lines[at] = f"{key} = {random.choice(ODD)}"
            case 3 if equals:
                lines[at] = f"{random.choice(KEYS)} = {value}"
            case 4:
                place = random.randint(0, len(lines[at]))
                lines[at] = lines[at][:place] + random.choice('"[]{}=.,#\\\0 é1') + lines[at][place + 1 :]
            case _:
                other = random.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
        lines = lines or [""]
    return "\n".join(lines) + "\n"


def test_the_study_itself_is_sound(folder: Path) -> None:
    assert check(folder / "study.toml") == (0, "")


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32), st.sampled_from([(), ("--size", "quick"), ("--variant", "long"), ("--size", "none")]))
def test_a_mutant_is_accepted_or_refused_with_a_reason(folder: Path, seed: int, choice: tuple[str, ...]) -> None:
    file = folder / "mutant.toml"
    file.write_text(mutated(STUDY, Random(seed)), encoding="utf-8")  # noqa: S311  # it must be repeatable
    status, messages = check(file, *choice)
    assert status in {0, 2}, messages
    assert (status == 2) == bool(messages.strip())


def test_what_is_no_file_is_not_read(folder: Path) -> None:
    os.mkfifo(folder / "pipe.toml")
    for file in (folder / "pipe.toml", folder, "/dev/zero"):
        assert check(file) == (2, f"{file}: is not a file\n")  # type: ignore[arg-type]
