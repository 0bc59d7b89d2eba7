# SPDX-License-Identifier: Apache-2.0
"""The kernel as a backend. Truth: contract and product. Tests that need a kernel are skipped where none is built."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

import narrows as nw
from command_line import Narrows, write
from narrows._internal.errors import InputError
from narrows._internal.linux import additions, backend, cache, library
from narrows._internal.opened.folder import OpenedComparison
from narrows._internal.run.scenario import load
from optional import needs

if TYPE_CHECKING:
    from collections.abc import Callable

SCENARIO = """
duration = "20s"
warmup = "5s"
path = { rate = "20Mbps", rtt = "40ms", queue = { kind = "droptail", limit = "100000B" }, access_rate = "20Gbps" }
[transport]
preset = "linux"
[[flows]]
algorithm = "cubic"
"""

SHORT = ("--set", "duration=5s", "--set", "warmup=1s")

built = needs("kernel")


def run_of(tmp_path: Path, narrows: Narrows, *flags: str, name: str = "run") -> Path:
    """Run the scenario on the kernel for 5 s and return the folder."""
    file = write(tmp_path, SCENARIO.replace("20s", "5s").replace('"5s"\npath', '"1s"\npath'))
    ended = narrows("run", file, "--on", "linux", "--out", name, *flags)
    assert ended.returncode == 0, ended.stderr
    return tmp_path / name


def machines(parent: int) -> set[int]:
    """Return the processes that run a kernel for the process `parent`."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            own = f"PPid:\t{parent}\n" in (entry / "status").read_text()
            if own and b"narrows=" in (entry / "cmdline").read_bytes():
                found.add(int(entry.name))
        except OSError:
            continue
    return found


def runs(process: int) -> bool:
    """Return whether a process is there and has not ended."""
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def within(seconds: float, holds: Callable[[], bool]) -> bool:
    """Return whether something comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False


def means(folder: Path, group: str) -> dict[str, float]:
    found = json.loads((folder / "summary.json").read_text())["groups"][group]
    return {name: value["mean"] for name, value in found.items() if isinstance(value, dict)}


def test_an_unknown_backend_is_refused_with_what_is_allowed() -> None:
    with pytest.raises(InputError, match="unknown backend 'windows'; allowed: simulator, linux, linux:NAME"):
        backend.find("windows")


def test_a_kernel_that_is_not_built_is_named_with_the_command_that_builds_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(
        InputError,
        match=r"--on linux:mine: the kernel is not built; allowed: simulator; `narrows linux build --name mine`",
    ):
        backend.find("linux:mine")


def test_a_kernel_with_the_driver_of_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, narrows: Narrows
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    place = tmp_path / "narrows/linux/default"
    place.mkdir(parents=True)
    (place / "linux").touch()
    cache.Kernel("default", "6.12.0", "key", "of another version", 250, ("reno",), ("pfifo",), 1.0).save()
    with pytest.raises(InputError, match="linux:default: is of another version of Narrows"):
        backend.find("linux")
    shown = json.loads(narrows("linux", "status", "--json").stdout)
    assert (shown["ready"], shown["kernels"][0]["current"]) == (False, False)


def test_an_algorithm_of_the_kernel_is_refused_in_the_simulator(tmp_path: Path, narrows: Narrows) -> None:
    file = write(tmp_path, SCENARIO.replace('"cubic"', '"linux:illinois"'))
    ended = narrows("run", file, "--out", "run")
    assert ended.returncode == 2
    assert "scenario.toml:8:" in ended.stderr
    assert "only a Linux kernel has it" in ended.stderr
    checked = narrows("check", file)
    assert checked.returncode == 2
    assert "only a Linux kernel has it" in checked.stderr
    for name in ("linux:", "linux:a-name-that-is-too-long", "linux:cubic(a=1)"):
        ended = narrows("check", write(tmp_path, SCENARIO.replace("cubic", name)))
        assert "no algorithm of a Linux kernel" in ended.stderr


def test_queues_of_the_kernel_are_refused_in_the_simulator(tmp_path: Path, narrows: Narrows) -> None:
    file = write(tmp_path, SCENARIO)
    assert "with --on linux" in narrows("run", file, "--queue", "linux").stderr
    assert (
        "unknown kernel queue 'linux:wfq'; did you mean 'linux:fq'?"
        in narrows("run", file, "--on", "linux", "--queue", "linux:wfq").stderr
    )


def test_a_setting_of_the_kernel_needs_name_and_value(tmp_path: Path, narrows: Narrows) -> None:
    ended = narrows("check", write(tmp_path, SCENARIO + '[linux]\nsysctl = ["tcp_sack"]\n'))
    assert ended.returncode == 2
    assert "scenario.toml:10:" in ended.stderr
    assert '"NAME=VALUE"' in ended.stderr


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
def test_how_an_application_reads_and_small_writes_are_refused_at_their_lines(tmp_path: Path, narrows: Narrows) -> None:
    source = 'source = { kind = "writes", interval = "10ms", size = "100B", whole_packets = false }\n'
    file = write(tmp_path, SCENARIO + source + 'nagle = true\nreceive_window = "9pkt"\nread_rate = "1Mbps"\n')
    ended = narrows("check", file, "--on", "linux")
    assert ended.returncode == 2
    for key in ("source.whole_packets", "nagle", "read_rate"):
        assert f"flows.0.{key}" in ended.stderr


@built
def test_parameters_of_an_algorithm_are_refused(tmp_path: Path, narrows: Narrows) -> None:
    changed = write(tmp_path, SCENARIO.replace('"cubic"', '"cubic-linux(fast_convergence=false)"'))
    ended = narrows("check", changed, "--on", "linux")
    assert ended.returncode == 2
    assert "the kernel's cubic has its own parameters, not those of cubic-linux(" in ended.stderr
    assert "scenario.toml:8:" in ended.stderr
    as_declared = write(tmp_path, SCENARIO.replace('"cubic"', '"cubic-linux(fast_convergence=true)"'))
    assert narrows("check", as_declared, "--on", "linux").returncode == 0


@built
def test_a_virtual_machine_that_ends_early_is_an_error_with_its_last_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, narrows: Narrows
) -> None:
    kernel = tmp_path / "narrows/linux/default"
    kernel.mkdir(parents=True)
    (kernel / "linux").write_text("#!/bin/sh\necho Kernel panic: no memory\nexit 1\n")
    (kernel / "linux").chmod(0o755)
    found = library.find()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache.Kernel("default", "0", "", additions.digest(), 250, ("cubic",), ("pfifo",), 0.0).save()
    library.path().symlink_to(found)
    ended = narrows("run", write(tmp_path, SCENARIO), "--on", "linux", "--out", "run")
    assert ended.returncode == 4
    assert "Kernel panic: no memory" in ended.stderr
    assert not (tmp_path / "run").exists()


@built
def test_both_backends_are_compared_in_one_folder(tmp_path: Path, narrows: Narrows) -> None:
    file = write(tmp_path, SCENARIO.replace("20s", "10s"))
    ended = narrows("run", file, "--on", "both", "--replications", "2", "--out", "run")
    assert ended.returncode == 0, ended.stderr
    folder = tmp_path / "run"
    summary = json.loads((folder / "summary.json").read_text())
    assert list(summary["backends"]) == ["simulator", "linux"]
    (difference,) = summary["differences"]
    assert (difference["of"], difference["against"]) == ("linux", "simulator")
    found = [means(folder / each, "cubic") for each in ("simulator", "linux")]
    for name, measure in difference["groups"]["cubic"].items():
        assert measure["verdict"] in {"different", "same", "undecided"}
        if measure["mean"] is not None:
            assert measure["mean"] == pytest.approx(found[1][name] - found[0][name], abs=1e-6)
    manifest = json.loads((folder / "linux/manifest.json").read_text())
    assert manifest["backend"]["on"] == "linux"
    assert manifest["backend"]["kernel"]
    page = (folder / "report.html").read_text()
    assert "Congestion window on both backends" in page
    assert "--on both" in page


@built
def test_algorithms_are_compared_on_both_backends(tmp_path: Path, narrows: Narrows) -> None:
    file = write(tmp_path, SCENARIO.replace("20s", "5s").replace('"5s"\npath', '"1s"\npath'))
    ended = narrows("compare", "cubic", "newreno", "--scenario", file, "--on", "both", "--replications", "2",
                    "--out", "run", "--json")  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    summary = json.loads(ended.stdout)
    assert summary["factors"] == {"backend": ["simulator", "linux"], "algorithm": ["cubic", "newreno"]}
    found = {(each["of"], each["against"]): each for each in summary["differences"]}
    both = found["cubic, linux", "cubic, simulator"]["groups"]
    # Of two backends neither is better.
    assert {each["verdict"] for measures in both.values() for each in measures.values()}.isdisjoint({"better", "worse"})
    assert ("newreno, linux", "cubic, linux") in found
    runs = [tmp_path / "run" / on / name for on in ("simulator", "linux") for name in ("cubic", "newreno")]
    assert all((run / "report.html").is_file() for run in runs)
    assert means(runs[0], "cubic") != means(runs[2], "cubic")
    assert json.loads((runs[2] / "manifest.json").read_text())["backend"]["on"] == "linux"
    opened = nw.open(tmp_path / "run")
    assert isinstance(opened, OpenedComparison)
    assert list(opened.runs) == list(summary["levels"])
    alone = nw.compare(["cubic"], str(file), on="both", replications=1)
    assert list(alone.summary["levels"]) == ["simulator", "linux"]
    refused = narrows("compare", "cubic", "bbr3", "--scenario", file, "--on", "both", "--out", "none")
    assert refused.returncode == 2
    assert "the kernel has no bbr3" in refused.stderr


@built
def test_the_scenario_of_a_folder_runs_again(tmp_path: Path, narrows: Narrows) -> None:
    # The defaults of preset modern are not what the kernel does.
    file = write(tmp_path, SCENARIO.replace('[transport]\npreset = "linux"\n', "").replace("20s", "6s"))
    assert narrows("run", file, "--on", "linux", "--out", "first").returncode == 0
    again = narrows("run", "first/scenario.toml", "--on", "linux", "--out", "again")
    assert again.returncode == 0, again.stderr
    digests = [json.loads((tmp_path / each / "manifest.json").read_text()) for each in ("first", "again")]
    assert digests[0]["digest"] == digests[1]["digest"]
    assert digests[0]["scenario"] == digests[1]["scenario"]


@built
def test_any_algorithm_of_the_kernel_runs(tmp_path: Path, narrows: Narrows) -> None:
    folder = run_of(tmp_path, narrows, "--set", "flows.0.algorithm=linux:illinois")
    assert means(folder, "illinois")["goodput_bps"] > 1e7
    ended = narrows("run", "scenario.toml", "--on", "linux", "--set", "flows.0.algorithm=linux:nosuch", "--out", "no")
    assert ended.returncode == 2
    assert "the kernel has no nosuch" in ended.stderr
    assert "linux:illinois" in ended.stderr


@built
def test_the_name_in_the_kernel_is_the_same_algorithm(tmp_path: Path, narrows: Narrows) -> None:
    def digest(name: str) -> str:
        folder = run_of(tmp_path, narrows, "--set", f"flows.0.algorithm={name}", "--set", "flows.0.name=x", name=name)
        return str(means(folder, "x"))

    assert digest("hstcp") == digest("linux:highspeed")


@built
@pytest.mark.parametrize("kind", ["codel", "fq-codel"])
def test_codel_of_the_kernel_agrees_with_ours(kind: str, tmp_path: Path, narrows: Narrows) -> None:
    of = [
        means(run_of(tmp_path, narrows, "--set", f'path.queue={{kind="{kind}"}}', *flags, name=name), "cubic")
        for name, flags in (("ours", ()), ("theirs", ("--queue", "linux")))
    ]
    assert of[1]["goodput_bps"] == pytest.approx(of[0]["goodput_bps"], rel=0.002)
    assert of[1]["rtt_mean_s"] == pytest.approx(of[0]["rtt_mean_s"], rel=0.01)


@built
@pytest.mark.parametrize("kind", ["pfifo", "bfifo", "codel", "fq_codel", "pie", "fq_pie", "cake", "fq"])
def test_every_queue_of_the_kernel_carries_a_flow(kind: str, tmp_path: Path, narrows: Narrows) -> None:
    folder = run_of(tmp_path, narrows, "--queue", f"linux:{kind}")
    assert means(folder, "cubic")["goodput_bps"] > 1.6e7
    assert json.loads((folder / "manifest.json").read_text())["backend"]["queue"] == f"linux:{kind}"


@built
def test_a_queue_that_the_kernel_lacks_is_refused_at_its_line(tmp_path: Path, narrows: Narrows) -> None:
    file = write(tmp_path, SCENARIO.replace('"droptail", limit = "100000B"', '"step", threshold = "20pkt"'))
    ended = narrows("run", file, "--on", "linux", "--queue", "linux", "--out", "run")
    assert ended.returncode == 2
    assert "scenario.toml:4:" in ended.stderr
    assert "the kernel has no step" in ended.stderr


@built
def test_settings_of_the_kernel_have_an_effect(tmp_path: Path, narrows: Narrows) -> None:
    plain = means(run_of(tmp_path, narrows, name="plain"), "cubic")
    # Without the option a receiver's window is at most 64 KB.
    narrow = run_of(tmp_path, narrows, "--set", 'linux.sysctl=["net.ipv4.tcp_window_scaling=0"]', name="narrow")
    assert means(narrow, "cubic")["cwnd_peak_packets"] < plain["cwnd_peak_packets"]
    single = means(run_of(tmp_path, narrows, "--set", "linux.gso=false", name="single"), "cubic")
    assert single != plain


def logged(tmp_path: Path, *overrides: str) -> list[dict[str, Any]]:
    """Return the packet log of five seconds on the kernel."""
    scenario = load(write(tmp_path, SCENARIO), ["record.packets=true", *SHORT[1::2], *overrides], on="linux")
    rows: list[dict[str, Any]] = scenario.run(replications=1).table("packets").to_pylist()
    return rows


@built
def test_a_receiver_begins_with_the_buffer_of_linux_unless_a_setting_says_otherwise(tmp_path: Path) -> None:
    def packets_per_ack(*overrides: str) -> float:
        kinds = [row["kind"] for row in logged(tmp_path, *overrides) if row["place"] == "sender"][1000:4000]
        return kinds.count("data") / kinds.count("ack")

    assert packets_per_ack() > 1.8
    # While the window is raised to the whole of the buffer each packet is acknowledged.
    assert packets_per_ack('linux.sysctl=["net.ipv4.tcp_rmem=4096 268435456 268435456"]') < 1.1


@built
def test_the_logs_have_the_numbers_of_segments(tmp_path: Path) -> None:
    log = logged(tmp_path)
    at_sender = [row for row in log if row["place"] == "sender"]
    fresh = [row["number"] for row in at_sender if row["kind"] == "data" and not row["retransmission"]]
    assert fresh == list(range(len(fresh)))
    again = {row["number"] for row in at_sender if row["kind"] == "data" and row["retransmission"]}
    dropped = {row["number"] for row in log if row["event"] == "dropped"}
    assert dropped
    assert again == dropped
    acks = [row["number"] for row in at_sender if row["kind"] == "ack"]
    assert acks == sorted(acks)
    assert len(fresh) - 200 < acks[-1] <= len(fresh)


@built
@pytest.mark.parametrize("algorithm", ["cubic", "bbr1"])
def test_the_steps_of_a_reduction_are_no_reductions(algorithm: str, tmp_path: Path, narrows: Narrows) -> None:
    folder = run_of(tmp_path, narrows, "--set", "record.events=true", "--set", f"flows.0.algorithm={algorithm}")
    log = pq.read_table(folder / "events.parquet").to_pylist()
    rules = [row["rule"] for row in log if row["event"] == "reduction"]
    assert rules
    assert set(rules) == {"stack"}
    # The states of a simulated algorithm are none of the kernel's.
    assert not [row for row in log if row["event"] == "state"]


@built
@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("net.ipv4.tcp_nosuch=1", "the kernel has no such setting"),
        ("net.ipv4.tcp_timestamps=maybe", "the kernel refuses the value"),
    ],
)
def test_a_setting_that_the_kernel_refuses_is_named(
    setting: str, reason: str, tmp_path: Path, narrows: Narrows
) -> None:
    file = write(tmp_path, SCENARIO + f'[linux]\nsysctl = ["net.ipv4.tcp_sack=1", "{setting}"]\n')
    ended = narrows("run", file, "--on", "linux", "--out", "run")
    assert ended.returncode == 2, ended.stderr
    assert f"linux.sysctl.1: linux cannot honour this: {reason}" in ended.stderr
    assert f'given: "{setting}"' in ended.stderr
    assert "allowed: " in ended.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scenario.toml"]


@built
def test_a_killed_virtual_machine_is_an_error_that_says_so(tmp_path: Path) -> None:
    file = write(tmp_path, SCENARIO.replace("20s", "20000s"))
    command = [sys.executable, "-m", "narrows", "run", str(file), "--on", "linux", "--out", "run"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert within(60, lambda: bool(machines(process.pid)))
    os.kill(machines(process.pid).pop(), signal.SIGKILL)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 4
    assert "the virtual machine was killed (SIGKILL)" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scenario.toml"]


@built
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_virtual_machine_ends_with_its_command(how: signal.Signals, tmp_path: Path) -> None:
    file = write(tmp_path, SCENARIO.replace("20s", "20000s"))
    command = [sys.executable, "-m", "narrows", "run", str(file), "--on", "linux", "--out", "run"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert within(60, lambda: bool(machines(process.pid)))
    own = machines(process.pid)
    os.kill(process.pid, how)
    assert process.wait(60) == (-signal.SIGKILL if how == signal.SIGKILL else 3)
    assert within(10, lambda: not any(runs(each) for each in own))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scenario.toml"]


@built
def test_a_run_on_the_kernel_reports_its_progress(tmp_path: Path) -> None:
    file = tmp_path / write(tmp_path, SCENARIO.replace("20s", "200s"))
    seen: list[float] = []

    class Watch:
        def update(self, fraction: float, note: str = "") -> None:
            assert not note
            seen.append(fraction)

        def stopped(self) -> bool:
            return False

    load(file, on="linux").run(watch=Watch())
    assert any(0.05 < fraction < 0.95 for fraction in seen)
    assert seen == sorted(seen)


@built
def test_the_backend_is_a_factor_of_a_study(tmp_path: Path, narrows: Narrows) -> None:
    write(tmp_path, SCENARIO.replace("20s", "5s").replace('"5s"\npath', '"1s"\npath'))
    study = 'scenario = "scenario.toml"\nreplications = 1\nmeasures = ["utilization"]\n'
    (tmp_path / "study.toml").write_text(study + '[factors]\non = ["simulator", "linux"]\n')
    ended = narrows("study", "run", "study.toml", "--out", "study")
    assert ended.returncode == 0, ended.stderr
    rows = json.loads(narrows("study", "query", "study", 'SELECT "on", digest FROM cells', "--json").stdout)
    assert sorted(row["on"] for row in rows) == ["linux", "simulator"]
    assert len({row["digest"] for row in rows}) == 2
    (tmp_path / "one.toml").write_text('on = "linux"\n' + study)
    assert narrows("study", "run", "one.toml", "--out", "one").returncode == 0
    (alone,) = json.loads(narrows("study", "query", "one", "SELECT digest FROM cells", "--json").stdout)
    assert alone["digest"] == next(row["digest"] for row in rows if row["on"] == "linux")


@built
def test_the_levels_of_a_study_may_replace_what_the_kernel_refuses(tmp_path: Path, narrows: Narrows) -> None:
    write(tmp_path, SCENARIO.replace('algorithm = "cubic"', 'algorithm = "cubic-2005"\nreceive_window = "64KiB"'))
    study = 'scenario = "scenario.toml"\non = "linux"\nreplications = 1\nmeasures = ["utilization"]\n'
    levels = '[factors]\n"flows.0.algorithm" = ["cubic", "bic"]\n'
    window = '[set]\n"flows.0.receive_window" = "infinite"\n'
    (tmp_path / "study.toml").write_text(study + levels + window)
    ended = narrows("study", "check", "study.toml")
    assert ended.returncode == 0, ended.stderr
    (tmp_path / "study.toml").write_text(study + levels)
    ended = narrows("study", "check", "study.toml")
    assert ended.returncode == 2
    assert "scenario.toml:9:18: flows.0.receive_window: linux cannot honour this" in ended.stderr


def test_a_study_on_an_unknown_backend_is_refused_at_its_line(tmp_path: Path, narrows: Narrows) -> None:
    write(tmp_path, SCENARIO)
    for place, text in (("2:", 'on = "windows"\n'), ("3:", '[factors]\non = ["windows", "simulator"]\n')):
        (tmp_path / "study.toml").write_text('scenario = "scenario.toml"\n' + text)
        ended = narrows("study", "check", "study.toml")
        assert ended.returncode == 2
        assert f"study.toml:{place}" in ended.stderr
        assert "allowed: simulator, linux, linux:NAME" in ended.stderr


@built
def test_matrix_and_deployment_run_on_the_kernel(tmp_path: Path, narrows: Narrows) -> None:
    conditions = [
        "--rates",
        "10Mbps",
        "--rtts",
        "20ms",
        "--buffers",
        "1bdp",
        "--set",
        "duration=5s",
        "--set",
        "warmup=1s",
    ]
    ended = narrows(
        "matrix", "cubic", "newreno", *conditions, "--replications", "1", "--on", "linux", "--out", "matrix"
    )
    assert ended.returncode == 0, ended.stderr
    assert 'on       = "linux"' in (tmp_path / "matrix/study.toml").read_text()
    ended = narrows(
        "deploy", "bbr1", "--fractions", "50", "--flows", "2", "--set", "duration=8s", "--set", "warmup=6s",
        "--replications", "1", "--on", "linux", "--out", "deployment",
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr


@built
def test_a_matrix_on_both_backends_has_every_measure_of_each_and_the_difference(
    tmp_path: Path, narrows: Narrows
) -> None:
    condition = ("--rates", "10Mbps", "--rtts", "20ms", "--buffers", "1bdp", *SHORT)
    arguments = ("matrix", "cubic", "newreno", *condition, "--replications", "2", "--on", "both", "--out", "run")
    ended = narrows(*arguments, "--json", "--quiet")
    assert ended.returncode == 0, ended.stderr
    summary = json.loads(ended.stdout)
    assert summary == json.loads((tmp_path / "run/summary.json").read_text())
    for on in ("simulator", "linux"):
        own = json.loads((tmp_path / "run" / on / "summary.json").read_text())
        assert summary[on] == own
        assert (tmp_path / "run" / on / "report.html").is_file()
    assert len(summary["differences"]) == 5
    entry = summary["differences"][0]["measures"]["link.bottleneck.queue_delay_mean_s"]
    assert entry["difference"]["mean"] == pytest.approx(entry["linux"]["mean"] - entry["simulator"]["mean"])
    # The same command goes on, another one is refused, and the page can be built again.
    assert narrows(*arguments, "--quiet").returncode == 0
    page = (tmp_path / "run/report.html").read_text()
    assert "Kernel minus simulator" in page
    assert 'href="linux/report.html"' in page
    assert "holds something else" in narrows(*arguments, "--seed", "9").stderr
    (tmp_path / "run/report.html").unlink()
    assert narrows("report", tmp_path / "run").returncode == 0
    assert (tmp_path / "run/report.html").read_text() == page
    refused = narrows("matrix", "cubic", "bbr3", "--on", "both", "--out", "none")
    assert refused.returncode == 2
    assert "the kernel has no bbr3" in refused.stderr
    assert not (tmp_path / "none").exists()


def test_a_study_from_python_has_one_backend(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'on="both": a study has one backend.*`narrows matrix --on both`'):
        nw.matrix(["cubic", "newreno"], tmp_path / "run", on="both")
    with pytest.raises(InputError, match=r'on="both": a study has one backend.*`narrows deploy --on both`'):
        nw.deploy("bbr1", tmp_path / "run", on="both")
    assert not (tmp_path / "run").exists()


@built
def test_a_deployment_on_both_backends_is_two_studies(tmp_path: Path, narrows: Narrows) -> None:
    # Flows start within 5 s.
    flags = ("--fractions", "50", "--flows", "2", "--replications", "1", "--set", "duration=8s", "--set", "warmup=6s")
    ended = narrows("deploy", "bbr1", *flags, "--on", "both", "--out", "run", "--quiet")
    assert ended.returncode == 0, ended.stderr
    summary = json.loads((tmp_path / "run/summary.json").read_text())
    assert [each["deployed"] for each in summary["linux"]["stages"]] == ["0", "50", "100"]
    assert [each["condition"]["deployed"] for each in summary["differences"]] == ["0", "50", "100"]
