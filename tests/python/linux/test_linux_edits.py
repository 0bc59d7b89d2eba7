# SPDX-License-Identifier: Apache-2.0
"""The changes of a kernel's source, on excerpts of its forms. Truth: contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from narrows._internal.errors import InputError
from narrows._internal.linux import edits

if TYPE_CHECKING:
    from pathlib import Path

HZ = 1000
RANDOM = """\
static void _get_random_bytes(void *buf, size_t len)
{
	int a;

	if (!len)
		return;
	use(a);
}

static ssize_t get_random_bytes_user(struct iov_iter *iter)
{
	crng_make_state(STATE, (u8 *)WHERE[4],BETWEENCHACHA_KEY_SIZE);
}

#define INTEGER() do {					\\
	if BLANK(!crng_ready()) {			\\
		_get_random_bytes(&ret, 4);		\\
	}						\\
} while (0)
"""
INPUT = """\
static void tcp_init_cwnd_reduction(struct sock *sk)
{
	FIRST
}

void tcp_enter_loss(struct sock *sk)
{
	if (a)
		SECOND
}
"""
REGISTERS = """\
STORAGEint have_xstate_support;

int save_fp_registers(int pid, unsigned long *fp_regs)
{
	if (ptrace(PTRACE_GETREGSET, pid, NT_X86_XSTATE, &iov) < 0)
		return -errno;
}

int restore_fp_registers(int pid, unsigned long *fp_regs)
{
	iov.iov_len = FP_SIZE * sizeof(unsigned long);
}
"""
HOST = "".join(f"int {name}(int a)\n{{\n\treturn a;\n}}\n\n" for name in (*edits.CHANGING, "open_file"))
# Each file in every form that the supported kernels have: what is in one of them, and what it becomes.
FORMS: dict[str, list[str]] = {
    "arch/um/Kconfig": ["config HZ\n\tint\n\tdefault 100\n"],
    "arch/um/drivers/Makefile": ["obj-y := a.o\n\ninclude b\n"],
    "drivers/char/random.c": [
        RANDOM.replace("STATE", "s").replace("WHERE", "&s").replace("BETWEEN", " ").replace("BLANK", ""),
        RANDOM.replace("STATE", "&s").replace("WHERE", "&s.x").replace("BETWEEN", "\n\t\t").replace("BLANK", " "),
    ],
    "include/linux/tcp.h": ["struct a {\n\tu32\thigh_seq;\t/* b */\n};\n"],
    "net/ipv4/tcp_input.c": [
        INPUT.replace("FIRST", "tp->snd_ssthresh = a->ssthresh(sk);").replace(
            "SECOND", "tp->snd_ssthresh = b->ssthresh(sk);"
        ),
        INPUT.replace("FIRST", "WRITE_ONCE(tp->snd_ssthresh, a->ssthresh(sk));").replace(
            "SECOND", "WRITE_ONCE(tp->snd_ssthresh, b->ssthresh(sk));"
        ),
    ],
    "net/ipv4/tcp_timer.c": ["void a(struct sock *sk)\n{\n\ttcp_enter_loss(sk);\n}\n"],
    "fs/hostfs/hostfs_user.c": [HOST],
    "fs/hostfs/hostfs_kern.c": ["\tif (!err)\n\t\terr = generic_permission(a);\n"],
    "fs/Kconfig.binfmt": ['config COREDUMP\n\tbool "Enable core dump support" if EXPERT\n'],
    "arch/x86/um/user-offsets.c": ["\tDEFINE_LONGS(HOST_FP_SIZE, 2696);\n"],
    "arch/x86/um/os-Linux/registers.c": [REGISTERS.replace("STORAGE", ""), REGISTERS.replace("STORAGE", "static ")],
    "arch/um/os-Linux/skas/process.c": ["\tptrace(a, b, 0, (void *) PTRACE_O_TRACESYSGOOD);\n"],
}
# What newer kernels have, where an edit is for older ones alone.
NOT_NEEDED = {
    "arch/x86/um/user-offsets.c": "\tDEFINE_LONGS(HOST_BX, RBX);\n",
    "arch/x86/um/os-Linux/registers.c": "int arch_init_registers(int pid)\n{\n}\n",
    "include/linux/tcp.h": "\tu32\tnarrows_reductions;\n\tu16\ttotal_rto;\n",
    "net/ipv4/tcp_timer.c": "\ttp->total_rto++;\n\ttcp_enter_loss(sk);\n",
}
# What shows that an edit for older kernels is needed, without its place.
DRIFTED = {
    "arch/x86/um/user-offsets.c": "HOST_FP_SIZE, 9\n",
    "arch/x86/um/os-Linux/registers.c": "/* have_xstate_support */\n",
}
ALL = edits.edits(HZ)


def put(root: Path, file: str, text: str) -> Path:
    place = root / file
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    return place


@pytest.mark.parametrize(
    ("file", "number"), [(file, number) for file, texts in FORMS.items() for number in range(len(texts))]
)
def test_every_edit_of_a_file_finds_its_place_in_each_form(file: str, number: int, tmp_path: Path) -> None:
    place = put(tmp_path, file, FORMS[file][number])
    for edit in (each for each in ALL if each.file == file):
        before = place.read_text()
        edit.apply(tmp_path)
        assert place.read_text() != before, edit.purpose


def test_every_edited_file_has_an_excerpt() -> None:
    assert {edit.file for edit in ALL} == set(FORMS)


@pytest.mark.parametrize("edit", ALL, ids=lambda each: f"{each.file}: {each.purpose}")
def test_a_source_that_has_drifted_is_refused_with_the_place_and_its_purpose(edit: edits.Edit, tmp_path: Path) -> None:
    place = put(tmp_path, edit.file, DRIFTED.get(edit.file, ""))
    with pytest.raises(InputError) as caught:
        edit.apply(tmp_path)
    assert edit.purpose in str(caught.value)
    assert str(place) in str(caught.value)


@pytest.mark.parametrize("edit", [each for each in ALL if each.only_with], ids=lambda each: each.purpose)
def test_an_edit_for_older_kernels_leaves_newer_ones_as_they_are(edit: edits.Edit, tmp_path: Path) -> None:
    place = put(tmp_path, edit.file, NOT_NEEDED[edit.file])
    edit.apply(tmp_path)
    assert place.read_text() == NOT_NEEDED[edit.file]


def test_a_missing_file_is_named_with_what_it_is_needed_for(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"random\.c: is missing in this source.*random numbers"):
        next(each for each in ALL if each.file == "drivers/char/random.c").apply(tmp_path)
