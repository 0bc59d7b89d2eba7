# SPDX-License-Identifier: Apache-2.0
"""A Dask cluster that is running already: on this machine, on many, or by dask-jobqueue on Slurm and its like.

The process that works on the study distributes cells, and only it writes their results. A cell whose worker is lost
runs again on another one; a worker with another engine is refused, and gets no cell.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Self

from narrows._internal import core
from narrows._internal.errors import InputError, Interrupted
from narrows._internal.experiments.task import Failed, Outcome, Refused, Stopped, Task, perform
from narrows._internal.extras import load


class Dask:
    """Runs cells on a Dask cluster, one per thread of a worker; workers may join and leave."""

    def __init__(self, address: str, say: Callable[[str], None]) -> None:
        """Find the cluster."""
        distributed = load("distributed")
        self.say = say
        self._address = address
        self._outcomes: queue.SimpleQueue[tuple[Task, Any]] = queue.SimpleQueue()
        self._refused: set[str] = set()
        self._futures: dict[str, Any] = {}
        self._attempts = 0
        self._next_look_s = 0.0
        self._alone = False
        try:
            self._client = distributed.Client(address, timeout=PATIENCE_S, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise InputError(address, f"no Dask scheduler answers there: {error}") from None
        self._inspect()

    @property
    def again(self) -> Sequence[str]:
        """The arguments with which a further command uses the same cluster."""
        return ["--executor", "dask", "--address", self._address]

    @property
    def slots(self) -> int:
        """Number of cells to submit at a time: two per thread of accepted workers, so that none is idle."""
        threads = [info["nthreads"] for address, info in self._workers().items() if address not in self._refused]
        return 2 * sum(threads) or 1

    def submit(self, task: Task) -> None:
        """Submit a cell."""
        self._attempts += 1
        willing = [address for address in self._workers() if address not in self._refused] if self._refused else None
        self._expect(
            task,
            self._client.submit(
                perform_there, task, key=f"narrows-{task.key}-{self._attempts}", pure=False, workers=willing
            ),
        )

    def _expect(self, task: Task, future: Any) -> None:
        self._futures[task.key] = future
        future.add_done_callback(lambda done: self._outcomes.put((task, done)))

    def completed(self, timeout_s: float) -> list[Outcome]:
        """Return the results that have arrived; waits for the first at most `timeout_s` seconds."""
        try:
            arrived = [self._outcomes.get(timeout=timeout_s)]
        except queue.Empty:
            self._look_around()
            return []
        while not self._outcomes.empty():
            arrived.append(self._outcomes.get())
        outcomes = [self._outcome(task, future) for task, future in arrived]
        return [outcome for outcome in outcomes if outcome is not None]

    def simulated_s(self) -> float:
        """Return 0: cells on other hosts do not report their progress."""
        return 0.0

    def cancel(self) -> None:
        """Cancel the cells that have not finished."""
        # Without a scheduler there is nothing to cancel.
        with suppress(OSError, TimeoutError):
            self._client.cancel(list(self._futures.values()), force=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def _outcome(self, task: Task, future: Any) -> Outcome | None:
        self._futures.pop(task.key)
        if future.cancelled():
            return Stopped(task.key)
        if future.status == "error":
            error = future.exception()
            return Failed(task.key, f"{type(error).__name__}: {error}")
        try:
            outcome: Outcome = future.result(timeout=PATIENCE_S)
        except TimeoutError:
            # The worker went between the end of the task and this request: another one computes it again.
            self._look_around()
            self._expect(task, future)
            return None
        except OSError:
            # The scheduler went then.
            raise self._gone() from None
        if isinstance(outcome, Refused):
            self._refuse(outcome.worker, outcome.engine)
            self._check_any_is_left()
            self.submit(task)
            return None
        return outcome

    def _workers(self) -> dict[str, Any]:
        workers: dict[str, Any] | None = None
        with suppress(OSError, TimeoutError):
            workers = self._client.scheduler_info(n_workers=-1).get("workers")
        if workers is None:
            raise self._gone()
        return workers

    def _gone(self) -> Interrupted:
        return Interrupted(f"the Dask scheduler at {self._address} is gone")

    def _look_around(self) -> None:
        """Check periodically that there is a scheduler, and report if no worker is left."""
        if self._client.status not in {"running", "connecting"}:
            raise self._gone()
        if time.monotonic() < self._next_look_s:
            return
        self._next_look_s = time.monotonic() + LOOK_S
        alone = self._workers().keys() <= self._refused
        if alone and not self._alone:
            self.say(f"no worker is left at the scheduler {self._address}: waiting for one to join")
        self._alone = alone

    def _inspect(self) -> None:
        for address, engine in self._client.run(engine_there, on_error="return").items():
            if engine != core.fingerprint():
                self._refuse(address, engine if isinstance(engine, str) else f"none ({engine})")
        self._check_any_is_left()
        self._alone = not self._workers()
        if self._alone:
            self.say(f"no worker has joined the scheduler at {self._address} yet: waiting")

    def _refuse(self, address: str, engine: str) -> None:
        if address not in self._refused:
            self._refused.add(address)
            self.say(f"worker {address} is refused: its engine is {engine}, and this one is {core.fingerprint()}")

    def _check_any_is_left(self) -> None:
        workers = set(self._workers())
        if workers and workers <= self._refused:
            raise InputError(self._address, f"every worker is refused: none has engine {core.fingerprint()}")


def engine_there() -> str:
    """Return the build fingerprint of the engine on a worker."""
    return core.fingerprint()


def perform_there(task: Task) -> Outcome:
    """Run a cell on a worker; the result names the worker if its engine is refused."""
    distributed = load("distributed")
    outcome = perform(task)
    if isinstance(outcome, Refused):
        return Refused(outcome.key, outcome.engine, str(distributed.get_worker().address))
    return outcome


PATIENCE_S = 10.0
LOOK_S = 1.0
