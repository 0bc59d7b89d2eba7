# SPDX-License-Identifier: Apache-2.0
"""Execution of runs: the extension runs them in its own threads, without the interpreter's lock."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from narrows._internal import core
from narrows._internal.analysis.sequences import batches
from narrows._internal.arguments import check_numbers
from narrows._internal.comparison import ALGORITHMS
from narrows._internal.emulate.hosts import be_prompt
from narrows._internal.errors import InputError, Interrupted
from narrows._internal.frozen import frozen
from narrows._internal.metrics.criteria import given_margins
from narrows._internal.run.jobs import Job, Noted, Share, Unwatched, Watch, processors, work_s
from narrows._internal.run.results import Comparison, Run
from narrows.metrics import Metric, check, resolve

if TYPE_CHECKING:
    from narrows._internal.run.levels import Crossed
    from narrows._internal.run.options import Options


@frozen
class Planned:
    """The scenarios of a comparison."""

    scenarios: Mapping[str, core.Scenario]  # the resolved scenarios by the names of the runs
    of: str = ALGORITHMS  # kind of the compared runs, as in the summary: `algorithms`, `backends` or `levels`
    crossed: Crossed | None = None  # the levels of each run, if levels are compared


def run(scenario: core.Scenario, options: Options) -> Run:
    """Run every replication of a resolved scenario; errors as `Scenario.run`."""
    wanted = wanted_of(options.metrics, [scenario])
    clock = _Clock()
    outcomes = execute([(scenario, index) for index in range(scenario.replications)], options.jobs, options.watch)
    records = {index: each for index, each in enumerate(outcomes) if each is not None}
    if not records:
        raise Interrupted(NOTHING_FINISHED)
    return Run(scenario, records, clock.started, clock.elapsed_s(), wanted)


def compare(planned: Planned, options: Options) -> Comparison:
    """Run every replication of one scenario per algorithm, per backend, or per combination of levels.

    If the comparison ends when it is decided, the number of replications is the greatest one.
    """
    from narrows._internal.run.sentences import undecided

    matter = given_margins(options.margins)
    wanted = wanted_of(options.metrics, list(planned.scenarios.values()))
    most = next(iter(planned.scenarios.values())).replications
    at_most = most if options.until_decided else None
    gathered = _Gathered(planned.scenarios)
    clock, before = _Clock(), used() if options.until_decided else 0
    watch: Watch = options.watch
    for batch in batches(most) if options.until_decided else [range(most)]:
        gathered.run(batch, options.jobs, Share(watch, batch.start / most, len(batch) / most))
        ran, stopped = planned, watch.stopped()
        if batch.stop < most and not stopped:
            if batch.start == 0:
                check_memory(batch.stop, most, used() - before)
            ran = _replicated(planned, batch.stop)
        about = clock.started, clock.elapsed_s(), wanted, at_most
        runs = {name: Run(ran.scenarios[name], each, *about) for name, each in gathered.whole().items()}
        found = Comparison(list(ran.scenarios), runs, *about[:2], matter, ran.of, ran.crossed, gathered.failed)
        if stopped or not options.until_decided:
            break
        open_ = undecided(found.summary)
        if not open_:
            break
        watch = Noted(options.watch, max(open_, key=lambda each: each.width).text)
    return found


class _Gathered:
    """The records of the runs of a comparison so far."""

    def __init__(self, scenarios: Mapping[str, core.Scenario]) -> None:
        self._scenarios = scenarios
        self._records: dict[str, dict[int, core.Records]] = {name: {} for name in scenarios}
        self.failed: dict[str, Exception] = {}

    def run(self, replications: range, jobs: int | None, watch: Watch) -> None:
        """Run replications of every run that has not failed."""
        # Replication by replication, so that finished runs are still paired after an interrupt.
        plan = [(name, index) for index in replications for name in self._scenarios if name not in self.failed]
        outcomes = attempt([(self._scenarios[name], index) for name, index in plan], jobs, watch)
        for (name, index), each in zip(plan, outcomes, strict=True):
            if isinstance(each, Exception):
                self.failed.setdefault(name, each)
            elif each is not None:
                self._records[name][index] = each

    def whole(self) -> dict[str, dict[int, core.Records]]:
        """Return the records of the runs that did not fail, by replication; errors if there are none."""
        # The finished replications of a run that fails would be a biased choice.
        found = {name: {**each} for name, each in self._records.items() if each and name not in self.failed}
        if not found:
            for problem in self.failed.values():
                raise problem
            raise Interrupted(NOTHING_FINISHED)
        return found


def _replicated(planned: Planned, replications: int) -> Planned:
    """Return the scenarios of a comparison with another number of replications."""
    scenarios = {}
    for name, each in planned.scenarios.items():
        scenarios[name] = core.load({**each.given, "replications": replications})
        if scenarios[name].files != each.files:
            raise InputError(name, "a file of its scenario changed while its runs were in progress")
    crossed = None if planned.crossed is None else replace(planned.crossed, scenarios=scenarios)
    return Planned(scenarios, planned.of, crossed)


def execute(jobs: Sequence[Job], threads: int | None, watch: Watch | None) -> list[core.Records | None]:
    """Run jobs in parallel; the first that fails ends the work."""
    found: list[core.Records | None] = []
    for each in _outcomes(jobs, threads, watch, keep_going=False):
        if isinstance(each, Exception):
            raise each
        found.append(each)
    return found


def attempt(jobs: Sequence[Job], threads: int | None, watch: Watch | None) -> list[core.Records | Exception | None]:
    """Run jobs in parallel, and go on with jobs of other scenarios if one fails."""
    return _outcomes(jobs, threads, watch, keep_going=True)


def _outcomes(
    jobs: Sequence[Job], threads: int | None, watch: Watch | None, *, keep_going: bool
) -> list[core.Records | Exception | None]:
    check_numbers(jobs=threads)
    watch = watch or Unwatched()
    if len(jobs) <= FEW:
        return _execute(jobs, threads, watch, keep_going=keep_going)
    # The first jobs show how much memory the records of all of them take.
    first = max(FIRST, threads or processors())
    part, before = first / len(jobs), used()
    records = _execute(jobs[:first], threads, Share(watch, 0.0, part), keep_going=keep_going)
    if watch.stopped() or any(each is None for each in records):
        return [*records, *(None for _ in jobs[first:])]
    check_memory(first, len(jobs), used() - before)
    return [*records, *_execute(jobs[first:], threads, Share(watch, part, 1.0 - part), keep_going=keep_going)]


def _execute(
    jobs: Sequence[Job], threads: int | None, watch: Watch, *, keep_going: bool
) -> list[core.Records | Exception | None]:
    if not jobs:
        return []
    real_time = any(scenario.given["real_time"] is not None for scenario, _ in jobs)
    if real_time:
        # Side by side they would be late.
        threads = 1
    external = {id(scenario): scenario for scenario, _ in jobs if scenario.external}
    if external:
        from narrows._internal.run import workers

        # A single run finds its own faults at its start.
        faults = workers.find_faults(list(external.values()), watch) if len(jobs) > 1 else []
        for fault in faults or ():
            if fault is not None:
                raise fault
        if faults is None:
            return [None] * len(jobs)
        perform = workers.attempt if keep_going else workers.execute
        return [*perform(jobs, threads or processors(), watch)]
    progress = core.Progress()
    total_s = sum(work_s(scenario) for scenario, _ in jobs)
    thread = _Running(lambda: core.run(list(jobs), threads or processors(), progress, keep_going), prompt=real_time)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(STEP_S)
            watch.update(min(progress.simulated_s() / total_s, 1.0))
            if watch.stopped():
                progress.cancel()
    except BaseException:
        progress.cancel()
        thread.join()
        raise
    return thread.result()


def wanted_of(metrics: Sequence[str], scenarios: Sequence[core.Scenario]) -> list[Metric]:
    """Return the metrics of these names, checked against every scenario."""
    wanted = [resolve(text) for text in metrics]
    for each in wanted:
        for scenario in scenarios:
            check(each, scenario)
    return wanted


# Python handles signals in the main thread alone, so the extension is called from another one.
class _Running(Thread):
    """A thread that keeps the result or the error of a function."""

    def __init__(self, function: Callable[[], list[core.Records | Exception | None]], *, prompt: bool) -> None:
        super().__init__()
        self._function = function
        self._prompt = prompt
        self._found: list[core.Records | Exception | None] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            if self._prompt:
                be_prompt()
            self._found = self._function()
        except BaseException as error:  # noqa: BLE001  # `result` raises it
            self._error = error

    def result(self) -> list[core.Records | Exception | None]:
        if self._error is not None:
            raise self._error
        return self._found


class _Clock:
    def __init__(self) -> None:
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self._start_s = time.monotonic()

    def elapsed_s(self) -> float:
        return time.monotonic() - self._start_s


def used() -> int:
    """Return the memory that this process uses, bytes; 0 if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def available() -> int | None:
    """Return the memory that this process may still take, bytes; None if the system does not report it."""
    found = []
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found += [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
        # The limit of a container.
        limit, taken = (
            int((CONTAINER / name).read_text(encoding="ascii")) for name in ("memory.max", "memory.current")
        )
        found.append(max(limit - taken, 0))
    except (OSError, ValueError, IndexError):
        pass
    return min(found, default=None)


def check_memory(runs: int, of: int, grown: int) -> None:
    """Check that the records of all runs fit into memory, by the size of the first ones."""
    room = available()
    # At its peak, while tables and the report are written, a run takes twice what its records take first.
    needed = round(2 * grown * of / runs) - grown
    if room is None or needed <= room:
        return
    most = max(int(runs * (room + grown) / (2 * grown)), 1)
    raise InputError(
        f"{of} replications",
        f"their records need about {needed / GB:.1f} GB of memory, and {room / GB:.1f} GB are available; allowed: "
        f"about {most} of all runs, less in [record], or a study (`narrows study`), which keeps metrics alone",
    )


NOTHING_FINISHED = "nothing had finished, so nothing is kept"
STEP_S = 0.1
# Jobs whose records have room anywhere, and the first of more.
FEW, FIRST = 32, 16
CONTAINER = Path("/sys/fs/cgroup")
GB = 1e9
