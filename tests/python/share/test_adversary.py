# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Results from somebody else execute nothing, whatever their files are called and say."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import narrows as nw
from command_line import SHORT
from narrows._internal.cli.program import run
from narrows._internal.core import ScenarioError
from narrows._internal.errors import InputError
from narrows._internal.files.json_objects import SEAL, sealed
from narrows._internal.files.manifest import MANIFEST, file_digest
from narrows._internal.opened.folder import OpenedRun
from narrows._internal.share.pack import LISTING, pack
from narrows._internal.share.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Python takes a file for a program whatever it is called.
NAMES = ("evil.py", "evil", "evil.txt", "evil.PY", "evil.pyw", "evil.json", "evil.toml", "inputs/evil.dat", "é 1.zip")
KINDS = ("run", "comparison", "study")
PAYLOAD = """\
import pathlib
pathlib.Path({marker!r}).touch()

class Mine:
    def __init__(self, setup):
        self.window = 10.0

    def on_ack(self, ack): ...
    def on_loss(self, loss): ...
"""
SUBJECT = SHORT.replace('algorithm = "newreno"', 'name = "tested"\nalgorithm = "subject"').replace('"5s"', '"1s"')
SUBJECT = SUBJECT.replace('warmup = "1s"', 'warmup = "0s"').replace("0s..1s", "0s..0.1s")


def narrows(*arguments: str | Path) -> tuple[int, str]:
    """Run a command in this process; return its exit status and all that it prints."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        try:
            status = run([str(each) for each in arguments])
        except SystemExit as end:
            status = int(end.code or 0)
    return status, printed.getvalue()


def seal_again(folder: Path, file: Path) -> None:
    """Forge a folder: renew each digest of a changed file, and each seal."""
    for manifest in sorted(folder.rglob(MANIFEST), key=lambda each: -len(each.parts)):
        if file.is_relative_to(manifest.parent) and file != manifest:
            content = json.loads(manifest.read_text(encoding="utf-8"))
            content.pop(SEAL)
            name = file.relative_to(manifest.parent).as_posix()
            if name in content["files"]:
                content["files"][name] = file_digest(file)
                manifest.write_text(json.dumps(sealed(content)), encoding="utf-8")
    listing = folder / LISTING
    if listing.is_file():
        content = {"files": json.loads(listing.read_text(encoding="utf-8"))["files"]}
        content["files"] = {place: file_digest(folder / place) for place in content["files"]}
        listing.write_text(json.dumps(sealed(content)), encoding="utf-8")


class Evil:
    """Results of every kind that rest on a payload of every name, and the mark that the payload leaves."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.marker = folder / "executed"
        (folder / "inputs").mkdir()
        (folder / "scenario.toml").write_text(SUBJECT, encoding="utf-8")
        for name in NAMES:
            (folder / name).write_text(PAYLOAD.format(marker=str(self.marker)) + f"# {name}\n", encoding="utf-8")

    def results(self, kind: str) -> Path:
        """Return the folder of the results of a kind, one of them with each name; whoever makes it trusts it."""
        place, scenario = self.folder / kind, self.folder / "scenario.toml"
        algorithms = [f"{self.folder / name}:Mine" for name in NAMES]
        if kind == "study":
            listed = json.dumps(algorithms, ensure_ascii=False)
            text = f'scenario = "scenario.toml"\nreplications = 1\nalgorithms = {listed}\n'
            (self.folder / "study.toml").write_text(text, encoding="utf-8")
            done = narrows("study", "run", self.folder / "study.toml", "--out", place, "--quiet")
        elif kind == "comparison":
            done = narrows(
                "compare", *algorithms, "--scenario", scenario, "--replications", "1", "--out", place, "--quiet"
            )
        else:
            groups = "".join(f'\n[[flows]]\nname = "g{n}"\nalgorithm = "{each}"\n' for n, each in enumerate(algorithms))
            (self.folder / "all.toml").write_text(SUBJECT.replace('"subject"', '"cubic"') + groups, encoding="utf-8")
            done = narrows("run", self.folder / "all.toml", "--out", place, "--quiet")
        assert done[0] == 0, done[1]
        assert self.marker.exists()
        self.marker.unlink()
        pack(place, self.folder / f"{kind}.zip")
        return place


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Evil:
    made = Evil(tmp_path_factory.mktemp("evil"))
    for kind in KINDS:
        made.results(kind)
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_foreign_results_is_executed(evil: Evil, kind: str) -> None:
    place, archive = evil.folder / kind, evil.folder / f"{kind}.zip"
    status, said = narrows("verify", archive)
    assert status == 2
    assert "--trust" in said
    missing = [name for name in NAMES if f"{name.rpartition('/')[2]}:Mine" not in said]
    assert not missing, said
    for scenario in place.rglob("scenario.toml"):
        status, said = narrows("check", scenario)
        assert status == 0, said
        assert kind == "study" or "would execute: " in said
    packing: list[str | Path] = ["pack", place, "--out", evil.folder / "x.zip"]
    commands: list[list[str | Path]] = [["report", place], ["study", "status", place], packing]
    for arguments in commands:
        (evil.folder / "x.zip").unlink(missing_ok=True)
        assert narrows(*arguments)[0] == (2 if arguments[0] == "study" and kind != "study" else 0)
    if kind == "study":
        other = evil.folder / "other"
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(place, other)
        (other / "cells.parquet").unlink()
        commands = [["study", "resume", other], ["study", "resume", place], ["study", "replay", other, ""]]
        for arguments in commands:
            status, said = narrows(*arguments)
            assert status == 2
            assert "Mine (class in a Python file)" in said
            assert "add --trust" in said
    opened = nw.open(place)
    runs = getattr(opened, "runs", {"": opened})
    for each in runs.values():
        if hasattr(each, "scenario"):
            with pytest.raises(ScenarioError, match="not executed"):
                each.scenario.run()
    assert not evil.marker.exists()


def test_what_is_trusted_is_executed(evil: Evil) -> None:
    assert verify(evil.folder / "run.zip", trust=True).same
    assert evil.marker.exists()
    evil.marker.unlink()
    opened = nw.open(evil.folder / "run", trust=True)
    assert isinstance(opened, OpenedRun)
    opened.scenario.run()
    assert evil.marker.exists()
    evil.marker.unlink()


def test_a_study_executes_the_commands_of_its_files_only_with_trust(tmp_path: Path) -> None:
    """Those of a scenario, of `set` and of a level; those given with `--set` are the user's own."""
    commands = 'program = { client = "id", server = "true" }'
    plain = SUBJECT.replace('"subject"', '"cubic"')
    given = ["--set", "flows.1.program.client='id'", "--set", "flows.1.program.server='true'"]
    study = tmp_path / "study.toml"
    for text, more, options, status in (
        (f"{plain}\n[[flows]]\n{commands}\n", "", [], 2),
        (plain, f'[set]\n"flows.1.{commands.replace(" = {", chr(34) + " = {", 1)}\n', [], 2),
        (plain, '[factors]\n"flows.1.program" = [{ client = "id", server = "true" }]\n', [], 2),
        (plain, "", given, 2),
    ):
        (tmp_path / "scenario.toml").write_text(text)
        study.write_text(f'scenario = "scenario.toml"\nreplications = 1\n{more}')
        found, said = narrows("study", "check", study, "--json", *options)
        # The simulator executes none, and refuses them.
        assert (found, "only a Linux kernel runs programs" in said) == (status, True), said


# Values of every type, of which most do not fit.
OTHER = st.sampled_from(
    [None, True, 0, -1, 2**70, 1.5, float("1e308"), "", "x", "../..", "/", "\ud800", [], ["x"], [[1]], {}, {"x": 1}]
)


def places(content: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of every part of a JSON value."""
    inner = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, each in inner:
        yield (*place, key)
        yield from places(each, (*place, key))


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the results of a run, a comparison, a study and a matrix that execute nothing."""
    folder = tmp_path_factory.mktemp("honest")
    (folder / "scenario.toml").write_text(SUBJECT.replace('"subject"', '"cubic"'), encoding="utf-8")
    (folder / "study.toml").write_text(
        'scenario = "scenario.toml"\n'
        'replications = { minimum = 2, maximum = 3, measure = "group.tested.goodput_bps", within = "50%" }\n'
        'measures = ["goodput_bps", "utilization"]\n[factors]\n"path.queue.limit" = ["1bdp", "2bdp"]\n'
    )
    short = ["--rates", "10Mbps", "--rtts", "20ms", "--buffers", "1bdp", "--set", "duration=3s", "--set", "warmup=0s"]
    commands: list[list[str | Path]] = [
        ["run", folder / "scenario.toml", "--out", folder / "run"],
        ["compare", "cubic", "reno", "--scenario", folder / "scenario.toml", "--out", folder / "comparison"],
        ["study", "run", folder / "study.toml", "--out", folder / "study"],
        ["matrix", "cubic", "reno", *short, "--replications", "2", "--out", folder / "matrix"],
    ]
    for arguments in commands:
        status, said = narrows(*arguments, "--quiet")
        assert status == 0, said
    return folder


CHANGED = [
    ("run", "manifest.json"),
    ("comparison", "manifest.json"),
    ("study", "plan.json"),
    ("study", "manifest.json"),
    ("matrix", "plan.json"),
    ("matrix", "view.json"),
]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_files_of_results_with_other_types_are_bad_input(honest: Path, tmp_path: Path, data: st.DataObject) -> None:
    kind, name = data.draw(st.sampled_from(CHANGED))
    content = json.loads((honest / kind / name).read_text())
    content.pop("seal", None)
    place = data.draw(st.sampled_from(sorted(places(content), key=str)))
    inner = content
    for key in place[:-1]:
        inner = inner[key]
    if data.draw(st.booleans()):
        inner[place[-1]] = data.draw(OTHER)
    else:
        del inner[place[-1]]
    folder = tmp_path / kind
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(honest / kind, folder)
    (folder / name).write_text(json.dumps(content if name == "view.json" else sealed(content)))
    if name != "manifest.json":
        # Whoever changes one changes the other.
        (folder / "manifest.json").unlink(missing_ok=True)
    commands: list[list[str | Path]] = [["report", folder], ["export", "csv", folder]]
    commands += [["pack", folder, "--out", tmp_path / "packed.zip"]]
    if kind in {"study", "matrix"}:
        commands += [["study", "status", folder], ["study", "query", folder, "select count(*) from cells"]]
        commands += [["study", "resume", folder, "--quiet"]]
    for arguments in commands:
        (tmp_path / "packed.zip").unlink(missing_ok=True)
        status, said = narrows(*arguments)
        assert status in {0, 2}, (place, inner, arguments, said)
    with suppress(InputError):
        nw.open(folder)


def test_a_manifest_of_deeply_nested_lists_is_bad_input(honest: Path, tmp_path: Path) -> None:
    for kind, name in CHANGED:
        folder = tmp_path / kind / name
        shutil.copytree(honest / kind, folder)
        (folder / name).write_text("[" * 100_000)
        status, said = narrows("report", folder)
        assert status == 2, said
        with zipfile.ZipFile(tmp_path / "nested.zip", "w") as archive:
            for file in folder.rglob("*"):
                if file.is_file():
                    archive.write(file, file.relative_to(folder))
        status, said = narrows("verify", tmp_path / "nested.zip")
        assert status == 2 or name == "view.json" or (kind, name) == ("study", "manifest.json"), said


@pytest.mark.parametrize("kind", ["algorithms", "backends", "levels"])
def test_a_manifest_that_names_its_own_folder_or_runs_of_a_run_is_bad_input(
    honest: Path, tmp_path: Path, kind: str
) -> None:
    own = tmp_path / "own"
    shutil.copytree(honest / "run", own)
    deep = tmp_path / "deep"
    place = deep
    for _ in range(3):
        shutil.copytree(honest / "run", place)
        place /= "a"
    for folder, name in ((own, "."), (own, "./"), (own, "x/.."), (deep, "a"), (deep / "a", "a")):
        content = json.loads((honest / "run/manifest.json").read_text(encoding="utf-8"))
        del content["seal"]
        content[kind] = {"cubic": name}
        (folder / "manifest.json").write_text(json.dumps(sealed(content)), encoding="utf-8")
    for folder in (own, deep):
        archive = tmp_path / f"{folder.name}.zip"
        with zipfile.ZipFile(archive, "w") as file:
            for each in folder.rglob("*"):
                if each.is_file():
                    file.write(each, each.relative_to(folder))
        commands: list[list[str | Path]] = [
            ["report", folder],
            ["export", "csv", folder],
            ["pack", folder],
            ["verify", archive],
        ]
        for arguments in commands:
            status, said = narrows(*arguments)
            # Damage in an archive is a difference.
            assert status in ({1, 2} if arguments[0] == "verify" else {2}), (arguments, said)
            assert "manifest.json" in said
