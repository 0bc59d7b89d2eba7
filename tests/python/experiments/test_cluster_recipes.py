# SPDX-License-Identifier: Apache-2.0
"""The recipes of `docs/cluster.md` run as they stand, with the variables of schedulers set by hand. Truth: product."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from study_files import state, write_study

PAGE = (Path(__file__).parents[3] / "docs/cluster.md").read_text(encoding="utf-8")
SHARDS = range(1, 8)
# GNU parallel in a few words, where it is not installed: a command for each argument, on this machine.
PARALLEL = """\
#!/bin/sh
while [ "${1#--}" != "$1" ]; do shift 2; [ "$1" = narrows ] && break; done
words=""
while [ "$1" != ":::" ]; do words="$words $1"; shift; done
shift
for each; do $(echo "$words" | sed "s/{}/$each/g") || exit; done
"""


def recipe(word: str) -> str:
    """Return the recipe with a word in it."""
    found = [each for each in re.findall(r"```(?:bash|yaml)\n(.*?)```", PAGE, re.DOTALL) if word in each]
    assert len(found) == 1
    return str(found[0])


def shell(folder: Path, script: str, **variables: str) -> None:
    """Run a script in a folder with `narrows` on its path."""
    path = f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    given = {**os.environ, "PATH": path, **variables}
    done = subprocess.run(
        ["/bin/bash", "-euc", script], cwd=folder, env=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def of_workflow(text: str) -> list[str]:
    """Return the lines of a workflow that run Narrows."""
    return [line for line in re.findall(r"- run: (.*)", text) if line.startswith("narrows")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a study of 24 cells."""
    write_study(tmp_path)
    return tmp_path


def check_shards(folder: Path, names: list[str]) -> None:
    """Check that the shards have all cells, and can be joined."""
    assert sorted(each.name for each in (folder / "shards").iterdir()) == names
    assert sum(state(folder, f"shards/{name}")["finished"] for name in names) == 24
    if not (folder / "results").exists():
        shell(folder, "narrows study merge shards/* --out results")
    assert state(folder, "results")["finished"] == 24


def test_the_job_array_of_slurm(folder: Path) -> None:
    script = recipe("SLURM_ARRAY_TASK_ID")
    assert re.search(r"^#SBATCH --array=1-7$", script, re.MULTILINE)
    for number in SHARDS:
        shell(folder, script, SLURM_ARRAY_TASK_ID=str(number), SLURM_CPUS_PER_TASK="2")
    check_shards(folder, [str(number) for number in SHARDS])


def test_gnu_parallel(folder: Path) -> None:
    (folder / "machines").write_text(":\n", encoding="utf-8")
    if shutil.which("parallel") is None:
        (folder / "bin").mkdir()
        (folder / "bin/parallel").write_text(PARALLEL, encoding="utf-8")
        (folder / "bin/parallel").chmod(0o755)
    shell(folder, recipe("parallel --ssh"))
    check_shards(folder, [str(number) for number in SHARDS])


def test_the_matrix_of_github(folder: Path) -> None:
    text = recipe("matrix")
    runs, merge = of_workflow(text)
    (numbers,) = re.findall(r"shard: \[(.*?)\]", text)
    assert [int(each) for each in numbers.split(",")] == list(SHARDS)
    for number in SHARDS:
        shell(folder, runs.replace("${{ matrix.shard }}", str(number)))
    shell(folder, merge)
    check_shards(folder, [str(number) for number in SHARDS])


def test_the_indexed_job_of_kubernetes(folder: Path) -> None:
    text = recipe("JOB_COMPLETION_INDEX")
    assert re.search(r"completions: 7\n", text)
    (command,) = re.findall(r"command: \[sh, -c, '(.*)'\]", text)
    for index in range(7):
        shell(folder, f"sh -c {shlex.quote(command)}", JOB_COMPLETION_INDEX=str(index))
    check_shards(folder, [str(index) for index in range(7)])


def test_no_recipe_is_longer_than_it_needs_to_be() -> None:
    recipes = re.findall(r"```(?:bash|yaml)\n(.*?)```", PAGE, re.DOTALL)
    assert len(recipes) == 4
    assert max(len(each.splitlines()) for each in recipes) <= 22
