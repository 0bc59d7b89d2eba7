# SPDX-License-Identifier: Apache-2.0
"""Programs of this machine over the path of a scenario, in real time: validation against this kernel's sockets.

The checks of lateness have no place here: a loaded machine is late. What a program measures is compared with the
scenario by bounds that lateness can only move one way.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import narrows as nw
from narrows._internal.emulate import host, hosts
from narrows._internal.run import carried

if TYPE_CHECKING:
    from collections.abc import Mapping

PATH = """
duration = "1500ms"
warmup = "0s"
[path]
rate = "8Mbps"
rtt = "50ms"
queue = {{ kind = "{queue}", {keys} }}
[[flows]]
name = "program"
algorithm = "linux:{algorithm}"
program = {{ client = {client}, server = {server} }}
{more}
"""
# Answers each datagram with the ECN field with which it has arrived, and the datagram.
SERVER = """
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
s.bind(("", 9000))
while True:
    data, ancillary, _, peer = s.recvmsg(2000, 64)
    s.sendto(bytes([ancillary[0][2][0] & 3]) + data, peer)
"""
# Sends datagrams of 972 bytes, 1000 with their headers, all at once, and prints what came back: round-trip times in
# seconds, and ECN fields.
CLIENT = """
import json, socket, sys, time
count, tos = map(int, sys.argv[1:])
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
s.settimeout(0.5)
sent = {}
for number in range(count):
    sent[number] = time.monotonic()
    s.sendto(number.to_bytes(4, "big") + bytes(968), ("far", 9000))
found = []
try:
    while len(found) < count:
        data = s.recv(2000)
        found.append((time.monotonic() - sent[int.from_bytes(data[1:5], "big")], data[0]))
except TimeoutError:
    pass
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the programs; the test is skipped if this machine has no hosts."""
    found = tmp_path_factory.mktemp("programs")
    (found / "client.py").write_text(CLIENT, encoding="utf-8")
    (found / "server.py").write_text(SERVER, encoding="utf-8")
    try:
        nw.Scenario(_scenario(found, 1).replace("1500ms", "1ms"), trust=True, on=hosts.NAME).run()
    except nw.InputError as error:
        pytest.skip(str(error).splitlines()[0])
    return found


def _scenario(  # noqa: PLR0913, PLR0917  # the network of a test
    folder: Path, count: int, tos: int = 0, queue: str = "droptail", keys: str = 'limit = "100pkt"', more: str = ""
) -> str:
    python = f"{shlex.quote(sys.executable)} -I -S"
    client, server = f"{python} {folder}/client.py {count} {tos}", f"{python} {folder}/server.py"
    algorithm = hosts.algorithms()[0]
    return PATH.format(
        client=json.dumps(client), server=json.dumps(server), algorithm=algorithm, queue=queue, keys=keys, more=more
    )


def _run(text: str) -> tuple[Mapping[str, Any], list[tuple[float, int]]]:
    run = nw.Scenario(text, trust=True, on=hosts.NAME).run()
    (records,) = run.records.values()
    printed = {role: output for _, role, _, output in records.programs}
    return run.summary, json.loads(printed["client"])


def test_a_connection_has_its_packets_in_each_direction(folder: Path) -> None:
    run = nw.Scenario(_scenario(folder, 40, keys='limit = "20pkt"'), trust=True, on=hosts.NAME).run()
    rows = run.connections.to_pylist()
    (there,) = [row for row in rows if row["destination"] == "10.0.0.2:9000"]
    assert (there["protocol"], there["sent_packets"], there["sent_bytes"]) == ("udp", 40, 40_000)
    # All at once: one is in transmission, 20 wait, and one more for each millisecond that the last comes later.
    assert 0 < there["dropped_packets"] < 20
    # 25 ms, and 1 ms of transmission after a wait.
    assert 0.026 < there["delay_mean_s"] < there["delay_p95_s"]
    assert 0 < there["first_s"] <= there["last_s"]
    (back,) = [row for row in rows if row["source"] == "10.0.0.2:9000"]
    assert back["destination"] == there["source"]
    assert 0 < back["sent_packets"] <= 40 - there["dropped_packets"]
    assert run.summary["connections"] == sorted(rows, key=lambda row: -row["sent_bytes"])[:10]


def test_a_packet_takes_the_delay_of_the_path_and_its_transmission(folder: Path) -> None:
    """Closed form: 50 ms, and 1000 bytes at 8 Mbps in each direction, 1 ms; the answer has one byte more."""
    summary, found = _run(_scenario(folder, 1))
    assert len(found) == 1
    assert found[0][0] >= 0.052
    (check,) = [each for each in summary["checks"] if each["name"] == "packets on time"]
    late = float(check["detail"].rpartition("the last ")[2].partition(" ")[0]) * 1e-6
    # Late at both hosts; a busy machine wakes the programs late, too, but not by a second delay of the path.
    assert found[0][0] <= 0.052 + 2 * late + 0.045


def test_a_queue_holds_what_its_limit_allows_and_loses_the_rest(folder: Path) -> None:
    """Twenty wait and one is being sent; those beyond are lost, and the network counts as many as the client misses."""
    summary, found = _run(_scenario(folder, 60, keys='limit = "20pkt"'))
    assert 21 <= len(found) < 60
    assert summary["links"]["bottleneck"]["dropped_packets"]["mean"] == 60 - len(found)
    # A packet leaves per millisecond, so that the answers are at least as far apart as packets on the link.
    assert max(took for took, _ in found) - min(took for took, _ in found) >= 0.001 * (len(found) - 21) - 0.02


def test_marks_of_the_network_are_in_the_packets(folder: Path) -> None:
    """Every capable packet that finds more than the threshold waiting is marked; without ECN none can be."""
    keys = 'limit = "200pkt", min = "5pkt", max = "60pkt", max_p = 1.0, weight = 1.0, wait = false, ecn = true'
    _, marked = _run(_scenario(folder, 40, tos=2, queue="red", keys=keys))
    assert {field for _, field in marked} == {2, 3}
    assert sum(field == 3 for _, field in marked) >= 5
    _, plain = _run(_scenario(folder, 40, tos=0, queue="droptail", keys='limit = "200pkt"'))
    assert {field for _, field in plain} == {0}


def test_simulated_flows_wait_in_the_same_queue(folder: Path) -> None:
    """A simulated flow that fills the buffer of 100 ms delays the packets of the program by some of it."""
    more = '[[flows]]\nname = "neighbour"\nalgorithm = "cubic"\nstart = "0s"'
    text = _scenario(folder, 1, queue="droptail", keys='limit = "100ms"', more=more)
    late = text.replace('name = "program"', 'name = "program"\nstart = "1s"')
    summary, ((took, _),) = _run(late)
    assert took > 0.07
    assert summary["groups"]["neighbour"]["goodput_bps"]["mean"] > 4e6
    # What the kernel's sender does is not observed, and is no zero.
    assert all(summary["groups"]["program"][name]["mean"] is None for name in ("timeouts", "loss_events", "reductions"))
    assert summary["groups"]["neighbour"]["timeouts"]["mean"] is not None


KILLS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)


def test_an_emulator_that_is_killed_at_any_moment_leaves_nothing_behind(folder: Path, tmp_path: Path) -> None:
    _die_often(3, folder, tmp_path)


@pytest.mark.full("fifty emulations, each of up to a second and a start; three in the short test")
def test_fifty_emulators_that_are_killed_leave_nothing_behind(folder: Path, tmp_path: Path) -> None:
    _die_often(50, folder, tmp_path)


def _die_often(times: int, folder: Path, tmp_path: Path) -> None:
    """Kill emulations at random moments; no process, no namespace and so no device of them is left."""
    moments = random.Random(times)  # noqa: S311  # moments, no secrets
    before = _namespaces()
    for turn in range(times):
        marker = f"{os.getpid()}{turn:03}"
        file = tmp_path / "x.toml"
        file.write_text(_scenario(folder, 1).replace("1500ms", "60s"), encoding="utf-8")
        place = tmp_path / f"out{turn}"
        command = [sys.executable, "-m", "narrows", "emulate", str(file), "--quiet", "--out", str(place)]
        server = f"{shlex.quote(sys.executable)} {folder}/server.py {marker}"
        command += ["--far", server, "--", f"sleep 2{marker} & sleep 3{marker}"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as emulator:
            # Before, while and after hosts are made, and while programs run.
            time.sleep(moments.uniform(0.0, 2.0))
            emulator.send_signal(moments.choice(KILLS))
            emulator.communicate(timeout=60)
        _wait_for(lambda marker=marker: not _commands(marker))
    # A device lives as long as its namespace, and a namespace as long as a process or a file that holds it.
    _wait_for(lambda: _namespaces() <= before)
    assert not [line for line in Path("/proc/net/dev").read_text().splitlines() if host.DEVICE.decode() in line]
    assert not [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if "nsfs" in line]


def _namespaces() -> set[str]:
    """Return the network namespaces of all processes."""
    found = set()
    for place in Path("/proc").glob("[0-9]*/ns/net"):
        with contextlib.suppress(OSError):
            found.add(str(place.readlink()))
    return found


@pytest.mark.parametrize("number", KILLS)
def test_an_emulator_that_is_killed_leaves_nothing_behind(number: signal.Signals, folder: Path, tmp_path: Path) -> None:
    marker = f"{os.getpid()}{number:d}"
    file = tmp_path / "x.toml"
    file.write_text(_scenario(folder, 1).replace("1500ms", "60s"), encoding="utf-8")
    command = [sys.executable, "-m", "narrows", "emulate", str(file), "--quiet", "--out", str(tmp_path / "out")]
    server = f"{shlex.quote(sys.executable)} {folder}/server.py {marker}"
    command += ["--far", server, "--", f"sleep 2{marker} & sleep 3{marker}"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as emulator:
        _wait_for(lambda: len(_commands(f"sleep 3{marker}")) > 0)
        emulator.send_signal(number)
        emulator.communicate(timeout=30)
    _wait_for(lambda: not _commands(marker))


def _commands(part: str) -> list[str]:
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = place.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if part in text and "narrows emulate" not in text and "pytest" not in text:
            found.append(text)
    return found


def _wait_for(holds: Any, within_s: float = 30.0) -> None:
    until = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_simulation_stands_beside_programs(folder: Path, tmp_path: Path) -> None:
    """The reference has the same path, and a flow with Linux's algorithm in place of the commands."""
    file = tmp_path / "x.toml"
    file.write_text(_scenario(folder, 3).replace('"1500ms"', '"1s"').replace('name = "program"', ""), encoding="utf-8")
    command = [sys.executable, "-m", "narrows", "emulate", str(file), "--trust", "--twin", "--json", "--quiet"]
    command += ["--out", str(tmp_path / "out"), "--set", "path.queue.limit=20pkt"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    reference, emulated = summary["backends"]
    assert emulated == "real-time"
    (group,) = summary["backends"][emulated]["groups"]
    assert list(summary["backends"][reference]["groups"]) == [group]
    assert {(each["of"], each["against"]) for each in summary["differences"]} == {(emulated, reference)}
    assert "Programs in real time are not repeated" in summary["unlike"]
    own = (tmp_path / "out" / reference / "scenario.toml").read_text(encoding="utf-8")
    assert 'limit = "20pkt"' in own or 'limit = "30000B"' in own
    if reference == "simulator":
        assert "program" not in own
        assert 'preset = "linux"' in own
        assert summary["backends"][reference]["groups"][group]["goodput_bps"]["mean"] > 6e6
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert "narrows emulate real-time/scenario.toml --seed 1 --replications 1 --twin" in page
    assert "Paired differences of programs in real time from the simulation" in page
    alone = (tmp_path / "out/real-time/report.html").read_text(encoding="utf-8")
    assert "narrows emulate scenario.toml --seed 1" in alone
    assert "network was simulated as time passed" in alone
    assert "carried programs in real time" in alone
    assert "--on real-time" not in page + alone


TRANSFER = """
duration = "300ms"
[path]
rate = "8Mbps"
rtt = "10ms"
loss = { kind = "bernoulli", rate = "5%" }
queue = { kind = "droptail", limit = "20pkt" }
[[flows]]
name = "mine"
algorithm = "cubic"
"""


def _narrows(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "narrows", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd=place)


@pytest.mark.usefixtures("folder")
def test_numbers_that_a_client_prints_are_metrics(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(TRANSFER, encoding="utf-8")
    line = json.dumps({"time_total": 0.25, "speed_download": 1000})
    asked = ["emulate", "x.toml", "--json", "--quiet", "--read", "curl"]
    done = _narrows(tmp_path, *asked, "--out", "read", "--", f"echo '{line}'")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["groups"]["mine"]
    assert (found["curl_total_s"]["mean"], found["curl_goodput_bps"]["mean"]) == (0.25, 8000)
    assert "time of a transfer by curl" in (tmp_path / "read/report.html").read_text(encoding="utf-8").lower()
    cut = _narrows(tmp_path, *asked, "--out", "cut", "--", """echo '{"time_total": '""")
    (check,) = [each for each in json.loads(cut.stdout)["checks"] if each["name"] == "programs print their numbers"]
    assert (cut.returncode, check["level"]) == (0, "caution")
    assert "at offset 16" in check["detail"]
    unknown = _narrows(tmp_path, "emulate", "x.toml", "--read", "wget", "--out", "none", "--", "true")
    assert (unknown.returncode, (tmp_path / "none").exists()) == (2, False)


@pytest.mark.usefixtures("folder")
def test_two_commands_are_compared_pair_by_pair(tmp_path: Path) -> None:
    """The network's numbers are of the same random numbers on both sides, and the programs' are their own."""
    (tmp_path / "x.toml").write_text(TRANSFER, encoding="utf-8")
    first, second = (f"""echo '{{"time_total": {value}}}'; date +%s%N >> {tmp_path}/{value}""" for value in (1, 2))
    asked = ["ab", "--emulate", first, second, "--scenario", "x.toml", "--read", "curl", "--replications", "3"]
    done = _narrows(tmp_path, *asked, "--metric", "loss_rate", "--json", "--quiet", "--out", "trial")
    assert done.returncode in {0, 1}, done.stderr
    summary = json.loads(done.stdout)
    rows = {row["metric"]: row for row in summary["rows"]}
    assert (rows["curl_total_s"]["a"], rows["curl_total_s"]["b"], rows["curl_total_s"]["replications"]) == (1, 2, 3)
    assert summary["on"] == ["real-time", "real-time"]
    assert "programs in real time, in turn" in summary["unlike"]
    times = [list(map(int, (tmp_path / name).read_text().split())) for name in ("1", "2")]
    assert [a < b for a, b in zip(*times, strict=True)] == [True, False, True]
    assert (tmp_path / "trial/scenarios/x.a.toml").read_text().startswith("# narrows emulate FILE --trust")
    page = (tmp_path / "trial/report.html").read_text(encoding="utf-8")
    assert "Kernel of the programs" in page
    assert "--on real-time" not in page
    # The same command goes on with the pairs that have finished.
    assert json.loads(_narrows(tmp_path, *asked, "--metric", "loss_rate", "--json", "--quiet", "--out", "trial").stdout)
    assert len((tmp_path / "1").read_text().split()) == 3


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--emulate", "true", "false"], "needs --scenario FILE"),
        (["--emulate", "true", "true", "--scenario", "x.toml"], "two different commands"),
        (["--emulate", "true", "false", "--scenario", "x.toml", "--far", "a", "--", "b"], "the other host"),
        (["--emulate", "true", "false", "--suite", "rfc9743"], "without --suite"),
        (["cubic", "bbr3", "--far", "iperf3 -s"], "with --emulate"),
        (["--emulate", "true", "echo no >&2; false", "--scenario", "x.toml"], "ended with status 1: 'no'"),
        (["--emulate", "true", ":", "--scenario", "x.toml", "--read", "curl"], "prints no result"),
    ],
)
def test_a_trial_of_commands_that_cannot_be_judged_is_refused(more: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(TRANSFER, encoding="utf-8")
    done = _narrows(tmp_path, "ab", "--quiet", "--out", "trial", "--replications", "2", *more)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "trial/summary.json").exists()


def test_a_stamp_changes_with_the_file_of_a_command(tmp_path: Path) -> None:
    file = tmp_path / "server"
    file.write_text("1")
    before = carried.stamp([f"sh {file} -p 1", "unbalanced '"])
    assert carried.stamp([f"sh {file} -p 1", "unbalanced '"]) == before
    file.write_text("22")
    assert carried.stamp([f"sh {file} -p 1", "unbalanced '"]) != before


def test_an_algorithm_that_this_kernel_does_not_have_is_refused(folder: Path) -> None:
    text = _scenario(folder, 1).replace(f"linux:{hosts.algorithms()[0]}", "linux:nothing")
    with pytest.raises(nw.ScenarioError, match="the kernel has no nothing"):
        nw.Scenario(text, trust=True, on=hosts.NAME).check()


def test_the_setting_that_allows_an_algorithm_to_users_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "algorithms", lambda: ["reno"])
    text = _scenario(folder, 1).replace(f"linux:{hosts.algorithms()[0]}", "linux:cubic")
    monkeypatch.setattr(hosts, "_setting", lambda _: ["reno", "cubic"])
    said = "`sudo sysctl net.ipv4.tcp_allowed_congestion_control='reno cubic'` allows it"
    with pytest.raises(nw.ScenarioError, match=re.escape(said)):
        nw.Scenario(text, trust=True, on=hosts.NAME).check()


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("user/max_user_namespaces", "0", "sudo sysctl user.max_user_namespaces=10000"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor"),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        ("none", "0", "Operation not permitted"),
    ],
)
def test_the_setting_that_refuses_namespaces_is_named(
    setting: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "setting_of", {setting: value}.get)
    assert said in host.why_refused(1)
