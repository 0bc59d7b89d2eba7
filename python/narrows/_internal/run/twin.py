# SPDX-License-Identifier: Apache-2.0
"""An emulation in real time, and the same scenario in simulated time beside it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from narrows._internal import core
from narrows._internal.comparison import BACKENDS
from narrows._internal.emulate import hosts
from narrows._internal.errors import InputError
from narrows._internal.files.toml import to_toml
from narrows._internal.linux.backend import LINUX, SIMULATOR
from narrows._internal.run.execution import Planned
from narrows._internal.run.scenario import Scenario


def with_twin(scenario: Scenario, replications: int | None, seed: int | None) -> Planned:
    """Resolve an emulation and its simulation, which is the first, and the reference, of the comparison.

    The simulation runs the same commands on the TCP of a kernel, if one is built that can, and else the same flows in
    the simulator, without commands.

    Raises:
        ScenarioError: The scenario has faults, or the simulator has no algorithm of the name of the programs'.
    """
    emulated = scenario.resolve(None, replications, seed)
    on_kernel = copy(scenario)
    on_kernel.on, on_kernel.real_time = LINUX, None
    try:
        simulated = {LINUX: on_kernel.resolve(None, replications, seed)}
    except (core.ScenarioError, InputError):
        simulated = {SIMULATOR: _without_programs(scenario, emulated).resolve(None, replications, seed)}
    return Planned({**simulated, hosts.NAME: emulated}, BACKENDS)


def _without_programs(scenario: Scenario, emulated: core.Scenario) -> Scenario:
    """Return the scenario with flows of the simulator in place of programs, with the same algorithm as Linux has it."""
    source = tomllib.loads(scenario.text)
    for flow in source["flows"]:
        flow.pop(PROGRAM, None)
    changes = [each for each in scenario.overrides if not OF_PROGRAMS.match(each)]
    for index, flow in enumerate(tomllib.loads(emulated.resolved)["flows"]):
        if PROGRAM in flow:
            changes += _replaced(index, flow)
    twin = copy(scenario)
    twin.text, twin.overrides = to_toml(source), changes
    twin.on, twin.real_time = SIMULATOR, None
    return twin


def _replaced(index: int, flow: Mapping[str, Any]) -> Sequence[str]:
    name = flow["algorithm"]["name"].removeprefix(f"{LINUX}:")
    # A group without a name of its own has the algorithm's, which may be another here.
    changes = {"algorithm": NAMES.get(name, name), "preset": "linux", "count": flow["count"], "name": flow["name"]}
    return [f"flows.{index}.{key}={value}" for key, value in changes.items()]


PROGRAM = "program"
OF_PROGRAMS = re.compile(r"flows\.[^=]*\.program(\.|=)")
# Algorithms that have another name in the kernel than in the catalogue.
NAMES = {"bbr": "bbr1", "highspeed": "highspeed-linux"}
