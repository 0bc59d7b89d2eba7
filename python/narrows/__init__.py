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

from narrows.core import RunError, ScenarioError
from narrows.errors import InputError, Interrupted, OutputError, ReportError
from narrows.scenario import Scenario, load

__all__ = ["InputError", "Interrupted", "OutputError", "ReportError", "RunError", "Scenario", "ScenarioError", "load"]
