# SPDX-License-Identifier: Apache-2.0
"""More replications for the claims that are still open, and for no others, until a budget is spent.

The open claim that needs the least simulated time for a verdict goes first. The cells of its deciding parts get more
replications; then all claims that read these cells are judged again. The number of replications depends on the observed
values, so such claims are judged by always-valid intervals (`intervals.py`), which hold at every number of replications
at once.
"""

from __future__ import annotations

import math
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows._internal.errors import Interrupted
from narrows._internal.experiments.plan import Plan, Point, check_unchanged
from narrows._internal.experiments.sequential import cells_until
from narrows._internal.experiments.store import Store
from narrows._internal.experiments.stored import stored_as_planned
from narrows._internal.experiments.task import Failed, Finished, Task
from narrows._internal.files.lease import Lease
from narrows._internal.reproduction.ledger import lies_on_ours
from narrows._internal.reproduction.needed_cells import of_claim
from narrows._internal.reproduction.predicate import FAILS, HOLDS, INCONCLUSIVE, NEVER, Outcome, Rule, Test
from narrows._internal.reproduction.quantity import Asked, read_of
from narrows._internal.reproduction.stored_cells import ADDED, replications

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from narrows._internal.experiments.task import Executor
    from narrows._internal.reproduction.claims import Claim
    from narrows._internal.reproduction.experiment import Part, Rows
    from narrows._internal.reproduction.quantity import Binding, Cells, Selection


GROWING = Rule(growing=True)


class Report(NamedTuple):
    """The result of `decide`."""

    cells: int  # number of cells that were run
    open: int  # number of claims that are still open
    failed: list[str]  # errors of cells that failed


class Open(NamedTuple):
    """An open part of a claim."""

    outcome: Outcome
    selections: list[Selection]


def decide(  # noqa: PLR0913  # each is an option
    claims: Sequence[Claim],
    parts: Sequence[Part],
    folder: Path,
    executor: Callable[[], Executor],
    *,
    budget_s: float,
    stopped: Callable[[float, str], bool],
) -> Report:
    """Add replications to the cells of open claims."""
    experiments = {part.experiment: _Experiment(part, folder) for part in parts if not part.variant}
    begun = time.monotonic()
    ran, failed = 0, list[str]()
    with ExitStack() as held:
        for each in experiments.values():
            held.enter_context(each.lease())
        hopeless: set[str] = set()
        base: Rows = {name: Asked(each.base) for name, each in experiments.items()}
        left = [claim for claim in claims if _open_parts(claim, base, Rule())]
        rows: Rows = {name: each.rows() for name, each in experiments.items()}
        parts_of = {claim.id: _open_parts(claim, rows) for claim in left}
        while True:
            left = [claim for claim in left if parts_of[claim.id]]
            promising = [claim for claim in left if claim.id not in hopeless]
            chosen, (cost, wanted) = min(
                ((claim.id, next_parts(parts_of[claim.id], experiments)) for claim in promising),
                key=lambda each: (each[1][0], each[0]),
                default=("", (math.inf, [])),
            )
            spent = (time.monotonic() - begun) / budget_s
            if stopped(spent, f"{len(left)} claims are open"):
                raise Interrupted("stopped; finished cells are kept")
            if spent >= 1 or math.isinf(cost) or failed:
                return Report(ran, len(left), failed)
            tasks = _tasks(wanted, experiments)
            if not tasks:
                hopeless.add(chosen)
                continue
            note = f"claim {chosen}: {len(tasks)} cells more; {len(left)} claims are open"
            done, errors = _run(tasks, executor(), lambda: stopped((time.monotonic() - begun) / budget_s, note))  # noqa: B023
            ran += done
            failed += errors
            changed = {name for name, each in experiments.items() if any(of is each for of, _ in tasks)}
            rows |= {name: experiments[name].rows() for name in changed}
            for claim in left:
                if claim.direction is not None and _read(claim) & changed:
                    parts_of[claim.id] = _open_parts(claim, rows)


def _read(claim: Claim) -> set[str]:
    """Return the names of the experiments that a claim reads."""
    return {wanted.experiment for wanted in of_claim(claim)}


class _Experiment:
    """The cells of an experiment: those that every run has, and those that were added."""

    def __init__(self, part: Part, folder: Path) -> None:
        place = folder / part.path
        there = stored_as_planned(part.plan, place)
        self.plan: Plan = there.plan
        check_unchanged(self.plan, place)
        self.levels = {"algorithm", *self.plan.points[0].levels}
        self.rows_of_plan = Asked(
            {**point.levels, "algorithm": point.algorithm, PLACE: place} for place, point in enumerate(self.plan.points)
        )
        table = there.table().drop_columns(["measured", "cpu_s"])
        self.base: list[dict[str, Any]] = table.to_pylist()
        self.folder = folder / ADDED / part.path
        self.folder.mkdir(parents=True, exist_ok=True)
        self.store = Store(self.folder)

    def lease(self) -> Lease:
        self.store.prepare()
        self.store.discard_damaged()
        return Lease(self.folder)

    def rows(self) -> Asked:
        return Asked([*self.base, *added_rows(self.plan, self.store)])

    def cost_s(self, wanted: Sequence[Selection]) -> float:
        return sum(point.duration_s for point in self._points(wanted))

    def missing(self, wanted: Sequence[Selection], batch: int) -> Iterator[Task]:
        """Yield the tasks of the first `batch` replications that some of the wanted cells do not have."""
        points, finished = self._points(wanted), self.store.finished()
        replication = self.plan.replications.minimum
        while batch and points:
            lacking = [point for point in points if self.plan.key(point, replication) not in finished]
            yield from (self.plan.task(point, replication) for point in lacking)
            batch -= bool(lacking)
            replication += 1

    def _points(self, wanted: Sequence[Selection]) -> list[Point]:
        found: dict[int, Point] = {}
        for _, where, _ in wanted:
            levels = {name: value for name, value in where.items() if name in self.levels}
            found |= {row[PLACE]: self.plan.points[row[PLACE]] for row in self.rows_of_plan.fitting(levels)}
        return [found[place] for place in sorted(found)]


def added_rows(plan: Plan, store: Store) -> list[dict[str, Any]]:
    """Return the rows of the cells that were added to an experiment."""
    finished = store.finished()
    most = 1 + max(replications(plan, finished), default=-1)
    table = store.table(plan, cells_until(plan, [most] * len(plan.rows))).drop_columns(["measured", "cpu_s"])
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def _open_parts(claim: Claim, cells: Cells, rule: Rule = GROWING) -> list[Open]:
    """Return the open parts of an open claim, of its direction or, once that holds, of its magnitude."""
    if claim.direction is None or claim.direction.experiments() - set(cells):
        return []
    rule = rule._replace(deterministic=claim.check)
    outcome = claim.direction.judge(cells, {}, rule)
    if outcome.verdict == INCONCLUSIVE:
        return _worth_running(_parts(claim.direction, cells, {}, rule), claim.bound)
    asked = claim.magnitude
    if outcome.verdict == HOLDS and asked is not None and not asked.test.experiments() - set(cells):
        return _worth_running(_parts(asked.test, cells, {}, rule), asked.whose)
    return []


def _worth_running(parts: Iterable[Open], whose: str) -> list[Open]:
    """Return open parts that more replications can settle: a bound of our own is not the source's claim."""
    return [
        Open(each.outcome._replace(needed=NEVER), each.selections) if lies_on_ours(each.outcome, whose) else each
        for each in parts
    ]


def _parts(test: Test, cells: Cells, binding: Binding, rule: Rule) -> Iterator[Open]:
    outcome = test.judge(cells, binding, rule)
    if outcome.verdict != INCONCLUSIVE:
        return
    parts = test.parts(binding, rule)
    if not parts:
        yield Open(outcome, read_of(test.compared(binding)))
    for part, each, own in parts:
        yield from _parts(part, cells, each, own)


def next_parts(parts: Sequence[Open], experiments: dict[str, _Experiment]) -> tuple[float, list[Open]]:
    """Return the parts of a claim that get replications next, and the simulated time to their verdicts, seconds."""
    # One part that fails decides a claim, so the cheapest part that leans to it comes first. If none does, all parts
    # have to hold. If a number of parts suffices, this may add more replications than are needed.
    costs = [(_cost(part, experiments), place) for place, part in enumerate(parts)]
    failing = [(cost, place) for cost, place in costs if parts[place].outcome.leaning == FAILS and cost < math.inf]
    if failing:
        cost, place = min(failing)
        return cost, [parts[place]]
    possible = [(cost, place) for cost, place in costs if cost < math.inf]
    # A part that no number of replications decides keeps the claim open.
    if len(possible) < len(costs):
        return math.inf, []
    return math.fsum(cost for cost, _ in possible), list(parts)


def _cost(part: Open, experiments: dict[str, _Experiment]) -> float:
    """Return the simulated time that an open part needs for a verdict, seconds."""
    if part.outcome.same and part.outcome.seeds <= 1:
        return math.inf
    return max(part.outcome.needed.sure - part.outcome.seeds, 1) * sum(
        each.cost_s([own for own in part.selections if own.experiment == name]) for name, each in experiments.items()
    )


def _tasks(parts: Sequence[Open], experiments: dict[str, _Experiment]) -> list[tuple[_Experiment, Task]]:
    """Return the cells that a quarter more replications of the open parts need, each once."""
    found: dict[str, tuple[_Experiment, Task]] = {}
    for part in parts:
        if part.outcome.seeds >= MOST:
            continue
        for name, each in experiments.items():
            wanted = [own for own in part.selections if own.experiment == name]
            for task in each.missing(wanted, max(1, part.outcome.seeds // 4)) if wanted else ():
                found[task.key] = (each, task)
    return list(found.values())


def _run(
    tasks: Sequence[tuple[_Experiment, Task]], executor: Executor, stopped: Callable[[], bool]
) -> tuple[int, list[str]]:
    owner = {task.key: experiment for experiment, task in tasks}
    left, failed = set(owner), list[str]()
    with executor:
        for _, task in tasks:
            executor.submit(task)
        while left:
            if stopped():
                executor.cancel()
                raise Interrupted(f"stopped; {len(owner) - len(left)} of {len(owner)} cells of this round are kept")
            for outcome in executor.completed(STEP_S):
                left.discard(outcome.key)
                if isinstance(outcome, Finished):
                    owner[outcome.key].store.keep([outcome])
                elif isinstance(outcome, Failed):
                    failed.append(outcome.error)
    return len(owner) - len(failed), failed


STEP_S = 0.2
# The column with the place of a point in the plan; no factor has an empty name.
PLACE = ""
# The greatest number of replications of a claim.
MOST = 1000
