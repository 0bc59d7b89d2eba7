# SPDX-License-Identifier: Apache-2.0
"""Truth: product. The kernel's counts of Accurate ECN (validation/linux/accurate_ecn.py), where a kernel has it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from narrows._internal.linux import cache
from optional import needs, require

sys.path.insert(0, str(Path(__file__).parents[3] / "validation" / "linux"))

import accurate_ecn  # a script, not a package

NEWER = "kernel with dualpi2"
newer = needs(NEWER)


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
    found = accurate_ecn.counted(cache.option(require(NEWER)), accurate_ecn.ROWS[row], tmp_path / "run")
    assert found.queue > 10
    assert found.queue == found.arrived == found.receiver == found.sender
    assert found.arrived_bytes == found.receiver_bytes == found.sender_bytes


@newer
def test_without_accurate_ecn_the_sender_counts_more(tmp_path: Path) -> None:
    changes = accurate_ecn.CONTRASTS["reno, ECN of RFC 3168"]
    found = accurate_ecn.counted(cache.option(require(NEWER)), changes, tmp_path / "run")
    assert found.sender > found.arrived == found.receiver > 0
