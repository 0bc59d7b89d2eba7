# SPDX-License-Identifier: Apache-2.0
"""The same study through dask-jobqueue, with a stand-in for Slurm that starts its jobs here. Truth: product."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from study_files import digests, state, study, write_study

from command_line import environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Slurm keeps a copy of the job's script, for its author removes it.
SBATCH = """\
#!/bin/sh
cp "$1" "{folder}/job-$$.sh"
setsid sh "{folder}/job-$$.sh" > "{folder}/job-$$.log" 2>&1 < /dev/null &
echo $! >> "{folder}/jobs"
echo "Submitted batch job $$"
"""
# As docs/studies.md has it, with less of everything; `lo` keeps it on this machine.
CLUSTER = """\
from dask_jobqueue import SLURMCluster

cluster = SLURMCluster(cores=1, processes=1, memory="1GB", walltime="01:00:00", interface="lo",
                       scheduler_options={"dashboard": False})
cluster.scale(jobs=2)
print(cluster.scheduler_address, flush=True)
input("Enter ends the cluster")
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Return the address of a scheduler whose workers a job queue starts."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("sbatch", SBATCH.format(folder=tmp_path)), ("scancel", "#!/bin/sh\n")):
        (programs / name).write_text(text, encoding="utf-8")
        (programs / name).chmod(0o755)
    here = {**environment(), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    with subprocess.Popen(
        [sys.executable, "-c", CLUSTER], cwd=tmp_path, env=here, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as cluster:  # fmt: skip
        assert cluster.stdout is not None
        found = next((line for line in cluster.stdout if line.startswith("tcp://")), "")
        assert re.fullmatch(r"tcp://127\.0\.0\.1:\d+\n", found)
        yield found.strip()
        cluster.kill()
    for job in (tmp_path / "jobs").read_text(encoding="utf-8").split():
        with suppress(ProcessLookupError):
            os.killpg(int(job), signal.SIGKILL)


def test_a_job_queue_starts_the_workers_and_the_results_have_the_same_bits(tmp_path: Path, address: str) -> None:
    write_study(tmp_path)
    status, _, messages = study(
        tmp_path, "run", "study.toml", "--out", "out", "--executor", "dask", "--address", address, "--quiet"
    )
    assert status == 0, messages
    assert state(tmp_path)["finished"] == 24
    assert study(tmp_path, "run", "study.toml", "--out", "here", "--quiet")[0] == 0
    assert digests(tmp_path) == digests(tmp_path, "here")
