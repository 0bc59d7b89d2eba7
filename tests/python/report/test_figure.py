# SPDX-License-Identifier: Apache-2.0
"""Contract: each figure of a page, and each plot of Python, can be put into a paper as it stands."""

from __future__ import annotations

import json
import math
import re
import sys
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

import narrows as nw
from command_line import SHORT, finished, write
from narrows._internal.opened.figures import FORMATS, pictures_in
from narrows._internal.page.picture import look_of, series_of, standalone

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows

matplotlib = pytest.importorskip("matplotlib", reason="figures for papers need it: pip install matplotlib")
KINDS = ("run", "algorithms", "crossed", "matrix")
BEGIN = {"pdf": b"%PDF", "svg": b"<svg", "png": b"\x89PNG", "pgf": b"%% Creator: Matplotlib"}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run, a comparison of algorithms, one that is crossed, and a matrix."""
    folder = tmp_path_factory.mktemp("results")
    scenario = write(folder, SHORT)
    nw.load(scenario).run(replications=3).save(folder / "run")
    nw.compare(["newreno", "cubic", "aiad"], scenario, replications=2).save(folder / "algorithms")
    levels = {"path.queue": ["droptail", "codel"]}
    nw.compare(["newreno", "cubic"], scenario, vary=levels, replications=2).save(folder / "crossed")
    nw.matrix(["cubic", "newreno"], folder / "matrix", replications=2, overrides=["duration=4s", "warmup=1s"])
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_of_a_page_is_a_figure_of_matplotlib_with_its_panels_and_legend(results: Path, kind: str) -> None:
    found = pictures_in(results / kind)
    page = (results / kind / "report.html").read_text("utf-8")
    assert list(found) == re.findall(r'<figure [^>]*data-name="([^"]*)"', page)
    assert len(found) >= 5
    for name, picture in found.items():
        panels = [each for each in picture.tree.iter("g") if each.get("class") == "panel"]
        drawn = nw.figure(results / kind, name)
        assert len(drawn.axes) == len(panels)
        shown = [text.get_text() for legend in drawn.legends for text in legend.get_texts()]
        assert shown == [label.replace("\u202f", "\u00a0") for label, _ in picture.legend]
        assert drawn.caption == picture.caption


@pytest.mark.parametrize("kind", KINDS)
def test_the_style_sheet_paints_every_mark_of_every_figure(results: Path, kind: str) -> None:
    def unpainted(node: ET.Element, above: str) -> list[str]:
        series = series_of(node, above)
        look = look_of(node, series)
        own = node.tag in {"path", "rect"} and {look.get("fill", "none"), look.get("stroke", "none")} == {"none"}
        return ([ET.tostring(node, "unicode")] if own else []) + [
            text for each in node for text in unpainted(each, series)
        ]

    for picture in pictures_in(results / kind).values():
        assert unpainted(picture.tree, "") == []
        alone = ET.fromstring(standalone(picture))  # noqa: S314  # our own
        assert not any("class" in node.attrib for node in alone.iter())
        assert "var(" not in standalone(picture)


def test_the_axes_have_the_values_in_the_unit_beside_them(results: Path) -> None:
    opened: Any = nw.open(results / "run")
    windows = opened.series.to_pandas().query("kind == 'flow' and replication == 0")
    (axes,) = nw.figure(results / "run", "cwnd").axes
    highest = max(max(line.get_ydata()) for line in axes.lines if len(line.get_xdata()) > 20)
    late = windows[windows.time_s > 1.0].cwnd_packets.max()
    assert highest >= 0.98 * late
    assert axes.get_xlim()[1] == pytest.approx(windows.time_s.max(), rel=0.01)
    (tradeoff,) = nw.figure(results / "run", "tradeoff").axes
    assert tradeoff.get_xscale() == "log"
    left, right = tradeoff.get_xlim()
    assert left > right
    delay = opened.summary["groups"]["newreno"]["delay_p95_s"]["mean"] * 1e3
    means = [
        line.get_xdata()[0] for line in tradeoff.lines if len(line.get_xdata()) == 1 and line.get_marker() != "None"
    ]
    assert any(value == pytest.approx(delay, rel=0.01) for value in means)


@pytest.mark.parametrize("form", FORMATS)
def test_a_figure_is_written_in_each_format_with_the_same_bytes(results: Path, tmp_path: Path, form: str) -> None:
    files = [tmp_path / f"{number}.{form}" for number in range(2)]
    for file in files:
        done = finished(["figure", results / "crossed", "tradeoff", "--out", file, "--width", "84mm"], tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"{file}\n\nCaption: Throughput against delay. ")
    assert files[0].read_bytes().startswith(BEGIN[form])
    assert files[0].read_bytes() == files[1].read_bytes()


def test_without_a_name_the_figures_are_listed(results: Path, narrows: Narrows) -> None:
    done = narrows("figure", results / "run")
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(pictures_in(results / "run"))
    listed = json.loads(narrows("figure", results / "run", "--json").stdout)
    assert {"name", "title", "caption"} == set(listed[0])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cwn", "--out", "x.pdf"], "did you mean 'cwnd'? It has: tradeoff, cwnd"),
        (["other", "--out", "x.pdf"], "unknown figure 'other'; It has: tradeoff, cwnd"),
        (["cwnd", "--out", "x.xyz"], "no format .xyz; allowed: .pdf, .svg, .png, .pgf"),
        (["cwnd", "--out", "x"], "its name has no end that says the format; allowed: .pdf"),
        (["cwnd", "--out", "x.pdf", "--width", "3"], "allowed: 40 to 400 millimetres"),
        (["cwnd", "--out", "x.pdf", "--width", "nan"], "allowed: 40 to 400 millimetres"),
        (["cwnd", "--out", "x.pdf", "--width", "wide"], "as in 84 or 84mm, got 'wide'"),
        (["cwnd", "--out", "there.pdf"], "there.pdf exists"),
    ],
)
def test_what_cannot_be_written_is_said_and_leaves_nothing(
    results: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    (tmp_path / "there.pdf").write_text("mine")
    done = finished(["figure", results / "run", *arguments], tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["there.pdf"]
    assert (tmp_path / "there.pdf").read_text() == "mine"


def test_a_folder_without_a_page_and_a_damaged_page_are_bad_input(tmp_path: Path, results: Path) -> None:
    with pytest.raises(nw.InputError, match="narrows report"):
        nw.figure(tmp_path, "cwnd")
    with pytest.raises(nw.InputError, match="no such folder"):
        nw.figure(tmp_path / "nothing", "cwnd")
    page = (results / "run" / "report.html").read_text("utf-8")
    (tmp_path / "report.html").write_text(page.replace('<g class="panel"', "<g <g", 1))
    with pytest.raises(nw.InputError, match="damaged"):
        nw.figure(tmp_path, next(iter(pictures_in(tmp_path))))


def test_svg_alone_needs_no_matplotlib(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from narrows._internal.opened.figures import write as write_figure

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    write_figure(results / "run", "cwnd", tmp_path / "x.svg", 160.0)
    with pytest.raises(nw.InputError, match=r"pip install 'narrows\[plot\]'`; a file \.svg needs none"):
        write_figure(results / "run", "cwnd", tmp_path / "x.pdf", 160.0)
    assert [file.name for file in tmp_path.iterdir()] == ["x.svg"]
    opened: Any = nw.open(results / "run")
    with pytest.raises(nw.InputError, match=r"pip install 'narrows\[plot\]'"):
        opened.plot.cwnd()


def test_the_command_beside_a_figure_runs_in_the_folder_of_its_page(results: Path) -> None:
    page = (results / "run" / "report.html").read_text("utf-8")
    command = re.findall(r"<code>narrows (figure \. rtt --out [^<]*)</code>", page)
    assert command == ["figure . rtt --out rtt.pdf"]
    done = finished(command[0].split(), results / "run")
    assert done.returncode == 0
    assert (results / "run" / "rtt.pdf").read_bytes().startswith(b"%PDF")


def look(line: Any) -> tuple[str, str]:
    """Colour and dash of a line."""
    return line.get_color(), str(line._dash_pattern)  # noqa: SLF001  # matplotlib has no other way to read a dash


def lines(figure: Any) -> list[list[tuple[str, str]]]:
    """Colour and dash of the lines of each panel of a plot over time, without its grid."""
    return [[look(line) for line in axes.lines if line.get_zorder() == 3] for axes in figure.axes]


def test_plots_over_time_are_figures_with_a_channel_per_factor(results: Path, tmp_path: Path) -> None:
    opened: Any = nw.open(results / "crossed")
    for draw in (opened.plot.cwnd, opened.plot.rate, opened.plot.rtt, opened.plot.queue):
        figure = draw()
        figure.savefig(tmp_path / "x.pdf")
        assert isinstance(figure, matplotlib.figure.Figure)
        for panel in lines(figure):
            newreno, newreno_codel, cubic, cubic_codel = panel
            assert newreno[0] == newreno_codel[0] != cubic[0] == cubic_codel[0]
            assert newreno[1] == cubic[1] != newreno_codel[1] == cubic_codel[1]
        assert len(figure.legends[0].get_texts()) == 4
    flows = [axes.get_title(loc="left").split()[0] for axes in opened.plot.cwnd().axes]
    assert flows == ["newreno[0]", "newreno[1]", "other[0]"]


def test_a_plot_of_one_run_distinguishes_its_flows(results: Path) -> None:
    opened: Any = nw.open(results / "run")
    for draw in (opened.plot.cwnd, opened.plot.rate, opened.plot.rtt):
        ((*panel,),) = lines(draw(replication=1))
        assert len(set(panel)) == 3
    with pytest.raises(nw.InputError, match=r"replication 7: has no series; allowed: 0, 1, 2"):
        opened.plot.queue(replication=7)


@pytest.mark.parametrize("kind", ["run", "algorithms", "crossed"])
def test_a_metric_is_drawn_with_its_interval_and_says_how_that_was_made(results: Path, kind: str) -> None:
    opened: Any = nw.open(results / kind)
    figure = opened.plot.metric("delay_p95_s")
    summary = opened.summary
    runs = summary.get("algorithms") or summary.get("levels") or {"": summary}
    groups = len(next(iter(runs.values()))["groups"])
    assert len(figure.axes) == (1 if kind == "run" else groups)
    for axes, place in zip(figure.axes, range(groups), strict=False):
        tops = [
            max(y for y in line.get_ydata() if not math.isnan(y)) for line in axes.lines if len(line.get_xdata()) > 2
        ]
        shown = range(groups) if kind == "run" else [place]
        found = [list(run["groups"].values())[each]["delay_p95_s"] for run in runs.values() for each in shown]
        ends = [min(each["ci95"][1] * 1e3, axes.get_ylim()[1]) for each in found]
        assert sorted(tops) == pytest.approx(sorted(ends), rel=0.01)
    count = summary["replications"]
    assert (
        f"95 % confidence intervals of the mean over {count} independent replications, from Student's t"
        in figure.caption
    )
    assert "on the logit" in figure.caption or "on the logarithmic" in figure.caption


def test_a_metric_of_links_has_its_figure_and_an_unknown_one_is_named(results: Path) -> None:
    opened: Any = nw.open(results / "algorithms")
    first = opened.plot.metric("queue_delay_p95_s").axes[0]
    assert first.get_title(loc="left").split()[0] == "bottleneck"
    with pytest.raises(nw.InputError, match=r"unknown metric 'goodput_bp'; did you mean 'goodput_bps'"):
        opened.plot.metric("goodput_bp")


def test_plots_can_be_drawn_into_axes(results: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    own = Figure()
    FigureCanvasAgg(own)
    left, right = own.subplots(1, 2)
    opened: Any = nw.open(results / "algorithms")
    assert opened.plot.cwnd(left) is own
    assert len(left.get_legend().get_texts()) == 9
    with pytest.raises(nw.InputError, match="cannot take 2 panels"):
        opened.plot.metric("goodput_bps", right)


def test_a_matrix_shows_its_heat_map_and_a_query_its_rows(results: Path) -> None:
    matrix: Any = nw.open(results / "matrix")
    shown = matrix._repr_html_()
    assert shown.count("<svg xmlns=") == 1
    assert 'fill="#' in shown
    assert "Excess harm to goodput" in shown
    page = (results / "matrix" / "report.html").read_text("utf-8")
    first = re.sub("<[^>]*>", "", re.findall(r'<ul class="answer"><li>(.*?)</li>', page)[0])
    assert first in shown
    rows = matrix.query("select buffer, count(*) as cells from cells group by all order by all")
    assert rows == [dict(row) for row in rows]
    assert rows._repr_html_().startswith("<table><thead><tr><th>buffer</th><th>cells</th></tr></thead>")
    assert list(rows.frame("pandas").columns) == ["buffer", "cells"]
    assert list(matrix.query("select buffer from cells limit 0").frame("pandas").columns) == ["buffer"]


def test_a_page_from_elsewhere_brings_only_drawings_along(results: Path, tmp_path: Path) -> None:
    page = (results / "matrix" / "report.html").read_text("utf-8")
    hostile = '<g class="panel" onload="alert(1)"><script>alert(2)</script><foreignObject><p>x</p></foreignObject>'
    (tmp_path / "report.html").write_text(page.replace('<g class="panel"', hostile + '</g><g class="panel"'))
    for picture in pictures_in(tmp_path).values():
        alone = ET.fromstring(standalone(picture))  # noqa: S314  # our own
        tags = {node.tag.rpartition("}")[2] for node in alone.iter()}
        assert tags <= {"svg", "title", "desc", "rect", "g", "path", "text", "tspan"}
        assert not any(name.startswith("on") for node in alone.iter() for name in node.attrib)


@pytest.mark.parametrize("kind", KINDS)
def test_each_figure_with_intervals_says_how_they_were_made(results: Path, kind: str) -> None:
    found = pictures_in(results / kind)
    count = json.loads((results / kind / "summary.json").read_text())["replications"]
    for picture in found.values():
        drawn = 'class="whisker"' in picture.panels or "±" in picture.panels
        made = f"95 % confidence intervals of the mean over {count} independent replications, from Student's t"
        assert (made in picture.caption) == drawn, picture.name


def test_a_figure_over_time_is_that_of_the_replication_that_is_chosen(results: Path, tmp_path: Path) -> None:
    run = results / "run"
    drawn = {}
    for number in range(3):
        out = tmp_path / f"{number}.svg"
        done = finished(["figure", run, "cwnd", "--replication", str(number), "--out", out, "--json"], tmp_path)
        assert done.returncode == 0, done.stderr
        assert f"Replication {number + 1} of 3, seed" in json.loads(done.stdout)["caption"]
        drawn[number] = out.read_bytes()
    assert len(set(drawn.values())) == 3
    # None is the first, and so it is in Python.
    assert finished(["figure", run, "cwnd", "--out", "first.svg"], tmp_path).returncode == 0
    assert (tmp_path / "first.svg").read_bytes() == drawn[0]
    assert "Replication 3 of 3" in nw.figure(run, "cwnd", replication=2).caption
    assert "Replication 2 of 3" in nw.figure(run, "cwnd", width_mm=84.0, replication=1).caption


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cwnd", "--replication", "3"], "--replication 3: allowed for cwnd of this page: 0, 1, 2"),
        (["tradeoff", "--replication", "1"], "--replication 1: tradeoff has one drawing; of figures over time: cwnd"),
        (["cwnd", "--replication", "-1"], "-1"),
    ],
)
def test_a_replication_that_a_figure_does_not_have_is_refused(
    results: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = finished(["figure", results / "run", *arguments, "--out", "x.svg"], tmp_path)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert not (tmp_path / "x.svg").exists()
