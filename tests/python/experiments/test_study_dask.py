# SPDX-License-Identifier: Apache-2.0
"""The same study on a Dask cluster, whose workers come, go and differ. Truth: product."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest
from study_files import LONGER, STUDY, begin, digests, finish, kept, state, study, write_study

from command_line import environment
from narrows._internal.experiments.executors.dask import Dask
from narrows._internal.experiments.task import Stopped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PR_SET_PDEATHSIG = 1
# A worker that believes to have been built from other sources.
OTHER_ENGINE = """\
import sys
from narrows._internal import core
core.fingerprint = lambda: "f" * 64
from distributed.cli.dask_worker import main
main()
"""


def end_with_parent() -> None:
    """Let Linux kill this process when the tests end, however they end."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Cluster:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        """Start a scheduler on a free port."""
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.start(
            ["-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
        )

    def start(self, arguments: list[str]) -> subprocess.Popen[bytes]:
        """Start one of its processes."""
        log = (self.folder / f"dask-{len(self.processes)}.log").open("wb")
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=self.folder,
            stdout=log,
            stderr=log,
            env=environment(),
            preexec_fn=end_with_parent,  # noqa: PLW1509  # the tests have one thread
        )
        log.close()
        self.processes.append(process)
        return process

    def worker(self, name: str, program: list[str] | None = None) -> subprocess.Popen[bytes]:
        """Start a worker of one thread, without a nanny that would start it again."""
        flags = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1", "--name", name]
        return self.start([*(program or ["-m", "distributed.cli.dask_worker"]), self.address, *flags])

    def wait_for(self, workers: int) -> None:
        """Wait until so many workers have joined."""
        for _ in range(600):
            logs = "".join(log.read_text(errors="replace") for log in self.folder.glob("dask-*.log"))
            if len(re.findall(r"Registered to:", logs)) >= workers:
                return
            time.sleep(0.1)
        pytest.fail(f"the workers did not come:\n{logs}")

    def close(self) -> None:
        """End what still runs."""
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Return a cluster without workers."""
    found = Cluster(tmp_path)
    yield found
    found.close()


def wait_for_cells(folder: Path, count: int) -> None:
    """Wait until a study has finished more than so many cells."""
    for _ in range(1200):
        if len(kept(folder / "out")) > count:
            return
        time.sleep(0.02)
    pytest.fail("the study does not go on")


def on_dask(cluster: Cluster) -> list[str]:
    return ["--executor", "dask", "--address", cluster.address, "--quiet"]


def test_a_worker_killed_in_the_middle_costs_nothing(tmp_path: Path, cluster: Cluster) -> None:
    write_study(tmp_path, STUDY.replace("replications = 3", "replications = 60"), LONGER)
    victim = cluster.worker("victim")
    cluster.worker("survivor")
    cluster.wait_for(2)
    process = begin(tmp_path, "run", "study.toml", "--out", "out", *on_dask(cluster))
    wait_for_cells(tmp_path, 20)
    os.kill(victim.pid, signal.SIGKILL)
    assert state(tmp_path)["finished"] < 480
    status, _, messages = finish(process)
    assert status == 0, messages
    assert state(tmp_path) == {"cells": 480, "finished": 480, "failed": 0, "running": None}
    assert study(tmp_path, "run", "study.toml", "--out", "here", "--quiet")[0] == 0
    assert digests(tmp_path) == digests(tmp_path, "here")


def test_the_process_that_works_on_it_may_die_and_another_executor_go_on(tmp_path: Path, cluster: Cluster) -> None:
    write_study(tmp_path, STUDY.replace("replications = 3", "replications = 10"), LONGER)
    cluster.worker("only")
    cluster.wait_for(1)
    process = begin(tmp_path, "run", "study.toml", "--out", "out", *on_dask(cluster))
    wait_for_cells(tmp_path, 5)
    process.kill()
    finish(process)
    assert 5 < state(tmp_path)["finished"] < 80
    assert study(tmp_path, "resume", "out", "--quiet")[0] == 0
    assert state(tmp_path)["finished"] == 80


def test_a_worker_of_another_engine_is_refused_and_the_others_work(tmp_path: Path, cluster: Cluster) -> None:
    write_study(tmp_path)
    cluster.worker("other", ["-c", OTHER_ENGINE])
    cluster.wait_for(1)
    status, out, messages = study(tmp_path, "run", "study.toml", "--out", "out", *on_dask(cluster))
    assert (status, out) == (2, "")
    from narrows._internal import core

    assert "f" * 64 in messages
    assert core.fingerprint() in messages
    assert not (tmp_path / "out").exists()
    cluster.worker("good")
    cluster.wait_for(2)
    status, _, messages = study(tmp_path, "run", "study.toml", "--out", "out", *on_dask(cluster))
    assert status == 0, messages
    assert "is refused" in messages
    assert state(tmp_path)["finished"] == 24


def test_a_worker_of_another_engine_that_joins_later_is_refused_too(tmp_path: Path, cluster: Cluster) -> None:
    write_study(tmp_path, STUDY.replace("replications = 3", "replications = 10"), LONGER)
    good = cluster.worker("good")
    cluster.wait_for(1)
    process = begin(tmp_path, "run", "study.toml", "--out", "out", *on_dask(cluster))
    wait_for_cells(tmp_path, 5)
    # The study waits until the other one is there.
    good.send_signal(signal.SIGSTOP)
    cluster.worker("other", ["-c", OTHER_ENGINE])
    cluster.wait_for(2)
    good.send_signal(signal.SIGCONT)
    status, _, messages = finish(process)
    assert status == 0, messages
    assert state(tmp_path)["finished"] == 80
    assert messages.count("is refused") == 1


def test_a_killed_scheduler_is_named_with_the_command_that_goes_on(tmp_path: Path, cluster: Cluster) -> None:
    write_study(tmp_path, STUDY.replace("replications = 3", "replications = 10"), LONGER)
    cluster.worker("only")
    cluster.wait_for(1)
    process = begin(tmp_path, "run", "study.toml", "--out", "out", *on_dask(cluster))
    wait_for_cells(tmp_path, 5)
    cluster.processes[0].kill()
    status, _, messages = finish(process)
    assert status == 3, messages
    assert f"the Dask scheduler at {cluster.address} is gone; " in messages
    assert f"`narrows study resume out --executor dask --address {cluster.address}`" in messages
    assert 5 < state(tmp_path)["finished"] < 80


def test_that_all_workers_are_gone_is_said_and_another_one_goes_on(tmp_path: Path, cluster: Cluster) -> None:
    write_study(tmp_path, STUDY.replace("replications = 3", "replications = 10"), LONGER)
    victim = cluster.worker("victim")
    cluster.wait_for(1)
    process = begin(tmp_path, "run", "study.toml", "--out", "out", *on_dask(cluster))
    wait_for_cells(tmp_path, 5)
    victim.kill()
    assert process.stderr is not None
    said = next((line for line in process.stderr if "no worker is left" in line), "")
    assert cluster.address in said
    cluster.worker("next")
    assert finish(process)[0] == 0
    assert state(tmp_path)["finished"] == 80


def test_a_result_that_went_with_its_worker_is_waited_for(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    future = Mock(status="finished")
    future.cancelled.return_value = False
    future.add_done_callback.side_effect = lambda call: call(future)
    future.result.side_effect = [TimeoutError, Stopped("cell")]
    monkeypatch.setattr("distributed.Client.submit", Mock(return_value=future))
    with Dask(cluster.address, print) as executor:
        executor.submit(Mock(key="cell"))
        assert executor.completed(1) == []
        assert executor.completed(1) == [Stopped("cell")]
