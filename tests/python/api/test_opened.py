# SPDX-License-Identifier: Apache-2.0
"""The Python interface to folders of results and to the commands that fill them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import narrows as nw
from narrows._internal.run.display import frame_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(scenario: Path, tmp_path: Path) -> Path:
    nw.load(scenario).run(replications=2).save(tmp_path / "run")
    return tmp_path / "run"


def test_a_run_folder_has_the_tables_and_the_summary_of_its_run(folder: Path, scenario: Path) -> None:
    opened: Any = nw.open(str(folder))
    run = nw.load(scenario).run(replications=2)
    assert opened.summary["digest"] == run.summary["digest"]
    for name in ("flows", "links", "series", "events"):
        assert getattr(opened, name).to_pylist() == getattr(run, name).to_pylist(), name
    assert opened.packets.num_rows == 0
    assert opened.scenario.run(replications=2).summary["digest"] == run.summary["digest"]
    assert "flows" in dir(opened)
    with pytest.raises(AttributeError, match="no attribute or table `flow`"):
        _ = opened.flow


def test_a_comparison_folder_has_its_runs(scenario: Path, tmp_path: Path) -> None:
    comparison = nw.load(scenario).compare(["newreno", "cubic"], replications=2)
    comparison.save(tmp_path / "both")
    opened: Any = nw.open(tmp_path / "both")
    assert list(opened.runs) == ["newreno", "cubic"]
    assert opened.flows.to_pylist() == comparison.flows.to_pylist()
    assert "cubic" in opened._repr_html_()


def test_what_is_no_folder_of_results_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(nw.InputError, match="not a folder of a run, comparison or study"):
        nw.open(tmp_path)


@pytest.mark.parametrize(("library", "rows"), [("polars", "height"), ("pandas", "__len__"), (None, "height")])
def test_a_table_is_a_data_frame(folder: Path, library: str | None, rows: str) -> None:
    opened: Any = nw.open(folder)
    frame = opened.frame("flows", library)
    count = getattr(frame, rows)
    assert (count() if callable(count) else count) == 6


def test_a_library_that_is_not_there_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: Any = nw.open(folder)
    table = opened.flows
    with pytest.raises(nw.InputError, match="allowed: polars, pandas"):
        frame_of(table, "excel")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(nw.InputError, match="not installed"):
        frame_of(table, "polars")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(nw.InputError, match=r"narrows\[frame\]"):
        frame_of(table)


def test_results_show_themselves(folder: Path) -> None:
    opened: Any = nw.open(folder)
    assert repr(opened).startswith("<OpenedRun 'Two NewReno flows and one AIAD flow': 2 replications, seed 1, sha256:")
    page = opened._repr_html_()
    assert page.count("<tr>") == 3
    mean = opened.summary["groups"]["other"]["goodput_bps"]["mean"] / 1e6
    shown = [float(each) for each in re.findall(r"([\d.]+)\WMbps", page)]
    assert min(abs(each / mean - 1) for each in shown) < 0.01  # two digits of half the interval
    assert opened.summary["digest"] in page


def test_a_study_is_run_opened_and_asked(scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "study.toml"
    file.write_text(
        f'title = "Two buffers"\nscenario = "{scenario}"\nreplications = 2\nmeasures = ["goodput_bps"]\n'
        '[factors]\n"path.queue.limit" = ["1bdp", "2bdp"]\n'
    )
    study = nw.study(file, tmp_path / "study", jobs=1)
    assert study.cells.num_rows == 4
    assert study.query("select count(*) as n from cells") == [{"n": 4}]
    # More than are sent at once.
    assert len(study.query("select * from range(25_000), cells limit 20_001")) == 20_001
    with pytest.raises(nw.InputError, match="nothing"):
        study.query("select nothing from cells")
    with monkeypatch.context() as patched:
        # A process that ends without an answer.
        patched.setattr(sys, "executable", shutil.which("true"))
        with pytest.raises(nw.InputError, match="was ended"):
            study.query("select 1")
    assert nw.open(tmp_path / "study").frame("pandas").shape[0] == 4
    assert "4 of 4 cells" in repr(study)
    assert "2bdp" in study._repr_html_()
    assert (tmp_path / "study/report.html").is_file()
    # It is gone on with, not begun again.
    assert nw.study(file, tmp_path / "study").status.finished == 4
    with pytest.raises(nw.InputError, match="neither matrix nor deployment"):
        _ = study.summary


SHORT_RUN = ["duration=7s", "warmup=2s"]


def test_a_matrix_and_a_deployment_have_summaries(tmp_path: Path) -> None:
    one = {"rates": ["5Mbps"], "rtts": ["20ms"], "buffers": ["1bdp"]}
    found: Any = nw.matrix(["newreno", "cubic"], tmp_path / "matrix", overrides=SHORT_RUN, replications=2, **one)  # type: ignore[arg-type]
    assert {row["incumbent"] for row in found.summary["matrix"]} == {"newreno", "cubic"}
    moved = nw.deploy("bbr3", tmp_path / "deploy", fractions=[50], flows=4, overrides=SHORT_RUN, replications=2, jobs=1)
    assert [stage["deployed"] for stage in moved.summary["stages"]]
    with pytest.raises(nw.OutputError):
        nw.matrix(["newreno", "cubic"], tmp_path / "matrix", **one)  # type: ignore[arg-type]


def test_a_run_is_exported(folder: Path, tmp_path: Path) -> None:
    assert (nw.export("csv", folder, tmp_path / "csv") / "flows.csv").is_file()
    assert any(nw.export("qlog", str(folder)).iterdir())
    with pytest.raises(nw.InputError, match="allowed: pcapng, csv, qlog"):
        nw.export("excel", folder)
    with pytest.raises(nw.InputError, match="packet"):
        nw.export("pcapng", folder)


@pytest.mark.parametrize("first", ["import narrows._internal.experiments.plan, narrows._internal.formats.csv", "pass"])
def test_a_package_of_the_same_name_does_not_hide_a_function(first: str) -> None:
    program = f"{first}\nimport narrows as nw, json\nprint(json.dumps([callable(nw.study), callable(nw.export)]))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [True, True]
