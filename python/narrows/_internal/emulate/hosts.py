# SPDX-License-Identifier: Apache-2.0
"""The backend `real-time`: hosts of this machine, whose programs carry flows of a scenario."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import TypedDict

from narrows._internal.errors import InputError

NAME = "real-time"
# The greatest 99th percentile of lateness with which a run counts as punctual, and the time before each event that is
# waited for without sleep, seconds.
LIMIT_S = 0.001
SPIN_S = 20e-6
# What stands beside a comparison of an emulation with a simulation.
UNLIKE = (
    "Programs in real time are not repeated: they and the machine decide when packets are sent, so that another run "
    "differs by itself, as replications show. Common to both are the network, its random numbers and the simulated "
    "traffic. Windows, round-trip times, timeouts and reductions of the programs' flows are not recorded. A packet "
    "that left late has waited in the machine as well as in queues. {}"
)
IN_SIMULATOR = (
    "In place of commands the simulator has a flow that always has data to send, with Linux's variant of the "
    "algorithm: connections, pauses and the end of a command are not simulated."
)
ON_KERNEL = "The kernel runs the same commands in simulated time, in which computing takes no time."


class RealTime(TypedDict):
    """Hosts, as the extension takes them."""

    interpreter: str | PathLike[str]
    program: str | PathLike[str]
    algorithms: list[str]
    installed: list[str]
    limit_s: float
    spin_s: float
    echo: bool


def find(*, limit_s: float = LIMIT_S, spin_s: float = SPIN_S, echo: bool = False) -> RealTime:
    """Return the hosts of this machine; `echo` prints the output of clients, too.

    Raises:
        InputError: This is not Linux.
    """
    if not sys.platform.startswith("linux"):
        raise InputError(NAME, f"programs in real time need Linux; this is {sys.platform}")
    return {
        "interpreter": sys.executable,
        "program": str(Path(__file__).with_name("host.py")),
        "algorithms": algorithms(),
        "installed": _setting("tcp_available_congestion_control"),
        "limit_s": limit_s,
        "spin_s": spin_s,
        "echo": echo,
    }


def be_prompt() -> None:
    """Let the calling thread be scheduled before others, if the system permits it to this user (RLIMIT_RTPRIO)."""
    # Not so the programs that it starts.
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def algorithms() -> list[str]:
    """Return the congestion control algorithms that users of this kernel may use, the default first."""
    found = [*_setting("tcp_congestion_control"), *_setting("tcp_allowed_congestion_control")]
    return list(dict.fromkeys(found))


def _setting(name: str) -> list[str]:
    try:
        return Path("/proc/sys/net/ipv4", name).read_text("ascii").split()
    except OSError:
        return []
