# SPDX-License-Identifier: Apache-2.0
"""What connections on a kernel agree on, and what is counted of them. Truth: contract and theory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from test_linux import built, means

from command_line import Narrows, write
from narrows._internal.errors import InputError
from narrows._internal.linux import additions, edits

if TYPE_CHECKING:
    from pathlib import Path

MARKED = """
duration = "20s"
warmup = "5s"
path = { rate = "50Mbps", rtt = "50ms", queue = { kind = "step", threshold = "30pkt", limit = "400pkt" } }
[transport]
preset = "linux"
ecn = true
[[flows]]
name = "flow"
algorithm = "dctcp"
"""
LOSSY = """
duration = "20s"
warmup = "2s"
path = { rate = "20Mbps", rtt = "40ms", loss = { kind = "bernoulli", rate = "RATE" } }
[transport]
preset = "linux"
[[flows]]
name = "flow"
"""
SHORT_FLOWS = 'ecn = true\nalgorithm = "cubic"\nsize = "10kB"\nsource = { kind = "poisson", interval = "100ms" }\n'


def check(folder: Path, name: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = json.loads((folder / "summary.json").read_text())["checks"]
    return next(each for each in found if each["name"] == name)


@built
def test_dctcp_is_dctcp_at_both_ends(tmp_path: Path, narrows: Narrows) -> None:
    ended = narrows("run", write(tmp_path, MARKED), "--on", "linux", "--out", "run")
    assert ended.returncode == 0, ended.stderr
    found = means(tmp_path / "run", "flow")
    assert found["mark_rate"] > 0.01
    # A window of 208 packets fills the path, and marks keep what is above it near the threshold.
    assert 208 < found["cwnd_mean_packets"] < 208 + 2 * 30
    assert check(tmp_path / "run", "ECN used")["ok"]


@built
def test_what_was_asked_for_and_refused_ends_the_run(tmp_path: Path, narrows: Narrows) -> None:
    file = write(tmp_path, MARKED.replace("dctcp", "cubic") + '[linux]\nsysctl = ["net.ipv4.tcp_ecn=0"]\n')
    ended = narrows("run", file, "--on", "linux", "--out", "run")
    assert ended.returncode == 2
    assert "of a connection of group flow: ecn = true was asked for, and the kernel has false" in ended.stderr
    assert not (tmp_path / "run").exists()


@built
def test_connections_that_give_up_ecn_as_their_syn_is_lost_are_counted(tmp_path: Path, narrows: Narrows) -> None:
    file = write(tmp_path, LOSSY.replace("RATE", "10%") + SHORT_FLOWS)
    assert narrows("run", file, "--on", "linux", "--set", "warmup=0s", "--out", "run").returncode == 0
    found = check(tmp_path / "run", "ECN used")
    assert (found["ok"], found["level"]) == (False, "caution")
    assert "connections asked for ECN and do without, as their first SYN was lost" in found["detail"]


@built
def test_recoveries_that_begin_as_others_end_are_counted(tmp_path: Path, narrows: Narrows) -> None:
    # BBR keeps its window, so one recovery follows another; those that begin with the end of one are a sixth.
    file = write(tmp_path, LOSSY.replace("RATE", "1%") + 'algorithm = "bbr1"\n')
    assert narrows("run", file, "--on", "both", "--replications", "2", "--out", "run").returncode == 0
    simulator, linux = (means(tmp_path / "run" / each, "flow") for each in ("simulator", "linux"))
    assert linux["loss_events"] == pytest.approx(simulator["loss_events"], rel=0.08)
    # Nearly each of them is a reduction there; the simulator counts those at which BBR's window falls.
    assert linux["reductions"] == pytest.approx(linux["loss_events"], rel=0.08)
    assert simulator["reductions"] < linux["reductions"]


HOSTFS = """int open_file(char *path, int r, int w, int append)
{
	return open64(path, O_RDWR);
}

"""


def without_files(root: Path, functions: str) -> str:
    """Return the hostfs of a kernel with these functions, after the changes that leave it no means to change a file."""
    host = root / "fs/hostfs/hostfs_user.c"
    host.parent.mkdir(parents=True, exist_ok=True)
    host.write_text(HOSTFS + functions)
    (root / "fs/hostfs/hostfs_kern.c").write_text("\tif (!err)\n\t\terr = generic_permission(ino, desired);\n")
    (root / "fs/Kconfig.binfmt").write_text('\tbool "Enable core dump support" if EXPERT\n')
    for edit in edits.NO_FILE:
        edit.apply(root)
    additions.check_that_no_file_changes(root)
    return host.read_text()


def test_a_kernel_that_could_change_a_file_of_the_machine_is_not_built(tmp_path: Path) -> None:
    changing = "".join(f"int {name}(int fd)\n{{\n\treturn chmod(fd);\n}}\n\n" for name in edits.CHANGING)
    host = without_files(tmp_path, changing)
    assert host.count("return -EROFS;") == len(edits.CHANGING) + 1
    assert "O_RDWR" not in host
    for call in ("fchownat(", "unlink(", "pwrite64(", "syscall(", "x | O_CREAT"):
        another = f"int another(int fd)\n{{\n\treturn {call};\n}}\n"
        with pytest.raises(InputError, match="ways to change a file of the machine that are not known here"):
            without_files(tmp_path, changing + another)
