# SPDX-License-Identifier: Apache-2.0
"""Contract: colours where a person reads, and nowhere else."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from command_line import command, environment

if TYPE_CHECKING:
    from pathlib import Path

ESCAPE = "\x1b["


def on_a_terminal(folder: Path, *arguments: str, **variables: str) -> str:
    """Return what a command prints on a terminal, on both streams."""
    ours, theirs = pty.openpty()
    clean = {name: value for name, value in environment().items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    process = subprocess.Popen(
        command(arguments), cwd=folder, stdout=theirs, stderr=theirs, env={**clean, "TERM": "xterm", **variables}
    )
    os.close(theirs)
    printed = b""
    while True:
        try:
            read = os.read(ours, 4096)
        except OSError:
            break
        if not read:
            break
        printed += read
    process.wait()
    os.close(ours)
    return printed.decode()


COMPARE = ("compare", "newreno", "aiad", "--scenario", "scenario.toml", "--replications", "3", "--quiet")


@pytest.mark.usefixtures("scenario")
def test_a_terminal_shows_headings_and_verdicts_in_colours(tmp_path: Path) -> None:
    printed = on_a_terminal(tmp_path, *COMPARE, "--out", "out")
    assert f"{ESCAPE}1mTwo NewReno flows and one AIAD flow{ESCAPE}0m" in printed
    assert re.search(r"\x1b\[1mgroup *\x1b\[0m", printed)
    for sign, code in (("▲", 32), ("▼", 31), ("≈", 2)):
        painted = re.findall(rf"\x1b\[{code}m[^\x1b]*{sign}\x1b\[0m", printed)
        body = printed.rpartition("▲ clearly better")[0] or printed
        assert len(painted) == body.count(sign)
    assert f"{ESCAPE}32m" in printed or f"{ESCAPE}31m" in printed or f"{ESCAPE}2m" in printed


@pytest.mark.usefixtures("scenario")
def test_columns_stay_aligned_under_colours(tmp_path: Path) -> None:
    plain = on_a_terminal(tmp_path, *COMPARE, "--out", "plain", NO_COLOR="1")
    painted = on_a_terminal(tmp_path, *COMPARE, "--out", "painted")
    assert ESCAPE not in plain
    bare = re.sub(r"\x1b\[\d*m", "", painted)
    assert bare.replace("painted", "plain") == plain


@pytest.mark.usefixtures("scenario")
def test_names_are_cut_only_where_a_terminal_has_no_room(tmp_path: Path) -> None:
    name = "the-flow-whose-name-is-longer-than-what-remains-of-eighty-columns"
    given = ["run", "scenario.toml", "--set", f"flows.0.name={name}", "--quiet", "--out"]
    narrow = on_a_terminal(tmp_path, *given, "narrow", NO_COLOR="1", COLUMNS="80")
    wide = on_a_terminal(tmp_path, *given, "wide", NO_COLOR="1", COLUMNS="160")
    assert re.search(r"^the-.*…\S*s ", narrow, re.MULTILINE)
    assert re.search(rf"^{name} ", wide, re.MULTILINE)
    assert "…" not in wide


@pytest.mark.usefixtures("scenario")
@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}])
def test_no_color_and_a_dumb_terminal_turn_them_off(tmp_path: Path, variables: dict[str, str]) -> None:
    assert ESCAPE not in on_a_terminal(tmp_path, "run", "scenario.toml", "--quiet", "--out", "out", **variables)
    assert ESCAPE not in on_a_terminal(tmp_path, "run", "nothing.toml", **variables)


@pytest.mark.usefixtures("scenario")
def test_an_error_on_a_terminal_is_red(tmp_path: Path) -> None:
    printed = on_a_terminal(tmp_path, "run", "nothing.toml")
    assert printed.startswith(f"{ESCAPE}31m")


@pytest.mark.usefixtures("scenario")
def test_json_has_none(tmp_path: Path) -> None:
    printed = on_a_terminal(tmp_path, "run", "scenario.toml", "--quiet", "--json", "--out", "out")
    value, end = json.JSONDecoder().raw_decode(printed)
    assert "groups" in value
    assert ESCAPE not in printed[:end]


@pytest.mark.usefixtures("scenario")
def test_a_pipe_has_none_unless_asked_for(tmp_path: Path) -> None:
    def printed(**variables: str) -> str:
        done = subprocess.run(
            command(["doctor"]), cwd=tmp_path, capture_output=True, text=True, check=True,
            env={**environment(), **variables},
        )  # fmt: skip
        return done.stdout

    assert ESCAPE not in printed()
    assert ESCAPE in printed(FORCE_COLOR="1", NO_COLOR="")
