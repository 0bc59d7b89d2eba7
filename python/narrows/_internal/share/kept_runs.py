# SPDX-License-Identifier: Apache-2.0
"""The runs behind a trial and an atlas: the scenario files in their folder and the digests of their records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from narrows._internal.errors import InputError
from narrows._internal.files.format import SUMMARY, read_kept
from narrows._internal.files.journal import Journal
from narrows._internal.files.place import inside
from narrows._internal.files.shape import ANY_NAME, ANYTHING, check_shape
from narrows._internal.run.scenario import Scenario, read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from narrows._internal import core
    from narrows._internal.external.trust import Trust


class KeptRun(NamedTuple):
    """One run of a trial or an atlas."""

    name: str  # name of the run within the results
    file: str  # place of its scenario file in the folder
    on: str  # the backend
    seed: int
    replication: int  # number of the replication, from 0
    digest: str  # digest of its records


class KeptRuns(NamedTuple):
    """All runs of a folder."""

    runs: list[KeptRun]
    engine: str  # fingerprint of the engine that ran them
    digest_schema: int  # number of the definition of their digests

    def scenarios(self, folder: Path, trust: Trust) -> dict[tuple[str, str], Scenario]:
        """Return the scenarios of the runs by place and backend; nothing is executed."""
        wanted = dict.fromkeys((each.file, each.on) for each in self.runs)
        return {(file, on): read(inside(folder, file, folder), trust=trust, on=on) for file, on in wanted}


def of_trial(folder: Path) -> KeptRuns:
    """Return the runs of a trial, both sides of each pair."""
    file = folder / SUMMARY
    if not file.is_file():
        raise InputError(str(folder), "holds a trial without results: the same `narrows ab` goes on")
    about, summary = read_kept(folder / TRIAL_FILE, is_sealed=True), read_kept(file)
    check_shape(about, TRIAL_SHAPE, folder / TRIAL_FILE)
    schema = _schema(summary, file, "ab")
    check_shape(summary, {"scenarios": {ANY_NAME: [str]}, "on": [str], ANY_NAME: ANYTHING}, file)
    journal = Journal(folder / PAIRS, lambda entry: _is_pair(entry, len(about["scenarios"])))
    if journal.damaged:
        raise InputError(str(folder / PAIRS), f"is damaged: {journal.damaged} of its lines are not what was written")
    runs = []
    for entry in journal.entries:
        of = about["scenarios"][entry["scenario"]]
        files = summary["scenarios"].get(of["name"], ())
        if not files or len(files) % len(SIDES) or len(summary["on"]) != len(SIDES):
            raise InputError(str(file), f"is damaged: names no two scenario files of {of['name']}")
        # With draws each replication has files of its own.
        first = len(SIDES) * (entry["replication"] % (len(files) // len(SIDES)))
        files = files[first : first + len(SIDES)]
        for side, place, on, digest in zip(SIDES, files, summary["on"], entry["records"].split(), strict=True):
            name = f"{of['name']} with {side}, replication {entry['replication'] + 1}"
            runs.append(KeptRun(name, place, on, of["seed"], entry["replication"], digest))
    return KeptRuns(runs, about["engine"], schema)


def of_atlas(folder: Path) -> KeptRuns:
    """Return the runs of the finds of an atlas, with the algorithm and the reference; errors as `of_trial`."""
    file = folder / ATLAS_FILE
    if not file.is_file():
        raise InputError(str(folder), "holds a search without results: the same `narrows worst` goes on")
    about, atlas = read_kept(folder / SEARCH_FILE), read_kept(file)
    check_shape(about, {"engine": str, "seed": int, ANY_NAME: ANYTHING}, folder / SEARCH_FILE)
    schema = _schema(atlas, file, "worst")
    check_shape(atlas, ATLAS_SHAPE, file)
    for find in atlas["found"]:
        runs = [*find["digests"], *find.get("linux", {}).get("digests", [])]
        if not find["digests"] or any(len(each) != len(SIDES) for each in (find["scenarios"], *runs)):
            problem = (
                f"is damaged: {find['scenario']} has no two scenario files, or no two digests for each replication"
            )
            raise InputError(str(file), problem)
    found = [each for find in atlas["found"] for each in _of_find(find, atlas, about["seed"])]
    return KeptRuns(found, about["engine"], schema)


def _of_find(find: Mapping[str, Any], atlas: Mapping[str, Any], seed: int) -> Iterator[KeptRun]:
    kernel = [(atlas["on"], find["linux"]["digests"])] if "linux" in find else []
    for on, digests in ((SIMULATOR, find["digests"]), *kernel):
        at = "" if on == SIMULATOR else f" on {on}"
        for place, algorithm, found in zip(find["scenarios"], _sides(atlas), zip(*digests, strict=True), strict=True):
            for number, digest in enumerate(found):
                name = f"{find['scenario']} with {algorithm}{at}, replication {number + 1}"
                yield KeptRun(name, place, on, seed, number, digest)


def _sides(atlas: Mapping[str, Any]) -> tuple[str, str]:
    return str(atlas["algorithm"]), str(atlas["against"])


def _schema(content: Mapping[str, Any], file: Path, command: str) -> int:
    """Return the number of the definition of the digests; results of versions without it are refused."""
    found = content.get("digest_schema")
    if not isinstance(found, int):
        problem = "was made by an earlier version, which kept too little to repeat its runs"
        raise InputError(str(file), f"{problem}: the same `narrows {command}` in another folder makes it again")
    return found


def _is_pair(entry: Mapping[str, Any], scenarios: int) -> bool:
    place, number, digests = entry["scenario"], entry["replication"], entry["records"].split()
    return 0 <= place < scenarios and number >= 0 and len(digests) == len(SIDES)


def resolved(scenario: Scenario, run: KeptRun) -> core.Scenario:
    """Return the scenario of a run with its seed and at least as many replications as its number needs."""
    return scenario.resolve(None, run.replication + 1, run.seed)


TRIAL_FILE, PAIRS, SEARCH_FILE, ATLAS_FILE = "trial.json", "pairs.jsonl", "search.json", "atlas.json"
SIMULATOR = "simulator"
SIDES = ("A", "B")
TRIAL_SHAPE = {"engine": str, "scenarios": [{"name": str, "seed": int, ANY_NAME: ANYTHING}], ANY_NAME: ANYTHING}
_DIGESTS = [[str]]
_FIND = {
    "scenario": str,
    "scenarios": [str],
    "digests": _DIGESTS,
    "linux?": {"digests": _DIGESTS, ANY_NAME: ANYTHING},
    ANY_NAME: ANYTHING,
}
ATLAS_SHAPE = {
    "algorithm": str,
    "against": str,
    "seed": int,
    "on": str,
    "found": [_FIND],
    ANY_NAME: ANYTHING,
}
