# The extension's border: everything that crosses it is plain (numbers, words, lists, dicts, numpy arrays).

from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

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

# Values, and the words they are codes of where the column holds words (the largest code says "no value").
_Column: TypeAlias = tuple[NDArray[np.float64 | np.int64 | np.uint32 | np.bool_], list[str] | None]

# A value, and where in the document it was written: the first byte and the one behind the last.
_Span: TypeAlias = tuple[int, int]
_Written: TypeAlias = str | int | float | bool | list[_Node] | dict[str, tuple[_Span, _Node]]
_Node: TypeAlias = tuple[_Written, _Span]
# Where, key path, message, what was given, what is allowed, hint.
_Fault: TypeAlias = tuple[_Span, str, str, str | None, str, str | None]

class ScenarioError(Exception):
    diagnostics: list[dict[str, Any]]

class RunError(Exception):
    job: int

@final
class Scenario:
    @property
    def title(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def replications(self) -> int: ...
    @property
    def replications_written(self) -> int | None: ...
    @property
    def duration_s(self) -> float: ...
    @property
    def links(self) -> list[str]: ...
    @property
    def description(self) -> list[tuple[str, str]]: ...
    @property
    def resolved(self) -> str: ...
    @property
    def expectations(self) -> list[dict[str, Any]]: ...
    @property
    def files(self) -> list[tuple[str, str]]: ...
    @property
    def digest(self) -> str: ...

@final
class Records:
    @property
    def digest(self) -> str: ...
    @property
    def flows(self) -> dict[str, _Column]: ...
    @property
    def links(self) -> dict[str, _Column]: ...
    @property
    def series(self) -> dict[str, _Column]: ...
    @property
    def distributions(self) -> dict[str, _Column]: ...
    @property
    def group_sizes(self) -> dict[str, int]: ...
    @property
    def group_measures(self) -> dict[str, dict[str, float]]: ...
    @property
    def link_measures(self) -> dict[str, dict[str, float]]: ...
    @property
    def checks(self) -> list[dict[str, Any]]: ...
    @property
    def performance(self) -> dict[str, float]: ...

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
    overrides_directory: str = "",
) -> Scenario: ...
def run(jobs: list[tuple[Scenario, int]], threads: int, progress: Progress) -> list[Records | None]: ...
def read_toml(text: str, file: str) -> _Node: ...
def complaint(text: str, file: str, faults: list[_Fault]) -> ScenarioError: ...
def algorithms() -> list[dict[str, Any]]: ...
def queues() -> list[dict[str, Any]]: ...
def metrics() -> list[dict[str, Any]]: ...
def schema() -> str: ...
def fingerprint() -> str: ...
