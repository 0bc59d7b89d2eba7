# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Suites, reproductions of one's own claims, trials and atlases are packed, and repeated elsewhere."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from test_shared import CELLS, MINE, SCENARIO, SUITE

from command_line import finished
from narrows._internal.errors import InputError
from narrows._internal.files.format import FORMATS
from narrows._internal.share.kept_runs import of_atlas

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the archives of a suite and a trial of a class, of a reproduction and of an atlas."""
    folder = tmp_path_factory.mktemp("packed")
    (folder / "small").mkdir()
    (folder / "small/suite.toml").write_text(SUITE, encoding="utf-8")
    (folder / "small/path.toml").write_text(CELLS, encoding="utf-8")
    (folder / "small/scenario.toml").write_text(SCENARIO, encoding="utf-8")
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    for line in (
        "suite small ./mine.py:Mine --out suite --quiet",
        "new claims bloat",
        "reproduce ./bloat --out claims --quiet",
        "ab newreno ./mine.py:Mine --scenario small/scenario.toml --replications 4 --out trial --quiet",
        "worst vegas --budget 12 --out atlas --quiet",
        *(f"pack {name} --out {name}.zip" for name in ("suite", "claims", "trial", "atlas")),
    ):
        done = finished(line.split(), folder)
        # A trial ends with 1 where something is worse.
        assert done.returncode in {0, int(line.startswith("ab"))}, (line, done.stderr)
    return folder


@pytest.mark.parametrize(
    ("name", "kind"), [("suite", "suite"), ("claims", "reproduction"), ("trial", "trial"), ("atlas", "atlas")]
)
def test_every_cell_is_repeated_elsewhere(packed: Path, tmp_path: Path, name: str, kind: str) -> None:
    archive = packed / f"{name}.zip"
    if name in {"suite", "trial"}:
        refused = finished(["verify", archive], tmp_path)
        assert refused.returncode == 2
        assert "mine.py:Mine (class in a Python file)" in refused.stderr
    done = finished(["verify", archive, "--trust", "--json"], tmp_path)
    verdict = json.loads(done.stdout)
    assert (done.returncode, verdict["same"], verdict["kind"]) == (0, True, kind)
    assert len(verdict["repeated"]) >= 8
    assert all(each["found"] == each["stored"] for each in verdict["repeated"])
    assert len({each["name"] for each in verdict["repeated"]}) == len(verdict["repeated"])


def test_an_unpacked_archive_is_the_folder_and_has_its_page_again(packed: Path, tmp_path: Path) -> None:
    kept = {"suite": "summary.json", "claims": "ledger.json", "trial": "pairs.jsonl", "atlas": "atlas.json"}
    for name, file in kept.items():
        with zipfile.ZipFile(packed / f"{name}.zip") as archive:
            archive.extractall(tmp_path / name)
        assert (tmp_path / name / file).read_bytes() == (packed / name / file).read_bytes()
        page = (tmp_path / name / "report.html").read_bytes()
        assert finished(["report", name], tmp_path).returncode == 0
        assert (tmp_path / name / "report.html").read_bytes() == page


def test_equal_folders_make_equal_archives(packed: Path, tmp_path: Path) -> None:
    assert finished(["pack", packed / "suite", "--out", "again.zip"], tmp_path).returncode == 0
    assert (tmp_path / "again.zip").read_bytes() == (packed / "suite.zip").read_bytes()


def _with(key: str, value: object) -> Callable[[bytes], bytes]:
    def edited(content: bytes) -> bytes:
        found: dict[str, Any] = json.loads(content)
        found[key] = value
        return json.dumps(found).encode()

    return edited


@pytest.mark.parametrize(
    ("place", "change", "answer"),
    [
        ("summary.json", _with("title", "Another"), (1, "file: summary.json is not the one that was packed")),
        ("annex.md", None, (1, "file: annex.md is missing")),
        ("cells/path/cells.parquet", lambda content: content[:-9] + b"x" + content[-8:], (2, "cells.parquet")),
        ("packed.json", None, (2, "is not a file written by `narrows pack`")),
        ("../out.txt", lambda _: b"x", (2, "is not a file written by `narrows pack`")),
        ("new.txt", lambda _: b"x", (1, "file: new.txt was not packed")),
    ],
)
def test_what_was_changed_in_an_archive_is_named(
    packed: Path, tmp_path: Path, place: str, change: Callable[[bytes], bytes] | None, answer: tuple[int, str]
) -> None:
    status, words = answer
    with zipfile.ZipFile(packed / "suite.zip") as old, zipfile.ZipFile(tmp_path / "other.zip", "w") as new:
        new.comment = old.comment
        contents = {name: old.read(name) for name in old.namelist()}
        if change is None:
            del contents[place]
        else:
            contents[place] = change(contents.get(place, b""))
        for name, content in contents.items():
            new.writestr(name, content)
    done = finished(["verify", "other.zip", "--trust"], tmp_path)
    assert done.returncode == status, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not Path(tmp_path.parent / "out.txt").exists()


def _lines(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    def edited(content: bytes) -> bytes:
        first, *others = content.splitlines(keepends=True)
        found = json.loads(first)
        change(found)
        return b"".join([json.dumps(found).encode() + b"\n", *others])

    return edited


@pytest.mark.parametrize(
    ("name", "place", "change", "answer"),
    [
        ("trial", "scenarios/*.b.toml", lambda text: text.replace(b"40ms", b"41ms"), (1, "has other records")),
        ("trial", "scenarios/*.a.toml", None, (2, "No such file")),
        ("trial", "pairs.jsonl", _lines(lambda each: each.update(records="a b")), (2, "1 of its lines")),
        ("trial", "summary.json", _with("digest_schema", "one"), (2, "earlier version")),
        ("trial", "summary.json", _with("scenarios", {}), (2, "names no two scenario files")),
        (
            "atlas",
            "found/01-*.against.toml",
            lambda text: text.replace(b'"cubic"', b'"reno"'),
            (2, "cannot be read here"),
        ),
        (
            "atlas",
            "found/01-*.against.toml",
            lambda text: text.replace(b"beta = 0.7", b"beta = 0.6"),
            (1, "has other records"),
        ),
        ("atlas", "atlas.json", _with("found", [{"scenario": "../x"}]), (2, "is damaged")),
        ("atlas", "atlas.json", None, (2, "holds a search without results")),
    ],
)
def test_a_changed_trial_or_atlas_is_named(  # noqa: PLR0913, PLR0917  # the cases, and where they are tried
    packed: Path,
    tmp_path: Path,
    name: str,
    place: str,
    change: Callable[[bytes], bytes] | None,
    answer: tuple[int, str],
) -> None:
    status, words = answer
    with zipfile.ZipFile(packed / f"{name}.zip") as old, zipfile.ZipFile(tmp_path / "other.zip", "w") as new:
        new.comment = old.comment
        contents = {each: old.read(each) for each in old.namelist()}
        found = next(each for each in contents if Path(each).match(place))
        if change is None:
            del contents[found]
        else:
            assert change(contents[found]) != contents[found]
            contents[found] = change(contents[found])
        for each, content in contents.items():
            new.writestr(each, content)
    done = finished(["verify", "other.zip", "--trust"], tmp_path)
    assert (done.returncode, words in " ".join(done.stderr.split())) == (status, True), done.stderr
    assert "Traceback" not in done.stderr


def test_a_trial_that_kept_too_little_is_not_packed(packed: Path, tmp_path: Path) -> None:
    shutil.copytree(packed / "trial", tmp_path / "old")
    summary = json.loads((tmp_path / "old/summary.json").read_text("utf-8"))
    del summary["digest_schema"]
    (tmp_path / "old/summary.json").write_text(json.dumps(summary), "utf-8")
    done = finished(["pack", "old", "--out", "old.zip"], tmp_path)
    assert done.returncode == 2
    assert (
        "which kept too little to repeat its runs: the same `narrows ab` in another folder makes it again"
        in done.stderr
    )
    assert not (tmp_path / "old.zip").exists()


@pytest.mark.parametrize(
    ("scenarios", "digests"),
    [(["a", "b"], []), (["a", "b"], [["x", "y"], ["x"]]), (["a"], [["x", "y"]]), (["a", "b"], [["x", "y", "z"]])],
)
def test_a_find_without_two_digests_for_each_replication_is_damage(
    tmp_path: Path, scenarios: list[str], digests: list[list[str]]
) -> None:
    find = {"scenario": "find 1", "scenarios": scenarios, "digests": digests}
    atlas = {"algorithm": "a", "against": "b", "seed": 1, "on": "simulator", "found": [find], "digest_schema": 1}
    for name, content in (("search.json", {"engine": "e", "seed": 1}), ("atlas.json", atlas)):
        (tmp_path / name).write_text(json.dumps({"format": FORMATS[name].number, **content}), encoding="utf-8")
    with pytest.raises(InputError, match=r"atlas\.json: is damaged: find 1"):
        of_atlas(tmp_path)
