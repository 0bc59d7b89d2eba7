"""Narrows: a laboratory for Internet congestion control.

Examples:
    >>> import narrows as nw
    >>> scenario = nw.Scenario({
    ...     "duration": "5s",
    ...     "path": {"rate": "10Mbps", "rtt": "40ms"},
    ...     "flows": [{"algorithm": "newreno"}],
    ... })
    >>> run = scenario.run(replications=2)
    >>> run.summary["groups"]["newreno"]["flows"]
    1
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from narrows import measures
    from narrows.core import Ack, AlgorithmError, Loss, Moment, RunError, ScenarioError, Sent, Setup
    from narrows.errors import InputError, Interrupted, OutputError, ReportError
    from narrows.measures import MeasureError
    from narrows.opened.folder import open_folder as open  # noqa: A004  # as in other libraries: `nw.open(folder)`
    from narrows.questions import compare, deploy, export, matrix, reproduce, study, suite
    from narrows.run.scenario import Scenario, load

__all__ = [
    "Ack",
    "AlgorithmError",
    "InputError",
    "Interrupted",
    "Loss",
    "MeasureError",
    "Moment",
    "OutputError",
    "ReportError",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Sent",
    "Setup",
    "compare",
    "deploy",
    "export",
    "load",
    "matrix",
    "measures",
    "open",
    "reproduce",
    "study",
    "suite",
]


def __getattr__(name: str) -> Any:
    # Imported when first used, so that the command handles an interrupt almost from its start.
    for home, names in HOMES.items():
        if name in names:
            found = globals()[name] = getattr(import_module(home), name)
            return found
    if name == "open":
        return import_module("narrows.opened.folder").open_folder
    if name in PACKAGES:
        return import_module(f"narrows.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


# Modules; those of studies and exports are functions, too.
PACKAGES = {"export", "measures", "study"}
HOMES = {
    "narrows.core": {"Ack", "AlgorithmError", "Loss", "Moment", "RunError", "ScenarioError", "Sent", "Setup"},
    "narrows.errors": {"InputError", "Interrupted", "OutputError", "ReportError"},
    "narrows.measures": {"MeasureError"},
    "narrows.questions": {"compare", "deploy", "matrix", "reproduce", "suite"},
    "narrows.run.scenario": {"Scenario", "load"},
}
