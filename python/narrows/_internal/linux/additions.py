# SPDX-License-Identifier: Apache-2.0
"""What is added to a kernel's source: the driver, random numbers from a seed, and the timer frequency."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from narrows._internal.errors import InputError
from narrows._internal.linux.edits import edits

OURS = Path(__file__).parent / "kernel"
FOLDER = "arch/um/drivers"
DRIVER = ("network.h", "narrows_kern.c", "narrows_user.c")
# How the calls of the C library begin that change files of the machine.
CALLS = (
    r"p?write(?:64|v)?",
    r"f?chmod(?:at)?",
    r"[fl]?chown(?:at)?",
    r"f?truncate(?:64)?",
    r"[fl]?u?time(?:s|nsat|ns)",
    r"(?:sym|un)?link(?:at)?",
    r"(?:mk|rm)dir(?:at)?",
    r"mknod(?:at)?",
    r"rename(?:at|at2)?",
    r"creat(?:64)?",
    "syscall",
)


def digest() -> str:
    """Return the SHA-256 of all additions, in hexadecimal."""
    total = hashlib.sha256()
    for module in (__file__, edits.__code__.co_filename):
        total.update(Path(module).read_bytes())
    for name in (*DRIVER, "Kconfig", "config"):
        total.update((OURS / name).read_bytes())
    return total.hexdigest()


def apply(root: Path, timer_hz: int) -> None:
    """Add the driver to the source at `root`."""
    drivers = root / FOLDER
    for name in DRIVER:
        shutil.copy(OURS / name, drivers / name)
    kconfig = drivers / "Kconfig"
    kconfig.write_text(kconfig.read_text() + (OURS / "Kconfig").read_text())
    for edit in edits(timer_hz):
        edit.apply(root)
    check_that_no_file_changes(root)


def files(timer_hz: int) -> list[str]:
    """Return the paths of all files that are added or changed, from the root of the source."""
    return sorted({*(f"{FOLDER}/{name}" for name in (*DRIVER, "Kconfig")), *(edit.file for edit in edits(timer_hz))})


def check_that_no_file_changes(root: Path) -> None:
    """Check that the kernel has no means left to change a file of the machine."""
    host = root / "fs/hostfs/hostfs_user.c"
    left = re.findall(rf"\b(?:{'|'.join(CALLS)})\(|\bO_(?:CREAT|WRONLY|RDWR|TRUNC|APPEND)\b", host.read_text())
    if left:
        raise InputError(str(host), f"has ways to change a file of the machine that are not known here: {left[0]}")


def algorithms(root: Path) -> dict[str, str]:
    """Return the options of the kernel's congestion controls, each with the name of the algorithm."""
    operations = r"struct tcp_congestion_ops \w+[^{;]*\{[^}]*?\.name\s*=\s*\"(\w+)\""
    return {option: names[0] for option, names in _offered(root / "net/ipv4", "CONFIG_TCP_CONG_", operations) if names}


def queues(root: Path) -> dict[str, list[str]]:
    """Return the options of the kernel's queue disciplines, each with the names of its disciplines."""
    operations = r"struct Qdisc_ops \w+[^{;]*\{[^}]*?\.id\s*=\s*\"(\w+)\""
    return dict(_offered(root / "net/sched", "CONFIG_NET_SCH_", operations))


def _offered(folder: Path, prefix: str, operations: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the options of a folder that begin with `prefix`, each with the names that its source registers."""
    makefile = (folder / "Makefile").read_text()
    for option, stem in re.findall(rf"^obj-\$\(({prefix}\w+)\)\s*\+=\s*(\w+)\.o", makefile, re.MULTILINE):
        file = folder / f"{stem}.c"
        text = file.read_text(errors="replace") if file.exists() else ""
        yield option, re.findall(operations, text, re.DOTALL)


def configuration(root: Path) -> str:
    """Return the configuration: ours, and every congestion control of the source."""
    options = "".join(f"{option}=y\n" for option in algorithms(root))
    return (OURS / "config").read_text() + options + "CONFIG_UML_NARROWS=y\n"
