# SPDX-License-Identifier: Apache-2.0
"""Contract: results of any kind are recognised, opened, shown, listed and repeated by the row of their kind."""

from __future__ import annotations

import contextlib
import json
import shlex
import shutil
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from test_shared import CELLS, SCENARIO, SUITE

import narrows as nw
from narrows._internal.cli.program import run
from narrows._internal.commands import page, studies
from narrows._internal.files import kinds
from narrows._internal.files.format import SUMMARY, read_kept
from narrows._internal.files.json_objects import sealed
from narrows._internal.files.kinds import KINDS, Kind, kind_of
from narrows._internal.files.manifest import MANIFEST, file_digest
from narrows._internal.linux.backend import LINUX, SIMULATOR
from narrows._internal.opened.folder import OpenedBoth, OpenedTable
from narrows._internal.report.index.build import entries
from narrows._internal.share.pack import pack
from narrows._internal.share.verify import Repeated, Verdict, verify

if TYPE_CHECKING:
    from pathlib import Path

SHORT = "--replications 2 --set duration=3s --set warmup=1s"
VIEW = (
    "matrix cubic newreno --rates 2Mbps --rtts 20ms --buffers 1bdp --replications 2 --set duration=3s --set warmup=1s"
)
# Of each kind the command that writes it.
COMMANDS = {
    "run": f"run base.toml {SHORT}",
    "comparison": f"compare cubic newreno --scenario base.toml {SHORT}",
    "study": VIEW,
    "study on both backends": f"{VIEW} --on both",
    "trial": "ab newreno cubic --scenario base.toml --replications 4",
    "suite": "suite small cubic",
    "reproduction": "reproduce ./bloat",
    "atlas": "worst vegas --budget 4 --jobs 1",
}
REPEATED = Verdict("survey", "What is used", [Repeated("asked", "1", "1")], [])
NAMES = [kind.name for kind in KINDS]


def narrows(folder: Path, line: str) -> int:
    """Run a command in a folder; both backends are the simulator, which needs no kernel."""
    plan = studies._new  # noqa: SLF001  # no kernel is there
    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(folder):
        patch.setattr(studies, "_new", lambda view, options, on: plan(view, options, SIMULATOR if on == LINUX else on))
        return run(shlex.split(line))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a folder of results of each kind."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "small").mkdir()
    (folder / "small/suite.toml").write_text(SUITE, encoding="utf-8")
    (folder / "small/path.toml").write_text(CELLS, encoding="utf-8")
    (folder / "small/scenario.toml").write_text(SCENARIO, encoding="utf-8")
    (folder / "base.toml").write_text(SCENARIO, encoding="utf-8")
    assert narrows(folder, "new claims bloat") == 0
    for name, line in COMMANDS.items():
        # A trial ends with 1 if something is worse.
        assert narrows(folder, f"{line} --out 'results/{name}' --quiet") in {0, int(name == "trial")}, name
    return folder / "results"


def test_every_kind_has_a_command_that_writes_it() -> None:
    assert set(COMMANDS) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_of_each_kind_is_recognised_and_opened(made: Path, name: str) -> None:
    folder = made / name
    kind = kind_of(folder)
    assert kind is not None
    assert kind.name == name
    opened: Any = nw.open(folder)
    assert opened.path == folder
    assert opened.title
    assert opened.summary
    assert len(opened.frame()) > 0
    assert type(opened).__name__ in repr(opened)
    assert "<table>" in opened._repr_html_()


@pytest.mark.parametrize("name", [kind.name for kind in KINDS if kind.results == SUMMARY])
def test_a_kind_is_recognised_by_its_summary_alone(made: Path, tmp_path: Path, name: str) -> None:
    shutil.copy(made / name / SUMMARY, tmp_path)
    content = read_kept(tmp_path / SUMMARY)
    if name == "trial":
        # A trial of kernels names them.
        content["backends"] = [{"on": SIMULATOR}, {"on": LINUX}]
        (tmp_path / SUMMARY).write_text(json.dumps(content), encoding="utf-8")
    kind = kind_of(tmp_path)
    assert kind is not None
    assert kind.name == name


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_each_kind_is_built_again(made: Path, name: str) -> None:
    before = (made / name / "report.html").read_bytes()
    assert page.build(made / name) == made / name / "report.html"
    assert (made / name / "report.html").read_bytes() == before


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_of_each_kind_is_packed_and_repeated(made: Path, tmp_path: Path, name: str) -> None:
    pack(made / name, tmp_path / "packed.zip")
    verdict = verify(tmp_path / "packed.zip")
    assert (verdict.same, verdict.kind, verdict.differences) == (True, name, [])
    assert verdict.title
    assert len(verdict.repeated) > 1 - (name == "run")


def test_an_index_has_an_entry_for_each_kind(made: Path) -> None:
    assert {each.place: each.kind for each in entries(made)} == {
        **{name: name for name in NAMES},
        # By the names of the commands.
        "study": "matrix",
        "study on both backends": "matrix",
    }


def test_the_rows_of_a_folder_are_its_table(made: Path) -> None:
    for name, rows in {"suite": "rows", "trial": "rows", "atlas": "found", "reproduction": "claims"}.items():
        opened = nw.open(made / name)
        assert isinstance(opened, OpenedTable)
        assert opened.kind == name
        assert len(opened.rows) == len(opened.summary[rows]) > 0
        assert opened.frame("pandas").shape[0] == len(opened.rows)
        assert not any(isinstance(value, dict | list) for row in opened.rows for value in row.values())


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_a_kind_with_cells_draws_any_metric_against_any_factor(made: Path, kind: Kind, tmp_path: Path) -> None:
    folder, file = made / kind.name, tmp_path / "drawn.svg"
    asked = {
        "study": "--y group.incumbent.goodput_bps --x pair",
        "study on both backends": "--y link.bottleneck.utilization --x pair --experiment linux",
        "reproduction": "--y queue_delay_p95_s --x algorithm",
    }
    assert set(asked) == {each.name for each in KINDS if each.draws}
    line = asked.get(kind.name, "--y goodput_bps --x algorithm")
    status = narrows(made, f"figure '{folder}' {line} --out '{file}'")
    assert status == (0 if kind.draws else 2)
    assert file.is_file() == bool(kind.draws)


def test_both_backends_have_their_studies(made: Path, tmp_path: Path) -> None:
    opened = nw.open(made / "study on both backends")
    assert isinstance(opened, OpenedBoth)
    assert {on: each.cells.num_rows for on, each in opened.studies.items()} == {SIMULATOR: 10, LINUX: 10}
    # What a summary says of both is compared with their cells.
    folder = shutil.copytree(made / "study on both backends", tmp_path / "both")
    content = read_kept(folder / SUMMARY)
    content["seed"] = 7
    (folder / SUMMARY).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(nw.InputError, match="has changed since it was written"):
        nw.open(folder)
    manifest = read_kept(folder / MANIFEST, is_sealed=True)
    manifest["files"][SUMMARY] = file_digest(folder / SUMMARY)
    (folder / MANIFEST).write_text(json.dumps(sealed(manifest)), encoding="utf-8")
    pack(folder, tmp_path / "packed.zip")
    assert [each.what for each in verify(tmp_path / "packed.zip").differences] == ["summary.json seed"]


@pytest.mark.parametrize("name", ["suite", "reproduction", "trial", "atlas"])
def test_a_folder_without_results_is_refused(made: Path, tmp_path: Path, name: str) -> None:
    folder = shutil.copytree(made / name, tmp_path / "begun")
    for kind in KINDS:
        (folder / kind.results).unlink(missing_ok=True)
    with pytest.raises(nw.InputError, match="holds no results yet"):
        nw.open(folder)


@pytest.fixture
def ninth(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Add a kind to the list, as a further command would, and return a folder of it."""
    home = ModuleType("ninth")
    monkeypatch.setitem(sys.modules, home.__name__, home)
    vars(home).update(page=lambda folder: folder / "ninth.html", repeat=lambda *_, **__: REPEATED)
    row = Kind(
        "survey", "surveys", "survey.json", kinds.Format(1, 1, "ask again"),
        marks=("survey.json",), results="survey.json", rows="answers", own=("survey.json",),
        page="ninth:page", repeat="ninth:repeat", open="narrows._internal.opened.folder:OpenedTable",
    )  # fmt: skip
    monkeypatch.setattr(kinds, "KINDS", [*KINDS, row])
    monkeypatch.setitem(sys.modules["narrows._internal.files.format"].FORMATS, "survey.json", row.format)
    (tmp_path / "asked").mkdir()
    content = {"format": 1, "title": "What is used", "answers": [{"algorithm": "cubic", "share": 0.5}]}
    (tmp_path / "asked/survey.json").write_text(json.dumps(content), encoding="utf-8")
    return tmp_path / "asked"


def test_a_further_kind_is_one_row(ninth: Path, tmp_path: Path) -> None:
    opened = nw.open(ninth)
    assert isinstance(opened, OpenedTable)
    assert (opened.kind, opened.title, opened.rows) == (
        "survey",
        "What is used",
        [{"algorithm": "cubic", "share": 0.5}],
    )
    assert page.build(ninth) == ninth / "ninth.html"
    pack(ninth, tmp_path / "asked.zip")
    assert verify(tmp_path / "asked.zip") == REPEATED
