# SPDX-License-Identifier: Apache-2.0
"""Programs that carry flows. Truth: contract and product. Skipped where a program or a kernel is missing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from command_line import Narrows, command, environment, write
from narrows._internal.linux import cache
from optional import needs

if TYPE_CHECKING:
    from collections.abc import Iterator

SCENARIO = """
duration = "8s"
warmup = "1s"
path = { rate = "10Mbps", rtt = "40ms", queue = { kind = "droptail", limit = "1bdp" } }
[[flows]]
name = "test"
algorithm = "cubic"
program = { client = "CLIENT", server = "SERVER" }
"""
# What a web server sends, from a file that it makes itself.
SERVE = "head -c 2000000 /dev/zero > /tmp/file; cd /tmp; exec python3 -m http.server --bind $SERVER 80"
FETCH = "curl -sS -o /tmp/got -w '%{size_download} %{http_code}' http://$SERVER/file"

UNPRIVILEGED = 65_534

built = needs("kernel")


def scenario(tmp_path: Path, client: str, server: str, more: str = "") -> Path:
    """Write a scenario with one flow that programs carry."""
    text = SCENARIO.replace('"SERVER"', json.dumps(server)).replace('"CLIENT"', json.dumps(client))
    return write(tmp_path, text + more)


def printed(folder: Path, role: str = "client", flow: int = 0) -> str:
    return (folder / f"programs/replication-0-flow-{flow}-{role}.txt").read_text()


def summary(folder: Path) -> dict[str, object]:
    content: dict[str, object] = json.loads((folder / "summary.json").read_text())
    return content


def goodput_bps(folder: Path) -> float:
    return float(json.loads((folder / "summary.json").read_text())["groups"]["test"]["goodput_bps"]["mean"])


def test_the_simulator_refuses_programs_at_their_line(tmp_path: Path, narrows: Narrows) -> None:
    file = scenario(tmp_path, "true", "true")
    for on in ((), ("--on", "both")):
        ended = narrows("run", file, "--out", "run", *on)
        assert ended.returncode == 2
        assert "only a Linux kernel runs programs" in ended.stderr or "the kernel is not built" in ended.stderr
    assert "scenario.toml:8:" in narrows("check", file).stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ('size = "1MB"', "the programs decide what is sent"),
        ('source = { kind = "onoff", on = "1s", off = "1s" }', "the programs decide what is sent"),
        ('source = { kind = "users", think = "1s" }', "the programs decide what is sent"),
    ],
)
def test_what_programs_decide_is_refused_beside_them(
    tmp_path: Path, narrows: Narrows, more: str, expected: str
) -> None:
    ended = narrows("check", scenario(tmp_path, "true", "true", more + "\n"))
    assert ended.returncode == 2
    assert "scenario.toml:9:" in ended.stderr
    assert expected in ended.stderr


def test_a_program_has_a_client_and_a_server(tmp_path: Path, narrows: Narrows) -> None:
    file = write(tmp_path, SCENARIO.replace(', server = "SERVER"', ""))
    ended = narrows("check", file)
    assert ended.returncode == 2
    assert "flows.0.program.server: missing" in ended.stderr or "program.server" in ended.stderr


@built
@needs("iperf3")
def test_iperf3_measures_the_link_of_the_scenario(tmp_path: Path, narrows: Narrows) -> None:
    file = scenario(tmp_path, "iperf3 -c $SERVER -t 6 -J", "iperf3 -s -1")
    ended = narrows("run", file, "--on", "linux", "--trust", "--set", "warmup=0s", "--out", "run")
    assert ended.returncode == 0, ended.stderr
    run = tmp_path / "run"
    end = json.loads(printed(run))["end"]
    # The payload of 1448 of 1500 bytes, less the start.
    assert 8.5e6 < end["sum_received"]["bits_per_second"] < 10e6 * 1448 / 1500
    # All that the client has sent, and the few words of its control connection.
    assert goodput_bps(run) == pytest.approx(end["sum_sent"]["bytes"] * 8 / 8, rel=0.005)
    entries = json.loads((run / "summary.json").read_text())["programs"]
    assert [(each["role"], each["status"]) for each in entries] == [("client", 0), ("server", 0)]
    assert all((run / each["file"]).is_file() for each in entries)


@built
@pytest.mark.parametrize(
    ("client", "server"),
    [
        pytest.param(FETCH, SERVE, marks=needs("curl")),
        pytest.param(
            "iperf3 -c $SERVER -t 6 -J", "iperf3 -s -1",
            marks=[needs("iperf3"), pytest.mark.full("two runs of many packets; a download has the same proof")],
        ),
    ],
    ids=["curl", "iperf3"],
)  # fmt: skip
def test_programs_print_the_same_in_the_same_run(tmp_path: Path, narrows: Narrows, client: str, server: str) -> None:
    file = scenario(tmp_path, client, server)
    for name in ("first", "again"):
        ended = narrows("run", file, "--on", "linux", "--trust", "--out", name)
        assert ended.returncode == 0, ended.stderr
    first, again = tmp_path / "first", tmp_path / "again"
    assert printed(again) == printed(first)
    assert printed(again, "server") == printed(first, "server")
    assert summary(again)["digest"] == summary(first)["digest"]


@built
@needs("curl")
def test_a_download_is_what_the_server_sends(tmp_path: Path, narrows: Narrows) -> None:
    file = write(
        tmp_path,
        SCENARIO.replace('"CLIENT"', json.dumps(FETCH)).replace(
            '"SERVER" }', json.dumps(SERVE) + ', sender = "server" }'
        ),
    )
    assert narrows("run", file, "--on", "linux", "--trust", "--out", "run").returncode == 0
    assert printed(tmp_path / "run") == "2000000 200"
    # The file, and the server's few words before it, after the end of the warm-up.
    assert 0.35 * 2_000_000 * 8 / 7 < goodput_bps(tmp_path / "run") < 2_001_000 * 8 / 7


@built
def test_a_client_starts_with_its_flow_and_every_flow_has_its_own_hosts(tmp_path: Path, narrows: Narrows) -> None:
    file = scenario(tmp_path, "cat /proc/uptime; echo $FLOW", "cat", 'count = 2\nstart = "3s"\n')
    narrows("run", file, "--on", "linux", "--trust", "--out", "run")
    for flow in range(2):
        uptime, number = printed(tmp_path / "run", flow=flow).splitlines()
        # The servers have had a second before.
        assert 4.0 <= float(uptime.split()[0]) < 4.2
        assert int(number) == flow


@built
def test_programs_may_have_any_algorithm_of_the_kernel(tmp_path: Path, narrows: Narrows) -> None:
    file = scenario(tmp_path, "cat /proc/sys/net/ipv4/tcp_congestion_control", "sleep 1")
    ended = narrows("run", file, "--on", "linux", "--trust", "--set", "flows.0.algorithm=vegas", "--out", "run")
    assert ended.returncode == 0, ended.stderr
    assert printed(tmp_path / "run") == "vegas\n"


@built
def test_programs_have_seeded_random_numbers_and_the_user_who_runs_them_unless_that_is_root(
    tmp_path: Path, narrows: Narrows
) -> None:
    command_line = "touch /etc/passwd; head -c 8 /dev/urandom | od -An -tx1; date -u +%Y-%m-%d; id -u"
    file = scenario(tmp_path, command_line, "sleep 1")
    texts = []
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        narrows("run", file, "--on", "linux", "--trust", "--out", name, "--seed", seed)
        texts.append(printed(tmp_path / name))
    assert "Read-only file system" in texts[0]
    assert texts[0] == texts[1]
    assert texts[1] != texts[2]
    assert "2026-01-01" in texts[0]
    assert texts[0].splitlines()[-1] == str(os.getuid() or UNPRIVILEGED)


@built
@pytest.mark.parametrize(
    ("client", "problem"),
    [
        ("no-such-program -c $SERVER", "unknown program no-such-program"),
        ("MODE=1 ./no-such-file", "no such file: "),
        ("/etc/passwd", "/etc/passwd is not an executable file"),
        ("python3 ./serve.py", "programs do not see ./serve.py in /tmp/"),
    ],
)
def test_a_program_that_cannot_run_is_refused_at_its_line(
    tmp_path: Path, narrows: Narrows, client: str, problem: str
) -> None:
    (tmp_path / "serve.py").touch()
    if "serve.py" in client and not tmp_path.resolve().is_relative_to("/tmp"):  # noqa: S108  # what is tested
        pytest.skip("temporary folders are not below /tmp")
    file = scenario(tmp_path, client, "cat")
    ended = narrows("run", file, "--on", "linux", "--trust", "--out", "run")
    assert ended.returncode == 2
    assert "scenario.toml:8:" in ended.stderr
    assert f"flows.0.program.client: linux cannot honour this: {problem}" in ended.stderr
    assert f'given: "{client}"' in ended.stderr
    assert not (tmp_path / "run").exists()
    assert narrows("check", file, "--on", "linux").returncode == 2


@built
def test_a_program_that_only_the_run_finds_missing_is_bad_input(tmp_path: Path, narrows: Narrows) -> None:
    ended = narrows(
        "run", scenario(tmp_path, "cd / && no-such-program", "cat"), "--on", "linux", "--trust", "--out", "run"
    )
    assert ended.returncode == 2
    assert "the client of group test, `cd / && no-such-program`, does not run: " in ended.stderr
    assert "internal error" not in ended.stderr
    assert not (tmp_path / "run").exists()


@pytest.fixture
def folder_of_an_own_program() -> Iterator[Path]:
    """Yield a folder with a program `own` and a scenario whose client runs it.

    The folder is not below /tmp, where programs have files of their own.
    """
    with tempfile.TemporaryDirectory(dir=Path.home()) as name:
        folder = Path(name)
        scenario(folder, "pwd; ./own", "sleep 1")
        (folder / "own").write_text("#!/bin/sh\necho ran\n")
        (folder / "own").chmod(0o755)
        yield folder


@built
def test_programs_start_in_the_folder_of_a_scenario_that_is_named_by_a_relative_path(
    tmp_path: Path, folder_of_an_own_program: Path
) -> None:
    arguments = command(["run", "scenario.toml", "--on", "linux", "--trust", "--out", tmp_path / "run"])
    assert subprocess.run(arguments, cwd=folder_of_an_own_program, check=False).returncode == 0
    assert printed(tmp_path / "run").splitlines() == [str(folder_of_an_own_program), "ran"]


@built
def test_programs_of_a_study_start_in_the_folder_of_its_scenario(
    tmp_path: Path, folder_of_an_own_program: Path
) -> None:
    study = folder_of_an_own_program / "study.toml"
    study.write_text('scenario = "scenario.toml"\non = "linux"\nreplications = 1\n')
    arguments = command(["study", "run", "study.toml", "--trust", "--out", tmp_path / "study"])
    assert subprocess.run(arguments, cwd=folder_of_an_own_program, check=False).returncode == 0
    plan = json.loads((tmp_path / "study/plan.json").read_text())
    assert plan["base"]["commands"] == str(folder_of_an_own_program)


# What programs may try. `$V` is a folder of the machine in which everybody may write.
HOSTILE = {
    "write": """
        touch $V/new; echo x >$V/kept; echo x >>$V/kept; rm -f $V/kept; mv $V/kept $V/moved; ln $V/kept $V/hard;
        ln -s x $V/link; mkdir $V/folder; mkfifo $V/fifo; chmod 600 $V/kept; truncate -s 0 $V/kept; rmdir $V/empty;
        touch -d 2000-01-01 $V/kept; echo tried""",
    "other paths": """
        for way in /proc/1/root /proc/self/root /proc/$$/root /proc/thread-self/root /tmp/..; do touch $way$V/new; done;
        cd $V; touch new; touch /proc/self/cwd/new; exec 9<kept; echo x >/proc/self/fd/9; echo tried""",
    "mounts": """
        mount -o remount,rw /; mount -t hostfs none /tmp -o $V; mount -t hostfs none $V; umount /;
        unshare -r sh -c 'mount -o remount,rw /'; unshare -m true; chroot / true; pivot_root / /tmp;
        touch $V/new; echo tried""",
    "settings": """
        for key in kernel/core_pattern kernel/modprobe kernel/hotplug net/ipv4/tcp_sack; do
            echo '|/tmp/h' >/proc/sys/$key;
        done;
        echo b >/proc/sysrq-trigger; echo tried""",
    "core dump": """
        cd /tmp; printf '#!/bin/sh\\ntouch $V/new\\n' >core; chmod 755 core; ulimit -c unlimited;
        sh -c 'kill -SEGV $$'; ls $V/*core*; echo tried""",
    "devices": """
        mknod /tmp/disk b 98 0; mknod /tmp/memory c 1 1; mknod $V/disk b 98 0; cat /tmp/disk;
        dd if=/dev/zero of=/dev/mem count=1; echo x >/dev/console; echo x >/dev/kmsg; echo tried""",
    "another user": """
        cp /bin/sh /tmp/own; chmod 4755 /tmp/own; /tmp/own -c 'id -u'; su -c id </dev/null; chown 0 /tmp/own;
        python3 -c 'import os; os.setuid(0)'; grep -E 'NoNewPrivs|CapEff|CapBnd' /proc/self/status; echo tried""",
    "outputs replaced": """
        rm -rf /tmp/*; for kind in out status; do mkfifo /tmp/client-0.$kind /tmp/server-0.$kind; done;
        ln -s /dev/zero /tmp/zero; ln -sf /tmp/zero /dev/stdout; echo tried""",
    "much output": "yes tried | head -c 300000000",
    "long output": "echo tried; truncate -s 1T /proc/self/fd/1; truncate -s 1T /proc/$PPID/fd/3",
    "status": "head -c 1000000 /dev/zero >/proc/$PPID/fd/3; echo tried",
    "full disk": "for place in /tmp /dev/shm /run; do yes >$place/full; done; echo tried",
    "full memory": "tail /dev/zero; echo tried",
    "others": """
        kill -9 1; kill -STOP 1; python3 -c 'import ctypes; print(ctypes.CDLL(None).ptrace(16, 1, 0, 0))';
        cat /proc/1/environ /proc/1/mem; ls /proc/1/cwd/; echo tried; kill -9 -1""",
    "processes": "b() { b | b & }; b",
    "endless": "while :; do :; done",
}
# What each must have printed or, with exit status 2, the command have said; `tried` otherwise.
EXPECTED = {
    "write": "Read-only file system",
    "settings": "Read-only file system",
    "devices": "Operation not permitted",
    "another user": "CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1",
    "much output": "[cut here: more than the 4 MiB that are kept]",
    "full disk": "No space left on device",
    "processes": "Cannot fork",
    "endless": "60 s of processor time",
}


@pytest.fixture
def victim() -> Iterator[Path]:
    """Yield a folder of the machine, in which everybody may write."""
    with tempfile.TemporaryDirectory(dir=Path.home()) as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "empty").mkdir(mode=0o777)
        (folder / "kept").write_text("kept\n")
        (folder / "kept").chmod(0o666)
        yield folder


def state(folder: Path) -> list[tuple[str, int, int, str]]:
    """Return everything in a folder: names, modes, times of change, contents."""
    entries = sorted([folder, *folder.rglob("*")])
    return [
        (entry.name, (found := entry.lstat()).st_mode, found.st_ctime_ns, entry.read_text() if entry.is_file() else "")
        for entry in entries
    ]


ENDLESS = pytest.mark.full("the limit is a minute of processor time; other limits are reached in seconds")


@built
@pytest.mark.parametrize("name", [pytest.param(name, marks=ENDLESS) if name == "endless" else name for name in HOSTILE])
def test_a_hostile_program_ends_and_writes_nothing_on_the_machine(name: str, tmp_path: Path, victim: Path) -> None:
    client, expected = HOSTILE[name], EXPECTED.get(name, "tried")
    before = state(victim)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    file = scenario(tmp_path, f"V={victim}; {' '.join(client.split())}", "sleep 5")
    ended = subprocess.run(
        command(["run", file, "--on", "linux", "--trust", "--out", "run"]),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=environment() | {"TMPDIR": str(temporary)},
    )
    if ended.returncode == 0:
        assert expected in printed(tmp_path / "run")
        assert sum(each.stat().st_size for each in (tmp_path / "run/programs").iterdir()) < 5_000_000
    else:
        assert ended.returncode == 2, ended.stderr
        assert expected in ended.stderr
        assert not (tmp_path / "run").exists()
    assert state(victim) == before
    assert list(temporary.iterdir()) == []


@built
def test_folders_may_have_any_name(tmp_path: Path, victim: Path) -> None:
    odd = "a\nb, c 'd\" $(touch x)"
    for folder in (tmp_path / odd, victim / odd):
        folder.mkdir()
    (tmp_path / f"{odd} cache").mkdir()
    (tmp_path / f"{odd} cache/narrows").symlink_to(cache.folder().parent)
    file = scenario(victim / odd, "pwd", "sleep 1")
    ended = subprocess.run(
        command(["run", file, "--on", "linux", "--trust", "--out", tmp_path / "run"]),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=environment() | {"TMPDIR": str(tmp_path / odd), "XDG_CACHE_HOME": str(tmp_path / f"{odd} cache")},
    )
    assert ended.returncode == 0, ended.stderr
    assert printed(tmp_path / "run") == f"{victim / odd}\n"


@built
def test_a_virtual_machine_that_is_killed_leaves_no_program(tmp_path: Path) -> None:
    # Never at rest, so no simulated time passes.
    file = scenario(tmp_path, "while :; do :; done", "cat")
    narrows_process = subprocess.Popen(
        command(["run", file, "--on", "linux", "--trust", "--out", "run"]),
        cwd=tmp_path,
        env=environment(),
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 20
    while not (found := _below(narrows_process.pid)) and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(1)
    found = _below(narrows_process.pid)
    assert len(found) > 1, "a virtual machine and its programs"
    narrows_process.send_signal(signal.SIGKILL)
    narrows_process.wait()
    while any(Path(f"/proc/{each}").exists() and "\tZ" not in _status(each) for each in found):
        assert time.monotonic() < end + 20, "processes of the virtual machine are left"
        time.sleep(0.1)


def _below(parent: int) -> set[int]:
    """Return all processes that descend from a process."""
    parents = {int(each.name): _status(int(each.name)) for each in Path("/proc").glob("[0-9]*")}
    found: set[int] = set()
    wanted = {parent}
    while wanted:
        wanted = {each for each, text in parents.items() if any(f"PPid:\t{one}\n" in text for one in wanted)} - found
        found |= wanted
    return found


def _status(process: int) -> str:
    try:
        return Path(f"/proc/{process}/status").read_text()
    except OSError:
        return ""
