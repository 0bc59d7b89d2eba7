# SPDX-License-Identifier: Apache-2.0
"""Commands that carry the flow of a group of a scenario, in real time."""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

from narrows._internal.emulate.hosts import algorithms
from narrows._internal.errors import InputError
from narrows._internal.external.trust import EVERYTHING
from narrows._internal.frozen import frozen
from narrows._internal.names import UnknownNameError
from narrows._internal.typed import like

if TYPE_CHECKING:
    from collections.abc import Iterable

    from narrows._internal import core
    from narrows._internal.run.scenario import Scenario


@frozen
class Carried:
    """The commands of both hosts, and the flow that they carry."""

    near: str  # command of the near host, for a shell; empty for none
    far: str  # command of the far host
    group: str | None = None  # None is the group under test, or the only one
    algorithm: str = ""  # congestion control of both hosts; empty is the kernel's own
    is_download: bool = False  # whether most of the data comes from the far host


def carry(scenario: Scenario, commands: Carried, typed: str) -> None:
    """Let commands carry the one flow of a group; they are the user's own as the text `typed` is.

    Raises:
        UnknownNameError: There is no such group.
        InputError: The scenario has several groups, and none is named.
    """
    group = _group(scenario, commands.group)
    sender = ', sender = "server"' if commands.is_download else ""
    # A command that does nothing is not a server that has failed.
    client, server = (json.dumps(each or ":") for each in (commands.near, commands.far))
    changes = {
        "program": f"{{ client = {client}, server = {server}{sender} }}",
        "algorithm": commands.algorithm or f"linux:{algorithms()[0]}",
        "count": 1,
    }
    # The commands are typed as the name of the file is; nothing of them was read from it.
    scenario.overrides += [like(typed, f"flows.{group}.{key}={value}") for key, value in changes.items()]


def has_program(scenario: Scenario) -> bool:
    """Return whether programs carry a group of the scenario already."""
    return PROGRAM in _checked(scenario).resolved


def stamp(commands: Iterable[str]) -> str:
    """Return a hash that changes with the files that commands name: their sizes and times of change."""
    found = []
    for command in commands:
        try:
            words = shlex.split(command)
        except ValueError:
            words = command.split()
        for word in words:
            file = Path(shutil.which(word) or word)
            try:
                state = file.stat()
            except (OSError, ValueError):
                continue
            found.append(f"{word} {state.st_size} {state.st_mtime_ns}")
    return hashlib.sha256("\n".join(found).encode()).hexdigest()


def _checked(scenario: Scenario) -> core.Scenario:
    """Return the scenario as it is before the given commands take the place of its own; nothing is executed."""
    trusted = copy(scenario)
    trusted.trust = EVERYTHING
    return trusted.check()


def _group(scenario: Scenario, given: str | None) -> str:
    """Return the group whose flow the commands carry."""
    groups = _checked(scenario).groups
    names = [name for name, _ in groups]
    if given is not None and given not in names:
        raise UnknownNameError("flow group", given, names, f"allowed in {scenario.name}: {', '.join(names)}")
    tested = [given] if given else [name for name, is_subject in groups if is_subject] or names
    if len(tested) != 1:
        what = "the commands carry the flow of one group"
        raise InputError("emulate", f"{what}; expected --group with one of {', '.join(tested)}")
    return tested[0]


# Table of a resolved scenario in which programs carry a group.
PROGRAM = "\n[flows.program]\n"
