# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Damage to a folder of results is found and named; nothing else is ever shown in its place."""

from __future__ import annotations

import errno
import functools
import json
import os
import shutil
import socket
import time
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from study_files import SCENARIO, STUDY, write_study

from narrows._internal.cli import main
from narrows._internal.experiments.campaign import begin
from narrows._internal.experiments.definition import read_study
from narrows._internal.experiments.plan import load_plan
from narrows._internal.experiments.planner import make_plan
from narrows._internal.experiments.store import Store
from narrows._internal.experiments.stored import stored
from narrows._internal.experiments.task import Finished, perform
from narrows._internal.files.json_objects import read_sealed, sealed, write_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

QUERY = ["study", "query", "FOLDER", "select * exclude (cpu_s) from cells order by cell"]
KINDS: dict[str, list[list[str]]] = {
    "run": [["report", "FOLDER"], ["export", "csv", "FOLDER"]],
    "both": [["report", "FOLDER"]],
    "finished": [["study", "status", "FOLDER"], QUERY, ["report", "FOLDER"]],
    "begun": [["study", "status", "FOLDER"], QUERY, ["report", "FOLDER"]],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run, a comparison, a finished study and one of which half is finished."""
    folder = tmp_path_factory.mktemp("results")
    text = STUDY.replace("replications = 3", "replications = 1").replace('["0.5bdp", "1bdp"]', '["1bdp", "2bdp"]')
    file = write_study(folder, text, SCENARIO)
    assert narrows("compare", "newreno", "cubic", "--scenario", folder / "base.toml", "--out", folder / "both")[0] == 0
    shutil.copytree(folder / "both/cubic", folder / "run")
    assert narrows("study", "run", file, "--out", folder / "finished")[0] == 0
    study = read_study(file)
    begin(study, make_plan(study), folder / "begun")
    store, plan = Store(folder / "begun"), load_plan(folder / "begun")
    store.prepare()
    done = [perform(plan.task(point, 0)) for point in plan.points[:4]]
    store.keep([each for each in done if isinstance(each, Finished)])
    return folder


def narrows(*arguments: str | Path) -> tuple[int, str, str]:
    """Run a command in this process: exit status, standard output, standard error."""
    out, messages = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(messages):
        found = main([*map(str, arguments)])
    return found, out.getvalue(), messages.getvalue()


def in_folder(arguments: list[str], folder: Path) -> tuple[int, str, str]:
    return narrows(*(str(folder) if each == "FOLDER" else each for each in arguments))


@functools.cache
def answer_of(whole: Path) -> str:
    """Return what the query says of results without damage."""
    return in_folder(QUERY, whole)[1]


def flip(content: bytes, random: Random) -> bytes:
    place = random.randrange(len(content))
    return content[:place] + bytes([content[place] ^ (1 << random.randrange(8))]) + content[place + 1 :]


DAMAGES: dict[str, Callable[[bytes, Random], bytes]] = {
    "cut": lambda content, random: content[: random.randrange(len(content))],
    "flip": flip,
    "empty": lambda _content, _random: b"",
    "null": lambda _content, _random: b"null\n",
    "list": lambda _content, _random: b"[]\n",
    "object": lambda _content, _random: b"{}\n",
    "noise": lambda content, random: random.randbytes(len(content)),
    "zero": lambda content, _random: bytes(len(content)),
}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(KINDS)), st.sampled_from(sorted(DAMAGES)), st.integers(0, 2**32), st.data())
def test_damage_is_found_or_makes_no_difference(
    results: Path, kind: str, damage: str, seed: int, data: st.DataObject
) -> None:
    whole = results / kind
    files = sorted(str(each.relative_to(whole)) for each in whole.rglob("*") if each.is_file() and each.stat().st_size)
    name = data.draw(st.sampled_from(files))
    damaged = results / "damaged" / kind
    shutil.rmtree(damaged, ignore_errors=True)
    shutil.copytree(whole, damaged)
    (damaged / name).write_bytes(DAMAGES[damage]((whole / name).read_bytes(), Random(seed)))  # noqa: S311  # it must be repeatable
    for arguments in KINDS[kind]:
        found, out, messages = in_folder(arguments, damaged)
        assert found in {0, 2}, (name, arguments, messages)
        assert "Traceback" not in messages
        if found == 2:
            assert str(damaged) in messages
        elif "query" in arguments:
            assert out == answer_of(whole), name


def test_cells_in_a_file_each_are_read_as_before(results: Path, tmp_path: Path) -> None:
    shutil.copytree(results / "begun", tmp_path / "study")
    (file,) = (tmp_path / "study/cells").iterdir()
    for key, cell in read_sealed(file)["cells"].items():
        write_json(tmp_path / f"study/cells/{key}.json", sealed(cell))
    file.unlink()
    assert in_folder(QUERY, tmp_path / "study") == in_folder(QUERY, results / "begun")
    found, out, messages = narrows("study", "resume", tmp_path / "study")
    assert found == 0, messages
    assert "8 of 8 cells are finished" in out
    assert not list((tmp_path / "study/cells").iterdir())
    assert in_folder(QUERY, tmp_path / "study") == in_folder(QUERY, results / "finished")


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_a_damaged_cell_runs_again(results: Path, tmp_path: Path, damage: str) -> None:
    shutil.copytree(results / "begun", tmp_path / "study")
    file = next((tmp_path / "study/cells").iterdir())
    file.write_bytes(DAMAGES[damage](file.read_bytes(), Random(1)))  # noqa: S311
    found, _, messages = narrows("study", "query", tmp_path / "study", "select * from cells")
    assert found == 2
    assert f"{file}: is damaged" in messages
    assert "runs its cells again" in messages
    found, out, messages = narrows("study", "resume", tmp_path / "study")
    assert found == 0, messages
    assert f"{file} is damaged: its cells run again" in messages
    assert "8 of 8 cells are finished" in out
    _, expected, _ = in_folder(QUERY, results / "finished")
    assert in_folder(QUERY, tmp_path / "study")[1] == expected


def test_a_damaged_table_is_not_used(results: Path, tmp_path: Path) -> None:
    shutil.copytree(results / "finished", tmp_path / "study")
    table = tmp_path / "study/cells.parquet"
    table.write_bytes(flip(table.read_bytes(), Random(3)))  # noqa: S311
    for command in (["study", "status"], ["study", "resume"], ["report"]):
        found, _, messages = narrows(*command, tmp_path / "study")
        assert found == 2
        assert f"{table}: has changed since it was written" in messages
    table.unlink()
    assert narrows("study", "resume", tmp_path / "study")[0] == 0
    assert in_folder(QUERY, tmp_path / "study")[1] == in_folder(QUERY, results / "finished")[1]


def test_the_manifest_of_a_study_lists_what_is_there(results: Path) -> None:
    manifest = json.loads((results / "finished/manifest.json").read_text(encoding="utf-8"))
    assert "cells.parquet" in manifest["files"]
    assert all((results / "finished" / name).is_file() for name in manifest["files"])


@pytest.mark.parametrize(
    "lease",
    [
        {},
        {"host": "elsewhere", "pid": "many", "since": "now"},
        {"host": "HERE", "pid": 10**30, "since": "now"},
        {"host": "HERE", "pid": -1, "since": "now"},
        {"host": "HERE", "pid": None, "since": "now"},
        {"host": ["HERE"], "pid": 1, "since": 3},
    ],
)
def test_a_damaged_lease_keeps_no_process_out(results: Path, tmp_path: Path, lease: dict[str, object]) -> None:
    shutil.copytree(results / "begun", tmp_path / "study")
    text = json.dumps(lease).replace("HERE", socket.gethostname())
    (tmp_path / "study/lease.json").write_text(text, encoding="utf-8")
    assert stored(tmp_path / "study").status().running is None
    assert narrows("study", "resume", tmp_path / "study")[0] == 0


def test_a_lease_of_the_future_is_that_of_a_clock_that_was_set_back(results: Path, tmp_path: Path) -> None:
    shutil.copytree(results / "begun", tmp_path / "study")
    lease = tmp_path / "study/lease.json"
    lease.write_text(json.dumps({"host": "elsewhere", "pid": 7, "since": "yesterday"}), encoding="utf-8")
    found, _, messages = narrows("study", "resume", tmp_path / "study")
    assert found == 2
    assert f"remove {lease}" in messages
    os.utime(lease, (time.time() + 1000, time.time() + 1000))
    assert narrows("study", "resume", tmp_path / "study")[0] == 0


@pytest.mark.parametrize(
    "question",
    ["", ";", "-- nothing", "call enable_logging(storage='file')", "set threads = 1"],
)
def test_what_is_no_question_is_bad_input(results: Path, question: str) -> None:
    found, out, messages = narrows("study", "query", results / "finished", question)
    assert (found, out) == (2, "")
    assert "the question: expected a SELECT, got " in messages


def test_an_answer_does_not_control_the_terminal(results: Path) -> None:
    found, out, _ = narrows("study", "query", results / "finished", "select chr(27) || '[31m' as red, chr(10) as line")
    assert found == 0
    assert out.splitlines()[1] == "\\x1b[31m    \\n"


def test_a_disk_that_is_full_from_the_start_has_what_was_kept(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_store: Store) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    shutil.copytree(results / "begun", tmp_path / "study")
    monkeypatch.setattr(Store, "prepare", full)
    found, _, messages = narrows("study", "resume", tmp_path / "study")
    assert found == 3
    assert "No space left on device; 4 of 8 cells are finished and kept" in messages
