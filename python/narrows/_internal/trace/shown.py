# SPDX-License-Identifier: Apache-2.0
"""The path in a file: the flow of a trace, its quantities, and the scenario."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from narrows._internal.errors import InputError
from narrows._internal.trace import path as paths
from narrows._internal.trace.account import QUANTITIES, rows
from narrows._internal.trace.estimate import Found, Unknown
from narrows._internal.trace.read import read
from narrows._internal.trace.record import Flow, Trace
from narrows._internal.trace.scenario import BEST, Draw, scenario


@dataclass(frozen=True, slots=True)
class Shown:
    """The path of one of the flows of a trace.

    Attributes:
        trace: The trace.
        flow: The flow.
        path: Its path, whose quantities are estimates with intervals, or reasons why they are unknown.
    """

    trace: Trace
    flow: Flow
    path: paths.Path

    @property
    def scenario(self) -> str:
        """The scenario file of the path, at the best values; its comments have the intervals."""
        return self.drawn(BEST)

    def drawn(self, draw: Draw, algorithm: str = "cubic") -> str:
        """Return the scenario file of the path, at values from the intervals."""
        left_out = "".join(f"# {each}\n" for each in self.trace.left_out)
        head = f"# {self.trace.form} {self.trace.file.name}, flow {self.flow.name}, observed {self.flow.place.value}.\n"
        return head + left_out + scenario(self.path, self.flow, f"like {self.trace.file.name}", draw, algorithm)

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """Name, value with its interval, and basis of each quantity; or `unknown` and the reason."""
        return list(rows(self.path, self.flow))

    def as_json(self) -> Mapping[str, Any]:
        """Return the quantities by name: value, bounds, unit and basis; or the reason why they are unknown."""
        return {
            "file": str(self.trace.file),
            "form": self.trace.form,
            "flow": self.flow.name,
            "flows": [each.name for each in self.trace.flows],
            "left_out": list(self.trace.left_out),
            "quantities": {name: _plain(of(self.path), unit) for name, unit, of in QUANTITIES},
            "discipline": self.path.losses.discipline.value,
            "responsive": self.path.rate.responsive,
            "steps": [{"time_s": each.time_s, "by_s": each.by_s, "noise_s": each.noise_s} for each in self.path.steps],
        }


def show(file: Path, source: str | None = None, number: int = 0) -> Shown:
    """Return the path of one of the flows in a file."""
    trace = read(file, source)
    if not trace.flows:
        raise InputError(str(file), "has no flow with payload")
    if not 0 <= number < len(trace.flows):
        raise InputError(f"--flow {number}", f"is no flow of {file}; allowed: 0 to {len(trace.flows) - 1}")
    flow = trace.flows[number]
    return Shown(trace, flow, paths.infer(flow))


def _plain(found: Found, unit: str) -> dict[str, Any]:
    if isinstance(found, Unknown):
        return {"unknown": found.why}
    high = found.high if math.isfinite(found.high) else None
    return {"value": found.value, "low": found.low, "high": high, "unit": unit or "1", "basis": found.basis}
