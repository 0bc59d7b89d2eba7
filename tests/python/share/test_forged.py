# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. A number that was changed and sealed again is named by `verify`, or said not to be compared."""

from __future__ import annotations

import fnmatch
import json
import random
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from claim_files import GOODPUT, claim, claims_file
from test_adversary import SUBJECT, narrows, seal_again
from test_typed import SUITE_TEXT

from narrows._internal.cli.handling import NUMBERS
from narrows._internal.errors import InputError
from narrows._internal.evaluation.verdict import counts
from narrows._internal.files.json_objects import SEAL, sealed
from narrows._internal.files.manifest import MANIFEST, file_digest
from narrows._internal.run import execution
from narrows._internal.run.jobs import Unwatched
from narrows._internal.share import verify as verifying
from narrows._internal.share.pack import LISTING, unpack
from narrows._internal.share.recomputed import LEFT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

LONGER = ["--set", "duration=6s", "--set", "warmup=0s"]
SHORT = ["--set", "duration=3s", "--set", "warmup=0s"]
MADE = {
    "run": ["run", "base.toml", "--set", "flows.tested.algorithm=newreno", "--metric", "cov(bin=500ms)"],
    "comparison": [
        "compare",
        "cubic(beta=0.5)",
        "cubic(beta=0.6)",
        "--scenario",
        "base.toml",
        "--margin",
        "goodput_bps=1%",
    ],
    "levels": ["compare", "newreno", "--scenario", "base.toml", "--vary", "path.rate=2Mbps,4Mbps"],
    "study": ["study", "run", "rates.toml"],
    "matrix": ["matrix", "newreno", "aiad", "--rates", "10Mbps", "--rtts", "20ms", "--buffers", "1bdp", *SHORT],
    "deployment": ["deploy", "aiad", "--against", "newreno", "--fractions", "50", "--flows", "2", *LONGER],
    "suite": ["suite", ".", "aiad"],
    "reproduction": ["reproduce", "."],
    "trial": ["ab", "newreno", "aiad", "--scenario", "base.toml"],
    "atlas": ["worst", "vegas", "--budget", "4", "--set", "duration=10s"],
}
REPEATED = {"study", "suite", "reproduction", "atlas"}
# Numbers that are changed at once.
TOGETHER = 64
# Files of which each number is a result, and is named by its key.
RESULTS = ("summary.json", "ledger.json", "tables.json", "atlas.json")


class Bench:
    """A folder with packed results of each kind, unpacked; what runs again is taken from memory the second time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "base.toml").write_text(SUBJECT, encoding="utf-8")
        (folder / "suite.toml").write_text(
            SUITE_TEXT.format('["newreno"]').replace(
                '"liveness", at_least = 1.0', '"relative", at_least = 0.9, than = "newreno"'
            )
        )
        cells = 'title = "A path"\nscenario = "base.toml"\nreplications = 2\nalgorithms = '
        (folder / "path.toml").write_text(f'{cells}"{{subjects}}"\n[words]\nsubjects = ["cubic"]\n')
        factors = 'rate = { "path.rate" = ["2Mbps", "4Mbps"] }\n"path.rtt" = ["20ms", "40ms"]'
        (folder / "rates.toml").write_text(f'{cells}["newreno"]\n[factors]\n{factors}\n')
        (folder / "one.toml").write_text(f'{cells}["newreno"]\n[sizes.quick]\n')
        direction = f"{{ is = {GOODPUT}, at_least = 1.0 }}"
        (folder / "claims.toml").write_text(claims_file(904, claim("delivers", "It delivers", direction)))

    def unpacked(self, kind: str) -> Path:
        """Return the folder of the unpacked results of a kind, which are made once."""
        place = self.folder / f"{kind} unpacked"
        if not place.exists():
            more = [] if kind in REPEATED else ["--replications", "3"]
            status, said = narrows(*MADE[kind], *more, "--out", self.folder / kind, "--quiet")
            assert status in {0, 1}, said
            assert narrows("pack", self.folder / kind, "--out", self.folder / f"{kind}.zip")[0] == 0
            place.mkdir()
            unpack(self.folder / f"{kind}.zip", place)
        return place

    def verdict(self, kind: str, change: Callable[[Path], None]) -> verifying.Verdict:
        """Return what is said of a copy of the results of a kind that was changed, and sealed again."""
        folder = self.folder / "changed"
        shutil.copytree(self.unpacked(kind), folder)
        try:
            change(folder)
            listing = folder / LISTING
            if listing.is_file():
                there = [each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()]
                digests = {place: file_digest(folder / place) for place in there if place != LISTING}
                listing.write_text(json.dumps(sealed({"files": digests})), encoding="utf-8")
            return verifying.of_folder(folder, 2, Unwatched())
        finally:
            shutil.rmtree(folder)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("forged")
        patch.chdir(folder)
        known: dict[tuple[Any, ...], Any] = {}
        run, execute, perform = execution.run, execution.execute, verifying.perform

        def once(key: tuple[Any, ...], make: Any) -> Any:
            if key not in known:
                known[key] = make()
            return known[key]

        def of_run(scenario: Any, options: Any) -> Any:
            key = (scenario.digest, scenario.seed, scenario.replications, *options.metrics)
            return once(key, lambda: run(scenario, options))

        def of_jobs(jobs: Any, threads: Any, watch: Any) -> Any:
            return once(tuple((each.digest, each.seed, at) for each, at in jobs), lambda: execute(jobs, threads, watch))

        def of_tasks(tasks: Any, jobs: int, watch: Any) -> Any:
            return once(tuple((key, each.digest) for key, each in tasks.items()), lambda: perform(tasks, jobs, watch))

        patch.setattr(execution, "run", of_run)
        patch.setattr(execution, "execute", of_jobs)
        patch.setattr(verifying, "perform", of_tasks)
        yield Bench(folder)


def changed_json(file: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the object in a file, and seal it again if it was."""
    content = json.loads(file.read_text(encoding="utf-8"))
    is_sealed = content.pop(SEAL, None) is not None
    change(content)
    file.write_text(json.dumps(sealed(content) if is_sealed else content), encoding="utf-8")


def changing(file: str, change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    """Return a change of the object in a file of a folder."""
    return lambda folder: changed_json(folder / file, change)


def numbers(content: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of every number."""
    inner = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, each in inner:
        if isinstance(each, int | float) and not isinstance(each, bool):
            yield (*place, key)
        yield from numbers(each, (*place, key))


def forged(file: Path, place: tuple[Any, ...], line: int | None = None) -> None:
    """Change one number of a JSON file, or of one line of a journal, and seal it."""
    lines = file.read_text(encoding="utf-8").splitlines() if line is not None else [file.read_text(encoding="utf-8")]
    content = json.loads(lines[line or 0])
    is_sealed = content.pop(SEAL, None) is not None
    inner = content
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] += 1
    lines[line or 0] = json.dumps(sealed(content) if is_sealed else content)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def is_left(verdict: Any, file: str, place: tuple[Any, ...]) -> bool:
    """Return whether a verdict says that it did not compare a number."""
    dotted = ".".join(map(str, place))
    for each in verdict.not_compared:
        name, _, keys = each.what.partition(" ")
        wanted = [key.strip() for key in keys.split(",") if key.strip()]
        if fnmatch.fnmatch(file, f"*{name.rstrip(',')}*") and (
            not wanted or any(fnmatch.fnmatch(dotted, key) or fnmatch.fnmatch(dotted, f"{key}.*") for key in wanted)
        ):
            return True
    return False


def is_named(verdict: Any, file: str, place: tuple[Any, ...]) -> bool:
    """Return whether a verdict says that a number of a file differs, by its keys."""
    for each in verdict.differences:
        said = iter(re.split("[ .]", each.what))
        if file in each.what and all(key in said for key in re.split("[ .]", ".".join(map(str, place)))):
            return True
    return False


Forgery = tuple[Path, tuple[Any, ...], int | None]


def unnamed(bench: Bench, kind: str, forgeries: Sequence[Forgery]) -> list[Forgery]:
    """Change numbers of one file, and return those of which the verdict says nothing."""
    folder = bench.unpacked(kind)
    kept = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    for forgery in forgeries:
        forged(*forgery)
    seal_again(folder, forgeries[0][0])
    try:
        verdict = verifying.of_folder(folder, 2, Unwatched())
    except InputError:
        # One forgery does not even fit the other files; of several it is unknown which.
        return list(forgeries) if len(forgeries) > 1 else []
    finally:
        for file, content in kept.items():
            file.write_bytes(content)
    # A number in another file is named by what follows from it.
    return [
        (file, place, line)
        for file, place, line in forgeries
        if not is_left(verdict, file.relative_to(folder).as_posix(), place)
        and (verdict.same or file.name in RESULTS)
        and not is_named(verdict, file.name, place)
    ]


def some(all_: list[Any], most: int, seed: str) -> list[Any]:
    """Return some of a list, always the same."""
    return all_ if most >= len(all_) else random.Random(seed).sample(all_, most)  # noqa: S311  # it is no secret


def numbers_of(bench: Bench, kind: str) -> list[Forgery]:
    """Return the places of all numbers in results, after verifying them."""
    folder = bench.unpacked(kind)
    honest = verifying.of_folder(folder, 2, Unwatched())
    assert honest.same, honest.differences
    assert honest.repeated
    found: list[Forgery] = []
    for file in sorted(folder.rglob("*.json")):
        if file.name != LISTING:
            found += [(file, place, None) for place in numbers(json.loads(file.read_text(encoding="utf-8")))]
    for file in sorted(folder.rglob("*.jsonl")):
        for line, text in enumerate(file.read_text(encoding="utf-8").splitlines()):
            found += [(file, place, line) for place in numbers(json.loads(text))]
    return found


@pytest.mark.parametrize("kind", MADE)
def test_a_number_that_was_changed_and_sealed_again_is_named(bench: Bench, kind: str) -> None:
    for forgery in some(numbers_of(bench, kind), 12, kind):
        assert not unnamed(bench, kind, [forgery])


@pytest.mark.full("every number of results, some hundreds; the test above has a dozen of each kind")
@pytest.mark.parametrize("kind", MADE)
def test_every_number_that_was_changed_and_sealed_again_is_named(bench: Bench, kind: str) -> None:
    """Every number of the files of results, and of the other files two under each key."""
    results: dict[Path, list[Forgery]] = {}
    others: dict[tuple[Any, ...], list[Forgery]] = {}
    for file, place, line in numbers_of(bench, kind):
        if file.name in RESULTS:
            results.setdefault(file, []).append((file, place, line))
        else:
            keys = (key for key in place if not isinstance(key, int))
            others.setdefault((file, *keys), []).append((file, place, line))
    alone = [each for keys, found in others.items() for each in some(found, 2, str(keys))]
    for found in results.values():
        # Several at a time save time; a number that is not named among others is tried alone.
        mixed = random.Random(kind).sample(found, len(found))  # noqa: S311  # it is no secret
        for start in range(0, len(mixed), TOGETHER):
            alone += unnamed(bench, kind, mixed[start : start + TOGETHER])
    assert not [each for forgery in alone for each in unnamed(bench, kind, [forgery])]


def unnamed_columns(bench: Bench, kind: str, file: Path, columns: Sequence[str]) -> list[str]:
    """Change the first value in columns of a table, and return those of which the verdict says nothing."""
    folder = bench.unpacked(kind)
    kept = {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
    table = pq.read_table(file)
    for column in columns:
        at = table.schema.get_field_index(column)
        field, values = table.schema.field(at), table[column].to_pylist()
        place = next((at for at, value in enumerate(values) if value is not None), None)
        if place is not None:
            values[place] += 1e6 if pa.types.is_floating(field.type) else 1
            table = table.set_column(at, field, pa.array(values, field.type))
    pq.write_table(table, file)
    seal_again(folder, file)
    try:
        verdict = verifying.of_folder(folder, 2, Unwatched())
    except InputError:
        # One forgery does not even fit the other files; of several it is unknown which.
        return list(columns) if len(columns) > 1 else []
    finally:
        for each, content in kept.items():
            each.write_bytes(content)
    said = [each.detail for each in verdict.differences]
    is_empty = {column: table[column].null_count == table.num_rows for column in columns}
    return [
        column
        for column in columns
        if not is_empty[column]
        and not is_left(verdict, file.name, (column,))
        and (verdict.same or not any(re.search(rf"\b{re.escape(column)}\b", each) for each in said))
    ]


def columns_of(bench: Bench, kind: str) -> Iterator[tuple[Path, list[str]]]:
    """Yield each table of results, with its columns of numbers."""
    for file in sorted(bench.unpacked(kind).rglob("*.parquet")):
        if "decided" not in file.parts:
            is_number = (pa.types.is_floating, pa.types.is_integer)
            schema = pq.read_schema(file)
            yield file, [each.name for each in schema if any(of(each.type) for of in is_number)]


@pytest.mark.parametrize("kind", ["run", "levels", "matrix", "suite"])
def test_a_table_that_was_changed_and_sealed_again_is_named(bench: Bench, kind: str) -> None:
    for file, columns in columns_of(bench, kind):
        for column in some(columns, 2, file.name):
            assert not unnamed_columns(bench, kind, file, [column])


@pytest.mark.full("every column of every table, some hundreds; the test above has two of each table of some kinds")
@pytest.mark.parametrize("kind", MADE)
def test_every_column_that_was_changed_and_sealed_again_is_named(bench: Bench, kind: str) -> None:
    for file, columns in columns_of(bench, kind):
        # All at a time save time; a column that is not named among others is tried alone.
        for column in unnamed_columns(bench, kind, file, columns):
            assert not unnamed_columns(bench, kind, file, [column])


def table_without(file: Path, rows: int) -> None:
    """Take away all rows of a table but the first few."""
    pq.write_table(pq.read_table(file).slice(0, rows), file)


def test_results_whose_runs_were_removed_are_not_the_same(bench: Bench) -> None:
    """Neither without one, nor with fewer than plan and manifest name; the remaining runs are unchanged."""

    def without_runs(folder: Path) -> None:
        for place in json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["levels"].values():
            shutil.rmtree(folder / place)

    def without_cells(folder: Path, rows: int) -> None:
        table_without(folder / "cells.parquet", rows)
        (folder / MANIFEST).unlink()

    def without_studies(folder: Path) -> None:
        shutil.rmtree(folder / "cells")

    def without_pairs(folder: Path) -> None:
        (folder / "pairs.jsonl").write_text("", encoding="utf-8")
        changed_json(folder / "summary.json", lambda summary: summary.update(rows=[], verdicts={}))

    cases: list[tuple[str, Callable[[Path], None], str]] = [
        ("levels", without_runs, "results have no run"),
        ("matrix", lambda folder: without_cells(folder, 0), "results have no run"),
        ("matrix", lambda folder: without_cells(folder, 3), "cells.parquet lacks 12 of 15 cells"),
        ("suite", without_studies, "results have no run"),
        ("trial", without_pairs, "results have no run"),
        ("atlas", changing("atlas.json", lambda atlas: atlas.update(found=[])), "no run"),
    ]
    for kind, change, words in cases:
        verdict = bench.verdict(kind, change)
        said = [f"{each.what} {each.detail}" for each in verdict.differences]
        assert (verdict.same, any(words in each for each in said)) == (False, True), (kind, said)


def test_rows_of_a_suite_that_are_there_twice_or_are_called_not_measured_are_named(bench: Bench) -> None:
    empty = dict.fromkeys(("measured", "interval", "reference_measured", "reference_interval", "bound", "excess"))
    unmeasured = {**empty, "verdict": "not measured", "decided": False, "reason": "a cell failed: the disk was full"}

    def again(rows: list[dict[str, Any]]) -> None:
        rows.append(dict(rows[0]))

    def hidden(rows: list[dict[str, Any]]) -> None:
        rows[0].update(unmeasured)

    def beside(rows: list[dict[str, Any]]) -> None:
        rows.append({**rows[0], **unmeasured, "measure": None})

    def invented(rows: list[dict[str, Any]]) -> None:
        rows.append({**rows[0], **unmeasured, "measure": None, "criterion": "It is fair"})

    def with_rows(change: Callable[[list[dict[str, Any]]], None]) -> Callable[[dict[str, Any]], None]:
        def changed(summary: dict[str, Any]) -> None:
            change(summary["rows"])
            summary["verdicts"] = counts(summary["rows"])

        return changed

    for change, words in (
        (again, "rows.1 is not a row of the suite, or repeats one"),
        (hidden, "rows.0 verdict is"),
        (beside, "rows.1 is not a row of the suite, or repeats one"),
        (invented, "rows.1 is not a row of the suite, or repeats one"),
    ):
        verdict = bench.verdict("suite", changing("summary.json", with_rows(change)))
        said = [f"{each.what} {each.detail}" for each in verdict.differences]
        assert (verdict.same, any(words in each for each in said)) == (False, True), (change, said)


def test_criteria_under_the_name_of_a_suite_of_narrows_are_those_of_narrows(bench: Bench) -> None:
    """Whoever makes an archive chooses the criteria in it, so a name that readers know must not stand for others."""

    def renamed(folder: Path) -> None:
        for name in ("suite.json", "summary.json"):
            changed_json(folder / name, lambda content: content.update(suite="aqm"))

    found = [f"{each.part}: {each.what} {each.detail}" for each in bench.verdict("suite", renamed).differences]
    assert "file: suite/suite.toml differs from the one of aqm, which comes with Narrows" in found


def test_a_suite_of_another_subject_than_its_cells_is_bad_input(bench: Bench) -> None:
    with pytest.raises(InputError, match="holds what does not fit together"):
        bench.verdict("suite", changing("suite.json", lambda about: about.update(subject="cubic")))


def with_exchanged(one: str, other: str) -> Callable[[Path], None]:
    """Return a change of results: what a text calls is called by another, and the other way round."""

    def exchanged(text: str) -> str:
        return text.replace(one, "\0").replace(other, one).replace("\0", other)

    def keys(manifest: dict[str, Any]) -> None:
        # The folders of the runs stay what they are.
        for kind in manifest.keys() & {"algorithms", "levels", "finished"}:
            manifest[kind] = {exchanged(name): each for name, each in manifest[kind].items()}

    def change(folder: Path) -> None:
        file = folder / "summary.json"
        file.write_text(exchanged(file.read_text(encoding="utf-8")), encoding="utf-8")
        if (folder / MANIFEST).is_file():
            changed_json(folder / MANIFEST, keys)
            seal_again(folder, file)

    return change


def with_exchanged_levels(*names: str) -> Callable[[Path], None]:
    """Return a change of a study: its first and its last point are called by each other's levels."""

    def change(plan: dict[str, Any]) -> None:
        first, last = (plan["points"][at]["levels"] for at in (0, -1))
        for name in names:
            first[name], last[name] = last[name], first[name]

    return changing("plan.json", change)


def test_labels_that_were_exchanged_are_named(bench: Bench) -> None:
    """No number is changed, but the sides are exchanged."""
    cases: list[tuple[str, Callable[[Path], None], str]] = [
        ("trial", with_exchanged("newreno", "aiad"), "summary.json a"),
        ("comparison", with_exchanged("cubic(beta=0.5)", "cubic(beta=0.6)"), "algorithms cubic(beta=0.5)"),
        ("levels", with_exchanged("2Mbps", "4Mbps"), "levels rate=2Mbps"),
        ("study", with_exchanged_levels("rate"), "have labels of rate"),
        ("study", with_exchanged_levels("path.rtt"), "have labels of path.rtt"),
        ("study", with_exchanged_levels("rate", "path.rate"), "have labels of path.rate"),
    ]
    for kind, change, words in cases:
        verdict = bench.verdict(kind, change)
        said = [f"{each.what} {each.detail}" for each in verdict.differences]
        assert (verdict.same, any(words in each for each in said)) == (False, True), (kind, said)


def test_another_engine_excuses_the_metrics_that_it_lacked_by_name_and_nothing_else(bench: Bench) -> None:
    def older(change: Callable[[dict[str, Any]], object]) -> verifying.Verdict:
        def changed(folder: Path) -> None:
            changed_json(folder / MANIFEST, lambda manifest: manifest["versions"].update(engine="another"))
            changed_json(folder / "summary.json", change)
            seal_again(folder, folder / "summary.json")

        return bench.verdict("run", changed)

    found = older(lambda summary: summary["groups"]["tested"].pop("goodput_bps"))
    assert (found.same, "summary.json groups.tested.goodput_bps" in [each.what for each in found.differences]) == (
        True,
        True,
    )
    for change in (
        lambda summary: summary.pop("checks"),
        lambda summary: summary["groups"].pop("tested"),
        lambda summary: summary["groups"]["tested"]["goodput_bps"].pop("ci95"),
    ):
        assert not older(change).same


def test_what_was_not_compared_is_said(bench: Bench) -> None:
    bench.unpacked("run")
    status, said = narrows("verify", bench.folder / "run.zip")
    assert status == 0
    assert NUMBERS in said
    for left in LEFT["run"]:
        assert f"{left.what}: {left.why}" in said
    status, said = narrows("verify", bench.folder / "run.zip", "--json")
    assert [each["what"] for each in json.loads(said[said.index("{") :])["not_compared"]] == [
        each.what for each in LEFT["run"]
    ]
