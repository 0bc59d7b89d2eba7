"""The only door to the extension: no other module imports `narrows._core`."""

from narrows._core import (
    Progress,
    Records,
    RunError,
    Scenario,
    ScenarioError,
    algorithms,
    fingerprint,
    load,
    metrics,
    queues,
    run,
    schema,
)

__all__ = [
    "Progress",
    "Records",
    "RunError",
    "Scenario",
    "ScenarioError",
    "algorithms",
    "fingerprint",
    "load",
    "metrics",
    "queues",
    "run",
    "schema",
]
