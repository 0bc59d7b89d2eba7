# SPDX-License-Identifier: Apache-2.0
"""Truth: product. The kernel's counts of Accurate ECN (validation/linux/accurate_ecn.py), where a kernel has it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from narrows.linux import cache, library

sys.path.insert(0, str(Path(__file__).parents[3] / "validation" / "linux"))

import accurate_ecn  # a script, not a package

# A kernel with DualPI2 is taken to have Accurate ECN, as 7.3 does.
KERNELS = [
    kernel
    for kernel in cache.kernels()
    if kernel.is_current and "dualpi2" in kernel.queues and library.path().is_file()
]
newer = pytest.mark.skipif(
    not KERNELS, reason="no kernel with Accurate ECN, as 7.3, is built: narrows linux build --source FILE --name NAME"
)


def test_counts_agree_only_where_all_are_of_what_arrived() -> None:
    same = accurate_ecn.Counts(
        queue=9, arrived=7, arrived_bytes=70, receiver=7, receiver_bytes=70, sender=7, sender_bytes=70
    )
    assert same.agree
    for field in ("arrived", "receiver", "sender"):
        assert not same._replace(**{field: 8}).agree


@newer
@pytest.mark.parametrize("row", ["cubic", "dctcp, 10 % of acknowledgements lost"])
def test_the_kernel_counts_what_our_queue_marks(row: str, tmp_path: Path) -> None:
    found = accurate_ecn.counted(cache.option(KERNELS[0].name), accurate_ecn.ROWS[row], tmp_path / "run")
    assert found.queue > 10
    assert found.queue == found.arrived == found.receiver == found.sender
    assert found.arrived_bytes == found.receiver_bytes == found.sender_bytes


@newer
def test_without_accurate_ecn_the_sender_counts_more(tmp_path: Path) -> None:
    changes = accurate_ecn.CONTRASTS["reno, ECN of RFC 3168"]
    found = accurate_ecn.counted(cache.option(KERNELS[0].name), changes, tmp_path / "run")
    assert found.sender > found.arrived == found.receiver > 0
