"""Repeats packed results and compares digests; where they differ, finds the part that does and the reason."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows import core
from narrows.compared import runs_of
from narrows.errors import InputError
from narrows.files.manifest import MANIFEST, check_folder, file_digest
from narrows.files.sealed import read_object
from narrows.run.scenario import read
from narrows.share.executed import executed
from narrows.share.pack import unpack
from narrows.study.campaign import table as cells_of
from narrows.study.plan import PLAN, load_plan
from narrows.study.task import Finished, perform

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from narrows.study.plan import Plan
    from narrows.study.task import Outcome


@dataclass(frozen=True)
class Difference:
    """A part of packed results that differs from what is found here.

    Attributes:
        part: `version`, `scenario`, `trace`, `algorithm`, `file` or `records`.
        what: Which one.
        detail: How it differs.
    """

    part: str
    what: str
    detail: str


@dataclass(frozen=True)
class Repeated:
    """One run or cell that was repeated.

    Attributes:
        name: The algorithm of a comparison, or the cell of a study; empty for a run.
        stored: Digest of its records as packed.
        found: Digest of its records here; None if it could not be repeated.
    """

    name: str
    stored: str
    found: str | None


@dataclass(frozen=True)
class Verdict:
    """The result of a verification.

    Attributes:
        kind: `run`, `comparison` or `study`.
        title: Title of the results.
        repeated: Every run or cell that was repeated.
        differences: What differs. Another version is one even if all digests are equal.
    """

    kind: str
    title: str
    repeated: list[Repeated]
    differences: list[Difference]

    @property
    def same(self) -> bool:
        """Whether every digest is the packed one, and no file has changed since it was written."""
        digests = all(each.found == each.stored for each in self.repeated)
        return digests and all(each.part == "version" for each in self.differences)

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return {"same": self.same, **asdict(self)}


def verify(file: str | os.PathLike[str], jobs: int = 1, *, trust: bool = False) -> Verdict:
    """Repeat the results in a file that `pack` wrote.

    Args:
        file: The file.
        jobs: Number of runs at a time.
        trust: Whether the Python files in it, and the commands of `program` keys, may be executed.

    Raises:
        InputError: The file is no archive of results, or it holds code or commands that are not trusted.
    """
    with tempfile.TemporaryDirectory(prefix="narrows-") as temporary:
        folder = Path(temporary)
        unpack(file, folder)
        code = executed(folder)
        if code and not trust:
            problem = (
                f"holds code or commands to execute ({', '.join(code)}); read them, and if you trust them, add --trust"
            )
            raise InputError(str(file), problem)
        if (folder / PLAN).is_file():
            return _study(folder, jobs)
        manifest = _manifest(folder, file)
        changed = list(_damage(folder))
        inner = runs_of(manifest)
        runs = {name: folder / place for name, place in inner.items()} if inner else {"": folder}
        repeated = []
        for name, place in runs.items():
            # Of an interrupted comparison some are missing.
            if place.is_dir():
                one, differences = _run(place, name, jobs)
                repeated.append(one)
                changed += differences
        kind = "comparison" if inner else "run"
        return Verdict(kind, str(manifest.get("title", "")), repeated, _distinct(changed))


def _manifest(folder: Path, file: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        return read_object(folder / MANIFEST)
    except FileNotFoundError:
        raise InputError(str(file), f"holds no {MANIFEST}") from None


def _damage(folder: Path) -> Iterator[Difference]:
    try:
        check_folder(folder)
    except InputError as error:
        yield Difference("file", Path(error.file).name, error.problem)


def _run(folder: Path, name: str, jobs: int) -> tuple[Repeated, list[Difference]]:
    manifest = _manifest(folder, folder)
    differences = [*_versions(manifest), *_inputs(folder, manifest.get("inputs", {}))]
    stored = str(manifest.get("digest"))
    try:
        backend = manifest.get("backend", {})
        written = read(folder / "scenario.toml", on=backend.get("on", "simulator"), queue=backend.get("queue", ""))
        scenario = written.resolve(None, manifest["replications"], manifest["seed"])
    except (core.ScenarioError, InputError, KeyError) as error:
        differences.append(Difference("scenario", _of("scenario.toml", name), f"cannot be read here: {error}"))
        return Repeated(name, stored, None), differences
    if f"sha256:{scenario.digest}" != manifest.get("scenario"):
        differences.append(Difference("scenario", _of("scenario.toml", name), "is resolved to another scenario"))
    run = written.run(manifest["replications"], manifest["seed"], jobs)
    found = str(run.summary["digest"])
    if found != stored:
        differences += _tables(folder, name, run)
    return Repeated(name, stored, found), differences


def _tables(folder: Path, name: str, run: Any) -> Iterator[Difference]:
    """Return the first table whose values differ from those in the folder."""
    import pyarrow.parquet as pq

    for table in (schema["name"] for schema in core.tables()):
        file = folder / f"{table}.parquet"
        if not file.is_file():
            continue
        before, now = pq.read_table(file), run.table(table)
        if before.schema.names != now.schema.names:
            yield Difference("records", _of(table, name), "has other columns")
            return
        for column in before.schema.names:
            pairs = zip(before[column].to_pylist(), now[column].to_pylist(), strict=False)
            place = next((row for row, (one, other) in enumerate(pairs) if one != other), None)
            if place is not None:
                detail = f"{column} in row {place} is {now[column][place]}, and was {before[column][place]}"
                yield Difference("records", _of(table, name), detail)
                return
        if before.num_rows != now.num_rows:
            yield Difference("records", _of(table, name), f"has {now.num_rows} rows, and had {before.num_rows}")
            return


def _study(folder: Path, jobs: int) -> Verdict:
    plan = load_plan(folder)
    differences = [
        *(_damage(folder) if (folder / MANIFEST).is_file() else ()),
        *_engine(plan.base.engine, ""),
        *_inputs(folder, {place: f"sha256:{digest}" for place, digest in plan.inputs.items()}),
    ]
    rows = cells_of(folder)
    stored = dict(zip(rows["cell"].to_pylist(), rows["digest"].to_pylist(), strict=True))
    tasks = _tasks(plan, set(stored))
    with ThreadPoolExecutor(jobs) as pool:
        outcomes = list(pool.map(perform, tasks.values()))
    repeated = [
        Repeated(key, stored[key], outcome.digest if isinstance(outcome, Finished) else None)
        for key, outcome in zip(tasks, outcomes, strict=True)
    ]
    differences += [
        Difference("records", f"cell {each.name}", _why(outcome))
        for each, outcome in zip(repeated, outcomes, strict=True)
        if each.found != each.stored
    ]
    return Verdict("study", plan.title, repeated, differences)


def _tasks(plan: Plan, finished: set[str]) -> dict[str, Any]:
    """Return the tasks of the cells with these keys, to be run by the engine that is here."""
    here = replace(plan, base=replace(plan.base, engine=core.fingerprint()))
    cells = [(point, number) for point in plan.points for number in range(plan.replications.maximum)]
    keys = {plan.key(*cell): cell for cell in cells}
    return {key: here.task(*cell) for key, cell in keys.items() if key in finished}


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


def _inputs(folder: Path, inputs: Mapping[str, str]) -> Iterator[Difference]:
    for place, digest in inputs.items():
        file = folder / place
        part = "algorithm" if file.suffix == ".py" else "trace"
        if not file.is_file():
            yield Difference(part, place, "is missing")
        elif file_digest(file) != digest:
            yield Difference(part, place, "has other content than the one that was used")


def _of(what: str, name: str) -> str:
    return f"{what} of {name}" if name else what


def _distinct(differences: list[Difference]) -> list[Difference]:
    return list(dict.fromkeys(differences))


# Digits of a fingerprint that are shown.
SHOWN = 12
