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

from narrows import measures
from narrows.core import Ack, AlgorithmError, Loss, Moment, RunError, ScenarioError, Sent, Setup
from narrows.errors import InputError, Interrupted, OutputError, ReportError
from narrows.measures import MeasureError
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
    "load",
    "measures",
]
