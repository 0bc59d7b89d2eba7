# SPDX-License-Identifier: Apache-2.0
"""The sides of a trial that are commands: programs of this machine over the same paths in real time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from narrows._internal import core
from narrows._internal.emulate import hosts
from narrows._internal.errors import InputError
from narrows._internal.frozen import frozen
from narrows._internal.library import find_scenario
from narrows._internal.metrics import printed
from narrows._internal.run.carried import Carried, carry, stamp
from narrows._internal.run.scenario import read
from narrows._internal.trial.scenarios import Pair, Sides


@frozen
class Emulated:
    """What both sides have in common."""

    near: str  # command of the near host; empty if A and B are its commands
    far: str  # command of the far host; empty if A and B are its commands
    group: str | None
    algorithm: str
    is_download: bool
    forms: Sequence[str]  # of the numbers that clients print

    def sides(self, a: str, b: str | None) -> Sides:
        """Return the compared commands.

        Raises:
            InputError: One is missing, or the host of A and B is not clear.
        """
        if b is None or a == b:
            raise InputError("--emulate", "expected two different commands, A and B")
        if self.near and self.far:
            raise InputError("--far", "is given beside a command behind --; A and B are the commands of the other host")
        return Sides(a, b, (hosts.NAME, hosts.NAME))

    def metrics(self, given: Sequence[str]) -> list[str]:
        """Return the judged metrics: the given ones, or metrics of the network, and metrics that clients print."""
        own = [name for form in self.forms for name in printed.named(form)]
        return [*(given or OF_NETWORK), *own]

    def pairs(
        self, files: Sequence[str], sides: Sides, seed: int | None, overrides: Sequence[str], *, trust: bool
    ) -> list[Pair]:
        """Return the pairs of scenario files, each with both commands."""
        if not files:
            raise InputError("--emulate", "needs --scenario FILE")
        found = []
        for given in files:
            place = find_scenario(given)
            resolved = []
            for command in sides[:2]:
                near, far = (self.near, command) if self.near else (command, self.far)
                scenario = read(place, overrides, trust=trust, on=hosts.NAME)
                carry(scenario, Carried(near, far, self.group, self.algorithm, self.is_download), command)
                resolved.append(scenario.resolve(None, None, seed))
            first, second = resolved
            name = Path(given).stem if place.file == Path(given) else given
            commands = [*sides[:2], self.near, self.far]
            found.append(Pair(name, first, second, programs=stamp(commands)))
        return found


def check_programs(scenario: core.Scenario, records: core.Records, metrics: Sequence[str], replication: int) -> None:
    """Check that the programs of a replication have done their work.

    Raises:
        InputError: A client has failed, or prints no numbers that are asked for.
    """
    found = printed.faults(scenario, records, metrics)
    for slot, role, status, text in records.programs:
        if role == "client" and status:
            said = next((line for line in reversed(text.splitlines()) if line.strip()), "")
            found.append(f"the client of flow {slot} ended with status {status}: {said[: printed.SHOWN]!r}")
    if found:
        raise InputError(f"replication {replication}", "; ".join(found))


# The goodput, the delays and the losses of the flow that the programs carry.
OF_NETWORK = ("goodput_bps", "delay_mean_s", "delay_p95_s", "loss_rate")
UNLIKE = (
    "A and B are programs in real time, in turn, each of a pair with the same random numbers of the network and the "
    "same simulated traffic: what differs between replications of one side are the machine, the programs, and these "
    "random numbers."
)
