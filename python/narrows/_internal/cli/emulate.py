# SPDX-License-Identifier: Apache-2.0
"""`narrows emulate`."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence

from narrows._internal.cli import known, options
from narrows._internal.cli.command import RUN, Command
from narrows._internal.cli.options import SCENARIO
from narrows._internal.emulate.hosts import LIMIT_S, SPIN_S


def emulate(arguments: argparse.Namespace) -> int:
    """Put the path of a scenario between programs, in real time, and write the folder of the run."""
    from narrows._internal.cli.simulate import perform
    from narrows._internal.cli.work import Work
    from narrows._internal.emulate import hosts
    from narrows._internal.emulate.host import HOLD
    from narrows._internal.library import find_scenario
    from narrows._internal.metrics.printed import named
    from narrows._internal.run.carried import Carried, carry, has_program
    from narrows._internal.run.scenario import read

    for form in arguments.read:
        arguments.metrics += named(form)
    work = Work(arguments)
    scenario = read(find_scenario(arguments.file), arguments.set, trust=arguments.trust, on=hosts.NAME)
    scenario.real_time = hosts.find(limit_s=arguments.late, spin_s=arguments.spin, echo=not arguments.json)
    near, far = command_of(arguments.words), arguments.far
    if near or far or not has_program(scenario):
        # Without commands, hosts that people enter: each prints how.
        if not (near or far):
            near = far = HOLD
        asked = arguments.group, arguments.algorithm or "", arguments.download
        carry(scenario, Carried(near, far, *asked), arguments.file)
    if arguments.twin:
        from narrows._internal.run.twin import with_twin

        return perform(work, with_twin(scenario, arguments.replications, arguments.seed), arguments)
    return perform(work, scenario.resolve(None, arguments.replications, arguments.seed), arguments)


def command_of(words: Sequence[str]) -> str:
    """Return the command behind `--`: its words, or one word for a shell."""
    return shlex.join(words) if len(words) > 1 else "".join(words)


def _options(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help=SCENARIO)
    options.emulation(command)
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
