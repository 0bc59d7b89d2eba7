# SPDX-License-Identifier: Apache-2.0
"""End the commands of a test that waits for them for ten minutes, so that it fails and says for which.

A test that hangs by itself ends with its process, after `faulthandler_timeout`. Commands that a test leaves running
are ended with it.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import prefork

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import FrameType

LONGEST_S = 600
# As `command_line.command` makes them, and as a command starts those that answer queries.
COMMANDS = re.compile(r" -m narrows(\._internal\.experiments\.answering)? ")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Run one test."""
    if not hasattr(signal, "SIGALRM"):
        return (yield)
    signal.signal(signal.SIGALRM, _end_commands)
    signal.setitimer(signal.ITIMER_REAL, LONGEST_S)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown() -> Generator[None, object, object]:
    """End commands that the test has left, as one that fails while it waits does; it is an error if it passes."""
    try:
        return (yield)
    finally:
        left = [each for each in descendants(os.getpid()) if COMMANDS.search(command_of(each))]
        for process in left:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        if left:
            pytest.fail(f"the test has left {len(left)} of its commands running")


def _end_commands(_signal: int, _frame: FrameType | None) -> None:
    """Kill what this process has started, and what that has."""
    for process in descendants(os.getpid()):
        with suppress(OSError):
            command = command_of(process)
            # The tests that follow start their commands from it, too.
            if prefork.__file__ not in command:
                print(f"killed after {LONGEST_S} s: {command}", file=sys.__stderr__)
                os.kill(process, signal.SIGKILL)


def command_of(process: int) -> str:
    """Return the command line of a process; empty if it has ended."""
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return ""
    return words.replace(b"\0", b" ").decode(errors="replace")


def descendants(ancestor: int) -> list[int]:
    """Return the processes that a process has started, itself or through others, and that have not ended."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (
                (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[:2]
            )
        except OSError:
            continue
        if state != "Z":
            parents[int(folder.name)] = int(parent)
    found = [ancestor]
    for each in found:
        found += [process for process, parent in parents.items() if parent == each]
    return found[1:]
