"""One cell: what must be known to run it anywhere, and what comes of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from narrows import core
from narrows.run import workers

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Base:
    """What all cells of a study share.

    Attributes:
        text: The base scenario.
        file: What messages call it.
        directory: What its paths are relative to.
        overrides_directory: What paths in levels are relative to.
        seed: Master seed; None is the scenario's own.
        engine: Build fingerprint that every result must come from.
        trusted: Files, and folders of files, of external algorithms that may be executed. Each command decides it, so
            the plan does not keep it.
    """

    text: str
    file: str
    directory: str
    overrides_directory: str
    seed: int | None
    engine: str
    trusted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """One replication of one combination of levels with one algorithm.

    Attributes:
        key: The cell's key.
        base: What all cells share.
        overrides: Each as after `--set`.
        subject: The algorithm under test; None where the scenario's own run.
        replication: Which one.
        digest: That of the resolved scenario and every file it names.
        measures: What is taken of the series, besides what is counted.
    """

    key: str
    base: Base
    overrides: tuple[str, ...]
    subject: str | None
    replication: int
    digest: str
    measures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finished:
    """What a cell measured.

    Attributes:
        key: The cell's key.
        measured: `{"groups": {group: {measure: value}}, "links": …}`; None says no data.
        digest: That of the records.
        checks_failed: Names of the checks whose failure is a caution, or says that the run is broken.
        cpu_s: Time of the simulation alone.
        packet_hops: Packets that crossed a link.
    """

    key: str
    measured: Mapping[str, Any]
    digest: str
    checks_failed: list[str]
    cpu_s: float
    packet_hops: int


@dataclass(frozen=True)
class Failed:
    """Why a cell has no result."""

    key: str
    error: str


@dataclass(frozen=True)
class Stopped:
    """A cell that was stopped before its end."""

    key: str


@dataclass(frozen=True)
class Refused:
    """A cell that was not run, because the engine there is another one.

    Attributes:
        key: The cell's key.
        engine: The fingerprint found.
        worker: Where.
    """

    key: str
    engine: str
    worker: str


Outcome = Finished | Failed | Stopped | Refused


@lru_cache(maxsize=1024)
def resolve(base: Base, overrides: tuple[str, ...], subject: str | None) -> core.Scenario:
    """Resolve the scenario of a point.

    Raises:
        ScenarioError: It has faults.
    """
    return core.load(
        base.text,
        base.file,
        base.directory,
        list(overrides),
        subject,
        base.seed,
        1,
        base.overrides_directory,
        list(base.trusted),
    )


def perform(task: Task, progress: core.Progress | None = None) -> Outcome:
    """Run one cell, here and now, on one thread.

    Args:
        task: The cell.
        progress: Through which it may be watched and stopped.
    """
    if core.fingerprint() != task.base.engine:
        return Refused(task.key, core.fingerprint(), "")
    try:
        scenario = resolve(task.base, task.overrides, task.subject)
        if scenario.digest != task.digest:
            return Failed(task.key, "the scenario is another one here: a file that it names has changed")
        progress = progress or core.Progress()
        if scenario.external:
            (records,) = workers.execute([(scenario, task.replication)], 1, workers.CancelWatch(progress))
        else:
            (records,) = core.run([(scenario, task.replication)], 1, progress)
        return Stopped(task.key) if records is None else finished(task, scenario, records)
    except Exception as error:  # noqa: BLE001  # one bad cell does not end a study of thousands
        kind = (
            ""
            if isinstance(error, core.AlgorithmError | core.RunError | core.ScenarioError)
            else f"{type(error).__name__}: "
        )
        return Failed(task.key, f"{kind}{error}")


def finished(task: Task, scenario: core.Scenario, records: core.Records) -> Finished:
    """Keep the measures of a cell and drop its series."""
    from narrows.metrics import measured, resolve

    found = measured(scenario, records, [resolve(text) for text in task.measures], always=())
    return Finished(
        key=task.key,
        measured={of: _plain(owners) for of, owners in found.items()},
        digest=records.digest,
        checks_failed=[check["name"] for check in records.checks if check["level"] in {"broken", "caution"}],
        cpu_s=records.performance["cpu_s"],
        packet_hops=int(records.performance["packet_hops"]),
    )


def _plain(owners: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float | None]]:
    return {
        owner: {name: float(value) if math.isfinite(value) else None for name, value in measures.items()}
        for owner, measures in owners.items()
    }
