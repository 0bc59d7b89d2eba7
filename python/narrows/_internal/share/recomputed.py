# SPDX-License-Identifier: Apache-2.0
"""Summaries, tables, cells and verdicts of results, recomputed from their repeated records.

A seal shows damage, not a forgery: whoever changes a number can seal it again. Therefore each displayed number is
recomputed, and the other parts are listed with the reason (`LEFT`).
"""

from __future__ import annotations

import tempfile
import tomllib
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows._internal import core
from narrows._internal.comparison import ALGORITHM, BACKEND, FACTORS, run_name
from narrows._internal.experiments.campaign import digest_of
from narrows._internal.experiments.store import Store
from narrows._internal.experiments.views.summary import summary as summary_of_view
from narrows._internal.experiments.views.summary import view_of
from narrows._internal.external.source import is_external
from narrows._internal.files.format import SUMMARY, read_kept
from narrows._internal.files.json_objects import read_sealed
from narrows._internal.files.manifest import MANIFEST
from narrows._internal.files.toml import inline
from narrows._internal.linux.backend import SIMULATOR
from narrows._internal.metrics.criteria import verdict
from narrows._internal.run.differences import KINDS
from narrows._internal.run.levels import Crossed
from narrows._internal.run.results import Comparison, Run
from narrows._internal.share.numbers import Difference, of_file, of_table
from narrows.metrics import MetricError, card_of, check, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from narrows._internal.experiments.plan import Plan
    from narrows._internal.experiments.stored import StoredStudy
    from narrows._internal.experiments.task import Finished
    from narrows._internal.files.run_folder import RunFolder


class Left(NamedTuple):
    """A part that was not compared."""

    what: str  # a file of the results, or keys or a column of it
    why: str


HERE = "it describes the machine on which the results were made"
CHOICE = "the author of the results chose it"
COST = ("performance.wall_s", "performance.cpu_s", "performance.packet_hops_per_s", "performance.peak_rss_bytes")
_PAGE = Left("report.html", "`narrows report DIR` builds the page again from the compared files")
_ORIGIN = Left(
    "manifest.json", "except title, seed, replications and digests: it states where and when the results were made"
)
_LIMIT = Left(f"{SUMMARY} at_most", f"{CHOICE}; with it intervals are confidence sequences, and were computed as such")
_CELLS = (
    _PAGE,
    _ORIGIN,
    Left("plan.json", "except scenarios, overrides and levels that are values: the author chose titles and labels"),
    Left("cells.parquet cpu_s", HERE),
    Left("failed", "what failed is not run again"),
)
LEFT: Mapping[str, Sequence[Left]] = {
    "run": [_PAGE, _ORIGIN, _LIMIT, *(Left(f"{SUMMARY} {each}", HERE) for each in COST)],
    "comparison": [
        _PAGE,
        _ORIGIN,
        _LIMIT,
        *(Left(f"{SUMMARY} {each}, *.*.{each}", HERE) for each in COST),
        Left(f"{SUMMARY} factors", "the author of the results chose the order of the levels"),
        Left(f"{SUMMARY} failed", "what failed is not run again"),
        Left(f"{SUMMARY} differences.*.*.*.*.margin", f"{CHOICE}; the verdicts were judged again by it"),
        Left(f"{SUMMARY} replaced.bound", "the scenario as it was written is not in the folder"),
    ],
    "study": [
        *_CELLS,
        Left("study.toml, scenario.toml", "what ran is in plan.json"),
        Left(f"{SUMMARY} command", CHOICE),
    ],
    "study on both backends": [
        *_CELLS,
        Left(f"{SUMMARY} command", CHOICE),
    ],
    "suite": [
        *_CELLS,
        Left("annex.md", "its numbers come from summary.json"),
        Left("scenarios", "what ran is in the plans of the cells"),
        Left(f"{SUMMARY} command, kernel, source, note, references", CHOICE),
    ],
    "reproduction": [
        *_CELLS,
        Left("claims", "they are the claims by which the cells are judged"),
        Left("results.toml", "it states when and by which simulator the results were made"),
        Left("decided", "cells that `--decide` added are not run again"),
    ],
    "trial": [
        _PAGE,
        Left("comment.md, junit.xml", "their numbers come from summary.json"),
        Left(f"{SUMMARY} margin, command, backends, left_out", CHOICE),
    ],
    "atlas": [
        _PAGE,
        Left("history.jsonl", "environments that were only tried on the way are not run again"),
        Left("curves.json", "the figures of the page are not computed again"),
        Left("atlas.json cells, evaluations, unconfirmed", "they follow from environments that are not run again"),
        Left("atlas.json command, kernel, kinds, axes, unlike", CHOICE),
        Left(
            "atlas.json found.*.environment, found.*.words, found.*.unusual",
            "what ran is in the scenario file of each find",
        ),
    ],
}


def of_run(folder: RunFolder, name: str, found: Run, *, added: bool) -> Iterator[Difference]:
    """Yield the parts of a run that differ from its records."""
    yield from of_file(
        named_in(SUMMARY, name), folder.summary, _asked(folder.summary, found).summary, COST, added=added
    )
    manifest, scenario = folder.manifest, found.scenario
    yield from _of_manifest(
        named_in(MANIFEST, name),
        manifest,
        {
            "title": scenario.title,
            "description": [list(each) for each in scenario.description],
            "seed": scenario.seed,
            "replications": scenario.replications,
            "finished": sorted(found.records),
            "digest": found.summary["digest"],
        },
    )
    yield from of_tables(folder, name, found)


def of_tables(folder: RunFolder, name: str, found: Run) -> Iterator[Difference]:
    """Yield the tables of a run that differ from its records; arguments as for `of_run`."""
    import pyarrow as pa

    for schema in core.tables():
        table = schema["name"]
        now = found.table(table)
        try:
            before = folder.optional(table)
            if before is not None:
                yield from of_table(named_in(table, name), before, now)
            elif now.num_rows:
                yield Difference("records", named_in(table, name), f"has {now.num_rows} rows here, and was missing")
        except (pa.ArrowException, OSError, ValueError) as error:
            yield Difference("records", named_in(table, name), f"is damaged: {error}")
    written = {f"{schema['name']}.parquet" for schema in core.tables()}
    for file in folder.tables():
        if file.name not in written:
            yield Difference("records", named_in(file.name, name), "is no table of a run")


def _asked(said: Mapping[str, Any], found: Run) -> Run:
    """Return a run with the metrics of a summary that are computed only on request."""
    wanted = []
    for kind in KINDS:
        known = {metric for metrics in found.summary[kind].values() for metric in metrics}
        for text in dict.fromkeys(text for metrics in _tables(said.get(kind)) for text in metrics):
            if text in known or not isinstance(text, str):
                continue
            try:
                metric = resolve(text)
                check(metric, found.scenario)
            except MetricError:
                # A metric that does not exist here is reported as a difference.
                continue
            wanted.append(metric)
    return Run(found.scenario, found.records, found.started, found.wall_s, wanted, said.get("at_most"))


def _tables(content: Any) -> list[Mapping[str, Any]]:
    return [each for each in content.values() if isinstance(each, dict)] if isinstance(content, dict) else []


def of_comparison(folder: RunFolder, runs: Mapping[str, Run], *, added: bool) -> Iterator[Difference]:
    """Yield the parts of a comparison that differ from its runs; arguments as for `of_run`, with the runs by name."""
    said, manifest, kind = folder.summary, folder.manifest, str(folder.compares)
    own = said.get(kind)
    if not isinstance(own, dict) or set(own) != set(runs):
        yield Difference(
            "number", f"{SUMMARY} {kind}", f"are {', '.join(runs)} here, and were {own and ', '.join(own)}"
        )
        return
    crossed = None
    if "factors" in said:
        at = {name: each.get("at", {}) for name, each in own.items()}
        crossed = Crossed(said["factors"], at, {name: run.scenario for name, run in runs.items()})
    failed = {name: RuntimeError(text) for name, text in said.get("failed", {}).items()}
    limit = {"at_most": said.get("at_most")}
    asked = {name: _asked({**own[name], **limit}, run) for name, run in runs.items()}
    first = next(iter(runs.values()))
    names = [*runs, *failed]
    found = Comparison(names, asked, first.started, first.wall_s, of=kind, crossed=crossed, failed=failed)
    here = dict(found.summary)
    here["differences"] = [
        _with_margins(one, other)
        for one, other in zip(
            here["differences"], _objects(said.get("differences"), len(here["differences"])), strict=True
        )
    ]
    skipped = ["factors", "failed", "replaced.bound", *(f"{kind}.*.{each}" for each in COST)]
    yield from of_file(SUMMARY, said, here, skipped, added=added)
    about = {"title": first.scenario.title, "seed": first.scenario.seed, "digest": here["digest"]}
    about |= {"finished": {name: sorted(run.records) for name, run in runs.items()}}
    yield from _of_manifest(MANIFEST, manifest, {**about, "replications": first.scenario.replications})
    for name, run in runs.items():
        own_levels = {FACTORS[kind]: name} if crossed is None else crossed.at[name]
        yield from is_at(f"{SUMMARY} {kind} {name}", own_levels, run.scenario)
    if crossed is not None:
        yield from _of_levels(crossed)


def _of_levels(crossed: Crossed) -> Iterator[Difference]:
    """Yield the runs whose names differ from their levels, or whose levels their factors lack."""
    # As in `run.levels`, the backend is last.
    several = sorted((each for each in crossed.factors if len(crossed.factors[each]) > 1), key=BACKEND.__eq__)
    for name, at in crossed.at.items():
        if name != run_name({factor: at[factor] for factor in several}) or any(
            level not in crossed.factors[factor] for factor, level in at.items()
        ):
            yield Difference("number", f"{SUMMARY} levels {name}", f"is at {run_name(at)}")


def _objects(content: Any, count: int) -> list[Mapping[str, Any]]:
    found = content if isinstance(content, list) and len(content) == count else [{}] * count
    return [each if isinstance(each, dict) else {} for each in found]


def _with_margins(here: dict[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Return a difference with the requested margins, which are not results, and the verdicts by them."""
    for kind in KINDS:
        for owner, metrics in here[kind].items():
            for text, each in metrics.items():
                try:
                    margin = said[kind][owner][text]["margin"]
                except (KeyError, TypeError):
                    continue
                if isinstance(margin, int | float) and margin != each["margin"]:
                    neutral = each["verdict"] == "different"
                    found = verdict(each, float(margin), card_of(text, kind.removesuffix("s"))["better"])
                    each["margin"] = margin
                    each["verdict"] = "different" if neutral and found in {"better", "worse"} else found
    return here


def of_study(study: StoredStudy, cells: Sequence[Finished]) -> Iterator[Difference]:
    """Yield the parts of the folder of a study that differ from its repeated cells."""
    folder, plan, said = study.folder, study.plan, study.table()
    ledger, _, failed = study.recovered()
    with tempfile.TemporaryDirectory(prefix="narrows-") as temporary:
        store = Store(Path(temporary))
        store.prepare()
        if cells:
            store.keep(cells)
        here = store.table(plan, ledger.all_cells())
    keys = said["cell"].to_pylist()
    yield from of_table("cells.parquet", said, here, ["cpu_s"], lambda row: f"cell {keys[row]}")
    yield from _misnamed(plan)
    view = view_of(folder, plan)
    if view is not None and (folder / SUMMARY).is_file():
        yield from of_file(SUMMARY, read_kept(folder / SUMMARY), summary_of_view(view, plan, here), ["command"])
    if (folder / MANIFEST).is_file():
        about = {"title": plan.title, "seed": plan.seed, "digest": digest_of(here)}
        about |= {"cells": ledger.cells, "finished": here.num_rows, "failed": sorted(failed)}
        yield from _of_manifest(MANIFEST, read_sealed(folder / MANIFEST), about)


def is_at(where: str, at: Mapping[str, str], scenario: core.Scenario) -> Iterator[Difference]:
    """Yield a difference if setting a scenario to the levels of its name in results changes it."""
    levels = dict(at)
    on, subject = levels.pop(BACKEND, None), levels.pop(ALGORITHM, None)
    given = scenario.given
    changes = [*given["overrides"], *(f"{key}={level}" for key, level in levels.items())]
    subject = None if subject is None else subject.partition(" on ")[0]
    try:
        same = core.load({**given, "subject": subject, "overrides": changes}).digest == scenario.digest
    except core.ScenarioError:
        # Files and classes have short names in results, not their paths.
        same = _has(scenario, subject) if subject is not None else bool(scenario.files)
    if not same or (on is not None and (on == SIMULATOR) != (scenario.linux is None)):
        yield Difference("number", where, f"has the name {run_name(at)}, and its scenario has other levels")


def _has(scenario: core.Scenario, name: str) -> bool:
    """Return whether a group has the algorithm of a name in results."""
    flows = tomllib.loads(scenario.resolved).get("flows", [])
    # Other groups may have the same algorithm.
    flows = [each for each in flows if each.get("subject")] or flows
    return _bare(name) in {_bare(str(each["algorithm"]["name"])) for each in flows if "algorithm" in each}


def _bare(name: str) -> str:
    """Return the name of an algorithm without parameters and, if it is external, without its file."""
    bare = name.partition("(")[0].strip()
    return bare.rpartition(":")[2] if is_external(bare) else bare


def _misnamed(plan: Plan) -> Iterator[Difference]:
    """Yield the factors and algorithms whose labels differ from the values that points set."""
    moved = [
        {"on": inline(each.on), **dict(text.partition("=")[::2] for text in each.overrides)} for each in plan.points
    ]
    keys = list(plan.points[0].levels) if plan.points else []
    for number, key in enumerate(keys):
        # The keys that a factor with a free name sets follow it.
        after = takewhile(lambda each: each not in plan.factors, keys[number + 1 :])
        own = [key] if key in moved[0] else [*after]
        labels = [each if isinstance(each := point.levels[key], str) else inline(each) for point in plan.points]
        values = [", ".join(_unquoted(each.get(path, "")) for path in own) for each in moved]
        # Labels may be words of the author; names of files are short.
        are_words = set(labels) != set(values) and (key not in moved[0] or not set(labels) & set(values))
        wrong = (
            label != value and not any(file in value for file in plan.inputs)
            for label, value in zip(labels, values, strict=True)
        )
        if not are_words and any(wrong):
            yield Difference(
                "number", "plan.json points", f"have labels of {key} that differ from the values that they set"
            )
    for point in plan.points:
        label, written = point.algorithm, point.written
        if written is not None and not is_external(written) and label != written:
            yield Difference("number", "plan.json points", f"call {written} {label}")
            break


def _unquoted(value: str) -> str:
    return str(tomllib.loads(f"value = {value}")["value"]) if value.startswith('"') else value


def _of_manifest(file: str, said: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield each of some entries of a manifest that differs here."""
    yield from of_file(file, {key: value for key, value in said.items() if key in here}, here)


def named_in(what: str, name: str) -> str:
    """Return the name of a part of a run; in a comparison with the name of the run."""
    return f"{what} of {name}" if name else what
