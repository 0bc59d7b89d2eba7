# SPDX-License-Identifier: Apache-2.0
"""The run of a search: evaluations in batches, then finds that are simplified and repeated."""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from narrows._internal import core
from narrows._internal.errors import InputError, Interrupted
from narrows._internal.external.alike import unlike
from narrows._internal.external.names import short_names
from narrows._internal.external.source import absolute
from narrows._internal.external.trust import granted
from narrows._internal.files.folder import appearing
from narrows._internal.files.format import write_kept
from narrows._internal.files.kept import Kept
from narrows._internal.files.manifest import keep
from narrows._internal.frozen import frozen
from narrows._internal.linux import backend
from narrows._internal.linux.backend import SIMULATOR
from narrows._internal.run.execution import execute
from narrows._internal.run.jobs import Share, Watch
from narrows._internal.run.options import Options
from narrows._internal.run.scenario import Scenario
from narrows._internal.search.archive import KINDS, OF_SERIES, WORDS, Archive, Scores, chosen, lost, measured_of, scores
from narrows._internal.search.finds import Find, Repeated
from narrows._internal.search.space import BDP_NAMES, BUFFER_NAMES, PLAIN, Environment, simpler
from narrows._internal.statistics import distinct


@frozen
class Budget:
    """How long a search goes on."""

    evaluations: int | None = None  # number of environments; None for no limit
    time_s: float | None = None  # time of this and earlier commands, seconds; None for no limit


class Search(Kept):
    """A search in a folder; what it has evaluated there is not evaluated again."""

    ABOUT, WORK, WORDS = "search.json", "history.jsonl", "a search"

    def __init__(self, subject: str, reference: str, folder: Path, options: Options) -> None:
        """Prepare a search; entering its context opens the folder, or begins a new one."""
        self.subject, self.reference, self.seed = (absolute(subject), absolute(reference), options.seed or 0)
        self.names = short_names([subject, reference])
        self.given = (subject, reference)
        self.overrides = options.overrides
        super().__init__(folder)
        self.jobs, self.watch, self.on = options.jobs, options.watch, options.on
        self.known: dict[Environment, Scores] = {}
        self.spent_s = 0.0
        for name in (subject, reference):
            # A fault of a name is one of the command line, not of a scenario of the search.
            self._read(ANY.scenario(*PLACES)).resolve(name, FRESH, self.seed)
        self._scenarios(ANY)
        try:
            self._scenarios(ANY, self.on)
        except core.ScenarioError as error:
            first = error.diagnostics[0]
            raise InputError(f"--on {self.on}", f"{first['message']}; allowed: {first['allowed']}") from error

    def take(self, entry: Mapping[str, Any]) -> None:
        """Take an environment that was evaluated before."""
        self.known[Environment(*entry["environment"])] = entry["scores"]
        self.spent_s += entry["time_s"]

    def about(self) -> Mapping[str, Any]:
        """Return the compared algorithms, and the digests of one environment with either."""
        pair = self._scenarios(PLAIN._replace(rivals=1))
        return {
            "algorithm": self.names[self.given[0]],
            "against": self.names[self.given[1]],
            "seed": self.seed,
            "digests": [each.digest for each in pair],
            "engine": core.fingerprint(),
        }

    def is_valid(self, entry: Mapping[str, Any]) -> bool:
        """Return whether an entry has an environment and its scores."""
        numbers = [*entry["scores"].values(), entry["time_s"]]
        # An index that is none of its scale raises an error.
        Environment(*entry["environment"]).scenario(*PLACES)
        return (
            set(entry["scores"]) <= set(KINDS)
            and all(isinstance(each, int) and each >= 0 for each in entry["environment"])
            and all(isinstance(each, int | float) and math.isfinite(each) for each in numbers)
        )

    def run(self, budget: Budget) -> Archive:
        """Search until the budget is spent."""
        archive = Archive(self.seed)
        while True:
            left = BATCH if budget.evaluations is None else min(BATCH, budget.evaluations - archive.evaluations)
            batch = archive.proposals(left) if left > 0 else []
            spent = budget.time_s is not None and self.spent_s >= budget.time_s
            if not batch or (spent and any(each not in self.known for each in batch)):
                return archive
            part, after = (self._part(archive.evaluations + more, budget) for more in (0, len(batch)))
            self._evaluate(batch, part, after - part)
            for each in batch:
                archive.add(each, self.known[each])

    def finds(self, archive: Archive) -> list[Find]:
        """Simplify the best elites, repeat them on fresh seeds, and return the simplest first."""
        # Confirmed finds are repeated on the kernel, too, if there is one.
        open_ = [Find(each, each.environment, each.score) for each in chosen(archive.elites, LOOKED_AT)]
        settled: list[Find] = []
        while open_:
            tries = [(find, list(simpler(find.environment))) for find in open_]
            part = len(settled) / (len(settled) + len(open_))
            todo = list(dict.fromkeys(each for _, several in tries for each in several))
            self._evaluate(todo, SEARCHED + (SIMPLIFIED - SEARCHED) * part)
            open_ = []
            for find, several in tries:
                better = [
                    (each, score)
                    for each in several
                    if (score := self.known[each].get(find.elite.kind, 0.0)) >= KEPT * find.elite.score
                ]
                if better:
                    find.environment, find.score = max(better, key=lambda one: (one[1], one[0]))
                    open_.append(find)
                else:
                    settled.append(find)
        different = {(each.elite.kind, each.environment): each for each in settled}
        ordered = sorted(
            different.values(),
            key=lambda each: (each.environment.unusual, -each.score, list(KINDS).index(each.elite.kind)),
        )
        for find, progress in zip(ordered, self._parts(SIMPLIFIED, REPEATED, len(ordered)), strict=True):
            find.repeated = self._repeat(find, SIMULATOR, progress)
        found = _each_kind_first([each for each in ordered if each.confirmed])[:FINDS]
        found.sort(key=lambda each: (each.environment.unusual, -each.repeated.mean))
        if self.on != SIMULATOR:
            for find, progress in zip(found, self._parts(REPEATED, 1.0, len(found)), strict=True):
                find.kernel = self._repeat(find, self.on, progress)
        return [*found, *(each for each in ordered if not each.confirmed)]

    def curves(self, find: Find) -> dict[str, tuple[list[float], list[float]]]:
        """Return the goodput of the flows under test over time, with the algorithm and with the reference."""
        pair = self._scenarios(find.environment)
        records = _finished(execute([(each, 0) for each in pair], self.jobs, Share(self.watch, 1.0, 0.0)))
        return {name: _goodput(each) for name, each in zip(self.names.values(), records, strict=True)}

    def write(self, archive: Archive, finds: Sequence[Find], command: str) -> dict[str, Any]:
        """Write `atlas.json` and a scenario file for each confirmed find; return the atlas."""
        with appearing(self.folder / FOUND, instead=True) as home:
            written = [self._written(find, home, place) for place, find in enumerate(finds, 1)]
        confirmed = [entry for entry in written if entry["confirmed"]]
        content = {
            "title": f"Where {self.names[self.given[0]]} does worst against {self.names[self.given[1]]}",
            "algorithm": self.names[self.given[0]],
            "against": self.names[self.given[1]],
            "seed": self.seed,
            "evaluations": archive.evaluations,
            "digest_schema": core.digest_schema(),
            "on": self.on,
            "kernel": None if self.on == SIMULATOR else backend.describe(backend.find(self.on)),
            "command": command,
            "unlike": unlike(
                {name: [pair.resolved] for name, pair in zip(self.names.values(), self._scenarios(PLAIN), strict=True)}
            ),
            "kinds": WORDS,
            "axes": {"bdp": list(BDP_NAMES), "buffer": list(BUFFER_NAMES)},
            "cells": [
                {
                    "kind": each.kind,
                    "bdp": BDP_NAMES[each.place[0]],
                    "buffer": BUFFER_NAMES[each.place[1]],
                    "score": each.score,
                    "environment": each.environment.written(),
                }
                for each in archive.elites
            ],
            "found": confirmed,
            "unconfirmed": [entry for entry in written if not entry["confirmed"]],
        }
        return write_kept(self.folder / ATLAS, content)

    def _written(self, find: Find, home: Path, place: int) -> dict[str, Any]:
        subject, reference = self._scenarios(find.environment)
        group, metric = KINDS[find.elite.kind]
        entry = find.repeated.entry()
        name = None
        written: list[str] = []
        if find.confirmed:
            name, against = f"{place:02}-{find.elite.kind}.toml", f"{place:02}-{find.elite.kind}.{AGAINST}.toml"
            written = [f"{FOUND}/{name}", f"{FOUND}/{against}"]
            for each in (subject, reference):
                keep(home, each.files)
            option = f" --metric {shlex.quote(metric)}" if metric in OF_SERIES else ""
            lines = [
                f"# {find.environment.words()}.",
                (
                    f"# {find.elite.kind}, {WORDS[find.elite.kind]}: {find.repeated.text()} against "
                    f"{self.names[self.given[1]]}, over {len(find.repeated.scores)} replications."
                ),
                (
                    f"# narrows run {name}{option}: {metric} of group {group} is {entry['measured']!r}; "
                    f"with {self.names[self.given[1]]} in place of {self.names[self.given[0]]} "
                    f"{entry['reference_measured']!r}."
                ),
            ]
            if find.kernel is not None:
                lines.append(f"# --on {self.on}: {find.kernel.text()}, over {len(find.kernel.scores)} replications.")
            (home / name).write_text("\n".join(lines) + "\n\n" + subject.portable, encoding="utf-8")
            note = f"# {name} with {self.names[self.given[1]]} in place of {self.names[self.given[0]]}.\n\n"
            (home / against).write_text(note + reference.portable, encoding="utf-8")
        return {
            "kind": find.elite.kind,
            "metric": metric,
            "group": group,
            **entry,
            **({} if find.kernel is None else {"linux": find.kernel.entry()}),
            "words": find.environment.words(),
            "environment": find.environment.written(),
            "unusual": find.environment.unusual,
            "scenario": None if name is None else f"{FOUND}/{name}",
            "scenarios": written,
        }

    def _repeat(self, find: Find, on: str, progress: Watch) -> Repeated:
        pair = self._scenarios(find.environment, on)
        runs = [(each, index) for index in range(FRESH) for each in pair]
        records = _finished(execute(runs, self.jobs, progress))
        repeated = Repeated()
        pairs = list(zip(records[::2], records[1::2], strict=True))
        repeated.digests.extend([a.digest, b.digest] for a, b in pairs)
        for a, b in distinct(pairs, (a.digest + b.digest for a, b in pairs)):
            value, reference = (measured_of(find.elite.kind, *each) for each in ((pair[0], a), (pair[1], b)))
            repeated.scores.append(lost(find.elite.kind, value, reference))
            repeated.measured.append(value)
            repeated.reference.append(reference)
        return repeated

    def _evaluate(self, environments: Sequence[Environment], part: float, share: float = 0.0) -> None:
        """Evaluate unknown environments and keep the results, up to the first stopped run."""
        todo = [each for each in environments if each not in self.known]
        for start in range(0, len(todo), CHUNK):
            begun_s = time.monotonic()
            chunk = todo[start : start + CHUNK]
            pairs = [self._scenarios(each) for each in chunk]
            runs = [(each, SEARCH) for pair in pairs for each in pair]
            progress = Share(self.watch, part + share * start / len(todo), share * len(chunk) / len(todo))
            records = _before_a_stop(execute(runs, self.jobs, progress))
            finished = len(records) // 2
            took_s = (time.monotonic() - begun_s) / max(finished, 1)
            evaluated = []
            for each, pair, a, b in zip(chunk[:finished], pairs, records[::2], records[1::2], strict=False):
                self.known[each] = scores((pair[0], a), (pair[1], b))
                evaluated.append({"environment": list(each), "scores": self.known[each], "time_s": took_s})
            self.spent_s += took_s * finished
            self.append(evaluated)
            if self.watch.stopped() or self.lost:
                raise Interrupted(STOPPED)

    def _parts(self, start: float, end: float, count: int) -> list[Watch]:
        """Return the progress of each of several equal steps between two parts of all the work."""
        share = (end - start) / max(count, 1)
        return [Share(self.watch, start + place * share, share) for place in range(count)]

    def _part(self, evaluations: int, budget: Budget) -> float:
        parts = [0.0]
        if budget.evaluations:
            parts.append(evaluations / budget.evaluations)
        if budget.time_s:
            parts.append(self.spent_s / budget.time_s)
        return SEARCHED * min(max(parts), 1.0)

    def _scenarios(self, environment: Environment, on: str = SIMULATOR) -> tuple[core.Scenario, core.Scenario]:
        found = []
        for subject in (self.subject, self.reference):
            written = self._read(environment.scenario(subject, self.reference), on)
            found.append(written.resolve(None, FRESH, self.seed))
        return found[0], found[1]

    def _read(self, text: str, on: str = SIMULATOR) -> Scenario:
        found = Scenario(text, "environment", ".", self.overrides, on=on)
        found.trust = granted(None, [self.subject, self.reference], self.overrides)
        return found


def _before_a_stop(records: Sequence[core.Records | None]) -> list[core.Records]:
    """Return the records of the runs before the first that was stopped."""
    return [each for each in takewhile(lambda each: each is not None, records) if each is not None]


def _finished(records: Sequence[core.Records | None]) -> list[core.Records]:
    """Return the records of all runs, of which none was stopped."""
    finished = _before_a_stop(records)
    if len(finished) < len(records):
        raise Interrupted(STOPPED)
    return finished


def _each_kind_first(finds: Sequence[Find]) -> list[Find]:
    """Return the simplest find of each kind, then all others in their order."""
    first = {each.elite.kind: each for each in reversed(finds)}
    return [*first.values(), *(each for each in finds if each not in first.values())]


def _goodput(records: core.Records) -> tuple[list[float], list[float]]:
    from narrows._internal.run.tables import table
    from narrows._internal.search.space import TEST

    rows = table({0: records}, "series").to_pylist()
    sums: dict[float, float] = {}
    for row in rows:
        if row["kind"] == "flow" and row["group"] == TEST:
            sums[row["time_s"]] = sums.get(row["time_s"], 0.0) + (row["goodput_bps"] or 0.0)
    times = sorted(sums)
    # Means over a second.
    steps = [times[start : start + PER_POINT] for start in range(0, len(times), PER_POINT)]
    return [step[-1] for step in steps], [sum(sums[each] for each in step) / len(step) for step in steps]


# With a flow of the reference beside one under test.
ANY = PLAIN._replace(rate=0, rtt=0, buffer=0, rivals=1)
# The names that the given ones replace when they are checked.
PLACES = ("newreno", "newreno")
ATLAS, FOUND = "atlas.json", "found"
# In the name of the scenario file of a find with the reference in place of the algorithm.
AGAINST = "against"
BATCH, CHUNK = 32, 16
LOOKED_AT, FINDS, FRESH = 20, 10, 5
# The replication of the search, after the fresh ones, which `narrows run` repeats with a find's scenario file.
SEARCH = FRESH
# The least part of the score that a simplified environment keeps.
KEPT = 0.8
# Approximate parts of all the work: the search, simplifying its finds, repeating them in the simulator.
SEARCHED, SIMPLIFIED, REPEATED = 0.7, 0.8, 0.95
PER_POINT = 10
STOPPED = "what was evaluated is kept; the same command goes on"
