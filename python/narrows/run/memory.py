# SPDX-License-Identifier: Apache-2.0
"""Memory for the records of a run, which are kept until its folder is written."""

from __future__ import annotations

import os
from pathlib import Path

from narrows.errors import InputError


def used() -> int:
    """Return the memory that this process uses, bytes; 0 if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def available() -> int | None:
    """Return the memory that this process may still take, bytes; None if the system does not report it."""
    found = []
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found += [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
        # The limit of a container.
        limit, taken = (
            int((CONTAINER / name).read_text(encoding="ascii")) for name in ("memory.max", "memory.current")
        )
        found.append(max(limit - taken, 0))
    except (OSError, ValueError, IndexError):
        pass
    return min(found, default=None)


def check(runs: int, of: int, grown: int) -> None:
    """Check that the records of all runs fit into memory, by the size of the first ones."""
    room = available()
    # At its peak, while tables and the report are written, a run takes twice what its records take first.
    needed = round(2 * grown * of / runs) - grown
    if room is None or needed <= room:
        return
    most = max(int(runs * (room + grown) / (2 * grown)), 1)
    raise InputError(
        f"{of} replications",
        f"their records need about {needed / GB:.1f} GB of memory, and {room / GB:.1f} GB are available; allowed: "
        f"about {most} of all runs, less in [record], or a study (`narrows study`), which keeps metrics alone",
    )


CONTAINER = Path("/sys/fs/cgroup")
GB = 1e9
