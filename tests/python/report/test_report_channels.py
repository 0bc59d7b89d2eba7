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
from narrows._internal.core import algorithms
from narrows._internal.drawing.figure import PAPERS
from narrows._internal.drawing.style import looks
from narrows._internal.report.run.data import Comparison
from narrows._internal.report.run.figures import figures
from narrows._internal.report.run.figures.frame import OTHERS, PLAIN, flows
from narrows._internal.report.run.figures.frame import OWN as OWN_OF_MANY
from narrows._internal.report.run.reading import read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from narrows._internal.drawing.figure import Figure
    from narrows._internal.report.run.data import Run

NAMES = [card["name"] for card in algorithms()]
OWN = """
class Mine:
    def __init__(self, flow):
        self.window = 10.0

    def on_ack(self, ack):
        self.window += 1 / self.window

    def on_loss(self, loss):
        self.window = max(2.0, self.window / 2)
"""
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


# Series that belong to no run, flow or group.
OF_NONE = {"queue", "link", "all flows"}
KINDS = ["home", "crossed", "algorithms", "own", "levels", "mixed", "many", "sites", "pairs", "eleven"]


@pytest.fixture(scope="module", params=KINDS)
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Run], list[Figure]]:
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
        case "own":
            (folder.parent / "mine.py").write_text(OWN)
            own = ["cubic", f"{folder.parent}/mine.py:Mine"]
            nw.compare(own, "two-flows", overrides=short, replications=1).save(folder)
        case "mixed":
            flows = [{"name": name, "algorithm": name, "start": "0s..1s"} for name in ("cubic", "bbr1")]
            path = {"rate": "20Mbps", "rtt": "40ms"}
            base = nw.Scenario({"duration": "4s", "warmup": "1s", "path": path, "flows": flows})
            nw.compare([], base, vary=queues, replications=1).save(folder)
        case "levels":
            nw.compare([], "two-flows", vary=queues, overrides=short, replications=1).save(folder)
        case "many":
            many = {"path.rtt": ["20ms", "40ms", "60ms", "80ms"], **queues}
            nw.compare(["cubic", "bbr3"], "two-flows", vary=many, overrides=short, replications=1).save(folder)
        case "eleven":
            nw.compare(ELEVEN, "two-flows", overrides=short, replications=2).save(folder)
        case "sites" | "pairs":
            names = ("near", "far") if request.param == "pairs" else [f"site{number}" for number in range(12)]
            each = {"algorithm": "cubic", "start": "0s..1s", "count": 2 if request.param == "pairs" else 1}
            path = {"rate": "20Mbps", "rtt": "40ms"}
            document = {"duration": "4s", "warmup": "1s", "path": path, "flows": [{"name": n, **each} for n in names]}
            nw.Scenario(document).run(replications=1).save(folder)
    found = read(folder)
    runs = list(found.runs) if isinstance(found, Comparison) else [found]
    return runs, [each for each in figures(runs) if not each.absent]


@pytest.fixture(scope="module")
def drawn(page: tuple[list[Run], list[Figure]]) -> list[Figure]:
    return page[1]


def painted(figure: Figure) -> Iterator[tuple[str, str, int]]:
    """Give the panel, the series and the hue of all that a figure and its legend draw in a colour."""
    for panel in figure.draw(PAPERS[0]):
        markup = panel.draw()
        title = "".join(re.findall(r'data-title="([^"]*)"', markup)[:1])
        for hue, series in re.findall(r'<g class="c(\d)t\d" data-series="([^"]*)"', markup):
            yield title, series, int(hue)
    for key in figure.keys:
        if key.style is not None and key.sample not in {"event", "dash"}:
            yield "", key.name, key.style.colour


def owner(runs: list[Run], panel: str, series: str) -> str:
    """Return the thing that a series of a panel belongs to; empty for what belongs to none, such as a queue."""
    of_run = {run.name: run for run in runs}
    own = of_run.get(series) or of_run.get(panel) or next((r for r in runs if panel.startswith(f"{r.name}: ")), None)
    if len(runs) == 1:
        groups = [name for name in runs[0].groups if re.fullmatch(rf"{re.escape(name)}( .*|\[\d+\])?", series)]
        (group,) = groups or [""]
        return (group if len(set(runs[0].algorithms.values())) == 1 else runs[0].algorithms.get(group, "")) or ""
    several = len({run.factors[0] for run in runs}) > 1
    if own is None or not several:
        return own.name if own else series if series in {run.factors[0] for run in runs} else ""
    titles = [" / ".join(dict.fromkeys(list(run.groups)[place] for run in runs)) for place in range(len(own.groups))]
    places = [place for place, title in enumerate(titles) if series.startswith(title)]
    algorithm = list(own.algorithms.values())[places[0]] if places and series not in of_run else own.factors[0]
    return algorithm.rpartition(":")[2]


def test_a_thing_has_one_colour_on_a_page_and_no_other_thing_has_it(page: tuple[list[Run], list[Figure]]) -> None:
    runs, drawn = page
    hues: dict[str, set[int]] = {}
    for figure in drawn:
        for panel, series, hue in painted(figure):
            thing = owner(runs, panel, series)
            if series in OF_NONE:
                assert hue == PLAIN.colour, (figure.name, panel, series)
            elif series in {OWN_OF_MANY, OTHERS}:
                pass
            elif thing:
                hues.setdefault(thing, set()).add(hue)
            else:
                # What happens to a flow has its colour, and one entry for all in the legend.
                assert series.startswith(("ssthresh", "reduction/")) or hue == PLAIN.colour, (figure.name, series)
    for run in runs if len(runs) > 1 else []:
        several = len({run.factors[0] for run in runs}) > 1
        hues.setdefault(run.factors[0] if several else run.name, set()).add(run.style.colour)
    if not (len(runs) == 1 and len(runs[0].groups) == 1):
        assert all(len(each) == 1 for each in hues.values()), hues
        assert len(set().union(*hues.values())) == min(len(hues), 8), hues


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
