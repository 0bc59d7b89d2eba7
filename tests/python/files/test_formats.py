# SPDX-License-Identifier: Apache-2.0
"""Contract: every kept file states the number of its format, and one of another number is refused with what to do."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import shutil
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any

import pytest
from claim_files import GOODPUT, SCENARIO, SUITE, claim, claims_file, write_study

from narrows._internal import core
from narrows._internal.cli.program import run
from narrows._internal.errors import InputError
from narrows._internal.files.format import FORMATS, PACK, FormatError, read_kept
from narrows._internal.files.json_objects import sealed
from narrows._internal.files.manifest import MANIFEST, file_digest
from narrows._internal.reproduction import registry
from narrows._internal.reproduction.registry import published_studies
from narrows._internal.share.pack import pack
from narrows._internal.share.verify import verify
from repository import HOUSE

if TYPE_CHECKING:
    from pathlib import Path

STUDY = """\
scenario = "base.toml"
algorithms = ["newreno", "aimd(a=1,b=0.6)"]
measures = ["goodput_bps"]
replications = 2
[sizes.quick]
"""
CELLS = """\
title = "A path"
scenario = "base.toml"
algorithms = "{subjects}"
replications = 2
[words]
subjects = ["cubic"]
[factors]
rate = { "path.rate" = ["2Mbps"] }
"""
COMMANDS = {
    "run": "run base.toml --out run",
    "comparison": "compare cubic newreno --scenario base.toml --out comparison",
    "study": "study run study.toml --out study",
    "shard": "study run study.toml --shard 1/1 --out shard",
    "matrix": "matrix cubic newreno --rates 2Mbps --rtts 20ms --buffers 1bdp --replications 2 --set duration=3s "
    "--set warmup=1s --out matrix",
    "trial": "ab newreno cubic --scenario base.toml --out trial",
    "search": "worst vegas --budget 1 --jobs 1 --out search",
    "suite": "suite rules cubic --out suite",
    "reproduction": "reproduce published --quick --out reproduction",
}
# Of each kind of folder the files with a number, and commands that read them.
READERS = {
    ("run", "manifest.json"): ("report run", "export csv run", "pack run --out packed.zip"),
    ("run", "summary.json"): ("report run",),
    ("comparison", "manifest.json"): ("report comparison", "pack comparison --out packed.zip"),
    ("comparison", "summary.json"): ("report comparison",),
    ("study", "plan.json"): ("report study", "study status study", "study resume study", "pack study --out packed.zip"),
    ("study", "manifest.json"): ("report study", 'study query study "select 1"'),
    ("matrix", "view.json"): ("report matrix",),
    ("trial", "trial.json"): (COMMANDS["trial"],),
    ("trial", "summary.json"): ("report trial",),
    ("search", "search.json"): (COMMANDS["search"],),
    ("search", "atlas.json"): ("report search",),
    ("search", "curves.json"): ("report search",),
    ("suite", "suite.json"): (COMMANDS["suite"],),
    ("suite", "summary.json"): ("report suite",),
    ("reproduction", "reproduction.json"): (COMMANDS["reproduction"],),
}
# Files that are parts of a folder, whose number they have.
PARTS = {"cells", "failed"}


def narrows(folder: Path, line: str) -> tuple[int, str]:
    """Run a command in a folder; return its exit status and all that it prints."""
    printed = io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.chdir(folder),
        redirect_stdout(printed),
        redirect_stderr(printed),
    ):
        # Those that are part of Narrows take seconds to read.
        patch.setattr(registry, "STUDIES", folder / "studies")
        try:
            status = run(shlex.split(line))
        except SystemExit as end:
            status = int(end.code or 0)
    return status, printed.getvalue()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with results of every kind."""
    folder = tmp_path_factory.mktemp("made")
    claims = claims_file(900, claim("900-1", "It sends", f"{{ is = {GOODPUT}, at_least = 1 }}"))
    write_study(folder / "published", STUDY, claims)
    (folder / "rules").mkdir()
    for name, text in (("suite.toml", SUITE), ("cells.toml", CELLS), ("base.toml", SCENARIO)):
        (folder / "rules" / name).write_text(text, encoding="utf-8")
    (folder / "base.toml").write_text(SCENARIO.replace('"subject"', '"cubic"\nsubject = true'), encoding="utf-8")
    (folder / "study.toml").write_text(STUDY.partition("[sizes")[0], encoding="utf-8")
    for line in COMMANDS.values():
        status, said = narrows(folder, line)
        assert status in {0, 1}, said
    pack(folder / "run", folder / "run.zip")
    return folder


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    """Return a copy of the folder with results."""
    return shutil.copytree(made, tmp_path / "copied")


def change(file: Path, number: object) -> None:
    """Give a file another number, none for None, and its digest to the manifest that lists it."""
    content = json.loads(file.read_text(encoding="utf-8"))
    is_sealed = content.pop("seal", None) is not None
    content.pop("format")
    if number is not None:
        content = {"format": number, **content}
    file.write_text(json.dumps(sealed(content) if is_sealed else content), encoding="utf-8")
    manifest = file.parent / MANIFEST
    if file != manifest and manifest.is_file():
        listed = json.loads(manifest.read_text(encoding="utf-8"))
        del listed["seal"]
        listed["files"][file.name] = file_digest(file)
        manifest.write_text(json.dumps(sealed(listed)), encoding="utf-8")


def test_every_file_of_results_has_the_number_that_is_written(made: Path) -> None:
    found = {}
    for file in made.rglob("*.json"):
        if file.parent.name not in PARTS:
            found[file.relative_to(made).as_posix()] = json.loads(file.read_text(encoding="utf-8")).get("format")
    assert found == {place: FORMATS[place.rpartition("/")[2]].number for place in found}
    assert {place.rpartition("/")[2] for place in found} >= {
        name for name in FORMATS if name != PACK and "-quick" not in name
    }
    with zipfile.ZipFile(made / "run.zip") as archive:
        assert json.loads(archive.comment) == {"format": FORMATS[PACK].number}


def test_the_documentation_has_the_numbers() -> None:
    text = (HOUSE / "docs/run-folder.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.*?) \| .* \| (\d+) \|.*\|$", text, re.MULTILINE)
    listed = {name: int(number) for names, number in rows for name in re.findall(r"`([\w-]+\.json)`", names)}
    assert listed == {name: each.number for name, each in FORMATS.items() if name != PACK and "-quick" not in name}


def test_the_published_files_are_read() -> None:
    for study in published_studies():
        assert study.ledger is None or study.ledger["format"] >= FORMATS["ledger.json"].oldest
        assert all(each["format"] == FORMATS["tables.json"].number for each in study.tables)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != PACK])
def test_a_number_decides_whether_a_file_is_read(tmp_path: Path, name: str) -> None:
    number, oldest, again = FORMATS[name]
    file = tmp_path / name

    def read(content: dict[str, Any]) -> str:
        file.write_text(json.dumps(content), encoding="utf-8")
        try:
            assert read_kept(file) == content
        except InputError as error:
            return f"{'format' if isinstance(error, FormatError) else 'damage'}: {error}"
        return ""

    for given in range(oldest, number + 1):
        assert not read({"format": given} if given else {})
    for given in range(oldest):
        said = read({"format": given} if given else {})
        assert said.startswith(f"format: {file}: ")
        assert "older version" in said
        assert again in said
        assert (f"format {given}" if given else "has no number of its format") in said
    said = read({"format": number + 1})
    assert said.startswith(f"format: {file}: is of format {number + 1}, of a newer version")
    assert f"format {number}" in said or f"formats {oldest} to {number}" in said
    assert "install a newer version" in said
    others: list[Any] = ["1", 1.0, True, -1, None, [1], {}]
    for wrong in others:
        assert read({"format": wrong}).startswith(f"damage: {file}: is damaged: `format` is ")


@pytest.mark.parametrize(("kind", "name"), READERS)
def test_the_commands_refuse_a_file_of_another_number(copied: Path, kind: str, name: str) -> None:
    file = copied / kind / name
    content = file.read_bytes()
    number, oldest, again = FORMATS[name]
    said_by = {
        number + 1: f"is of format {number + 1}, of a newer version",
        "1": 'is damaged: `format` is "1"; allowed: a whole number',
    }
    if oldest:
        said_by[None] = again
    for given, words in said_by.items():
        change(file, given)
        before = listing(copied)
        for line in READERS[kind, name]:
            status, said = narrows(copied, line)
            assert (status, words in said) == (2, True), (line, given, said)
            assert name in said
            assert listing(copied) == before, line
        file.write_bytes(content)


def listing(folder: Path) -> dict[str, bytes]:
    """Return the content of all files except locks."""
    return {
        str(file): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and not file.name.startswith(".") and "lock" not in file.name
    }


def test_the_index_lists_results_of_another_format_as_such(copied: Path) -> None:
    change(copied / "run/summary.json", 99)
    status, said = narrows(copied, "report .")
    assert status == 0, said
    assert "of another format" in (copied / "index.html").read_text(encoding="utf-8")


def packed_with(folder: Path, comment: bytes) -> Path:
    """Return a copy of the packed run with another comment."""
    file = folder / "other.zip"
    shutil.copyfile(folder / "run.zip", file)
    with zipfile.ZipFile(file, "a") as archive:
        archive.comment = comment
    return file


@pytest.mark.parametrize(
    ("comment", "problem"),
    [
        (b'{"format": 9}', "is of format 9, of a newer version"),
        (b'{"format": "1"}', "`format` is"),
        (b"[1]", "is not a file written by `narrows pack`"),
        (b"\xff", "is not a file written by `narrows pack`"),
        (b"[" * 60_000, "is not a file written by `narrows pack`"),
    ],
)
def test_an_archive_of_another_number_is_refused(copied: Path, comment: bytes, problem: str) -> None:
    with pytest.raises(InputError, match=re.escape(problem)):
        verify(packed_with(copied, comment))


def test_an_archive_without_a_number_is_verified(copied: Path) -> None:
    assert verify(packed_with(copied, b"")).same


@pytest.mark.parametrize(
    ("kind", "name"), [("run", "manifest.json"), ("comparison", "manifest.json"), ("study", "plan.json")]
)
@pytest.mark.parametrize("schema", [None, 99])
def test_digests_of_another_schema_are_not_compared(copied: Path, kind: str, name: str, schema: int | None) -> None:
    for file in (copied / kind).rglob(name):
        content = json.loads(file.read_text(encoding="utf-8"))
        assert content.pop("digest_schema") == core.digest_schema()
        del content["seal"]
        if schema is not None:
            content["digest_schema"] = schema
        file.write_text(json.dumps(sealed(content)), encoding="utf-8")
    if name == "plan.json":
        (copied / kind / "manifest.json").unlink()
    pack(copied / kind, copied / "packed.zip")
    with pytest.raises(InputError, match="which cover something else") as caught:
        verify(copied / "packed.zip")
    assert name in str(caught.value)
    assert ("newer version" if schema else "a former definition") in str(caught.value)
    assert narrows(copied, "verify packed.zip")[0] == 2
