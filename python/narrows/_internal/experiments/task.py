# SPDX-License-Identifier: Apache-2.0
"""One cell: all that is needed to run it on any machine, and its result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol, Self

from narrows._internal import core
from narrows._internal.external.trust import NOTHING, Trust
from narrows._internal.frozen import frozen
from narrows._internal.linux import backend
from narrows._internal.linux.backend import SIMULATOR
from narrows._internal.run import workers


@frozen
class Base:
    """The base scenario, seed and engine of all cells of a study."""

    text: str  # text of the base scenario
    file: str  # name of the scenario file in messages
    directory: str  # folder to which its paths are relative
    overrides_directory: str  # folder to which paths in levels are relative
    seed: int | None  # master seed; None for the scenario's own
    engine: str  # build fingerprint of the engine that all results require
    # The rights of the scenarios to execute and read files. Each command sets it, so the plan does not keep it.
    trust: Trust = NOTHING
    commands: str = ""  # folder in which commands of programs start; empty for `directory`


@frozen
class Task:
    """A cell to run: a replication of a point."""

    key: str  # key of the cell
    base: Base  # base scenario, seed and engine of all cells
    overrides: tuple[str, ...]  # changes of the base scenario, each as after `--set`
    subject: str | None  # algorithm under test; None for the scenario's own
    replication: int  # number of the replication
    digest: str  # digest of the resolved scenario and the files that it names
    measures: tuple[str, ...] = ()  # metrics of the series, in addition to the counted ones
    on: str = SIMULATOR  # the backend


@frozen
class Finished:
    """The result of a cell."""

    key: str  # the cell's key
    measured: Mapping[str, Any]  # `{"groups": {group: {measure: value}}, "links": …}`; None is no data
    digest: str  # digest of the records
    checks_failed: list[str]  # names of the failed checks of the levels "caution" and "broken"
    cpu_s: float  # time of the simulation alone
    packet_hops: int  # packets that crossed a link


@frozen
class Failed:
    """A cell that failed, with its error as text."""

    key: str
    error: str


@frozen
class Stopped:
    """A cell that was cancelled before its end."""

    key: str


@frozen
class Refused:
    """A cell that was not run because a worker has a different engine."""

    key: str  # key of the cell
    engine: str  # build fingerprint of the worker's engine
    worker: str  # address of the worker


Outcome = Finished | Failed | Stopped | Refused


# Of the largest networks a scenario takes 3 MB.
@lru_cache(maxsize=64)
def resolve(
    base: Base, overrides: tuple[str, ...], subject: str | None, on: str = SIMULATOR, replications: int = 1
) -> core.Scenario:
    """Resolve the scenario of a point; a cell is one replication of it, and a file of it may have several."""
    return core.load(given(base, overrides, subject, on, replications))


def given(
    base: Base, overrides: tuple[str, ...], subject: str | None, on: str = SIMULATOR, replications: int = 1
) -> core.Given:
    """Return the scenario of a point as the extension takes it; arguments and errors as for `resolve`."""
    return {
        "text": base.text,
        "file": base.file,
        "directory": base.directory,
        "overrides": list(overrides),
        "subject": subject,
        "seed": base.seed,
        "replications": replications,
        "overrides_directory": base.overrides_directory,
        "trusted": base.trust._asdict(),
        "linux": backend.find(on, commands=base.commands),
        # Cells run side by side, and would be late.
        "real_time": None,
    }


def perform(task: Task, progress: core.Progress | None = None) -> Outcome:
    """Run a cell in this process on one thread."""
    if core.fingerprint() != task.base.engine:
        return Refused(task.key, core.fingerprint(), "")
    try:
        scenario = resolve(task.base, task.overrides, task.subject, task.on)
        if scenario.digest != task.digest:
            return Failed(
                task.key, "the scenario is another one here: a file that it names, or the kernel, has changed"
            )
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
    """Return the result of a cell: its metrics, without its series."""
    from narrows._internal.metrics import possible
    from narrows.metrics import measured, resolve

    found = measured(scenario, records, [resolve(text) for text in task.measures], always=())
    return Finished(
        key=task.key,
        measured={of: _plain(owners) for of, owners in found.items()},
        digest=records.digest,
        checks_failed=[
            check["name"]
            for check in (*records.checks, possible.check(records, found))
            if check["level"] in {"broken", "caution"}
        ],
        cpu_s=records.performance["cpu_s"],
        packet_hops=int(records.performance["packet_hops"]),
    )


def _plain(owners: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float | None]]:
    return {
        owner: {name: float(value) if math.isfinite(value) else None for name, value in measures.items()}
        for owner, measures in owners.items()
    }


class Executor(Protocol):
    """Runs cells. It is a context manager, entered before the first cell and left after the last."""

    @property
    def again(self) -> Sequence[str]:
        """The arguments with which a further command uses the same executor; none for the default one."""

    @property
    def slots(self) -> int:
        """Number of cells to submit at a time."""

    def submit(self, task: Task) -> None:
        """Submit a cell."""

    def completed(self, timeout_s: float) -> list[Outcome]:
        """Return the results that have arrived; waits for the first at most `timeout_s` seconds."""

    def simulated_s(self) -> float:
        """Return the simulated time done in the cells that are running, seconds; 0 if unknown."""

    def cancel(self) -> None:
        """Cancel the running cells, which stop soon afterwards."""

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(self, *_: object) -> None:
        """End; cells that still run are given up."""
