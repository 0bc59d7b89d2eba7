# SPDX-License-Identifier: Apache-2.0
"""The verdicts of suites, reproductions, trials and atlases, judged again from their repeated cells and runs."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from narrows._internal.comparison import ALGORITHM
from narrows._internal.errors import InputError
from narrows._internal.evaluation import campaign as evaluating
from narrows._internal.evaluation import rows as judging
from narrows._internal.evaluation.campaign import Cells, Evaluation
from narrows._internal.evaluation.definition import SUITE_FILE, narrowed, read_suite
from narrows._internal.evaluation.verdict import NOT_APPLICABLE, NOT_MEASURED
from narrows._internal.evaluation.verdict import counts as counts_of_suite
from narrows._internal.experiments.plan import PLAN, load_plan
from narrows._internal.experiments.stored import stored
from narrows._internal.experiments.views.backends import beside
from narrows._internal.external.source import is_external
from narrows._internal.files.format import SUMMARY, numbered, read_kept
from narrows._internal.files.journal import Journal
from narrows._internal.files.json_objects import read_object
from narrows._internal.files.parquet import read_parquet
from narrows._internal.files.place import inside
from narrows._internal.files.text import read_text
from narrows._internal.library import SUITES
from narrows._internal.linux.backend import BOTH, LINUX, SIMULATOR
from narrows._internal.plural import counted
from narrows._internal.reproduction.agreement import agreement
from narrows._internal.reproduction.campaign import gathered
from narrows._internal.reproduction.experiment import Part
from narrows._internal.reproduction.ledger import ledger
from narrows._internal.reproduction.own_claims import study_of
from narrows._internal.reproduction.registry import LEDGER, TABLES, published_studies
from narrows._internal.reproduction.stored_cells import CELLS, table
from narrows._internal.search.archive import KINDS, lost, measured_of
from narrows._internal.search.finds import Repeated
from narrows._internal.share.kept_runs import ATLAS_FILE, PAIRS, TRIAL_FILE
from narrows._internal.share.numbers import Difference, of_file, of_table
from narrows._internal.share.recomputed import Left, is_at
from narrows._internal.statistics import distinct
from narrows._internal.trial.contest import Side, Values, contests
from narrows._internal.trial.run import ALPHA
from narrows._internal.trial.run import counts as counts_of_trial
from narrows._internal.trial.scenarios import Pair
from narrows._internal.trial.verdict import row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from narrows._internal import core
    from narrows._internal.experiments.definition import Study
    from narrows._internal.external.trust import Trust
    from narrows._internal.share.kept_runs import KeptRun
    from narrows._internal.trial.contest import Contest


class Judged(NamedTuple):
    """The result of judging again."""

    differences: list[Difference]  # parts of the results that differ
    left: list[Left]  # parts that were not judged, besides the parts that never are


def of_both(folder: Path) -> Judged:
    """Compare both backends by the cells of a matrix or deployment, which were repeated."""
    studies = {on: stored(folder / on) for on in (SIMULATOR, LINUX)}
    summaries = {on: read_object(folder / on / SUMMARY) for on in studies}
    here = beside(studies[SIMULATOR].plan, None, summaries, {on: each.table() for on, each in studies.items()})
    return Judged(list(of_file(SUMMARY, read_kept(folder / SUMMARY), numbered(SUMMARY, here), ["command"])), [])


def of_suite(folder: Path, trust: Trust) -> Judged:
    """Judge a suite by its cells, which were repeated."""
    about, said = read_kept(folder / evaluating.ABOUT), read_kept(folder / SUMMARY)
    name = str(about.get("suite", ""))
    own = inside(folder, f"{evaluating.OWN}/{SUITE_FILE}", folder / evaluating.ABOUT)
    shipped = SUITES / name / SUITE_FILE
    file = own if own.is_file() else shipped
    if "/" in name or not file.is_file():
        kept = "an earlier version did not keep the criteria of the suite"
        return Judged([], [Left(f"{SUMMARY} rows, verdicts, title", kept)])
    rows = said.get("rows")
    if not isinstance(rows, list) or not all(isinstance(each, dict) for each in rows):
        raise InputError(str(folder / SUMMARY), "is damaged: it has no rows")
    evaluation, left = _evaluation(folder, file, about, said, trust)
    differences, unmeasured = _suite_rows(evaluation, rows, judging.rows(evaluation, folder))
    if file != shipped and shipped.is_file() and read_text(file) != read_text(shipped):
        differences.append(_not_shipped(f"{evaluating.OWN}/{SUITE_FILE}", name))
    cells = {"cells": evaluation.identity["cells"]}
    differences += of_file(evaluating.ABOUT, {key: about.get(key) for key in cells}, cells)
    plain = {
        "verdicts": counts_of_suite(rows),
        "title": f"{evaluation.suite.title}: {evaluation.subject}",
        "suite": evaluation.suite.name if file != own else name,
        **{key: about.get(key) for key in ("subject", "size", "on")},
    }
    if isinstance(seeds := said.get("seeds"), dict):
        # Where cells are missing, nothing has their seed but the summary.
        missing = {name for _, name in evaluation.faults}
        plain["seeds"] = {name: seed for name, seed in seeds.items() if name in missing} | {
            name: cells.part.plan.seed for (_, name), cells in evaluation.cells.items() if cells.part.plan.points
        }
    differences += of_file(SUMMARY, {key: said.get(key) for key in plain}, plain)
    if unmeasured:
        why = "the rows quote a card, or were not measured for the reason that they state"
        left.append(Left(f"{SUMMARY} verdict and reason of {counted(unmeasured, 'row')}", why))
    return Judged(differences, left)


def _suite_rows(
    evaluation: Evaluation, said: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]]
) -> tuple[list[Difference], int]:
    """Return the rows of a suite that differ from its cells, and the number of rows that were not measured."""
    differences: list[Difference] = []
    here: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for each in found:
        here.setdefault((*_key(each), str(each["measure"])), []).append(each)
    left = Counter(f"{row.section} {row.criterion}" for row in evaluation.suite.rows)
    most = {_key(each): left[f"{each.get('section')} {each.get('criterion')}"] for each in said}
    unmeasured = 0
    for number, each in enumerate(said):
        where, same = f"{SUMMARY} rows.{number}", here.get((*_key(each), str(each.get("measure"))))
        most[_key(each)] -= 1
        is_unmeasured = _is_unmeasured(each)
        unmeasured += is_unmeasured
        if most[_key(each)] < 0 or not (same or is_unmeasured):
            differences.append(Difference("number", where, "is not a row of the suite, or repeats one"))
        elif same:
            other = same.pop(0)
            # The folder has neither the reason why a backend refuses cells nor the text of a card.
            skipped = ["verdict", "reason"] if is_unmeasured and _is_unmeasured(other) else []
            beside = each.get(LINUX), other.get(LINUX)
            if all(isinstance(side, dict) and _is_unmeasured(side) for side in beside):
                skipped += [f"{LINUX}.verdict", f"{LINUX}.reason"]
            differences += of_file(where, each, other, ["scenario", f"{LINUX}.scenario", *skipped])
        elif any(each.get(key) is not None for key in ("measured", "interval", "reference_measured", "excess")):
            differences.append(Difference("number", where, "is not measured, and has values"))
    missing = sum(not _is_unmeasured(each) for rest in here.values() for each in rest)
    if missing:
        differences.append(Difference("number", f"{SUMMARY} rows", f"lack {missing} of the suite"))
    return differences, unmeasured


def _is_unmeasured(row: Mapping[str, Any]) -> bool:
    return row.get("verdict") in {NOT_APPLICABLE, NOT_MEASURED} or str(row.get("measure")).startswith("card:")


def _evaluation(
    folder: Path, file: Path, about: Mapping[str, Any], said: Mapping[str, Any], trust: Trust
) -> tuple[Evaluation, list[Left]]:
    """Return an evaluation from its folder, and the parts that cannot be judged from it."""
    size, on, subject = (str(about.get(key, "")) for key in ("size", "on", "subject"))
    sections = [each for each in str(about.get("rows", "")).split(",") if each]
    suite = narrowed(read_suite(file), sections)
    names, left = _known_references(said, [subject, *(each for each in suite.references if each != subject)])
    card: Mapping[str, Any] = {"name": subject}
    try:
        card = evaluating.card_of_subject(suite, subject, [])
    except InputError:
        left.append(Left(f"{SUMMARY} rows of the card", f"the card of {subject} is in its file"))
    cells, faults = {}, {}
    for backend in [SIMULATOR, LINUX] if on == BOTH else [on]:
        for each in suite.cells:
            path = each if backend == SIMULATOR else f"{LINUX}/{each}"
            place = inside(folder, f"{evaluating.CELLS}/{path}", folder / SUMMARY)
            if (place / PLAN).is_file():
                # Only cells that have not run yet need the study file.
                part = Part(path, "", cast("Study", None), load_plan(place, trust))
                cells[backend, each] = Cells(part, [])
            else:
                faults[backend, each] = "there are none"
    return Evaluation(suite, subject, names, size, on, sections, card, cells, faults), left


def _known_references(said: Mapping[str, Any], names: Sequence[str]) -> tuple[list[str], list[Left]]:
    """Return the names of subject and references in a suite: external ones by their short names."""
    kept = said.get("references")
    if isinstance(kept, list) and len(kept) == len(names) - 1 and any(map(is_external, names)):
        return [names[0], *map(str, kept)], [Left(f"{SUMMARY} references", "they are short names of files")]
    return list(names), []


def _key(content: Mapping[str, Any]) -> tuple[str, ...]:
    condition = content.get("condition")
    levels = sorted(f"{key}={value}" for key, value in condition.items()) if isinstance(condition, dict) else []
    return (str(content.get("section")), str(content.get("criterion")), *levels)


def of_reproduction(folder: Path) -> Judged:
    """Judge the claims of a reproduction by its cells, which were repeated."""
    study, size, placed = study_of(folder)
    results = gathered(study, size, placed, folder)
    plans = [load_plan(folder / each.path) for each in placed if (folder / each.path / PLAN).is_file()]
    here = ledger(study.name, study.claims(size), size, plans[0].seed if plans else 0, results)
    differences = [*of_file(LEDGER, read_kept(folder / LEDGER), here)]
    shipped = next((each for each in published_studies() if each.name == study.name), study)
    if read_text(study.claims_file) != read_text(shipped.claims_file):
        differences.append(_not_shipped(study.claims_file.relative_to(folder).as_posix(), study.name))
    if (folder / TABLES).is_file():
        tables = agreement(study.claims(size), size, here["digest"], results)
        differences += of_file(TABLES, read_kept(folder / TABLES), tables)
    cells = table(placed, folder)
    if cells is not None and (folder / CELLS).is_file():
        differences += of_table(CELLS, read_parquet(folder / CELLS), cells, ["cpu_s"])
    return Judged(differences, [])


def _not_shipped(file: str, name: str) -> Difference:
    return Difference("file", file, f"differs from the one of {name}, which comes with Narrows")


class OfTrial:
    """Judges a trial by its runs; each run is followed by its counterpart."""

    def __init__(self, folder: Path, runs: Sequence[KeptRun], scenarios: Sequence[core.Scenario]) -> None:
        """Read the trial in a folder; each run has its scenario."""
        self._about, self._said = read_kept(folder / TRIAL_FILE, is_sealed=True), read_kept(folder / SUMMARY)
        self._entries = Journal(folder / PAIRS, lambda _: True).entries
        self._folder, self._scenarios, self._sides = folder, scenarios, [Side([], "") for _ in runs]
        self._contests: dict[int, Contest] = {}
        for number, entry in enumerate(self._entries):
            place, of = entry["scenario"], self._about["scenarios"][entry["scenario"]]
            if place not in self._contests:
                a, b = scenarios[2 * number], scenarios[2 * number + 1]
                pair = Pair(of["name"], a, b, [str(each) for each in of["measures"]])
                (self._contests[place],) = contests([pair], [])

    def take(self, number: int, records: core.Records) -> None:
        """Take the records of a run, by its number."""
        contest = self._contests[self._entries[number // 2]["scenario"]]
        self._sides[number] = contest.side(self._scenarios[number], records)

    def judged(self) -> Judged:
        """Return the parts of the trial that differ, after all records have been taken."""
        said = self._said
        differences: list[Difference] = []
        values: dict[int, list[Values]] = {place: [] for place in self._contests}
        for entry, a, b in zip(self._entries, self._sides[::2], self._sides[1::2], strict=True):
            values[entry["scenario"]].append(Values(a.values, b.values, f"{a.digest} {b.digest}"))
            plain = {
                name: [each if math.isfinite(each) else None for each in side.values]
                for name, side in (("a", a), ("b", b))
            }
            name = self._about["scenarios"][entry["scenario"]]["name"]
            where = f"{PAIRS} {name}, replication {entry['replication'] + 1}"
            differences += of_file(where, {side: entry.get(side) for side in plain}, plain)
        for place, of in enumerate(self._about["scenarios"]):
            if place not in self._contests:
                differences.append(Difference("records", PAIRS, f"has no run of {of['name']}"))
        for contest in self._contests.values():
            for label, side in (("a", contest.pair.a), ("b", contest.pair.b)):
                differences += is_at(f"{SUMMARY} {label}", {ALGORITHM: str(said.get(label, ""))}, side)
        found = [(contest, values[place]) for place, contest in sorted(self._contests.items())]
        try:
            differences += _trial_rows(said, found)
        except ValueError as error:
            raise InputError(str(self._folder / SUMMARY), f"is damaged: {error}") from None
        rows = said.get("rows")
        here = {
            "title": f"{said.get('b')} against {said.get('a')}",
            "alpha": ALPHA,
            "verdicts": counts_of_trial(rows if isinstance(rows, list) else []),
            "seed": self._about["scenarios"][0]["seed"] if self._entries else None,
        }
        return Judged([*differences, *of_file(SUMMARY, {key: said.get(key) for key in here}, here)], [])


def _trial_rows(said: Mapping[str, Any], found: Sequence[tuple[Contest, Sequence[Values]]]) -> Iterator[Difference]:
    """Yield the rows of a trial that no number of its replications gives."""
    rows, margin = said.get("rows"), str(said.get("margin", ""))
    rows = rows if isinstance(rows, list) and all(isinstance(each, dict) for each in rows) else []
    each_alpha = ALPHA / max(sum(len(contest.wanted) for contest, _ in found), 1)
    seen = 0
    for contest, values in found:
        own = [each for each in rows if each.get("scenario") == contest.pair.name]
        seen += len(own)
        # An earlier command may have run more replications, and an interrupted one may have judged fewer than it kept.
        here: list[dict[str, Any]] = []
        for each in values:
            contest.add(each)
            here = _rows_of(contest, margin, each_alpha)
            if not [*of_file("", {"rows": own}, {"rows": here})]:
                break
        else:
            yield from of_file(f"{SUMMARY} {contest.pair.name}", {"rows": own}, {"rows": here})
    if seen != len(rows):
        yield Difference("number", f"{SUMMARY} rows", f"are {seen} here, and were {len(rows)}")


def _rows_of(contest: Contest, margin: str, alpha: float) -> list[dict[str, Any]]:
    return [
        row(
            state,
            {
                "scenario": contest.pair.name,
                "owner": wanted.owner,
                "metric": wanted.metric.text,
                "unit": wanted.metric.unit,
                "better": wanted.card["better"],
                "repeated": contest.repeated,
            },
        )
        for wanted, state in contest.judge(margin, alpha)
    ]


class OfAtlas:
    """Scores the finds of an atlas by their runs."""

    def __init__(self, folder: Path, runs: Sequence[KeptRun], scenarios: Sequence[core.Scenario]) -> None:
        """Read the atlas in a folder; each run has its scenario."""
        self._said, self._runs, self._scenarios = read_kept(folder / ATLAS_FILE), runs, scenarios
        self._kind = {place: str(find.get("kind")) for find in self._said["found"] for place in find["scenarios"]}
        self._values: dict[tuple[str, str, int], tuple[float, str]] = {}

    def take(self, number: int, records: core.Records) -> None:
        """Take the records of a run, by its number."""
        run, scenario = self._runs[number], self._scenarios[number]
        kind = self._kind[run.file]
        value = measured_of(kind, scenario, records) if kind in KINDS else math.nan
        self._values[run.file, run.on, run.replication] = value, records.digest

    def judged(self) -> Judged:
        """Return the parts of the atlas that differ, after all records have been taken."""
        said = self._said
        differences: list[Difference] = []
        run_with = {run.file: each for run, each in zip(self._runs, self._scenarios, strict=True)}
        for seed in {run.seed for run in self._runs}:
            differences += of_file(ATLAS_FILE, {"seed": said["seed"]}, {"seed": seed})
        for number, find in enumerate(said["found"]):
            where, kind = f"{ATLAS_FILE} found.{number}", find.get("kind")
            if kind not in KINDS:
                differences.append(Difference("number", f"{where}.kind", f"is none of {', '.join(KINDS)}"))
                continue
            about = dict(zip(("group", "metric"), KINDS[kind], strict=True))
            differences += of_file(where, {key: find.get(key) for key in about}, about)
            for on, entry in ((SIMULATOR, find), *([(said["on"], find["linux"])] if "linux" in find else [])):
                here = self._repeated(kind, find["scenarios"], on, len(entry["digests"])).entry()
                place = where if on == SIMULATOR else f"{where}.linux"
                differences += of_file(place, {key: entry.get(key) for key in here}, here)
            for label, file in zip(("algorithm", "against"), find["scenarios"], strict=True):
                if file in run_with:
                    differences += is_at(f"{ATLAS_FILE} {label}", {ALGORITHM: str(said[label])}, run_with[file])
        return Judged(differences, [])

    def _repeated(self, kind: str, files: Sequence[str], on: str, count: int) -> Repeated:
        pairs = [[self._values[file, on, index] for file in files] for index in range(count)]
        found = Repeated(digests=[[digest for _, digest in pair] for pair in pairs])
        for (value, _), (reference, _) in distinct(pairs, ("".join(digest for _, digest in pair) for pair in pairs)):
            found.scores.append(lost(kind, value, reference))
            found.measured.append(value)
            found.reference.append(reference)
        return found
