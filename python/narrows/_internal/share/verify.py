# SPDX-License-Identifier: Apache-2.0
"""Repeats packed results, compares digests, then all displayed numbers; names each part that differs."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from dataclasses import asdict, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows._internal import core
from narrows._internal.errors import InputError, Interrupted
from narrows._internal.experiments.executors.threads import Threads
from narrows._internal.experiments.plan import PLAN, Plan, executed_by, load_plan
from narrows._internal.experiments.store import TABLE
from narrows._internal.experiments.stored import stored
from narrows._internal.experiments.task import Finished, Outcome, Task
from narrows._internal.external.source import SUFFIXES
from narrows._internal.external.trust import ALL_CHANGES, Trust, refuse_untrusted
from narrows._internal.files.json_objects import read_object
from narrows._internal.files.kinds import RUN, Kind, call, kind_of
from narrows._internal.files.manifest import MANIFEST, check_folder, file_digest
from narrows._internal.files.place import inside
from narrows._internal.files.run_folder import SCENARIO, RunFolder
from narrows._internal.files.shape import fitting
from narrows._internal.frozen import frozen
from narrows._internal.plural import counted
from narrows._internal.run import execution
from narrows._internal.run.jobs import Share, Unwatched, Watch, Wordless
from narrows._internal.run.options import Options
from narrows._internal.run.scenario import Scenario, read
from narrows._internal.share import judged as judging
from narrows._internal.share import recomputed
from narrows._internal.share.kept_runs import resolved
from narrows._internal.share.numbers import Difference
from narrows._internal.share.pack import changed, studies_of, unpack
from narrows._internal.share.recomputed import LEFT, Left, named_in
from narrows._internal.versions import version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from narrows._internal.run.results import Run
    from narrows._internal.share.kept_runs import KeptRuns


@frozen
class Repeated:
    """One run or cell that was repeated."""

    name: str  # the algorithm of a comparison, the cell of a study, or the run of a trial or an atlas; empty for a run
    stored: str  # digest of its records as packed
    found: str | None  # digest of its records here; None if it could not be repeated


@frozen
class Verdict:
    """The result of a verification."""

    kind: str  # such as `run`, `comparison` or `study`
    title: str
    repeated: list[Repeated]
    differences: list[Difference]  # another version is one, even if all digests are equal
    # Readable parts of the results that were not compared, and why.
    not_compared: list[Left] = field(default_factory=list)

    @property
    def same(self) -> bool:
        """Whether every digest and number is the packed one, and no file has changed since it was written."""
        digests = all(each.found == each.stored for each in self.repeated)
        return digests and all(each.part == "version" for each in self.differences)

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return {"same": self.same, **asdict(self), "not_compared": [each._asdict() for each in self.not_compared]}


def verify(file: str | os.PathLike[str], jobs: int = 1, *, trust: bool = False, watch: Watch | None = None) -> Verdict:
    """Repeat the results in a file that `pack` wrote."""
    # Without trust nothing in the file is executed: its scenarios are searched for code before anything runs. With or
    # without trust, no file outside of it is read.
    with tempfile.TemporaryDirectory(prefix="narrows-") as temporary:
        folder = Path(temporary).resolve()
        unpack(file, folder)
        try:
            return of_folder(folder, jobs, watch or Unwatched(), trust=trust)
        except InputError as error:
            # The temporary folder is gone by then.
            inner = Path(error.file)
            place = inner.relative_to(folder).as_posix() if inner.is_relative_to(folder) else error.file
            problem = error.problem.replace(str(folder), str(file))
            raise InputError(str(file), problem if place == "." else f"{place} {problem}") from None


def of_folder(folder: Path, jobs: int, watch: Watch, *, trust: bool = False) -> Verdict:
    """Repeat the results in an unpacked file; arguments and errors as for `verify`."""
    found: Verdict = call((kind_of(folder) or RUN).repeat, folder, jobs, watch, trust=trust)
    if not found.repeated:
        found.differences.append(Difference("records", "results", "have no run that could be repeated"))
    return found


def _may(folder: Path, *, trust: bool) -> Trust:
    """Return the rights of the scenarios in an unpacked folder: to read its files, and with trust to execute code."""
    within = Trust(within=str(folder))
    return within._replace(files=(os.sep,), text=True, changes=ALL_CHANGES) if trust else within


def repeat_runs(folder: Path, jobs: int, watch: Watch, *, trust: bool) -> Verdict:
    """Repeat a run or a comparison."""
    whole = RunFolder(folder)
    manifest = _manifest(whole)
    inner = {name: run for name, run in whole.runs.items() if run.path.is_dir()} if whole.runs else {"": whole}
    written = {name: _written(run, trust=trust) for name, run in inner.items()}
    faults: dict[str, str] = {}
    listed = {}
    for name, each in written.items():
        _check_schema(each.folder.manifest.get("digest_schema", 0), each.folder.path / MANIFEST)
        try:
            listed[str(each.folder.scenario_file.relative_to(folder))] = each.scenario.executes()
        except core.ScenarioError as error:
            if not error.diagnostics[0]["path"]:
                raise InputError(str(each.folder.scenario_file), f"is damaged: {error}") from None
            # It is not run either.
            faults[name] = str(error)
    refuse_untrusted(str(folder), listed)
    # An interrupted comparison may lack runs: then its results are incomplete.
    missing = [Difference("records", name, "is missing") for name in whole.runs if name not in inner]
    changed = [*_damage(folder), *missing]
    repeated = []
    runs: dict[str, Run] = {}
    for number, (name, each) in enumerate(written.items()):
        share = Share(watch, number / len(written), 1 / len(written))
        one, differences, run = _run(each, name, jobs, share, faults.get(name))
        repeated.append(one)
        changed += differences
        if run is not None:
            runs[name] = run
    kind = "comparison" if whole.runs else "run"
    if runs and len(runs) == len(written):
        added = any(each.part == "version" for each in changed)
        with fitting(folder):
            equal = {each.name for each in repeated if each.found == each.stored}
            for name, run in runs.items():
                # With other records all numbers differ; the first value shows the divergence.
                changed += (
                    recomputed.of_run(inner[name], name, run, added=added)
                    if name in equal
                    else islice(recomputed.of_tables(inner[name], name, run), 1)
                )
            if whole.runs and len(equal) == len(runs):
                changed += recomputed.of_comparison(whole, runs, added=added)
    return Verdict(kind, manifest.get("title", ""), repeated, _distinct(changed), [*LEFT[kind]])


class _Written(NamedTuple):
    """A packed run: its folder and its scenario."""

    folder: RunFolder
    scenario: Scenario


def _written(folder: RunFolder, *, trust: bool) -> _Written:
    manifest = _manifest(folder)
    missing = next((key for key in ("seed", "replications", "digest") if key not in manifest), None)
    if missing is not None:
        raise InputError(str(folder.path / MANIFEST), f"is not that of a run: it has no `{missing}`")
    backend = manifest.get("backend", {})
    on, queue = backend.get("on", "simulator"), backend.get("queue", "")
    scenario = read(folder.scenario_file, trust=_may(folder.path, trust=trust), on=on, queue=queue)
    return _Written(folder, scenario)


def _check_schema(given: int, file: Path) -> None:
    """Check that the digests of a file can be compared with digests that are computed here."""
    here = core.digest_schema()
    if given != here:
        theirs = f"schema {given}" if given else "a former definition"
        problem = (
            f"lists digests of {theirs}, and Narrows {version('narrows')}, which is installed, computes those of schema"
            f" {here}, which cover something else: verify it with the {'newer' if given > here else 'older'} version "
            "that wrote it, or make and pack the results again"
        )
        raise InputError(str(file), problem)


def _manifest(folder: RunFolder) -> dict[str, Any]:
    try:
        return folder.manifest
    except FileNotFoundError:
        raise InputError(str(folder.path), f"holds no {MANIFEST}") from None


def _damage(folder: Path) -> Iterator[Difference]:
    try:
        check_folder(folder)
    except InputError as error:
        yield Difference("file", Path(error.file).name, error.problem)


def _run(
    written: _Written, name: str, jobs: int, watch: Watch, fault: str | None
) -> tuple[Repeated, list[Difference], Run | None]:
    folder, scenario = written
    manifest = folder.manifest
    differences = [*_versions(manifest), *_inputs(folder.path, manifest.get("inputs", {}), MANIFEST)]
    stored = manifest["digest"]
    try:
        resolved = None if fault else scenario.resolve(None, manifest["replications"] or None, manifest["seed"])
    except core.ScenarioError as error:
        resolved, fault = None, str(error)
    if resolved is None:
        differences.append(Difference("scenario", named_in(SCENARIO, name), f"cannot be read here: {fault}"))
        return Repeated(name, stored, None), differences, None
    if f"sha256:{resolved.digest}" != manifest.get("scenario"):
        differences.append(Difference("scenario", named_in(SCENARIO, name), "is resolved to another scenario"))
    run = execution.run(resolved, Options(jobs=jobs, watch=Wordless(watch)))
    if watch.stopped():
        raise Interrupted(STOPPED)
    found = str(run.summary["digest"])
    return Repeated(name, stored, found), differences, run


def repeat_suite(folder: Path, jobs: int, watch: Watch, *, trust: bool) -> Verdict:
    """Repeat the studies of a suite, and judge it again."""
    may = _may(folder, trust=trust)
    return _collection(folder, jobs, watch, lambda: judging.of_suite(folder, may), trust=trust)


def repeat_reproduction(folder: Path, jobs: int, watch: Watch, *, trust: bool) -> Verdict:
    """Repeat the studies of a reproduction, and judge its claims again."""
    return _collection(folder, jobs, watch, lambda: judging.of_reproduction(folder), trust=trust)


def repeat_both(folder: Path, jobs: int, watch: Watch, *, trust: bool) -> Verdict:
    """Repeat the studies of a matrix or deployment on both backends, and compare these again."""
    return _collection(folder, jobs, watch, lambda: judging.of_both(folder), trust=trust)


def _collection(folder: Path, jobs: int, watch: Watch, judge: Callable[[], judging.Judged], *, trust: bool) -> Verdict:
    """Repeat every study of a folder, and judge it again; nothing runs before all of them are trusted."""
    kind, studies = kind_of(folder) or RUN, studies_of(folder)
    damage = (Difference("file", place, detail) for place, detail in changed(folder))
    differences = [*(damage if kind.own else _damage(folder))]
    listed = {}
    for each in studies:
        with suppress(core.ScenarioError):
            # An unreadable file is reported with its study.
            plan = load_plan(each, _may(each, trust=trust))
            listed[f"{each.relative_to(folder).as_posix()}/{PLAN}"] = executed_by(plan)
    refuse_untrusted(str(folder), listed)
    repeated = []
    for number, each in enumerate(studies):
        place = each.relative_to(folder).as_posix()
        found = repeat_study(each, jobs, Share(watch, number / len(studies), 1 / len(studies)), trust=trust)
        repeated += [replace(one, name=f"{place} {one.name}") for one in found.repeated]
        differences += [
            one if one.part == "version" else replace(one, what=f"{place}: {one.what}") for one in found.differences
        ]
    left: Sequence[Left] = ()
    if repeated and all(each.found == each.stored for each in repeated):
        with fitting(folder):
            judged = judge()
        differences, left = [*differences, *judged.differences], judged.left
    return Verdict(kind.name, _title(folder, kind), repeated, _distinct(differences), [*LEFT[kind.name], *left])


def _title(folder: Path, kind: Kind) -> str:
    """Return the title of a folder; the title of a reproduction is the name of its study."""
    file = folder / kind.results
    return str(read_object(file).get(kind.title, "")) if file.is_file() else ""


def repeat_trial(folder: Path, jobs: int, watch: Watch, *, trust: bool) -> Verdict:
    """Repeat the runs of a trial, and judge them again."""
    return _kept_runs(folder, jobs, watch, judging.OfTrial, trust=trust)


def repeat_atlas(folder: Path, jobs: int, watch: Watch, *, trust: bool) -> Verdict:
    """Repeat the runs of the finds of an atlas, and judge them again."""
    return _kept_runs(folder, jobs, watch, judging.OfAtlas, trust=trust)


def _kept_runs(
    folder: Path, jobs: int, watch: Watch, judge_of: type[judging.OfTrial | judging.OfAtlas], *, trust: bool
) -> Verdict:
    """Repeat the runs that a folder keeps; nothing runs before all of them are trusted."""
    kind = kind_of(folder) or RUN
    kept: KeptRuns = call(kind.packable, folder)
    _check_schema(kept.digest_schema, folder)
    try:
        scenarios = kept.scenarios(folder, _may(folder, trust=trust))
        refuse_untrusted(str(folder), {file: each.executes() for (file, _), each in scenarios.items()})
        runs = [(resolved(scenarios[each.file, each.on], each), each.replication) for each in kept.runs]
    except core.ScenarioError as error:
        raise InputError(str(folder), f"has a scenario that cannot be read here: {error}") from None
    differences = [
        *(Difference("file", place, detail) for place, detail in changed(folder)),
        *_engine(kept.engine, ""),
    ]
    with fitting(folder):
        judge = judge_of(folder, kept.runs, [scenario for scenario, _ in runs])
    repeated = []
    for start in range(0, len(runs), CHUNK):
        part = Share(watch, start / len(runs), min(CHUNK, len(runs) - start) / len(runs))
        records = execution.execute(runs[start : start + CHUNK], jobs, part)
        if watch.stopped():
            raise Interrupted(STOPPED)
        for number, found in enumerate(records, start):
            each = kept.runs[number]
            repeated.append(Repeated(each.name, each.digest, found.digest if found else None))
            if found is not None:
                with fitting(folder):
                    judge.take(number, found)
    differences += [
        Difference("records", each.name, "has other records") for each in repeated if each.found != each.stored
    ]
    if all(each.found == each.stored for each in repeated):
        with fitting(folder):
            differences += judge.judged().differences
    return Verdict(kind.name, _title(folder, kind), repeated, _distinct(differences), [*LEFT[kind.name]])


def repeat_study(folder: Path, jobs: int, watch: Watch, *, trust: bool) -> Verdict:
    """Repeat the cells of a study."""
    study = stored(folder, _may(folder, trust=trust))
    plan = study.plan
    _check_schema(plan.digest_schema, folder / PLAN)
    inputs = [*_inputs(folder, {place: f"sha256:{digest}" for place, digest in plan.inputs.items()}, PLAN)]
    try:
        listed = {PLAN: executed_by(plan)}
    except core.ScenarioError as error:
        if inputs:
            # The reason why nothing is repeated.
            return Verdict("study", plan.title, [], inputs, [Left("all numbers", "nothing was repeated")])
        raise InputError(str(folder / PLAN), f"cannot be read here: {error}") from None
    refuse_untrusted(str(folder), listed)
    differences = [
        *(_damage(folder) if (folder / MANIFEST).is_file() else ()),
        *_engine(plan.base.engine, ""),
        *inputs,
    ]
    rows = study.table()
    digests = dict(zip(rows["cell"].to_pylist(), rows["digest"].to_pylist(), strict=True))
    ledger, _, failed = study.recovered()
    settled = digests.keys() | failed
    missing = sum(plan.key(*cell) not in settled for cell in ledger.all_cells())
    if missing:
        differences.append(Difference("records", TABLE, f"lacks {missing} of {counted(ledger.cells, 'cell')}"))
    tasks = _tasks(plan, digests, watch)
    outcomes = perform(tasks, jobs, watch)
    repeated = [
        Repeated(key, digests[key], outcome.digest if isinstance(outcome, Finished) else None)
        for key, outcome in outcomes.items()
    ]
    differences += [
        Difference("records", f"cell {each.name}", _why(outcomes[each.name]))
        for each in repeated
        if each.found != each.stored
    ]
    finished = [each for each in outcomes.values() if isinstance(each, Finished)]
    if len(finished) == len(outcomes) and all(each.found == each.stored for each in repeated):
        with fitting(folder):
            differences += recomputed.of_study(study, finished)
    return Verdict("study", plan.title, repeated, differences, [*LEFT["study"]])


def _tasks(plan: Plan, finished: Mapping[str, str], watch: Watch) -> dict[str, Task]:
    """Return the tasks of the cells with these keys, to be run by the engine that is here."""
    here = replace(plan, base=replace(plan.base, engine=core.fingerprint()))
    tasks: dict[str, Task] = {}
    for number in range(plan.replications.maximum):
        if len(tasks) == len(finished):
            break
        if watch.stopped():
            raise Interrupted(STOPPED)
        for point in plan.points:
            key = plan.key(point, number)
            if key in finished:
                tasks[key] = replace(here.task(point, number), key=key)
    return tasks


def perform(tasks: Mapping[str, Task], jobs: int, watch: Watch) -> dict[str, Outcome]:
    """Run tasks, and return their results in their order."""
    found: dict[str, Outcome] = {}
    with Threads(jobs) as threads:
        for task in tasks.values():
            threads.submit(task)
        while len(found) < len(tasks):
            found |= {each.key: each for each in threads.completed(STEP_S)}
            watch.update(len(found) / len(tasks))
            if watch.stopped():
                raise Interrupted(STOPPED)
    return {key: found[key] for key in tasks}


def _why(outcome: Outcome) -> str:
    return "has other records" if isinstance(outcome, Finished) else getattr(outcome, "error", "was not run")


def _versions(manifest: Mapping[str, Any]) -> Iterator[Difference]:
    versions = manifest.get("versions", {})
    yield from _engine(versions.get("engine"), versions.get("narrows", ""))


def _engine(engine: str | None, release: str) -> Iterator[Difference]:
    if engine != core.fingerprint():
        here = f"{version('narrows')}, {core.fingerprint()[:SHOWN]}"
        was = ", ".join(filter(None, (release, str(engine)[:SHOWN])))
        yield Difference("version", "engine", f"is {here} here, and was {was}")


def _inputs(folder: Path, inputs: Mapping[str, str], named_in: str) -> Iterator[Difference]:
    for place, digest in inputs.items():
        file = inside(folder, place, folder / named_in)
        part = "algorithm" if file.suffix in SUFFIXES else "trace"
        if not file.is_file():
            yield Difference(part, place, "is missing")
        elif file_digest(file) != digest:
            yield Difference(part, place, "has other content than the one that was used")


def _distinct(differences: list[Difference]) -> list[Difference]:
    return list(dict.fromkeys(differences))


STOPPED = "nothing is changed; the same command verifies the file anew"
STEP_S = 0.1
# Runs whose records are in memory at a time.
CHUNK = 16
# Digits of a fingerprint that are shown.
SHOWN = 12
