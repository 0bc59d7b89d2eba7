# SPDX-License-Identifier: Apache-2.0
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

from narrows._internal.run import pages

if TYPE_CHECKING:
    __version__: str
    from narrows import analysis, metrics
    from narrows._internal.api import (
        ab,
        compare,
        deploy,
        export,
        identify,
        import_rates,
        import_tc,
        import_trace,
        matrix,
        pack,
        playground,
        reproduce,
        study,
        suite,
        verify,
        why,
        worst,
    )
    from narrows._internal.core import Ack, AlgorithmError, Loss, Moment, RunError, ScenarioError, Sent, Setup
    from narrows._internal.errors import InputError, Interrupted, OutputError, ReportError
    from narrows._internal.opened.figures import figure
    from narrows._internal.opened.folder import open_folder as open  # noqa: A004  # as in other libraries: `nw.open(folder)`
    from narrows._internal.run.scenario import Scenario, load
    from narrows.metrics import MetricError

# The public names; everything else may change with any release (docs/python.md).
__all__ = [
    "Ack",
    "AlgorithmError",
    "InputError",
    "Interrupted",
    "Loss",
    "MetricError",
    "Moment",
    "OutputError",
    "ReportError",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Sent",
    "Setup",
    "ab",
    "analysis",
    "compare",
    "deploy",
    "export",
    "figure",
    "identify",
    "import_rates",
    "import_tc",
    "import_trace",
    "load",
    "matrix",
    "metrics",
    "open",
    "pack",
    "playground",
    "reproduce",
    "study",
    "suite",
    "verify",
    "why",
    "worst",
]


def __getattr__(name: str) -> Any:
    # Imported when first used, so that the command handles an interrupt almost from its start.
    for home, names in HOMES.items():
        if name in names:
            found = globals()[name] = getattr(import_module(home), name)
            return found
    if name == "__version__":
        return import_module("narrows._internal.versions").version("narrows")
    if name == "open":
        return import_module("narrows._internal.opened.folder").open_folder
    if name in MODULES:
        return import_module(f"narrows.{name}")
    if name in __all__:
        found = globals()[name] = getattr(import_module("narrows._internal.api"), name)
        return found
    here = f"; its name is {RENAMED[name]}" if name in RENAMED else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{here}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return [*__all__]


# A report stands above the run that it shows.
pages.built_by(lambda folder: import_module("narrows._internal.commands.page").build(folder))
MODULES = {"analysis", "metrics"}
# Where public names are that are neither modules nor commands; the commands are functions of `narrows._internal.api`.
HOMES = {
    "narrows._internal.core": {"Ack", "AlgorithmError", "Loss", "Moment", "RunError", "ScenarioError", "Sent", "Setup"},
    "narrows._internal.errors": {"InputError", "Interrupted", "OutputError", "ReportError"},
    "narrows.metrics": {"MetricError"},
    "narrows._internal.opened.figures": {"figure"},
    "narrows._internal.run.scenario": {"Scenario", "load"},
}
# Names that there were.
RENAMED = {"measures": "metrics", "MeasureError": "MetricError"}
