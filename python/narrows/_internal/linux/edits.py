# SPDX-License-Identifier: Apache-2.0
"""The places of a kernel's source that are changed, each with what the change is for."""

from __future__ import annotations

import re
from pathlib import Path

from narrows._internal.errors import InputError
from narrows._internal.frozen import frozen


@frozen
class Edit:
    """A change of the first place in a file that a pattern matches.

    Attributes:
        file: Path of the file, from the root of the source.
        purpose: What the change is for, as messages say it.
        pattern: Regular expression of the place; `^` and `$` match at lines, `.` matches all.
        replacement: What takes its place, as for `re.sub`.
        only_with: Regular expression without which the file needs no such change; "" if every kernel does.
    """

    file: str
    purpose: str
    pattern: str
    replacement: str
    only_with: str = ""

    def apply(self, root: Path) -> None:
        """Change the source at `root`."""
        place = root / self.file
        try:
            text = place.read_text()
        except FileNotFoundError:
            raise InputError(str(place), f"is missing in this source; it is needed for this: {self.purpose}") from None
        if self.only_with and not re.search(self.only_with, text):
            return
        changed, count = re.subn(self.pattern, self.replacement, text, count=1, flags=re.MULTILINE | re.DOTALL)
        if not count:
            raise InputError(str(place), f"does not have the place that is changed for this: {self.purpose}")
        place.write_text(changed)


def edits(timer_hz: int) -> list[Edit]:
    """Return all changes, for a kernel with this timer frequency in hertz."""
    frequency = Edit(
        "arch/um/Kconfig",
        "the timer frequency",
        r"(config HZ\n\s*int\n\s*default) \d+",
        rf"\1 {timer_hz}",
    )
    return [frequency, *DRIVER, *RANDOM, *REDUCTIONS, *TIMEOUTS, *NO_FILE, *REGISTERS, *PROCESSES]


def _without_effect(function: str) -> Edit:
    file, purpose = "fs/hostfs/hostfs_user.c", f"no file of the machine can be changed ({function})"
    return Edit(file, purpose, rf"^(int {function}\([^{{]*\{{\n).*?^\}}", r"\1\treturn -EROFS;\n}")


def _counted(function: str, place: str) -> Edit:
    pattern = (
        rf"^({place}[^{{]*\{{.*?(?:tp->snd_ssthresh = |WRITE_ONCE\(tp->snd_ssthresh, )[^;]*->ssthresh\(sk\)\)?;\n)"
    )
    return Edit(
        "net/ipv4/tcp_input.c",
        f"the count of the reductions of a window ({function})",
        pattern,
        r"\1\ttp->narrows_reductions++;\n",
    )


DRIVER = (
    Edit(
        "arch/um/drivers/Makefile",
        "the driver of the network",
        r"^include ",
        "narrows-objs := narrows_kern.o narrows_user.o\nobj-$(CONFIG_UML_NARROWS) += narrows.o\n\ninclude ",
    ),
)
_SOURCE_OF_RANDOM = "drivers/char/random.c"
RANDOM = (
    Edit(
        _SOURCE_OF_RANDOM,
        "the declaration of random numbers from the seed of the run",
        r"^(static void _get_random_bytes\()",
        r"bool narrows_random(void *buffer, size_t bytes);\n\n\1",
    ),
    Edit(
        _SOURCE_OF_RANDOM,
        "random numbers of the kernel from the seed of the run",
        r"(static void _get_random_bytes\([^{]*\{.*?if \(!len\)\s*return;\n)",
        r"\1\n\tif (narrows_random(buf, len))\n\t\treturn;\n",
    ),
    Edit(
        _SOURCE_OF_RANDOM,
        "random numbers of programs from the seed of the run",
        r"(get_random_bytes_user\([^{]*\{.*?crng_make_state\([^;]*?\(u8 \*\)(&[^,;]*\[4\]),\s*CHACHA_KEY_SIZE\);)",
        r"\1\n\tnarrows_random(\2, CHACHA_KEY_SIZE);",
    ),
    Edit(
        _SOURCE_OF_RANDOM,
        "random integers from the seed of the run before the kernel has collected any of its own",
        r"(if\s+\()(!crng_ready\(\)\) \{\s*\\\s*_get_random_bytes\(&ret)",
        r"\1true || \2",
    ),
)
# The states of TCP do not show every episode in which it reduces its window: an acknowledgement can end a recovery and
# begin the next one.
REDUCTIONS = (
    Edit(
        "include/linux/tcp.h",
        "the count of the reductions of a window",
        r"^(\tu32\thigh_seq;[^\n]*\n)",
        r"\1\tu32\tnarrows_reductions;\n",
    ),
    _counted("tcp_init_cwnd_reduction", r"static void tcp_init_cwnd_reduction\("),
    _counted("tcp_enter_loss", r"void tcp_enter_loss\("),
)
# Kernels before 6.7 do not count timeouts for ever.
_UNCOUNTED = r"(?s)\A(?!.*\btotal_rto\b)"
TIMEOUTS = (
    Edit(
        "include/linux/tcp.h",
        "the count of timeouts",
        r"^(\tu32\tnarrows_reductions;\n)",
        r"\1\tu16\ttotal_rto;\n",
        only_with=_UNCOUNTED,
    ),
    Edit(
        "net/ipv4/tcp_timer.c",
        "the count of timeouts",
        r"^(\ttcp_enter_loss\(sk\);\n)",
        r"\1\ttp->total_rto++;\n",
        only_with=_UNCOUNTED,
    ),
)
# The functions of hostfs that change files of the machine.
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
NO_FILE = (
    *map(_without_effect, CHANGING),
    Edit(
        "fs/hostfs/hostfs_user.c",
        "no file of the machine can be opened for writing",
        r"^(int open_file\([^{]*\{\n).*?^\}",
        r"\1\tint fd = w ? -1 : open64(path, O_RDONLY);\n\n"
        r"\tif (w)\n\t\treturn -EROFS;\n\treturn fd < 0 ? -errno : fd;\n}",
    ),
    # A program may read what the user who runs it may, who has another number here where that is root.
    Edit(
        "fs/hostfs/hostfs_kern.c",
        "programs read the files of the user who runs them",
        r"if \(!err\)(\s*err = generic_permission\()",
        r"if (!err && !S_ISREG(ino->i_mode) && !S_ISDIR(ino->i_mode))\1",
    ),
    Edit("fs/Kconfig.binfmt", "a kernel without core dumps", r'("Enable core dump support") if EXPERT', r"\1"),
)
# Kernels before 6.13 have no room for the registers of programs on processors with AMX.
_OLD = r"have_xstate_support"
_REGISTERS = "arch/x86/um/os-Linux/registers.c"
REGISTERS = (
    Edit(
        "arch/x86/um/user-offsets.c",
        "room for the registers of programs",
        r"(HOST_FP_SIZE, )2696",
        r"\g<1>12288",
        only_with=r"HOST_FP_SIZE, \d",
    ),
    # Only the size that the machine has given is taken back.
    Edit(
        _REGISTERS,
        "the size of the registers of programs",
        r"^((?:static )?int have_xstate_support;)",
        r"\1\nstatic unsigned long xstate_size;",
        only_with=_OLD,
    ),
    Edit(
        _REGISTERS,
        "the size of the registers that are saved",
        r"(PTRACE_GETREGSET, pid, NT_X86_XSTATE, &iov\) < 0\)\s*return -errno;)",
        r"\1\n\t\txstate_size = iov.iov_len;",
        only_with=_OLD,
    ),
    Edit(
        _REGISTERS,
        "the size of the registers that are restored",
        r"(restore_fp_registers\([^{]*\{.*?iov\.iov_len = )FP_SIZE \* sizeof\(unsigned long\)",
        r"\1xstate_size",
        only_with=_OLD,
    ),
)
PROCESSES = (
    Edit(
        "arch/um/os-Linux/skas/process.c",
        "a virtual machine that is killed leaves no process of its programs",
        r"\(void \*\) PTRACE_O_TRACESYSGOOD\)",
        "(void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))",
    ),
)
