# SPDX-License-Identifier: Apache-2.0
"""Rules of what is drawn: no peak is lost, nothing is unescaped, every series differs visibly from its neighbour."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
import pytest

from browsers import contrast
from narrows._internal.core import algorithms
from narrows._internal.drawing.figure import PAPERS, drawing
from narrows._internal.drawing.plot import Axis, Box, Panel
from narrows._internal.drawing.scale import PACKETS, SECONDS
from narrows._internal.drawing.style import HUES, PAPER, TONES, Style, full_of, style_of, styles_of, tone_of
from narrows._internal.drawing.svg import element, extremes, means, polyline, ring
from narrows._internal.report.run.figures.fairness import jain
from narrows._internal.report.study.pairs import (
    DELAY_HARM,
    EXCESS,
    HARM,
    QUEUE_DELAY,
    RETRANSMITTED,
    SHARE,
    Basis,
    Quantity,
    pair_map,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from narrows._internal.statistics import Estimate


def test_thinning_keeps_both_ends_and_the_extremes_of_every_column() -> None:
    x = np.linspace(0, 10, 100_000)
    y = np.sin(40 * x)
    y[31_415] = 9.0
    kept_x, kept_y = extremes(x, y, 200)
    assert len(kept_x) <= 800
    assert (kept_x[0], kept_x[-1]) == (0, 10)
    assert kept_y.max() == 9.0
    for low in range(10):
        column, kept = (x >= low) & (x < low + 1), (kept_x >= low) & (kept_x < low + 1)
        assert kept_y[kept].min() == y[column].min()
        assert kept_y[kept].max() == y[column].max()


def test_thinning_leaves_a_short_line_alone() -> None:
    x = np.arange(10.0)
    assert extremes(x, x, 100)[0] is x


def test_averages_over_bins_keep_the_total() -> None:
    x = np.arange(1.0, 101.0) * 0.1
    y = np.arange(100.0)
    averages = means(x, y, np.arange(11.0) + 1e-6)
    assert averages[1:].mean() * 10 == pytest.approx(y[10:].sum() / 9, rel=0.02)
    assert np.isnan(means(x, y, np.array([20.0, 21.0]))).all()


def test_jains_index_is_one_for_equal_shares_and_one_nth_for_a_single_winner() -> None:
    rates = np.array([[5.0, 8.0, np.nan], [5.0, 0.0, 3.0]])
    assert jain(rates)[:2] == pytest.approx([1.0, 0.5])
    assert np.isnan(jain(rates)[2])


def test_text_and_attributes_are_escaped() -> None:
    shown = element("text", '<script>"', data_name="\"><img src=x onerror='1'>")
    assert shown == ('<text data-name="&quot;&gt;&lt;img src=x onerror=&#x27;1&#x27;&gt;">&lt;script&gt;&quot;</text>')


def test_a_gap_in_a_line_lifts_the_pen() -> None:
    assert polyline(np.array([0.0, 1, 2]), np.array([1.0, np.nan, 3])) == "M0 1M2 3"
    assert polyline(np.array([np.inf, -0.01, 10.04, 5]), np.array([1.0, -10, 0.25, -np.inf])) == "M0 -10 10 0.2"
    assert polyline(np.array([]), np.array([])) == polyline(np.array([np.nan]), np.array([0.0])) == ""


def test_an_area_runs_forth_on_top_and_back_below() -> None:
    assert ring(np.array([0.0, 1]), np.array([5.0, 6]), np.array([9.0, 9])) == "M0 5 1 6 1 9 0 9Z"


def test_a_long_line_becomes_a_light_path() -> None:
    panel = Panel(Box(50, 20, 800, 300), Axis("Time", SECONDS, 0, 100), Axis("Window", PACKETS, 0, 10))
    x = np.linspace(0, 100, 100_000)
    panel.line("w", x, 5 + 4 * np.sin(x), style_of("cubic"))
    assert len(panel.draw()) < 60_000


def test_marks_outside_the_axes_are_cut_off_at_the_panels_edge() -> None:
    panel = Panel(Box(50, 20, 800, 300), Axis("Time", SECONDS, 0, 10), Axis("Window", PACKETS, 0, 10))
    panel.line("w", np.array([0.0, 5, 10]), np.array([0.0, 15, 0]), style_of("newreno"))
    drawn = panel.draw()
    assert '<svg class="inside" x="47" y="17" width="806" height="306" viewBox="47 17 806 306"' in drawn
    assert 'd="M50 320 450 -130 850 320"' in drawn


def test_no_two_algorithms_of_the_catalogue_look_alike_in_a_line_or_as_a_dot() -> None:
    styles = [style_of(card["name"]) for card in algorithms()]
    assert len({(style.colour, style.dash) for style in styles}) == len(styles)
    assert len({(style.colour, style.marker) for style in styles}) == len(styles)


# By hue, in the order of `HUES`; a line for each dash.
PUBLISHED = """
reno newreno reno-linux aimd aiad mimd miad aimad
westwood westwood-linux scalable maimd tcp binomial sqrt iiad
highspeed-linux htcp htcp-linux bic bic-linux cubic-2005 scalable-linux hstcp
ledbat cubic-2008 cubic cubic-linux ctcp vegas fast fast-at
bbr3 xcp rcp rap ledbat-pp dctcp prague bbr1
constant hybla illinois veno yeah lp nv tfrc
"""


def test_the_styles_of_published_figures_stay_whatever_is_added_to_the_catalogue() -> None:
    for dash, names in enumerate(PUBLISHED.split("\n")[1:-1]):
        assert [style_of(name) for name in names.split()] == [Style(hue, dash, dash) for hue in range(len(HUES))]


def test_a_name_outside_the_catalogue_always_looks_the_same_and_like_none_in_it() -> None:
    known = {style_of(card["name"]) for card in algorithms()}
    names = [f"mine.py:Mine{number}" for number in range(1000)]
    assert style_of("my-own@v2") == style_of("my-own@v2")
    assert known.isdisjoint(map(style_of, names))
    assert style_of("aimd(a=1,b=0.8)") != style_of("aimd(a=1,b=0.5)")


def test_flows_of_one_algorithm_share_its_hue_but_neither_tone_nor_dash() -> None:
    first, second = style_of("cubic").variant(0), style_of("cubic").variant(1)
    assert first.colour == second.colour
    assert first.tone != second.tone
    assert first.dash_pattern != second.dash_pattern
    assert first.marker != second.marker


@pytest.mark.parametrize(("theme", "paper"), [("light", (0xFC, 0xFC, 0xFA)), ("dark", (0x14, 0x17, 0x1B))])
def test_every_tone_stands_out_from_the_paper_by_three_to_one(theme: str, paper: tuple[int, int, int]) -> None:
    """WCAG 2.2, success criterion 1.4.11."""
    for hue in range(len(HUES)):
        for tone in range(TONES):
            assert contrast(tone_of(hue, tone, theme), paper) >= 3, (hue, tone)


def test_the_strongest_field_of_a_map_shows_on_paper_and_carries_ink() -> None:
    """WCAG 2.2, success criteria 1.4.11 and 1.4.3, for every hue, with the paper and the ink of the style sheets."""
    light = files("narrows._internal.page").joinpath("style.css").read_text("utf-8")
    dark = files("narrows._internal.page").joinpath("dark.css").read_text("utf-8")
    for theme, sheet in (("light", light), ("dark", dark)):
        paper, ink = (sheet_colour(sheet, name) for name in ("paper", "ink"))
        assert paper == PAPER[theme]
        for hue in range(len(HUES)):
            full = full_of(hue, theme)
            assert contrast(full, paper) >= 3, (theme, hue)
            # The fill of any other field lies between this one and the paper.
            for part in np.linspace(0.0, 1.0, 11):
                blend = tuple(float(p + (f - p) * part) for f, p in zip(full, paper, strict=True))
                assert contrast(ink, blend) >= 4.5, (theme, hue, part)


@pytest.mark.parametrize("wanted", [SHARE, HARM, EXCESS, DELAY_HARM, QUEUE_DELAY, RETRANSMITTED])
@pytest.mark.parametrize("value", [0.078, 0.5, 3.0])
def test_the_strongest_field_of_every_map_of_pairs_is_full(wanted: Quantity, value: float) -> None:
    def found(mean: float) -> Mapping[str, Estimate]:
        return {wanted.name: {"mean": mean, "ci95": None, "interval_method": None}}

    nothing = 1.0 if wanted is SHARE else 0.0
    pairs = {
        ("a", "a"): found(nothing),
        ("a", "b"): found(value),
        ("b", "a"): found(nothing),
        ("b", "b"): found(nothing),
    }
    drawn = drawing(pair_map("map", pairs, wanted, Basis("", 5)).draw(PAPERS[0]))
    opacities = [float(each) for each in re.findall(r'fill-opacity="([^"]+)"', drawn)]
    assert max(opacities) == 1.0
    assert sorted(opacities)[:3] == [0.0, 0.0, 0.0]


def sheet_colour(sheet: str, name: str) -> tuple[int, int, int]:
    """Return a colour that a style sheet declares."""
    found = re.search(rf"--{name}: ?#(..)(..)(..);", sheet)
    assert found
    red, green, blue = (int(part, 16) for part in found.groups())
    return red, green, blue


def test_algorithms_beside_one_another_have_hues_of_their_own() -> None:
    names = ["newreno", "cubic", "aimd(a=1,b=0.8)", "mine"]
    found = styles_of(names)
    # By itself the third would have the hue of the second.
    assert style_of(names[2]).colour == found["cubic"].colour
    assert len({style.colour for style in found.values()}) == len(names)
    assert found["cubic"] == style_of("cubic")
    assert found == styles_of(names[::-1])


def test_an_interval_that_leaves_the_panel_ends_in_an_arrow() -> None:
    panel = Panel(Box(50, 20, 800, 300), Axis("Time", SECONDS, 0, 100), Axis("Window", PACKETS, 0, 10))
    panel.whiskers("inside", (50.0, 5.0), (40.0, 60.0), (4.0, 6.0), style_of("cubic"))
    panel.whiskers("beyond", (50.0, 5.0), (40.0, 60.0), (4.0, 1e6), style_of("cubic"))
    inside, beyond = (part.partition('d="')[2].partition('"')[0] for part in panel.draw().split("whisker")[1:])
    assert inside.count("L") == 0
    assert beyond.count("L") == 2


def test_marks_that_follow_each_other_closely_are_smaller() -> None:
    panel = Panel(Box(50, 20, 800, 300), Axis("Time", SECONDS, 0, 100), Axis("Window", PACKETS, 0, 10))
    assert panel.room([1.0]) == panel.room([1.0, 50.0, 90.0])
    assert panel.room(np.arange(0.0, 100.0, 0.4).tolist()) < panel.room([1.0, 50.0, 90.0]) / 2


def test_a_note_stands_in_a_corner_without_a_mark_or_outside_the_axes() -> None:
    corners = {"top right": (9.5, 9.7), "bottom right": (9.5, 0.3), "top left": (0.5, 9.7), "bottom left": (0.5, 0.3)}
    box = Box(50.0, 20.0, 400.0, 200.0)
    places = {}
    for free in (*corners, "none"):
        panel = Panel(box, Axis("x", SECONDS, 0.0, 10.0), Axis("y", PACKETS, 0.0, 10.0))
        # The note is asked for before the marks are drawn.
        panel.hint("better")
        for name, at in corners.items():
            if name != free:
                panel.point(name, at, Style(0, 0, 0), name)
        found = re.search(r'<text[^>]*class="note end"[^>]*x="([\d.]+)" y="([\d.]+)"', str(panel.draw()))
        assert found
        places[free] = float(found[1]), float(found[2])
    for free, (x, y) in places.items():
        assert (y < box.top) == (free == "none")
        assert (x > 250) == ("left" not in free)
        assert (y > 120) == ("bottom" in free)
    # An interval covers as a mark does.
    panel = Panel(box, Axis("x", SECONDS, 0.0, 10.0), Axis("y", PACKETS, 0.0, 10.0))
    panel.hint("better")
    panel.whiskers("wide", (5.0, 9.5), (0.1, 9.9), (9.4, 9.6), Style(0, 0, 0))
    found = re.search(r'class="note end" x="([\d.]+)" y="([\d.]+)"', str(panel.draw()))
    assert found
    assert float(found[2]) > 120
