# SPDX-License-Identifier: Apache-2.0
"""The change that a deployment makes to flows: the algorithm, pacing, or the number of connections."""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING

from narrows.errors import InputError
from narrows.external.names import short_names
from narrows.files.toml import inline
from narrows.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping


@frozen
class Treatment:
    """The change of a deployment."""

    new: str  # name of the flows with the change
    old: str  # name of the flows without the change
    algorithms: tuple[str, str]  # algorithms of both camps
    title: str  # title of the deployment, without the number of flows
    # Other keys of a flow, with their values in both camps.
    keys: Mapping[str, tuple[object, object]] = field(default_factory=dict)
    connections: int = 1  # connections of each user with the change; the others have one

    def changes(self, camp: int) -> list[str]:
        """Return the keys of all flows in the camp `camp`, 0 for the new one, as after `--set`."""
        values = {"algorithm": self.algorithms[camp], **{key: both[camp] for key, both in self.keys.items()}}
        return [f"flows.{each}.{key}={inline(value)}" for each in CAMPS for key, value in values.items()]

    def moves(self, stages: int, moved: list[int], flows: int) -> dict[str, list[object]]:
        """Return the value of each key path at each stage."""
        values = {"algorithm": self.algorithms, **self.keys}
        found: dict[str, list[object]] = {
            f"flows.{each}.{key}": [both[camp]] * stages
            for camp, each in enumerate(CAMPS)
            for key, both in values.items()
        }
        found["flows.new.count"] = [each * self.connections for each in moved]
        found["flows.old.count"] = [flows - each for each in moved]
        return found


def treatment(deployed: str, against: str) -> Treatment:
    """Return the treatment that an argument names."""
    old = short_names([against])[against]
    if deployed == PACING:
        keys = {"pacing": (True, False)}
        return Treatment(f"{old}, paced", old, (against, against), f"Pacing for {old}", keys)
    if deployed.startswith(CONNECTIONS):
        written = re.fullmatch(rf"{CONNECTIONS}=([0-9]+)", deployed)
        number = int(written[1]) if written else 0
        if not LEAST <= number <= MOST:
            raise InputError(CONNECTIONS, f"expected a whole number from {LEAST} to {MOST}, got {deployed!r}")
        new = f"{number} connections of {old}"
        return Treatment(new, old, (against, against), f"{new} instead of one", connections=number)
    names = short_names([deployed, against])
    new, old = names[deployed], names[against]
    return Treatment(new, old, (deployed, against), f"{new} replaces {old}")


CAMPS = ("new", "old")
PACING = "pacing"
CONNECTIONS = "connections"
LEAST, MOST = 2, 100
