# SPDX-License-Identifier: Apache-2.0
"""A study on several machines has the bits of one, whatever happens to them. Truth: the same study on one machine."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import time
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from study_files import LONGER, STUDY, begin, finish, kept, state, study, write_study

from narrows import RunError
from narrows._internal import core
from narrows._internal.cli import main
from narrows._internal.files.json_objects import read_sealed, sealed, write_json
from narrows._internal.files.lease import born

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SEVEN = [f"s{number}" for number in range(1, 8)]
# Every combination stops by itself.
EACH = """{ minimum = 3, maximum = 8, measure = "goodput_bps", within = "1%" }"""
# All stop together.
TOGETHER = EACH.replace(" }", ', by = "path.rtt" }')


def run_shards(folder: Path, total: int, *arguments: str) -> list[str]:
    """Run every shard of `study.toml` and return their folders."""
    names = [f"s{number}" for number in range(1, total + 1)]
    for number, name in enumerate(names, 1):
        shard = ["--shard", f"{number}/{total}", "--out", name, "--quiet"]
        status, _, messages = study(folder, "run", "study.toml", *shard, *arguments)
        assert status == 0, messages
    return names


def refusal(folder: Path, names: Sequence[str]) -> str:
    """Return why shards are not joined, and check that nothing is written."""
    status, out, messages = study(folder, "merge", *names, "--out", "refused")
    assert (status, out) == (2, "")
    assert not (folder / "refused").exists()
    return messages


def assert_same_bits(folder: Path, one: str, other: str) -> None:
    """Check that two folders of studies differ in processor time and command alone."""
    tables = [pl.read_parquet(folder / out / "cells.parquet").drop("cpu_s") for out in (one, other)]
    assert_frame_equal(*tables)
    files = [{place.relative_to(folder / out) for place in (folder / out).rglob("*")} for out in (one, other)]
    assert files[0] == files[1]
    for place in files[0]:
        if (folder / one / place).is_file() and place.name not in {"cells.parquet", "manifest.json", ".lease"}:
            assert (folder / one / place).read_bytes() == (folder / other / place).read_bytes(), place
    manifests = [json.loads((folder / out / "manifest.json").read_text()) for out in (one, other)]
    for each in manifests:
        del each["command"], each["seal"], each["files"]["cells.parquet"]
    assert manifests[0] == manifests[1]


def edit_plan(folder: Path, **changes: Any) -> None:
    """Change a plan, and give it the seal that fits."""
    plan = read_sealed(folder / "plan.json")
    plan["base"] |= changes
    write_json(folder / "plan.json", sealed(plan))


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a study, `whole`, and its three shards."""
    folder = tmp_path_factory.mktemp("shards")
    write_study(folder)
    assert study(folder, "run", "study.toml", "--out", "whole", "--quiet")[0] == 0
    run_shards(folder, 3)
    return folder


def test_seven_shards_of_which_two_are_killed_have_the_bits_of_one_machine(tmp_path: Path) -> None:
    write_study(tmp_path, STUDY.replace("replications = 3", "replications = 20"), LONGER)
    assert study(tmp_path, "run", "study.toml", "--out", "whole", "--quiet")[0] == 0
    for number, name in enumerate(SEVEN, 1):
        command = ["run", "study.toml", "--shard", f"{number}/7", "--out", name, "--jobs", "1", "--quiet"]
        process = begin(tmp_path, *command)
        if name in {"s2", "s5"}:
            while process.poll() is None and len(kept(tmp_path / name)) < 3:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            assert finish(process)[0] == -signal.SIGKILL
            process = begin(tmp_path, *command)
        status, out, messages = finish(process)
        assert status == 0, messages
        assert f"shard {number}/7: " in out
    assert sum(state(tmp_path, name)["cells"] for name in SEVEN) == state(tmp_path, "whole")["cells"] == 160
    # 160 = 6 * 23 + 22.
    assert sorted(state(tmp_path, name)["cells"] for name in SEVEN) == [22, *[23] * 6]
    for order, out in ((SEVEN, "forth"), (SEVEN[::-1], "back")):
        status, _, messages = study(tmp_path, "merge", *order, "--out", out, "--quiet")
        assert status == 0, messages
        assert_same_bits(tmp_path, "whole", out)


def test_a_shard_counts_its_own_cells_and_has_no_report(cut: Path) -> None:
    states = [state(cut, name) for name in ("s1", "s2", "s3")]
    assert [each["cells"] for each in states] == [8, 8, 8]
    assert all(each["finished"] == each["cells"] and each["failed"] == 0 for each in states)
    assert not (cut / "s1/report.html").exists()


def test_of_schedulers_that_count_from_zero_the_shard_zero_is_the_last(cut: Path) -> None:
    status, out, messages = study(cut, "run", "study.toml", "--shard", "0/3", "--out", "s3", "--quiet")
    assert status == 0, messages
    assert "shard 3/3: " in out


@pytest.mark.parametrize("text", ["4/3", "0/0", "3", "-1/3", "1/3/5", "one/3"])
def test_what_is_no_shard_is_refused(cut: Path, text: str) -> None:
    status, _, messages = study(cut, "run", "study.toml", f"--shard={text}", "--out", "refused")
    assert status == 2
    assert "expected I/N with I from 1 to N" in messages
    assert not (cut / "refused").exists()


def test_a_missing_shard_is_named(cut: Path) -> None:
    assert "1 shard is missing: 2/3" in refusal(cut, ["s3", "s1"])


def test_a_shard_that_is_there_twice_is_named(cut: Path) -> None:
    assert "s1: is shard 1/3, as is s1" in refusal(cut, ["s1", "s2", "s3", "s1"])


def test_a_whole_study_is_no_shard(cut: Path) -> None:
    assert "whole: is no shard" in refusal(cut, ["whole", "s1", "s2", "s3"])


def test_a_folder_of_another_shard_or_study_is_not_taken(cut: Path) -> None:
    for arguments in (["--shard", "2/3"], ["--shard", "1/4"], ["--shard", "1/3", "--seed", "7"], []):
        status, _, messages = study(cut, "run", "study.toml", *arguments, "--out", "s1", "--quiet")
        assert status == 2, arguments
        assert "s1 holds" in messages
    status, _, messages = study(cut, "run", "study.toml", "--shard", "1/3", "--out", "whole")
    assert (status, "whole holds another study or shard" in messages) == (2, True)


def test_shards_of_different_numbers_are_not_mixed(cut: Path) -> None:
    assert study(cut, "run", "study.toml", "--shard", "4/4", "--out", "other", "--quiet")[0] == 0
    assert "all are of the same number of shards" in refusal(cut, ["s1", "s2", "s3", "other"])


def test_shards_of_another_file_are_refused_by_what_differs(cut: Path, tmp_path: Path) -> None:
    for text, words in (
        (STUDY.replace("replications = 3", "replications = 4"), "study.toml, the number of replications differ"),
        (STUDY.replace('"40ms"', '"50ms"'), "the scenarios of its cells"),
        (STUDY.replace('title = "Small study"', 'title = "Other"'), "study.toml, title differ"),
        (STUDY + "# A remark.\n", "study.toml differ"),
    ):
        here = tmp_path / str(len(list(tmp_path.iterdir())))
        here.mkdir()
        write_study(here, text)
        assert study(here, "run", "study.toml", "--shard", "3/3", "--out", "s3", "--quiet")[0] == 0
        message = refusal(cut, ["s1", "s2", str(here / "s3")])
        assert "is of another study than s1" in message
        assert words in message


def test_another_engine_is_refused(tmp_path: Path) -> None:
    write_study(tmp_path)
    names = run_shards(tmp_path, 2)
    edit_plan(tmp_path / "s2", engine="0" * 64)
    assert "s2: is of engine 0000000000000000, and s1 is of" in refusal(tmp_path, names)
    edit_plan(tmp_path / "s1", engine="0" * 64)
    assert "join the shards with the version that ran them" in refusal(tmp_path, names)


def test_a_shard_that_was_killed_is_named_with_its_cells(cut: Path, tmp_path: Path) -> None:
    shutil.copytree(cut / "s2", tmp_path / "s2")
    for name in ("cells.parquet", "manifest.json"):
        (tmp_path / "s2" / name).unlink()
    cells = state(cut, "s2")["cells"]
    message = refusal(cut, ["s1", str(tmp_path / "s2"), "s3"])
    assert f"is shard 2/3, which lacks {cells} of its {cells} cells: " in message
    assert f"`narrows study resume {tmp_path / 's2'}`" in message
    (tmp_path / "s2/lease.json").write_text(
        json.dumps({"host": socket.gethostname(), "pid": os.getpid(), "born": born(os.getpid()), "since": "today"})
    )
    assert "is being worked on by process" in refusal(cut, ["s1", str(tmp_path / "s2"), "s3"])


def test_a_damaged_shard_is_named(tmp_path: Path) -> None:
    write_study(tmp_path)
    names = run_shards(tmp_path, 2)
    table = tmp_path / "s2/cells.parquet"
    table.write_bytes(table.read_bytes()[:-100])
    assert "s2/cells.parquet" in refusal(tmp_path, names)


def test_more_shards_than_cells_leave_some_without_any(tmp_path: Path) -> None:
    text = STUDY.replace("replications = 3", "replications = 1").replace(', "aimd(a=1,b=0.8)"', "")
    write_study(tmp_path, text)
    assert study(tmp_path, "run", "study.toml", "--out", "whole", "--quiet")[0] == 0
    names = run_shards(tmp_path, 9)
    assert any(state(tmp_path, name)["cells"] == 0 for name in names)
    assert study(tmp_path, "merge", *names, "--out", "joined", "--quiet")[0] == 0
    assert_same_bits(tmp_path, "whole", "joined")


def test_a_shard_of_a_version_by_which_other_cells_fell_to_it_is_completed(cut: Path, tmp_path: Path) -> None:
    # The cells of the second shard, and the name of the first.
    for name, cells in {"whole": "whole", "s1": "s2", "s2": "s2", "s3": "s3"}.items():
        shutil.copytree(cut / cells, tmp_path / name)
    shutil.copyfile(cut / "s1/shard.json", tmp_path / "s1/shard.json")
    assert "s1: is shard 1/3, which lacks 8 of its 8 cells" in refusal(tmp_path, ["s1", "s2", "s3"])
    assert study(tmp_path, "resume", "s1", "--quiet")[0] == 0
    assert study(tmp_path, "merge", "s1", "s2", "s3", "--out", "joined", "--quiet")[0] == 0
    assert_same_bits(tmp_path, "whole", "joined")


def test_failed_cells_are_joined_with_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_study(tmp_path)
    whole = core.run

    def broken(jobs: list[Any], threads: int, progress: core.Progress) -> list[core.Records | None]:
        if jobs[0][1] == 1:
            raise RunError("packets are not conserved")
        return whole(jobs, threads, progress)

    monkeypatch.setattr(core, "run", broken)
    for arguments in (["--out", "whole"], ["--shard", "1/2", "--out", "s1"], ["--shard", "2/2", "--out", "s2"]):
        assert main(["study", "run", "study.toml", *arguments, "--quiet"]) == 4
    assert main(["study", "merge", "s2", "s1", "--out", "joined", "--quiet"]) == 4
    assert len(list((tmp_path / "joined/failed").glob("*.json"))) == 8
    assert_same_bits(tmp_path, "whole", "joined")


def test_combinations_that_stop_by_themselves_are_decided_in_their_shards(tmp_path: Path) -> None:
    write_study(tmp_path, STUDY.replace("replications = 3", f"replications = {EACH}"))
    assert study(tmp_path, "run", "study.toml", "--out", "whole", "--quiet")[0] == 0
    assert state(tmp_path, "whole")["cells"] > 24
    names = run_shards(tmp_path, 3)
    assert study(tmp_path, "merge", *names, "--out", "joined", "--quiet")[0] == 0
    assert_same_bits(tmp_path, "whole", "joined")


def test_combinations_that_stop_together_are_decided_when_their_shards_are_joined(tmp_path: Path) -> None:
    write_study(tmp_path, STUDY.replace("replications = 3", f"replications = {TOGETHER}"))
    assert study(tmp_path, "run", "study.toml", "--out", "whole", "--quiet")[0] == 0
    wanted = state(tmp_path, "whole")["cells"]
    assert wanted > 24
    status, _, messages = study(tmp_path, "merge", *run_shards(tmp_path, 3), "--out", "once", "--quiet")
    assert status == 3
    assert "the rule of the study asks for 8 cells more" in messages
    again = []
    for number in (1, 2):
        name = f"again{number}"
        shard = ["--shard", f"{number}/2", "--out", name, "--quiet"]
        status, _, messages = study(tmp_path, "resume", "once", *shard)
        assert status == 0, messages
        again.append(name)
    assert "name their folder, too" in refusal(tmp_path, again)
    status, _, messages = study(tmp_path, "merge", "once", *again, "--out", "twice", "--quiet")
    if status == 3:
        last = []
        for number in (1, 2):
            shard = ["--shard", f"{number}/2", "--out", f"last{number}", "--quiet"]
            assert study(tmp_path, "resume", "twice", *shard)[0] == 0
            last.append(f"last{number}")
        status, _, messages = study(tmp_path, "merge", *last, "twice", "--out", "joined", "--quiet")
    else:
        (tmp_path / "twice").rename(tmp_path / "joined")
    assert status == 0, messages
    assert_same_bits(tmp_path, "whole", "joined")
    # On one machine, the merged folder goes on like any other.
    assert study(tmp_path, "resume", "once", "--quiet")[0] == 0
    assert state(tmp_path, "once")["cells"] == wanted


def test_a_further_round_is_refused_where_none_is_needed(cut: Path) -> None:
    status, _, messages = study(cut, "resume", "whole", "--shard", "1/2", "--out", "refused")
    assert (status, "needs no further round" in messages) == (2, True)
    status, _, messages = study(cut, "resume", "whole", "--shard", "1/2")
    assert (status, "--shard and --out belong together" in messages) == (2, True)


def test_a_shard_has_no_report(cut: Path) -> None:
    assert main(["report", str(cut / "s1")]) == 2
    assert not (cut / "s1/report.html").exists()
