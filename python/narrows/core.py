"""The only door to the extension: no other module imports `narrows._core`."""

from narrows._core import (
    Progress,
    Records,
    RunError,
    Scenario,
    ScenarioError,
    algorithms,
    complaint,
    fingerprint,
    load,
    metrics,
    queues,
    read_toml,
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
    "complaint",
    "fingerprint",
    "load",
    "metrics",
    "queues",
    "read_toml",
    "run",
    "schema",
]
