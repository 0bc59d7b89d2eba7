# SPDX-License-Identifier: Apache-2.0
"""A study from its file to its results. Truth: contract and product."""

from __future__ import annotations

import json
import math
import shutil
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import polars as pl
import pyarrow.parquet as pq
import pytest
from study_files import SCENARIO, STUDY, ask, digests, state, study, write_study

import narrows as nw
from narrows._internal.cli import main
from narrows._internal.experiments.definition import read_study
from narrows._internal.experiments.numbers import numbers, numbers_of
from narrows._internal.experiments.planner import make_plan
from narrows._internal.experiments.store import Store
from narrows._internal.files.format import read_kept
from narrows._internal.opened.folder import OpenedStudy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from narrows._internal.experiments.task import Finished


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which `out` is a finished study."""
    folder = tmp_path_factory.mktemp("study")
    write_study(folder)
    status, out, messages = study(folder, "run", "study.toml", "--out", "out")
    assert status == 0, messages
    assert out.splitlines()[-1] == "out"
    assert "4 combinations x 2 algorithms x 3 replications: 24 cells, 2 min of simulated time\n" in out
    return folder


def test_a_study_reads_its_plan_once_from_beginning_to_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []

    def counted(file: Path, *, is_sealed: bool) -> dict[str, Any]:
        read.append(file)
        return read_kept(file, is_sealed=is_sealed)

    monkeypatch.setattr("narrows._internal.experiments.plan.read_kept", counted)
    file = write_study(tmp_path, STUDY.replace("replications = 3", "replications = 1"))
    assert main(["study", "run", str(file), "--out", str(tmp_path / "out"), "--quiet"]) == 0
    assert (tmp_path / "out/report.html").is_file()
    assert read == [tmp_path / "out/plan.json"]


def test_cells_that_finish_at_the_same_time_are_written_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    keep = Store.keep

    def counted(self: Store, cells: Sequence[Finished]) -> None:
        sizes.append(len(cells))
        keep(self, cells)

    monkeypatch.setattr(Store, "keep", counted)
    # No time passes until the last cell is submitted.
    monkeypatch.setattr("narrows._internal.experiments.campaign.WRITE_S", float("inf"))
    file = write_study(tmp_path, STUDY.replace("replications = 3", "replications = 20"))
    assert main(["study", "run", str(file), "--out", str(tmp_path / "out"), "--quiet"]) == 0
    assert sizes[0] > 40
    assert sum(sizes) == 160


def test_status_counts_cells(done: Path) -> None:
    assert state(done) == {"cells": 24, "finished": 24, "failed": 0, "running": None}


def test_every_cell_is_a_row_with_its_levels_and_measures(done: Path) -> None:
    rows = ask(done, "select * exclude measured from cells")
    assert len(rows) == len({row["cell"] for row in rows}) == 24
    assert {(row["path.rtt"], row["path.queue.limit"], row["algorithm"], row["replication"]) for row in rows} == {
        (rtt, limit, algorithm, replication)
        for rtt in ("10ms", "40ms")
        for limit in ("0.5bdp", "1bdp")
        for algorithm in ("newreno", "aimd(a=1,b=0.8)")
        for replication in range(3)
    }
    assert all(row["seed"] == 1 and 1e6 < row["goodput_bps"] < 10e6 and 0 < row["utilization"] <= 1 for row in rows)


def test_levels_that_are_quantities_are_numbers_beside_their_texts(done: Path, tmp_path: Path) -> None:
    order = 'select distinct "path.rtt" t, "path.rtt_s" s, "path.queue.limit_bdp" n from cells order by s, n'
    found = [(row["t"], row["s"], row["n"]) for row in ask(done, order)]
    assert found == [("10ms", 0.01, 0.5), ("10ms", 0.01, 1.0), ("40ms", 0.04, 0.5), ("40ms", 0.04, 1.0)]
    table = pq.read_table(done / "out/cells.parquet")
    assert table.schema.field("path.queue.limit_bdp").metadata == {b"unit": b"bandwidth-delay products"}
    assert json.loads(table.schema.field("path.queue.limit").metadata[b"levels"]) == ["0.5bdp", "1bdp"]
    # Tables of earlier versions lack the columns.
    shutil.copytree(done / "out", tmp_path / "old")
    (tmp_path / "old/manifest.json").unlink()
    pq.write_table(table.drop_columns(["path.rtt_s", "path.queue.limit_bdp"]), tmp_path / "old/cells.parquet")
    assert OpenedStudy(tmp_path / "old").cells.equals(OpenedStudy(done / "out").cells)


@pytest.mark.parametrize(
    ("levels", "read"),
    [
        (["0.5bdp", "16bdp", "infinite"], ([0.5, 16.0, math.inf], "bdp")),
        (["1kB", "2KiB"], ([1000.0, 2048.0], "bytes")),
        (["90kbps", "0.1Gbps"], ([9e4, 1e8], "bps")),
        (["1%", "20%"], ([0.01, 0.2], "fraction")),
        (["10pkt", "100pkt"], ([10.0, 100.0], "packets")),
        (["300us", "2s"], ([3e-4, 2.0], "s")),
        ([1, "2"], ([1.0, 2.0], "")),
        (["1bdp", "10ms"], None),
        (["10ms", "cubic"], None),
        (["0s..1s", "0s..2s"], None),
        (["droptail", "codel"], None),
        ([True, False], None),
        (["infinite"], None),
    ],
)
def test_levels_are_numbers_if_all_are_quantities_of_one_kind(
    levels: list[Any], read: tuple[list[float], str] | None
) -> None:
    found = numbers(levels)
    assert (found if found is None else (list(found[0].values()), found[1])) == read


def test_a_column_of_numbers_takes_no_name_that_is_there(tmp_path: Path) -> None:
    together = '\n[factors.rate]\nlabels = ["1Mbps", "2Mbps"]\n"path.rate" = ["1Mbps", "2Mbps"]'
    text = STUDY[: STUDY.index("[factors]")] + 'measures = ["rate_bps"]\n' + together
    found = numbers_of(make_plan(read_study(write_study(tmp_path, text))))
    assert [each.name for each in found] == ["rate_level_bps", "path.rate_bps"]


def drawn(done: Path, line: str) -> Any:
    """Return the figure of the study that options describe, or the error, as text."""
    given = ["figure", str(done / "out"), *line.split(), "--out", str(done / f"{abs(hash(line))}.svg"), "--json"]
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as messages:
        status = main(given)
    if status:
        assert status == 2
        return messages.getvalue()
    printed = json.loads(out.getvalue())
    marks = ET.parse(printed["file"]).getroot()  # noqa: S314  # our own file
    return printed, ["".join(each.itertext()) for each in marks.iter() if each.tag.endswith("text")]


def test_a_metric_stands_against_a_factor_with_lines_and_panels_by_others(done: Path) -> None:
    printed, texts = drawn(done, "--y rtt_p95_s --x path.rtt --lines path.queue.limit --panels algorithm")
    assert printed["name"] == "response-rtt-p95-s-path-rtt"
    assert "A line per level of path.queue.limit, a panel per algorithm." in printed["caption"]
    assert "over 3 independent replications" in printed["caption"]
    assert {"path.queue.limit = 0.5bdp", "path.queue.limit = 1bdp", "path.rtt (ms)", "10", "40"} <= set(texts)
    assert len([text for text in texts if text.startswith(("newreno\u2002", "aimd(a=1,b=0.8)\u2002"))]) == 2


def test_a_factor_is_fixed_or_averaged_over_only_in_words(done: Path) -> None:
    rest = "--y goodput_bps --x path.rtt_s"
    printed, texts = drawn(done, f"{rest} --where path.queue.limit=1bdp")
    assert "Only path.queue.limit = 1bdp." in printed["caption"]
    # The algorithms have the lines if they have no other place.
    assert {"newreno", "aimd(a=1,b=0.8)"} <= set(texts)
    printed, _ = drawn(done, f"{rest} --average path.queue.limit")
    assert "Mean over all levels of path.queue.limit, and over replications" in printed["caption"]
    assert "without a place in the figure: path.queue.limit (0.5bdp, 1bdp)" in drawn(done, rest)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--y goodput_bps", "--y: needs --x FACTOR, too"),
        ("--lines algorithm", "--lines: needs --y METRIC and --x FACTOR, too"),
        ("--y goodput_bpss --x path.rtt", "did you mean goodput_bps?"),
        ("--y speed --x path.rtt", "or METRIC alone for the group under test, with METRIC of"),
        ("--y jain --x path.rtts", "did you mean path.rtt? allowed: path.rtt, path.queue.limit, algorithm"),
        ("--y jain --x path.rtt --where path.queue.limit=2bdp", "no level of path.queue.limit; allowed: 0.5bdp, 1bdp"),
        ("--y jain --x path.rtt --where path.queue.limit", "expected FACTOR=LEVEL"),
        ("--y jain --x path.rtt --lines path.rtt", "is named twice"),
        ("--y group.tested.stalls --x path.rtt --average path.queue.limit", "no cell has a value of"),
        ("trade-off --y jain --x path.rtt", "belongs to a figure of the page"),
        ("--y jain --x path.rtt --experiment other", "no experiment of"),
    ],
)
def test_a_figure_that_cannot_be_drawn_says_what_is_allowed(done: Path, line: str, said: str) -> None:
    assert said in drawn(done, line)


def test_a_study_plots_a_metric_in_python(done: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures for papers need it: pip install matplotlib")
    figure = OpenedStudy(done / "out").plot(
        "goodput_bps", "path.rtt", panels=["path.queue.limit"], where={"algorithm": "newreno"}
    )
    assert len(figure.axes) == 2
    with pytest.raises(nw.InputError, match="without a place"):
        OpenedStudy(done / "out").plot("goodput_bps", "path.rtt")


def test_a_cell_measures_what_a_run_of_its_scenario_does(done: Path) -> None:
    overrides = ["path.rtt=10ms", "path.queue.limit=0.5bdp"]
    run = nw.load(done / "base.toml", [*overrides, "flows.tested.algorithm=newreno"]).run(replications=3)
    goodputs = ask(
        done,
        "select goodput_bps g from cells where algorithm = 'newreno' and \"path.rtt\" = '10ms' "
        "and \"path.queue.limit\" = '0.5bdp' order by replication",
    )
    assert [row["g"] for row in goodputs] == [
        records.group_metrics["tested"]["goodput_bps"] for _, records in sorted(run.records.items())
    ]


def test_measures_that_the_study_does_not_name_are_kept_too(done: Path) -> None:
    question = (
        "select max(abs(measured['group.tested.goodput_bps'] - goodput_bps)) d, min(cardinality(measured)) n from cells"
    )
    (row,) = ask(done, question)
    assert row["d"] == 0
    assert row["n"] > 60


def test_results_load_in_one_line(done: Path) -> None:
    assert pl.read_parquet(done / "out/cells.parquet").height == 24
    assert pq.read_table(done / "out/cells.parquet").num_rows == 24


def test_the_same_study_has_the_same_bits_with_another_number_of_threads(done: Path) -> None:
    status, _, messages = study(done, "run", "study.toml", "--out", "again", "--jobs", "1", "--quiet")
    assert status == 0, messages
    assert digests(done, "again") == digests(done)
    of = [json.loads((done / out / "manifest.json").read_text())["digest"] for out in ("out", "again")]
    assert of[0] == of[1]


def test_a_finished_study_resumes_to_nothing(done: Path) -> None:
    before = (done / "out/cells.parquet").read_bytes()
    status, out, _ = study(done, "resume", "out")
    assert (status, out.splitlines()[-1]) == (0, "out")
    assert (done / "out/cells.parquet").read_bytes() == before


def test_resuming_a_finished_study_builds_its_report_only_if_that_is_of_other_results(done: Path) -> None:
    report = done / "out/report.html"
    built = report.read_text(encoding="utf-8")
    report.write_text(f"{built}<!-- as it was -->", encoding="utf-8")
    assert study(done, "resume", "out")[0] == 0
    assert report.read_text(encoding="utf-8") == f"{built}<!-- as it was -->"
    digest = json.loads((done / "out/manifest.json").read_text())["digest"]
    report.write_text(built.replace(digest, "sha256:0"), encoding="utf-8")
    assert study(done, "resume", "out")[0] == 0
    assert report.read_text(encoding="utf-8") == built


def test_replay_runs_one_cell_again_to_the_same_bits(done: Path) -> None:
    key = next(iter(digests(done)))
    status, out, _ = study(done, "replay", "out", key[:12], "--json")
    assert status == 0
    assert json.loads(out)["same"] is True
    status, out, messages = study(done, "replay", "out", "zzz")
    assert (status, out) == (2, "")
    assert "no cell has this key" in messages


def test_run_on_a_started_study_is_refused_with_a_hint(done: Path) -> None:
    status, out, messages = study(done, "run", "study.toml", "--out", "out")
    assert (status, out) == (2, "")
    assert "narrows study resume out" in messages


@pytest.mark.parametrize(
    "arguments",
    [
        ("status", "nowhere"),
        ("resume", "nowhere"),
        ("query", "nowhere", "select 1"),
        ("query", "out", "select nothing from cells"),
        ("query", "out", "select * from read_csv('study.toml')"),
        ("run", "nowhere.toml"),
        ("run", "study.toml", "--out", "other", "--metric", "cof(bin=1s)"),
        ("run", "study.toml", "--executor", "dask"),
        ("run", "study.toml", "--address", "tcp://127.0.0.1:8786"),
    ],
)
def test_bad_input_ends_with_two_and_no_traceback(done: Path, arguments: tuple[str, ...]) -> None:
    before = sorted(entry.name for entry in done.iterdir())
    status, out, messages = study(done, *arguments)
    assert (status, out) == (2, "")
    assert messages
    assert "Traceback" not in messages
    assert sorted(entry.name for entry in done.iterdir()) == before


def test_a_scheduler_that_does_not_answer_is_bad_input(
    done: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("narrows._internal.experiments.executors.dask.PATIENCE_S", 0.5)
    nowhere = "tcp://127.0.0.1:9"
    out = done / "unanswered"
    given = ["study", "run", str(done / "study.toml"), "--out", str(out), "--executor", "dask", "--address", nowhere]
    assert main(given) == 2
    assert f"{nowhere}: no Dask scheduler answers there" in capsys.readouterr().err
    assert not out.exists()


def test_keys_that_move_together_have_a_column_each(tmp_path: Path) -> None:
    speed = '[factors.speed]\n"path.rate" = ["2Mbps", "10Mbps"]\n"path.queue.limit" = ["5pkt", "20pkt"]\n'
    write_study(tmp_path, STUDY.partition("[factors]")[0] + speed + 'labels = ["slow", "fast"]\n')
    assert study(tmp_path, "run", "study.toml", "--out", "out", "--quiet")[0] == 0
    question = 'select distinct speed, "path.rate" r, "path.queue.limit" l from cells order by all'
    assert [list(row.values()) for row in ask(tmp_path, question)] == [
        ["fast", "10Mbps", "20pkt"],
        ["slow", "2Mbps", "5pkt"],
    ]


def test_flags_of_the_command_line_win(tmp_path: Path) -> None:
    write_study(tmp_path)
    flags = ["--seed", "7", "--replications", "1", "--set", "duration=3s", "--json", "--metric", "cov(bin=500ms)"]
    status, out, messages = study(tmp_path, "run", "study.toml", "--out", "out", *flags)
    assert status == 0, messages
    assert json.loads(out) == {"cells": 8, "finished": 8, "failed": 0, "running": None}
    assert messages.splitlines()[-1] == "out"
    assert ask(tmp_path, "select distinct seed from cells") == [{"seed": 7}]
    assert ask(tmp_path, 'select count("cov(bin=500ms)") n, count(jain) main from cells') == [{"n": 8, "main": 8}]
    assert "duration=3s" in (tmp_path / "out/plan.json").read_text()


def test_paths_in_levels_are_relative_to_the_study_file(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    for name, gap in (("slow", 4), ("fast", 2)):
        (inner / f"{name}.trace").write_text("".join(f"{at}\n" for at in range(gap, 400, gap)))
    write_study(
        inner, STUDY.partition("[factors]")[0] + '[factors]\n"path.rate.trace" = ["slow.trace", "fast.trace"]\n'
    )
    status, _, messages = study(tmp_path, "run", "inner/study.toml", "--out", "out", "--quiet")
    assert status == 0, messages
    (inner / "slow.trace").write_text("1\n2\n")
    # The folder keeps the content of the files that it uses.
    status, _, messages = study(tmp_path, "resume", "out")
    assert status == 0, messages


def test_replications_go_on_until_the_interval_is_narrow_enough(tmp_path: Path) -> None:
    sequential = '{ minimum = 3, maximum = 30, measure = "goodput_bps", within = "4%" }'
    write_study(tmp_path, STUDY.replace("replications = 3", f"replications = {sequential}"))
    status, _, messages = study(tmp_path, "run", "study.toml", "--out", "out", "--quiet")
    assert status == 0, messages
    found = state(tmp_path)
    assert found["cells"] == found["finished"] > 24
    from narrows._internal.statistics import estimate

    points: dict[Any, list[float]] = {}
    for row in ask(
        tmp_path,
        'select "path.rtt" r, "path.queue.limit" l, algorithm a, goodput_bps g from cells order by replication',
    ):
        points.setdefault((row["r"], row["l"], row["a"]), []).append(row["g"])
    assert len({len(values) for (rtt, limit, _), values in points.items() if (rtt, limit) == ("10ms", "1bdp")}) == 1
    for values in points.values():
        interval = estimate(values)["ci95"]
        assert interval is not None
        assert (interval[1] - interval[0]) / 2 <= 0.04 * sum(values) / len(values) or len(values) == 30
        assert 3 <= len(values) <= 30


def test_a_study_without_factors_or_algorithms_is_one_scenario_often(tmp_path: Path) -> None:
    write_study(tmp_path, 'scenario = "base.toml"\n', SCENARIO.replace('"subject"', '"cubic"'))
    assert study(tmp_path, "run", "study.toml", "--out", "out", "--quiet")[0] == 0
    rows = ask(tmp_path, 'select algorithm, "group.tested.goodput_bps" t, "group.other.goodput_bps" o from cells')
    assert len(rows) == 5
    assert all(row["algorithm"] is None and row["t"] > row["o"] > 0 for row in rows)


def test_a_study_measures_with_parameters(tmp_path: Path) -> None:
    asked = 'measures = ["utilization_between(from=2.5s, until=5s)", "group.other.goodput_between(from=1s,until=5s)"]\n'
    write_study(tmp_path, STUDY.split("\n\n")[0].replace("replications = 3", "replications = 1") + "\n" + asked)
    status, _, messages = study(tmp_path, "run", "study.toml", "--out", "out")
    assert status == 0, messages
    for row in ask(tmp_path, "select * from cells"):
        assert 0.5 < row["utilization_between(from=2.5s,until=5s)"] <= 1.0
        assert row["group.other.goodput_between(from=1s,until=5s)"] > 0
