"""The run of a search: evaluations in batches, then finds that are simplified and repeated."""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows import core
from narrows.errors import InputError, Interrupted, OutputError
from narrows.external.names import short_names
from narrows.external.source import is_external, named_files
from narrows.files.folder import check_place
from narrows.files.inputs import keep
from narrows.files.manifest import to_json, write_json
from narrows.files.sealed import read_object
from narrows.linux import backend
from narrows.linux.backend import SIMULATOR
from narrows.run.execution import execute
from narrows.run.scenario import Scenario
from narrows.search.archive import Archive, Elite, chosen
from narrows.search.scores import KINDS, WORDS, scores
from narrows.search.space import BDP_NAMES, BUFFER_NAMES, Environment, simpler
from narrows.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from narrows.run.jobs import Watch
    from narrows.search.scores import Scores


@dataclass(frozen=True)
class Budget:
    """How long a search goes on.

    Attributes:
        evaluations: Number of environments; None for no limit.
        time_s: Time of this and earlier commands, seconds; None for no limit.
    """

    evaluations: int | None = None
    time_s: float | None = None


@dataclass(frozen=True)
class Repeated:
    """A find in fresh replications on one backend.

    Attributes:
        scores: The score of each.
    """

    scores: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """Mean score."""
        return estimate(self.scores)["mean"] or 0.0

    @property
    def interval(self) -> list[float]:
        """Its 95 % interval, cut at the greatest possible score."""
        return [min(end, 1.0) for end in estimate(self.scores)["ci95"] or (-math.inf, math.inf)]

    @property
    def confirmed(self) -> bool:
        """Whether the whole interval is above 0."""
        return self.interval[0] > 0

    def entry(self) -> dict[str, Any]:
        """Return the values of `atlas.json`."""
        return {
            "score": self.mean,
            "interval": self.interval,
            "replications": len(self.scores),
            "confirmed": self.confirmed,
        }

    def text(self) -> str:
        """Return mean and interval as text."""
        return f"{self.mean:.2f} ({' to '.join(f'{end:.2f}' for end in self.interval)})"


@dataclass
class Find:
    """An environment in which the algorithm does worse, simplified and repeated.

    Attributes:
        elite: What the search found.
        environment: The simplified environment.
        score: Its score in the replication of the search.
        repeated: Fresh replications in the simulator.
        kernel: The same replications on a kernel; None if there are none.
    """

    elite: Elite
    environment: Environment
    score: float
    repeated: Repeated = field(default_factory=Repeated)
    kernel: Repeated | None = None

    @property
    def confirmed(self) -> bool:
        """Whether the fresh replications in the simulator confirm it."""
        return self.repeated.confirmed


class Search:
    """A search in a folder; what it has evaluated there is not evaluated again."""

    def __init__(  # noqa: PLR0913, PLR0917  # what the command line gives
        self,
        subject: str,
        reference: str,
        seed: int,
        folder: Path,
        jobs: int | None,
        watch: Watch,
        on: str = SIMULATOR,
    ) -> None:
        """Open the folder of a search, or begin a new one.

        Args:
            subject: The algorithm.
            reference: What it is compared with.
            seed: Seed of the search and of the scenarios.
            folder: Folder of the results.
            jobs: Maximum number of runs at a time; None is the number of processors.
            watch: Receives the progress and may stop the search.
            on: A kernel on which finds are repeated, too; the search itself is the simulator's.

        Raises:
            InputError: There is no such kernel, or it does not have an algorithm.
            OutputError: The folder holds something else.
            ScenarioError: An algorithm has faults.
        """
        self.subject, self.reference, self.seed = (_absolute(subject), _absolute(reference), seed)
        self.names = short_names([subject, reference])
        self.given = (subject, reference)
        self.folder, self.jobs, self.watch, self.on = folder, jobs, watch, on
        self.known: dict[Environment, Scores] = {}
        self.spent_s = 0.0
        self._scenarios(ANY)
        try:
            self._scenarios(ANY, on)
        except core.ScenarioError as error:
            first = error.diagnostics[0]
            raise InputError(f"--on {on}", f"{first['message']}; allowed: {first['allowed']}") from error
        self._open()

    def run(self, budget: Budget) -> Archive:
        """Search until the budget is spent.

        Raises:
            Interrupted: The search was stopped; what was evaluated is kept.
        """
        archive = Archive(self.seed)
        while True:
            left = BATCH if budget.evaluations is None else min(BATCH, budget.evaluations - archive.evaluations)
            batch = archive.proposals(left) if left > 0 else []
            spent = budget.time_s is not None and self.spent_s >= budget.time_s
            if not batch or (spent and any(each not in self.known for each in batch)):
                return archive
            part = self._part(archive.evaluations, budget)
            self._evaluate(batch, part)
            for each in batch:
                archive.add(each, self.known[each])

    def finds(self, archive: Archive) -> list[Find]:
        """Simplify the best elites, repeat them on fresh seeds, and return the simplest first.

        Those that are confirmed are repeated on the kernel, too, if there is one.
        """
        open_ = [Find(each, each.environment, each.score) for each in chosen(archive.elites, LOOKED_AT)]
        settled: list[Find] = []
        while open_:
            tries = [(find, list(simpler(find.environment))) for find in open_]
            self._evaluate(list(dict.fromkeys(each for _, several in tries for each in several)), 1.0)
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
        for find in ordered:
            find.repeated = self._repeat(find, SIMULATOR)
        found = _each_kind_first([each for each in ordered if each.confirmed])[:FINDS]
        found.sort(key=lambda each: (each.environment.unusual, -each.repeated.mean))
        for find in found if self.on != SIMULATOR else ():
            find.kernel = self._repeat(find, self.on)
        return [*found, *(each for each in ordered if not each.confirmed)]

    def curves(self, find: Find) -> dict[str, tuple[list[float], list[float]]]:
        """Return the goodput of the flows under test over time, with the algorithm and with the reference."""
        pair = self._scenarios(find.environment)
        records = execute([(each, 0) for each in pair], self.jobs, self.watch)
        found = {}
        for name, each in zip(self.names.values(), records, strict=True):
            if each is not None:
                found[name] = _goodput(each)
        return found

    def write(self, archive: Archive, finds: Sequence[Find], command: str) -> dict[str, Any]:
        """Write `atlas.json` and a scenario file for each confirmed find; return the atlas."""
        home = self.folder / FOUND
        home.mkdir(exist_ok=True)
        for old in home.glob("*.toml"):
            old.unlink()
        written = [self._written(find, home, place) for place, find in enumerate(finds, 1)]
        confirmed = [entry for entry in written if entry["confirmed"]]
        atlas = {
            "title": f"Where {self.names[self.given[0]]} does worst against {self.names[self.given[1]]}",
            "algorithm": self.names[self.given[0]],
            "against": self.names[self.given[1]],
            "seed": self.seed,
            "evaluations": archive.evaluations,
            "on": self.on,
            "kernel": None if self.on == SIMULATOR else backend.describe(backend.find(self.on)),
            "command": command,
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
        write_json(self.folder / ATLAS, atlas)
        return atlas

    def _written(self, find: Find, home: Path, place: int) -> dict[str, Any]:
        subject, _ = self._scenarios(find.environment)
        name = None
        if find.confirmed:
            name = f"{place:02}-{find.elite.kind}.toml"
            keep(home, subject.files)
            lines = [
                f"# {find.environment.words()}.",
                (
                    f"# {find.elite.kind}, {WORDS[find.elite.kind]}: {find.repeated.text()} against "
                    f"{self.names[self.given[1]]}, over {len(find.repeated.scores)} replications."
                ),
            ]
            if find.kernel is not None:
                lines.append(f"# --on {self.on}: {find.kernel.text()}, over {len(find.kernel.scores)} replications.")
            (home / name).write_text("\n".join(lines) + "\n\n" + subject.portable, encoding="utf-8")
        return {
            "kind": find.elite.kind,
            **find.repeated.entry(),
            **({} if find.kernel is None else {"linux": find.kernel.entry()}),
            "words": find.environment.words(),
            "environment": find.environment.written(),
            "unusual": find.environment.unusual,
            "scenario": None if name is None else f"{FOUND}/{name}",
        }

    def _repeat(self, find: Find, on: str) -> Repeated:
        pair = self._scenarios(find.environment, on)
        runs = [(each, index) for index in range(1, FRESH + 1) for each in pair]
        records = execute(runs, self.jobs, self.watch)
        if any(each is None for each in records):
            raise Interrupted(STOPPED)
        found = []
        for a, b in zip(records[::2], records[1::2], strict=True):
            if a is not None and b is not None:
                found.append(scores((pair[0], a), (pair[1], b)).get(find.elite.kind, 0.0))
        return Repeated(found)

    def _evaluate(self, environments: Sequence[Environment], part: float) -> None:
        """Evaluate what is not known yet, and keep it."""
        todo = [each for each in environments if each not in self.known]
        for start in range(0, len(todo), CHUNK):
            begun_s = time.monotonic()
            chunk = todo[start : start + CHUNK]
            pairs = [self._scenarios(each) for each in chunk]
            records = execute([(each, 0) for pair in pairs for each in pair], self.jobs, _Quiet(self.watch))
            if any(each is None for each in records):
                raise Interrupted(STOPPED)
            lines = []
            took_s = (time.monotonic() - begun_s) / len(chunk)
            for each, pair, a, b in zip(chunk, pairs, records[::2], records[1::2], strict=True):
                if a is None or b is None:
                    continue
                self.known[each] = scores((pair[0], a), (pair[1], b))
                lines.append(json.dumps({"environment": list(each), "scores": self.known[each], "time_s": took_s}))
            self.spent_s += took_s * len(chunk)
            with (self.folder / HISTORY).open("a", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in lines))
            self.watch.update(min(part, 1.0))
            if self.watch.stopped():
                raise Interrupted(STOPPED)

    def _part(self, evaluations: int, budget: Budget) -> float:
        parts = [0.0]
        if budget.evaluations:
            parts.append(evaluations / budget.evaluations)
        if budget.time_s:
            parts.append(self.spent_s / budget.time_s)
        return SEARCHING * max(parts)

    def _scenarios(self, environment: Environment, on: str = SIMULATOR) -> tuple[core.Scenario, core.Scenario]:
        found = []
        for subject in (self.subject, self.reference):
            text = environment.scenario(subject, self.reference)
            named = named_files([self.subject, self.reference], [], Path())
            written = Scenario(text, "environment", ".", trust=bool(named), on=on)
            found.append(written.resolve(None, REPLICATIONS, self.seed))
        return found[0], found[1]

    def _open(self) -> None:
        pair = self._scenarios(Environment(3, 2, 3, 0, 0, 1, 0))
        about = {
            "algorithm": self.names[self.given[0]],
            "against": self.names[self.given[1]],
            "seed": self.seed,
            "digests": [each.digest for each in pair],
            "engine": _engine(),
        }
        file = self.folder / ABOUT
        if file.is_file():
            if read_object(file) != about:
                raise OutputError(f"{self.folder} holds a search of something else: name another folder")
            for each in self._history():
                self.known[Environment(*each["environment"])] = each["scores"]
                self.spent_s += each["time_s"]
            return
        check_place(self.folder, replace=False)
        self.folder.mkdir(parents=True, exist_ok=True)
        file.write_text(to_json(about) + "\n", encoding="utf-8")

    def _history(self) -> Iterator[dict[str, Any]]:
        if not (self.folder / HISTORY).exists():
            return
        for line in (self.folder / HISTORY).read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                # The last line of a process that was killed.
                return


@dataclass(frozen=True)
class _Quiet:
    """Stops the work, and reports no progress of a part of it."""

    watch: Watch

    def update(self, fraction: float) -> None:
        """Ignore the progress."""

    def stopped(self) -> bool:
        """Return whether a stop was requested."""
        return self.watch.stopped()


def _engine() -> str:
    return core.fingerprint()


def _absolute(name: str) -> str:
    return str(Path(name).absolute()) if is_external(name) else name


def _each_kind_first(finds: Sequence[Find]) -> list[Find]:
    """Return the simplest find of each kind, then all others in their order."""
    first = {each.elite.kind: each for each in reversed(finds)}
    return [*first.values(), *(each for each in finds if each not in first.values())]


def _goodput(records: core.Records) -> tuple[list[float], list[float]]:
    from narrows.run.tables import table
    from narrows.search.space import TEST

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
ANY = Environment(0, 0, 0, 0, 0, 1, 0)
ABOUT, HISTORY, ATLAS, FOUND = "search.json", "history.jsonl", "atlas.json", "found"
BATCH, CHUNK = 32, 16
LOOKED_AT, FINDS, FRESH = 20, 10, 5
REPLICATIONS = FRESH + 1
# A simplified environment keeps so much of the score.
KEPT = 0.8
# Part of the progress before finds are simplified.
SEARCHING = 0.9
PER_POINT = 10
STOPPED = "what was evaluated is kept; the same command goes on"
