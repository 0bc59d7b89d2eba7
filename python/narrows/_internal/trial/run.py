# SPDX-License-Identifier: Apache-2.0
"""The sequential trial: replications of all scenarios that are not decided, until all are or the budget is spent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows._internal import core
from narrows._internal.analysis.sequences import MOST, batches
from narrows._internal.errors import Interrupted
from narrows._internal.files import kept
from narrows._internal.run import shared as sharing
from narrows._internal.run.execution import execute
from narrows._internal.run.jobs import Share, Watch, processors
from narrows._internal.trial.contest import Contest, Side, Values
from narrows._internal.trial.programs import check_programs
from narrows._internal.trial.verdict import UNDECIDED, VERDICTS, WORSE, row

if TYPE_CHECKING:
    from narrows._internal.run.options import Options


def trial(found: Sequence[Contest], kept: Kept, options: Options, margin: str, alpha: float) -> list[dict[str, Any]]:
    """Run a trial to its end."""
    each_alpha = alpha / max(sum(len(each.wanted) for each in found), 1)
    most = options.replications or MOST
    open_ = list(enumerate(found))
    for batch in batches(most):
        if not _replicate(
            open_, batch, kept, options.jobs, Share(options.watch, batch.start / most, len(batch) / most)
        ):
            if batch.start == 0:
                raise Interrupted("nothing has been compared yet; what has run is kept, and the same command goes on")
            break
        open_ = [
            (place, each)
            for place, each in open_
            if not each.repeated and any(state.verdict == UNDECIDED for _, state in each.judge(margin, each_alpha))
        ]
        if not open_:
            break
    return [
        row(
            state,
            {
                "scenario": each.pair.name,
                "owner": wanted.owner,
                "metric": wanted.metric.text,
                "unit": wanted.metric.unit,
                "better": wanted.card["better"],
                "repeated": each.repeated,
            },
        )
        for each in found
        for wanted, state in each.judge(margin, each_alpha)
    ]


def counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of rows with each verdict."""
    return {verdict: sum(each["verdict"] == verdict for each in rows) for verdict in VERDICTS}


def is_worse(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a metric is worse."""
    return any(each["verdict"] == WORSE for each in rows)


def _replicate(
    found: Sequence[tuple[int, Contest]], replications: range, kept: Kept, jobs: int | None, watch: Watch
) -> bool:
    """Run replications of contests and keep their values; return False if the work was stopped."""
    plan = [(place, each, index) for index in replications for place, each in found]
    todo = [pair for pair in plan if kept.values(pair[0], pair[2]) is None]
    # Pairs that run together are kept together.
    in_turn = any(each.pair.programs for _, each in found)
    size = 1 if in_turn else min(jobs or processors(), CHUNK)
    for start in range(0, len(todo), size):
        chunk = todo[start : start + size]
        sides = _sides(chunk, jobs, Share(watch, start / len(todo), len(chunk) / len(todo)))
        kept.add(
            {
                (place, index): Values(a.values, b.values, f"{a.digest} {b.digest}")
                for (place, _, index), a, b in zip(chunk, sides[::2], sides[1::2], strict=True)
                if a is not None and b is not None
            }
        )
        if watch.stopped() or any(each is None for each in sides):
            break
    for place, each, index in plan:
        values = kept.values(place, index)
        if values is None:
            return False
        each.add(values)
    return True


def _sides(chunk: Sequence[tuple[int, Contest, int]], jobs: int | None, watch: Watch) -> list[Side | None]:
    """Return the metrics of A and B of each pair; None for a run that was stopped."""
    # Only runs without a file of a user are shared with other commands.
    shared = sharing.Shared(sharing.kept(), {"values": [(float, None)], "digest": str})
    runs = [(each, scenario, index) for _, each, index in chunk for scenario in each.pair.sides(index)]
    unshared = [bool(scenario.external or each.pair.programs) for each, scenario, _ in runs]
    keys = [f"{scenario.digest} {scenario.seed} {index} {core.fingerprint()}" for _, scenario, index in runs]
    found: list[Side | None] = [
        None if own else _side(shared.find(key, each.asked))
        for key, own, (each, _, _) in zip(keys, unshared, runs, strict=True)
    ]
    todo = [place for place, side in enumerate(found) if side is None]
    if chunk and chunk[0][1].pair.programs and chunk[0][2] % 2:
        # The order of programs alternates, so that neither always finds the machine as the other left it.
        todo.reverse()
    done = execute([(runs[place][1], runs[place][2]) for place in todo], jobs, watch) if todo else []
    for place, records in zip(todo, done, strict=True):
        contest, scenario, _ = runs[place]
        if records is not None:
            if contest.pair.programs:
                check_programs(scenario, records, [wanted.metric.name for wanted in contest.wanted], runs[place][2] + 1)
            found[place] = side = contest.side(scenario, records)
            if not unshared[place]:
                values = [each if math.isfinite(each) else None for each in side.values]
                shared.add(keys[place], contest.asked, {"values": values, "digest": side.digest})
    return found


def _side(entry: Mapping[str, Any] | None) -> Side | None:
    if entry is None:
        return None
    return Side([math.nan if each is None else each for each in entry["values"]], entry["digest"])


class Kept(kept.Kept):
    """The measured pairs of a trial, and the exclusive right to add some, while the context is entered."""

    ABOUT, WORK, WORDS = "trial.json", "pairs.jsonl", "a trial"
    SEALED = True

    def __init__(self, folder: Path, found: Sequence[Contest]) -> None:
        """Prepare the record of a trial; nothing is read or written yet."""
        super().__init__(folder)
        self._found = found
        self._values: dict[tuple[int, int], Values] = {}

    def take(self, entry: Mapping[str, Any]) -> None:
        """Take a pair that was measured before."""
        values = Values(_read(entry["a"]), _read(entry["b"]), entry["records"])
        self._values[entry["scenario"], entry["replication"]] = values

    def values(self, place: int, replication: int) -> Values | None:
        """Return the values of a pair; None if it is still to run."""
        return self._values.get((place, replication))

    def add(self, pairs: Mapping[tuple[int, int], Values]) -> None:
        """Keep the values of pairs, by number of the contest and of the replication."""
        self._values.update(pairs)
        self.append(
            {
                "scenario": place,
                "replication": replication,
                "a": _written(values.a),
                "b": _written(values.b),
                "records": values.records,
            }
            for (place, replication), values in pairs.items()
        )

    def about(self) -> Mapping[str, Any]:
        """Return the identity of the trial, as in its folder."""
        scenarios = [
            {
                "name": each.pair.name,
                "a": each.pair.a.digest,
                "b": each.pair.b.digest,
                "seed": each.pair.a.seed,
                "measures": each.asked,
                **({"programs": each.pair.programs} if each.pair.programs else {}),
                **({"draws": [[a.digest, b.digest] for a, b in each.pair.draws]} if each.pair.draws else {}),
            }
            for each in self._found
        ]
        return {"engine": core.fingerprint(), "scenarios": scenarios}

    def is_valid(self, entry: Mapping[str, Any]) -> bool:
        """Return whether an entry is a pair of one of the contests."""
        wanted = len(self._found[entry["scenario"]].wanted)
        numbers = [*_read(entry["a"]), *_read(entry["b"])]
        is_whole = len(numbers) == 2 * wanted and isinstance(entry["records"], str)
        return is_whole and all(isinstance(each, int | float) for each in numbers)


def _written(values: Sequence[float]) -> list[float | None]:
    """Return values for JSON, with null for a value that is not finite."""
    return [each if math.isfinite(each) else None for each in values]


def _read(values: Sequence[float | None]) -> list[float]:
    return [math.nan if each is None else each for each in values]


ALPHA = 0.05
# Pairs of runs whose records are in memory at a time, at most.
CHUNK = 16
