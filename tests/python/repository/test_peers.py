# SPDX-License-Identifier: Apache-2.0
"""Simulators that are compared from their sources: a folder with others is refused, with what it should hold."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from repository import HOUSE

if TYPE_CHECKING:
    from pathlib import Path

sys.path.insert(0, str(HOUSE / "benches"))

from peers import run, sources


@pytest.mark.parametrize(
    ("build", "named"), [(sources.htsim, "Broadcom/csg-htsim"), (sources.ns3, "nsnam/ns-3-dev-git")]
)
def test_a_folder_without_the_sources_is_refused_with_where_they_are_from(
    build: object, named: str, tmp_path: Path
) -> None:
    assert callable(build)
    with pytest.raises(sources.SourceError) as refused:
        build(tmp_path, HOUSE / "benches/peers/dumbbell.cc", tmp_path / "program")
    assert all(each in str(refused.value) for each in (str(tmp_path), named, "commit"))
    assert not list(tmp_path.iterdir())


def test_sources_that_do_not_compile_are_named_with_what_the_compiler_says(tmp_path: Path) -> None:
    (tmp_path / "sim").mkdir()
    (tmp_path / "sim/tcp.cpp").touch()
    (tmp_path / "sim/Makefile").write_text("libhtsim.a:\n\t@echo broken >&2; exit 1\n", encoding="utf-8")
    with pytest.raises(sources.SourceError, match="--htsim: make") as refused:
        sources.htsim(tmp_path, HOUSE / "benches/peers/dumbbell_htsim.cpp", tmp_path / "program")
    assert "broken" in str(refused.value)


def test_the_table_has_as_many_columns_as_its_rows() -> None:
    samples = {("sack", "a", name): run.Samples({0: dict(FIGURES)}) for name in ("narrows", "ns-2", run.HTSIM)}
    lines = [line for line in run.table(samples, 1).splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in lines}) == 1
    assert lines[-1].startswith("| a, newreno | csg-htsim, 100 s |")


def test_the_command_refuses_a_wrong_folder_before_it_measures(tmp_path: Path) -> None:
    program = "import sys; from peers import run; run.build = lambda: sys.executable; sys.exit(run.main(sys.argv[1:]))"
    words = [sys.executable, "-c", program, "--tools", "narrows", "--htsim", str(tmp_path)]
    done = subprocess.run(words, cwd=HOUSE / "benches", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert "Broadcom/csg-htsim" in done.stderr


FIGURES = {
    "cpu_s": 1.0,
    "packet_hops": 1e6,
    "bottleneck_packets": 1e5,
    "utilization": 0.9,
    "loss_rate": 0.01,
    "memory_kib": 100.0,
}
