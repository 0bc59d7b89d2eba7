"""The kernel as a backend. Truth: contract and product. Tests that need a kernel are skipped where none is built."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from command_line import Narrows, write
from narrows.errors import InputError
from narrows.linux import additions, backend, cache, library, source

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """
duration = "20s"
warmup = "5s"
path = { rate = "20Mbps", rtt = "40ms", queue = { kind = "droptail", limit = "100000B" }, access_rate = "20Gbps" }
[transport]
preset = "linux"
[[flows]]
algorithm = "cubic"
"""

built = pytest.mark.skipif(
    not any(kernel.name == cache.DEFAULT for kernel in cache.kernels()) or not library.path().is_file(),
    reason="no kernel is built for this version: narrows linux build",
)


def means(folder: Path, group: str) -> dict[str, float]:
    found = json.loads((folder / "summary.json").read_text())["groups"][group]
    return {name: value["mean"] for name, value in found.items() if isinstance(value, dict)}


def test_an_unknown_backend_is_refused_with_what_is_allowed() -> None:
    with pytest.raises(InputError, match="allowed: simulator, linux, linux:NAME"):
        backend.files("windows")


def test_a_kernel_that_is_not_built_is_named_with_the_command_that_builds_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(InputError, match=r"mine: no such kernel is built \(built: none\); `narrows linux build`"):
        backend.files("linux:mine")


def test_a_source_that_is_no_kernel_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no arch/um/Kconfig"):
        source.find(str(tmp_path))
    with pytest.raises(InputError, match="no such file"):
        source.find(str(tmp_path / "missing"))


def test_every_congestion_control_of_a_source_is_found(tmp_path: Path) -> None:
    ipv4 = tmp_path / "net/ipv4"
    ipv4.mkdir(parents=True)
    (ipv4 / "Makefile").write_text("obj-$(CONFIG_TCP_CONG_MINE) += tcp_mine.o\nobj-$(CONFIG_OTHER) += other.o\n")
    (ipv4 / "tcp_mine.c").write_text('static struct tcp_congestion_ops mine __read_mostly = {\n\t.name = "mine",\n};\n')
    assert additions.algorithms(tmp_path) == {"CONFIG_TCP_CONG_MINE": "mine"}


@built
def test_the_same_seed_gives_the_same_bits_and_another_seed_others(tmp_path: Path, narrows: Narrows) -> None:
    file = write(tmp_path, SCENARIO.replace('"cubic"', '"bbr1"').replace("20s", "10s"))

    def digest(name: str, *flags: str) -> str:
        assert narrows("run", file, "--on", "linux", "--out", name, *flags).returncode == 0
        return str(json.loads((tmp_path / name / "summary.json").read_text())["digest"])

    first = digest("a", "--replications", "2")
    assert digest("b", "--replications", "2", "--jobs", "1") == first
    assert digest("c", "--replications", "2", "--seed", "9") != first


@built
def test_cubic_agrees_with_the_recordings_of_the_kernel(tmp_path: Path, narrows: Narrows) -> None:
    # validation/kernel: 31.13 ms, 134.0 packets and 3.450 s for 60 s of CUBIC at 1 BDP.
    file = write(tmp_path, SCENARIO.replace("20s", "60s").replace('"5s"', '"10s"'))
    assert narrows("run", file, "--on", "linux", "--out", "run").returncode == 0
    found = means(tmp_path / "run", "cubic")
    assert found["cwnd_before_reduction_packets"] == pytest.approx(134.0, abs=0.5)
    assert found["reduction_interval_s"] == pytest.approx(3.451, rel=0.01)


@built
def test_users_share_the_kernel(tmp_path: Path, narrows: Narrows) -> None:
    ended = narrows("run", "web-users", "--on", "linux", "--set", "duration=20s", "--out", "run")
    assert ended.returncode == 0, ended.stderr
    web = means(tmp_path / "run", "web")
    assert web["completed_flows"] > 0
    assert web["failed_flows"] == 0


@built
def test_what_the_kernel_cannot_do_is_refused_at_its_line(tmp_path: Path, narrows: Narrows) -> None:
    file = write(tmp_path, SCENARIO.replace('"cubic"', '"xcp"').replace('"linux"', '"linux"\nrecovery = "sack"'))
    ended = narrows("run", file, "--on", "linux", "--out", "run")
    assert ended.returncode == 2
    assert "scenario.toml:7:" in ended.stderr
    assert "scenario.toml:9:" in ended.stderr
    assert "the kernel has no xcp" in ended.stderr
    assert "transport.recovery" in ended.stderr
    assert not (tmp_path / "run").exists()


@built
def test_a_guest_that_ends_early_is_an_error_with_its_last_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, narrows: Narrows
) -> None:
    kernel = tmp_path / "narrows/linux/default"
    kernel.mkdir(parents=True)
    (kernel / "linux").write_text("#!/bin/sh\necho Kernel panic: no memory\nexit 1\n")
    (kernel / "linux").chmod(0o755)
    found = library.find()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache.Kernel("default", "0", "", 250, (), 0.0).save()
    library.path().symlink_to(found)
    ended = narrows("run", write(tmp_path, SCENARIO), "--on", "linux", "--out", "run")
    assert ended.returncode == 4
    assert "Kernel panic: no memory" in ended.stderr
    assert not (tmp_path / "run").exists()
