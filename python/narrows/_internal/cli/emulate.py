# SPDX-License-Identifier: Apache-2.0
"""`narrows emulate`."""

from __future__ import annotations

import argparse
import json
import shlex
from copy import copy
from typing import TYPE_CHECKING

from narrows._internal import core
from narrows._internal.cli import known, options
from narrows._internal.cli.command import RUN, Command
from narrows._internal.cli.options import SCENARIO
from narrows._internal.emulate.hosts import LIMIT_S, SPIN_S
from narrows._internal.errors import InputError
from narrows._internal.external.trust import EVERYTHING
from narrows._internal.names import UnknownNameError
from narrows._internal.typed import like

if TYPE_CHECKING:
    from narrows._internal.run.scenario import Scenario


def emulate(arguments: argparse.Namespace) -> int:
    """Put the path of a scenario between programs, in real time, and write the folder of the run."""
    from narrows._internal.cli.simulate import perform
    from narrows._internal.cli.work import Work
    from narrows._internal.emulate import hosts
    from narrows._internal.library import find_scenario
    from narrows._internal.run.scenario import read

    work = Work(arguments)
    scenario = read(find_scenario(arguments.file), arguments.set, trust=arguments.trust, on=hosts.NAME)
    scenario.real_time = hosts.find(limit_s=arguments.late, spin_s=arguments.spin, echo=not arguments.json)
    if arguments.words or arguments.far or not _has_program(scenario):
        _carry(scenario, arguments)
    if arguments.twin:
        from narrows._internal.run.twin import with_twin

        return perform(work, with_twin(scenario, arguments.replications, arguments.seed), arguments)
    return perform(work, scenario.resolve(None, arguments.replications, arguments.seed), arguments)


def _carry(scenario: Scenario, arguments: argparse.Namespace) -> None:
    """Let the given commands carry the one flow of a group."""
    from narrows._internal.emulate.host import HOLD
    from narrows._internal.emulate.hosts import algorithms

    group = _group(scenario, arguments.group)
    client = shlex.join(arguments.words) if len(arguments.words) > 1 else "".join(arguments.words)
    if not client and not arguments.far:
        # Hosts that people enter: each prints how.
        client = arguments.far = HOLD
    sender = ', sender = "server"' if arguments.download else ""
    # A command that does nothing is not a server that has failed.
    program = f"{{ client = {json.dumps(client or ':')}, server = {json.dumps(arguments.far or ':')}{sender} }}"
    algorithm = arguments.algorithm or f"linux:{algorithms()[0]}"
    changes = {"program": program, "algorithm": algorithm, "count": 1}
    # The commands are typed as the name of the file is; nothing of them was read from it.
    scenario.overrides += [like(arguments.file, f"flows.{group}.{key}={value}") for key, value in changes.items()]


def _checked(scenario: Scenario) -> core.Scenario:
    """Return the scenario as it is before the given commands take the place of its own; nothing is executed."""
    trusted = copy(scenario)
    trusted.trust = EVERYTHING
    return trusted.check()


def _has_program(scenario: Scenario) -> bool:
    """Return whether programs carry a group of the scenario already."""
    return PROGRAM in _checked(scenario).resolved


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


def _options(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help=SCENARIO)
    what = "command of the far host, as 'iperf3 -s'"
    command.add_argument("--far", metavar="COMMAND", default="", help=what)
    what = "flow group that the commands carry (default: the group under test, or the only one)"
    command.add_argument("--group", metavar="GROUP", help=what)
    what = "congestion control of both hosts, one of this machine's kernel (default: the kernel's own)"
    command.add_argument("--algorithm", metavar="ALG", help=what)
    what = "most of the data comes from the far host"
    command.add_argument("--download", action="store_true", help=what)
    what = "greatest lateness of 99 %% of the packets with which the run counts (default: 1ms)"
    command.add_argument("--late", metavar="TIME", type=options.time, default=LIMIT_S, help=what)
    what = "time before each packet that is waited for without sleep; more is more punctual (default: 20us)"
    command.add_argument("--spin", metavar="TIME", type=options.time, default=SPIN_S, help=what)
    what = "simulate the scenario as well, on a kernel that is built or in the simulator, and compare both"
    command.add_argument("--twin", action="store_true", help=what)
    options.work(command)


COMMANDS = (
    Command(
        "emulate",
        "put the path of a scenario between programs of this machine, in real time",
        RUN,
        _options,
        (
            "emulate iperf3",
            "emulate dsl.toml --download --far 'python3 -m http.server' -- curl -o page http://far:8000/",
        ),
        {"file": known.scenarios},
        emulate,
    ),
)
