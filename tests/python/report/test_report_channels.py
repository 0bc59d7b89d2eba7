# SPDX-License-Identifier: Apache-2.0
"""Contract: one channel per factor: colour for the algorithm, dash and marker for the level, panels for the rest."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

import narrows as nw
from narrows.core import algorithms
from narrows.drawing.channels import looks
from narrows.drawing.figure import PAPERS
from narrows.report.run.data import Comparison
from narrows.report.run.figures import figures
from narrows.report.run.figures.frame import flows
from narrows.report.run.reading import read

if TYPE_CHECKING:
    from pathlib import Path

    from narrows.drawing.figure import Figure

NAMES = [card["name"] for card in algorithms()]
ELEVEN = ["newreno", "cubic", "bbr1", "bbr3", "vegas", "bic", "hstcp", "htcp", "westwood", "scalable", "aiad"]
SOME = some.lists(some.sampled_from([*NAMES, "mine.py:Mine", "aimd(a=1,b=0.5)"]), min_size=1, unique=True)


@given(SOME)
def test_algorithms_beside_one_another_differ_in_colour_and_in_marker(names: list[str]) -> None:
    styles = list(looks({name: (name, "") for name in names}).values())
    assert len({style.colour for style in styles}) == min(len(names), 8)
    assert len({style.marker for style in styles}) >= min(len(names), 8)
    assert len({(style.colour, style.marker) for style in styles}) == min(len(names), 64)


@given(SOME.filter(lambda names: 1 < len(names) <= 8), some.integers(2, 7))
def test_of_two_factors_each_has_its_channel(names: list[str], levels: int) -> None:
    runs = {(name, str(level)): (name, str(level)) for name in names for level in range(levels)}
    found = looks({f"{name}, {level}": each for (name, level), each in runs.items()})
    colours = {name: {found[f"{name}, {level}"].colour for level in range(levels)} for name in names}
    assert all(len(each) == 1 for each in colours.values())
    assert len({colour for each in colours.values() for colour in each}) == len(names)
    marks = [
        {(found[f"{name}, {level}"].marker, found[f"{name}, {level}"].dash) for name in names}
        for level in range(levels)
    ]
    assert all(len(each) == 1 for each in marks)
    assert len({mark for each in marks for mark in each}) == levels


def test_an_algorithm_from_a_file_has_one_colour_however_results_write_its_folder() -> None:
    found = looks({"cubic": ("cubic", ""), "./mine.py:Mine": ("./mine.py:Mine", "")})
    runs: Any = [
        SimpleNamespace(name=name, factors=(name, ""), style=style, groups={"g": {}}, algorithms={"g": recorded})
        for (name, style), recorded in zip(found.items(), ("cubic", "/elsewhere/mine.py:Mine"), strict=True)
    ]
    drawn: Any = {run.name: [SimpleNamespace(name="g[0]", group="g")] for run in runs}
    for run in runs:
        assert flows(runs, drawn).of[run.name, "g[0]"][1].colour == run.style.colour, run.name


@given(some.integers(2, 64))
def test_levels_of_one_algorithm_are_not_shades_of_its_colour(levels: int) -> None:
    styles = list(looks({str(level): ("cubic", str(level)) for level in range(levels)}).values())
    assert len({(style.colour, style.marker) for style in styles}) == levels
    assert len({style.colour for style in styles}) == min(levels, 8)


@pytest.fixture(scope="module", params=["home", "crossed", "algorithms", "levels", "many", "sites", "eleven"])
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Figure]:
    folder: Path = tmp_path_factory.mktemp(request.param) / "out"
    short = ["duration=17s", "warmup=16s"]
    queues = {"path.queue": ["droptail", "fq-codel"]}
    match request.param:
        case "home":
            nw.load("home", short).run(replications=1).save(folder)
        case "crossed":
            nw.compare(["cubic", "bbr3"], "home", vary=queues, overrides=short, replications=1).save(folder)
        case "algorithms":
            nw.compare(["newreno", "aiad", "cubic"], "two-flows", overrides=short, replications=2).save(folder)
        case "levels":
            nw.compare([], "two-flows", vary=queues, overrides=short, replications=1).save(folder)
        case "many":
            many = {"path.rtt": ["20ms", "40ms", "60ms", "80ms"], **queues}
            nw.compare(["cubic", "bbr3"], "two-flows", vary=many, overrides=short, replications=1).save(folder)
        case "eleven":
            nw.compare(ELEVEN, "two-flows", overrides=short, replications=2).save(folder)
        case "sites":
            flows = [{"name": f"site{number}", "algorithm": "cubic", "start": "0s..1s"} for number in range(12)]
            path = {"rate": "20Mbps", "rtt": "40ms"}
            nw.Scenario({"duration": "4s", "warmup": "1s", "path": path, "flows": flows}).run(replications=1).save(
                folder
            )
    found = read(folder)
    return [each for each in figures(found.runs if isinstance(found, Comparison) else [found]) if not each.absent]


def test_a_legend_has_at_most_eight_entries_and_no_mark_twice(drawn: list[Figure]) -> None:
    for figure in drawn:
        assert len(figure.keys) <= 8, (figure.name, [key.label for key in figure.keys])
        looked = [
            (key.sample, key.style.colour if key.sample != "event" else 0, key.style.dash, key.style.marker)
            for key in figure.keys
            if key.style is not None
        ]
        assert len(set(looked)) == len(looked), figure.name
        assert len({key.label for key in figure.keys}) == len(figure.keys)


def test_each_series_is_in_the_legend(drawn: list[Figure]) -> None:
    for figure in drawn:
        keys = {key.name for key in figure.keys}
        for panel in figure.draw(PAPERS[0]):
            series = set(re.findall(r'data-series="([^"]*)"', panel.draw()))
            assert series <= keys, (figure.name, series - keys)


def test_no_figure_over_time_begins_with_much_that_is_empty(tmp_path: Path) -> None:
    late = [{"name": "late", "algorithm": "cubic", "start": "9s"}]
    scenario = {"duration": "20s", "warmup": "12s", "path": {"rate": "10Mbps", "rtt": "40ms"}, "flows": late}
    nw.Scenario(scenario).run(replications=1).save(tmp_path / "out")
    found = read(tmp_path / "out")
    assert not isinstance(found, Comparison)
    over_time = [figure for figure in figures([found]) if figure.name in {"cwnd", "rates", "queue"}]
    assert len(over_time) == 3
    for figure in over_time:
        for panel in figure.draw(PAPERS[0]):
            assert 8 <= panel.x.low <= 9
