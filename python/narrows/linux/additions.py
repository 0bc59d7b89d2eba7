# SPDX-License-Identifier: Apache-2.0
"""What is added to a kernel's source: the driver, random numbers from a seed, and the timer frequency."""

from __future__ import annotations

import hashlib
import re
import shutil
from importlib.resources import files
from pathlib import Path

from narrows.errors import InputError

OURS = Path(str(files("narrows.linux") / "kernel"))
DRIVER = ("narrows.h", "narrows_kern.c", "narrows_user.c")
RANDOM = "drivers/char/random.c"
# The functions of hostfs that change files of the machine, and how the calls of C's library begin that do.
CHANGING = (
    "write_file",
    "file_create",
    "set_attr",
    "make_symlink",
    "unlink_file",
    "do_mkdir",
    "hostfs_do_rmdir",
    "do_mknod",
    "link_file",
    "rename_file",
    "rename2_file",
)
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
    total = hashlib.sha256(Path(__file__).read_bytes())
    for name in (*DRIVER, "Kconfig", "config"):
        total.update((OURS / name).read_bytes())
    return total.hexdigest()


def apply(root: Path, timer_hz: int) -> None:
    """Add the driver to the source at `root`.

    Args:
        root: The source; it is changed.
        timer_hz: Timer frequency, hertz.

    Raises:
        InputError: The source is too different from the kernels that this is written for.
    """
    drivers = root / "arch/um/drivers"
    for name in DRIVER:
        shutil.copy(OURS / name, drivers / name)
    kconfig = drivers / "Kconfig"
    kconfig.write_text(kconfig.read_text() + (OURS / "Kconfig").read_text())
    _edit(
        drivers / "Makefile",
        r"^include ",
        "narrows-objs := narrows_kern.o narrows_user.o\nobj-$(CONFIG_UML_NARROWS) += narrows.o\n\ninclude ",
    )
    _edit(root / "arch/um/Kconfig", r"(config HZ\n\s*int\n\s*default) \d+", rf"\1 {timer_hz}")
    _edit(
        root / RANDOM,
        r"^(static void _get_random_bytes\()",
        r"bool narrows_random(void *buffer, size_t bytes);\n\n\1",
    )
    _edit(
        root / RANDOM,
        r"(static void _get_random_bytes\([^{]*\{.*?if \(!len\)\s*return;\n)",
        r"\1\n\tif (narrows_random(buf, len))\n\t\treturn;\n",
    )
    _edit(
        root / RANDOM,
        r"(get_random_bytes_user\([^{]*\{.*?crng_make_state\([^;]*?\(u8 \*\)(&[^,;]*\[4\]), CHACHA_KEY_SIZE\);)",
        r"\1\n\tnarrows_random(\2, CHACHA_KEY_SIZE);",
    )
    _count_reductions(root)
    write_no_file(root)
    _keep_all_registers(root)
    # A guest that is killed leaves no process of its programs.
    _edit(
        root / "arch/um/os-Linux/skas/process.c",
        r"\(void \*\) PTRACE_O_TRACESYSGOOD\)",
        "(void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))",
    )
    _edit(root / RANDOM, r"(if\s+\()(!crng_ready\(\)\) \{\s*\\\s*_get_random_bytes\(&ret)", r"\1true || \2")


def write_no_file(root: Path) -> None:
    """Take from the kernel all means to change a file of the machine, and the programs that receive core dumps."""
    host = root / "fs/hostfs/hostfs_user.c"
    for name in CHANGING:
        _edit(host, rf"^(int {name}\([^{{]*\{{\n).*?^\}}", r"\1\treturn -EROFS;\n}")
    opened = (
        "\tint fd = w ? -1 : open64(path, O_RDONLY);\n\n\tif (w)\n\t\treturn -EROFS;\n\treturn fd < 0 ? -errno : fd;\n"
    )
    _edit(host, r"^(int open_file\([^{]*\{\n).*?^\}", rf"\1{opened}}}")
    left = re.findall(rf"\b(?:{'|'.join(CALLS)})\(|\bO_(?:CREAT|WRONLY|RDWR|TRUNC|APPEND)\b", host.read_text())
    if left:
        raise InputError(str(host), f"has ways to change a file of the machine that are not known here: {left[0]}")
    # A program may read what the user who runs it may, who has another number here where that is root.
    _edit(
        root / "fs/hostfs/hostfs_kern.c",
        r"if \(!err\)(\s*err = generic_permission\()",
        r"if (!err && !S_ISREG(ino->i_mode) && !S_ISDIR(ino->i_mode))\1",
    )
    _edit(root / "fs/Kconfig.binfmt", r'("Enable core dump support") if EXPERT', r"\1")


def _count_reductions(root: Path) -> None:
    """Count the episodes in which TCP reduces its window.

    Its states do not show them all: an acknowledgement can end a recovery and begin the next one.
    """
    _edit(root / "include/linux/tcp.h", r"^(\tu32\thigh_seq;[^\n]*\n)", r"\1\tu32\tnarrows_reductions;\n")
    for where in (r"static void tcp_init_cwnd_reduction\(", r"void tcp_enter_loss\("):
        _edit(
            root / "net/ipv4/tcp_input.c",
            rf"^({where}[^{{]*\{{.*?tp->snd_ssthresh = [^;]*->ssthresh\(sk\);\n)",
            r"\1\ttp->narrows_reductions++;\n",
        )


def _keep_all_registers(root: Path) -> None:
    """Make room for the registers of programs on processors with AMX, which kernels before 6.13 do not have."""
    registers = root / "arch/x86/um/os-Linux/registers.c"
    if "have_xstate_support" not in registers.read_text():
        return
    _edit(root / "arch/x86/um/user-offsets.c", r"(HOST_FP_SIZE, )2696", r"\g<1>12288")
    # Only the size that the machine has given is taken back.
    _edit(
        registers,
        r"^static int have_xstate_support;",
        "static int have_xstate_support;\nstatic unsigned long xstate_size;",
    )
    _edit(
        registers,
        r"(PTRACE_GETREGSET, pid, NT_X86_XSTATE, &iov\) < 0\)\s*return -errno;)",
        r"\1\n\t\txstate_size = iov.iov_len;",
    )
    _edit(
        registers,
        r"(restore_fp_registers\([^{]*\{.*?iov\.iov_len = )FP_SIZE \* sizeof\(unsigned long\)",
        r"\1xstate_size",
    )


def algorithms(root: Path) -> dict[str, str]:
    """Return the options of the kernel's congestion controls, each with the name of the algorithm."""
    ipv4 = root / "net/ipv4"
    found = {}
    makefile = (ipv4 / "Makefile").read_text()
    for option, stem in re.findall(r"^obj-\$\((CONFIG_TCP_CONG_\w+)\)\s*\+=\s*(\w+)\.o", makefile, re.MULTILINE):
        text = (ipv4 / f"{stem}.c").read_text(errors="replace")
        named = re.search(r"struct tcp_congestion_ops \w+[^{;]*\{[^}]*?\.name\s*=\s*\"(\w+)\"", text, re.DOTALL)
        if named:
            found[option] = named[1]
    return found


def configuration(root: Path) -> str:
    """Return the configuration: ours, and every congestion control of the source."""
    options = "".join(f"{option}=y\n" for option in algorithms(root))
    return (OURS / "config").read_text() + options + "CONFIG_UML_NARROWS=y\n"


def _edit(file: Path, pattern: str, replacement: str) -> None:
    text = file.read_text()
    changed, count = re.subn(pattern, replacement, text, count=1, flags=re.MULTILINE | re.DOTALL)
    if not count:
        raise InputError(str(file), "is not as expected in the source of a kernel, so it cannot be changed")
    file.write_text(changed)
