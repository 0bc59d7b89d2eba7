# The extension's border: everything that crosses it is plain (numbers, words, lists, dicts, numpy arrays).

from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

# Values, and the words they are codes of where the column holds words (the largest code says "no value").
Column: TypeAlias = tuple[NDArray[np.float64 | np.int64 | np.uint32 | np.bool_], list[str] | None]

class ScenarioError(Exception):
    diagnostics: list[dict[str, Any]]

class RunError(Exception):
    job: int

@final
class Scenario:
    title: str
    seed: int
    replications: int | None
    duration_s: float
    description: list[str]
    resolved: str
    digest: str
    groups: list[dict[str, Any]]
    links: list[dict[str, Any]]
    expectations: list[dict[str, Any]]

@final
class Records:
    digest: str
    flows: dict[str, Column]
    links: dict[str, Column]
    series: dict[str, Column]
    distributions: dict[str, Column]
    group_sizes: dict[str, int]
    group_measures: dict[str, dict[str, float]]
    link_measures: dict[str, dict[str, float]]
    checks: list[dict[str, Any]]
    performance: dict[str, float]

@final
class Progress:
    def __new__(cls) -> Progress: ...
    def simulated_s(self) -> float: ...
    def cancel(self) -> None: ...

def load(
    text: str,
    file: str,
    directory: str,
    overrides: list[str],
    subject: str | None,
    seed: int | None,
    replications: int | None,
) -> Scenario: ...
def run(jobs: list[tuple[Scenario, int]], threads: int, progress: Progress) -> list[Records | None]: ...
def algorithms() -> list[dict[str, Any]]: ...
def queues() -> list[dict[str, Any]]: ...
def metrics() -> list[dict[str, Any]]: ...
def schema() -> str: ...
def fingerprint() -> str: ...
