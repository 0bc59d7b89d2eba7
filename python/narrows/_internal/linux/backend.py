# SPDX-License-Identifier: Apache-2.0
"""The backends that run scenarios, by name: the simulator, or a kernel."""

from __future__ import annotations

import platform
from os import PathLike
from pathlib import Path
from typing import TypedDict

from narrows._internal.emulate import hosts
from narrows._internal.emulate.hosts import RealTime
from narrows._internal.errors import InputError
from narrows._internal.linux import cache, library
from narrows._internal.names import UnknownNameError

SIMULATOR = "simulator"
LINUX = cache.LINUX
BOTH = "both"
REAL_TIME = hosts.NAME
# The queue disciplines of links: ours, or the kernel's.
OURS = ""
KERNEL_QUEUES = (
    "pfifo", "bfifo", "codel", "fq_codel", "pie", "fq_pie", "cake", "fq", "dualpi2", "choke", "sfb", "sfq",
)  # fmt: skip


class Kernel(TypedDict):
    """A kernel, as the extension takes it."""

    image: str | PathLike[str]
    library: str | PathLike[str]
    key: str
    algorithms: list[str]
    disciplines: list[str]
    queues: str
    commands: str


class Elsewhere(TypedDict):
    """What runs a scenario in place of the simulator, as the extension takes it; nothing for the simulator."""

    linux: Kernel | None
    real_time: RealTime | None


def elsewhere(on: str, queue: str = OURS) -> Elsewhere:
    """Return what runs a scenario on a backend."""
    if on == REAL_TIME:
        if queue:
            raise InputError(f"--queue {queue}", "in real time links have our queues; allowed: with --on linux")
        return {"linux": None, "real_time": hosts.find()}
    return {"linux": find(on, queue), "real_time": None}


def find(on: str, queue: str = OURS, commands: str = "") -> Kernel | None:
    """Return the kernel of a backend."""
    if queue and not _is_queue(queue):
        kinds = [LINUX, *(f"{LINUX}:{kind}" for kind in KERNEL_QUEUES)]
        raise UnknownNameError("kernel queue", queue, kinds)
    if on == SIMULATOR:
        if queue:
            raise InputError(f"--queue {queue}", "the simulator has no queues of a kernel; allowed: with --on linux")
        return None
    kind, _, name = on.partition(":")
    if kind != LINUX:
        raise UnknownNameError("backend", on, (SIMULATOR, LINUX), "allowed: simulator, linux, linux:NAME")
    kernel = cache.find(name or cache.DEFAULT)
    return {
        "image": str(kernel.program),
        "library": str(library.find()),
        "key": kernel.key,
        "algorithms": list(kernel.algorithms),
        "disciplines": list(kernel.queues),
        "queues": queue,
        "commands": commands,
    }


def describe(kernel: Kernel | None, real_time: RealTime | None = None) -> dict[str, object]:
    """Return a manifest's entry on a backend: its name and, of a kernel, version, key, timer frequency and queues."""
    if real_time is not None:
        return {"on": REAL_TIME, "system": platform.release()}
    if kernel is None:
        return {"on": SIMULATOR}
    found = cache.at(Path(kernel["image"]).parent)
    facts = {
        "on": cache.option(found.name),
        "kernel": found.version,
        "kernel_key": kernel["key"],
        "timer_hz": found.timer_hz,
    }
    return facts | ({"queue": kernel["queues"]} if kernel["queues"] else {})


def _is_queue(queue: str) -> bool:
    name, colon, kind = queue.partition(":")
    return name == LINUX and (kind in KERNEL_QUEUES if colon else True)
