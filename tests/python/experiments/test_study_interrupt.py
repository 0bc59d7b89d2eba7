# SPDX-License-Identifier: Apache-2.0
"""No finished cell is lost and none is repeated, whatever happens to the process. Truth: contract and product."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from study_files import LONGER, STUDY, begin, digests, finish, kept, state, study, write_study

from command_line import command, environment
from narrows._internal.files.lease import born

if TYPE_CHECKING:
    from pathlib import Path

# A process dies at a number of finished cells, not at a time: in the middle, however fast the machine is.
CELLS_PER_LIFE = 30
# How often it dies, and the replications of 8 cells that are enough for it.
FEW = (4, 30)
MANY = (12, 90)
LONG = pytest.mark.full("each of twelve deaths is followed by the start of a command; with four the same is tried")


def long_study(folder: Path, replications: int = FEW[1]) -> None:
    write_study(folder, STUDY.replace("replications = 3", f"replications = {replications}"), LONGER)


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """Return file number and time of each cell that is on the disk."""
    return {key: (file.stat().st_ino, file.stat().st_mtime_ns) for key, file in kept(folder / "out").items()}


def wait_for_cells(folder: Path, count: int) -> None:
    for _ in range(3000):
        if len(kept(folder / "out")) >= count:
            return
        time.sleep(0.01)
    pytest.fail("the cells did not come")


@pytest.mark.parametrize(("deaths", "replications"), [FEW, pytest.param(*MANY, marks=LONG)])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_kills_at_random_moments_lose_and_repeat_nothing(
    tmp_path: Path, how: signal.Signals, deaths: int, replications: int
) -> None:
    long_study(tmp_path, replications)
    moments = random.Random(1)  # noqa: S311  # no secret
    process = begin(tmp_path, "run", "study.toml", "--out", "out", "--jobs", "1", "--quiet")
    wait_for_cells(tmp_path, 1)
    before: dict[str, tuple[int, int]] = {}
    kills = 0
    while process.poll() is None and kills < deaths:
        if kills % 3 < 2:
            wait_for_cells(tmp_path, len(before) + moments.randrange(CELLS_PER_LIFE))
        # Every third death comes early, often before the first cell.
        time.sleep(moments.uniform(0.0, 0.02 if kills % 3 < 2 else 0.2))
        process.send_signal(how)
        kills += finish(process)[0] != 0
        if (tmp_path / "out/cells.parquet").exists():
            # All cells are there, and are being moved into one file.
            process = begin(tmp_path, "resume", "out", "--jobs", "1", "--quiet")
            break
        after = stamps(tmp_path)
        assert before.items() <= after.items()
        before = after
        process = begin(tmp_path, "resume", "out", "--jobs", "1", "--quiet")
    status, _, messages = finish(process)
    assert status == 0, messages
    assert kills > deaths / 2
    cells = 8 * replications
    assert state(tmp_path) == {"cells": cells, "finished": cells, "failed": 0, "running": None}
    assert not list((tmp_path / "out").rglob(".*.partial"))
    assert study(tmp_path, "run", "study.toml", "--out", "whole", "--quiet")[0] == 0
    assert digests(tmp_path) == digests(tmp_path, "whole")


def test_an_interrupt_says_how_to_go_on(tmp_path: Path) -> None:
    long_study(tmp_path)
    process = begin(tmp_path, "run", "study.toml", "--out", "out", "--quiet")
    wait_for_cells(tmp_path, 5)
    process.send_signal(signal.SIGINT)
    status, _, messages = finish(process)
    assert status == 3
    assert "narrows study resume out" in messages
    found = state(tmp_path)
    assert 5 <= found["finished"] < found["cells"]
    assert found["running"] is None


def test_two_processes_do_not_clash(tmp_path: Path) -> None:
    long_study(tmp_path)
    first = begin(tmp_path, "run", "study.toml", "--out", "out", "--jobs", "1", "--quiet")
    wait_for_cells(tmp_path, 1)
    assert state(tmp_path)["running"]["pid"] == first.pid
    status, out, messages = study(tmp_path, "resume", "out")
    assert (status, out) == (2, "")
    assert f"process {first.pid}" in messages
    # Asking does no harm to the one that works.
    assert 1 <= len(digests(tmp_path)) <= 8 * FEW[1]
    first.kill()
    finish(first)
    assert state(tmp_path)["running"] is None
    assert study(tmp_path, "resume", "out", "--quiet")[0] == 0


def test_a_lease_of_another_host_counts_until_it_is_stale(tmp_path: Path) -> None:
    write_study(tmp_path)
    assert study(tmp_path, "run", "study.toml", "--out", "out", "--quiet")[0] == 0
    lease = tmp_path / "out/lease.json"
    lease.write_text(json.dumps({"host": "elsewhere", "pid": 1, "born": "1", "since": "then"}))
    status, _, messages = study(tmp_path, "resume", "out")
    assert status == 2
    assert "elsewhere" in messages
    os.utime(lease, (time.time() - 3600, time.time() - 3600))
    assert study(tmp_path, "resume", "out")[0] == 0
    assert not lease.exists()


def test_a_process_number_used_again_is_not_taken_for_the_holder(tmp_path: Path) -> None:
    write_study(tmp_path)
    assert study(tmp_path, "run", "study.toml", "--out", "out", "--quiet")[0] == 0
    import socket

    mine = {"host": socket.gethostname(), "pid": os.getpid(), "since": "then"}
    lease = tmp_path / "out/lease.json"
    lease.write_text(json.dumps({**mine, "born": born(os.getpid())}))
    assert study(tmp_path, "resume", "out")[0] == 2
    lease.write_text(json.dumps({**mine, "born": "another time"}))
    assert study(tmp_path, "resume", "out")[0] == 0


def test_a_disk_that_takes_no_more_keeps_what_is_finished(tmp_path: Path) -> None:
    long_study(tmp_path)
    process = begin(tmp_path, "run", "study.toml", "--out", "out", "--jobs", "1", "--quiet")
    wait_for_cells(tmp_path, 3)
    process.kill()
    finish(process)
    before = stamps(tmp_path)

    def small_files() -> None:
        # A write beyond this many bytes fails half done, as on a full disk.
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    full = subprocess.run(
        command(["study", "resume", "out", "--quiet"]),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        preexec_fn=small_files,  # one thread, one call
    )
    assert full.returncode == 3
    assert "cannot be written" in full.stderr
    assert "narrows study resume out" in full.stderr
    assert "Traceback" not in full.stderr
    assert stamps(tmp_path) == before
    assert study(tmp_path, "resume", "out", "--quiet")[0] == 0
    assert state(tmp_path)["finished"] == 8 * FEW[1]
