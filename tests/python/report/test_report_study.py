# SPDX-License-Identifier: Apache-2.0
"""Marks of a study's figures: everything is there, at its place, named and escaped (product)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from narrows._internal.analysis.designs import two_level
from narrows._internal.analysis.effects import effects, lenth, means, unexplained
from narrows._internal.analysis.multivariate import biplot, clusters, principal_components
from narrows._internal.analysis.pairs import Meeting
from narrows._internal.analysis.table import Block
from narrows._internal.drawing.figure import PAPERS, drawing, height
from narrows._internal.drawing.lettering import all_shortened, shortened
from narrows._internal.drawing.plot import Axis, Box, Panel
from narrows._internal.drawing.scale import BITS_PER_SECOND
from narrows._internal.drawing.style import style_of
from narrows._internal.report.study import combinations, matrix, multivariate, pairs
from narrows._internal.report.study import effects as drawn_effects
from narrows._internal.report.study.rows import response_meaning, stacked_panels
from narrows.analysis.ranks import ranking

if TYPE_CHECKING:
    from narrows._internal.drawing.figure import Figure
    from narrows._internal.statistics import Estimate

SPACE = "\N{NARROW NO-BREAK SPACE}"
# Montgomery, "Design and Analysis of Experiments" (8th ed.), example 6.2.
FILTRATION = np.array([45.0, 71, 48, 65, 68, 60, 80, 65, 43, 100, 45, 104, 75, 86, 70, 96])
CELLS = {
    **{
        name: [{-1: "low", 1: "high"}[sign] for sign in column]
        for name, column in zip(("temperature", "pressure"), two_level("ABCD").runs.T[:2].tolist(), strict=True)
    },
    "rate_bps": FILTRATION * 1e6,
}
LEVELS = {"temperature": ("low", "high"), "pressure": ("low", "high")}


def svg(figure: Figure, paper: int = 0) -> ET.Element:
    """Return a figure's drawing, parsed: it is well-formed markup."""
    return ET.fromstring(f"<svg>{drawing(figure.draw(PAPERS[paper]))}</svg>")  # noqa: S314  # our own drawing


def readouts(tree: ET.Element) -> list[str]:
    """Return what all marks of a drawing read out."""
    return [mark.attrib["data-point"] for mark in tree.iter() if "data-point" in mark.attrib]


def words(tree: ET.Element) -> list[str]:
    """Return all words of a drawing."""
    return [text.text or "" for text in tree.iter("text")]


ORDERED = sorted(means(CELLS, "rate_bps", list(LEVELS)), key=lambda each: each.mean)
FIGURES = {
    "main-effects": drawn_effects.main_effects(
        "rate_bps", {factor: means(CELLS, "rate_bps", [factor]) for factor in ("pressure", "temperature")}
    ),
    "interactions": drawn_effects.interactions("rate_bps", [means(CELLS, "rate_bps", ["temperature", "pressure"])]),
    "half-normal": drawn_effects.half_normal_plot(
        "rate_bps",
        (found := effects(two_level("ABCD").runs.astype(float), "ABCD", FILTRATION * 1e6, order=4)),
        limits := lenth(np.array([effect.value for effect in found])),
    ),
    "youden": drawn_effects.youden("rate_bps", found, float(FILTRATION.mean() * 1e6), limits),
    "sizes": drawn_effects.sizes("rate_bps", found, limits),
    "residual": drawn_effects.left_over(
        "rate_bps", found, unexplained(np.array([effect.value for effect in found]), FILTRATION * 1e6)
    ),
    "contours": drawn_effects.contours(
        "rate_bps",
        (found[0], found[3]),
        16.625e6,
        float(FILTRATION.mean() * 1e6),
        {"A": ("cold", "hot"), "D": ("slow", "fast")},
    ),
    "ordered": combinations.ordered_data("rate_bps", ORDERED, LEVELS),
    "levels": combinations.values_by_level("rate_bps", ORDERED, LEVELS),
    "blocks": combinations.blocks(
        "rate_bps",
        Block(("cubic", "<bic>"), ({"rtt": "80ms"}, {"rtt": "20ms"}), np.array([[4e6, 6e6], [2e6, 3e6]])),
    ),
    "critical-difference": combinations.critical_difference(
        ranking(
            Block(("cubic", "newreno", "<bic>"), ({},) * 20, np.tile([3.0, 2.0, 1.0], (20, 1))), higher_is_better=True
        ),
        "goodput",
    ),
    "dendrogram": multivariate.dendrogram(
        clusters({"algorithm": ["fast", "cubic", "bic"], "g": [5.0, 0.0, 1.0]}, ["g"], distance="euclidean"),
        {"rtt": "10ms"},
    ),
    "biplot": multivariate.biplot(
        (
            components := principal_components(
                {"jain": [1.0, 2, 4, 3], "loss_rate": [2.0, 1, 3, 7]}, ["jain", "loss_rate"]
            )
        ),
        biplot(components),
        ["cubic", "cubic", "bic", "bic"],
    ),
    "pairs": pairs.pair_map(
        "pairs",
        {
            ("bbr1", "bbr1"): {"share": {"mean": 1.1, "ci95": [1.0, 1.2], "interval_method": None}},
            ("bbr1", "<bic>"): {"share": {"mean": 0.25, "ci95": [0.21, 0.29], "interval_method": None}},
            ("<bic>", "bbr1"): {"share": {"mean": 0.5, "ci95": None, "interval_method": None}},
            ("<bic>", "<bic>"): {"share": {"mean": None, "ci95": None, "interval_method": None}},
        },
        pairs.SHARE,
        pairs.Basis("5 replications.", 5),
    ),
}


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("paper", [0, 1])
def test_every_figure_stays_on_its_paper(name: str, paper: int) -> None:
    figure = FIGURES[name]
    panels = figure.draw(PAPERS[paper])
    tree = svg(figure, paper)
    assert figure.name == name
    assert readouts(tree)
    for panel in panels:
        assert panel.box.left >= 0
        assert panel.box.right < PAPERS[paper].width
        assert panel.box.width > PAPERS[paper].width / 2
        assert panel.box.bottom < height(panels)
    keys = {group.attrib["data-series"] for group in tree.iter("g") if "data-series" in group.attrib}
    assert {key.name for key in figure.keys} <= keys


def test_the_factor_that_matters_most_is_on_top_and_its_levels_are_named() -> None:
    tree = svg(FIGURES["main-effects"])
    names = [word for word in words(tree) if word in {"temperature", "pressure"}]
    assert names == ["temperature", "pressure"]
    assert readouts(tree)[:2] == [f"temperature = low: 59.2{SPACE}Mbps", f"temperature = high: 80.9{SPACE}Mbps"]
    assert words(tree).count("low") == words(tree).count("high") == 2


def test_an_interaction_has_a_line_per_level_of_the_second_factor() -> None:
    tree = svg(FIGURES["interactions"])
    assert [key.label for key in FIGURES["interactions"].keys] == ["pressure = low", "pressure = high"]
    assert len([path for path in tree.iter("path") if path.attrib.get("class") == "line"]) == 2
    assert f"pressure = high, temperature = high: 82.5{SPACE}Mbps" in readouts(tree)


def test_only_effects_beyond_the_margin_are_named_in_the_half_normal_plot() -> None:
    """Montgomery, section 6.5: A, C, D, AC and AD."""
    tree = svg(FIGURES["half-normal"])
    active = {word for word in words(tree) if re.fullmatch(r"[A-D](:[A-D])*", word)}
    assert active == {"A", "C", "D", "A:C", "A:D"}
    assert len(readouts(tree)) == 15
    assert {"ME", "SME"} <= set(words(tree))


def test_ranks_stand_in_order_and_names_are_escaped() -> None:
    figure = FIGURES["critical-difference"]
    assert readouts(svg(figure)) == ["cubic: mean rank 1.00", "newreno: mean rank 2.00", "<bic>: mean rank 3.00"]
    assert "<bic>" not in drawing(figure.draw(PAPERS[0]))
    assert words(svg(figure)).count("not different") == 0
    tied = Block(("a", "b", "c"), ({},) * 3, np.array([[1.0, 2, 3], [2, 1, 3], [3, 1, 2]]))
    assert "not different" in words(
        svg(combinations.critical_difference(ranking(tied, higher_is_better=True), "goodput"))
    )


def test_the_tree_names_every_leaf_and_the_algorithm_that_joins_last() -> None:
    tree = svg(FIGURES["dendrogram"])
    assert {"fast", "cubic", "bic"} <= set(words(tree))
    assert len(readouts(tree)) == 2
    assert "rtt = 10ms" in FIGURES["dendrogram"].title
    assert any("most distinct: fast" in sentence for sentence in FIGURES["dendrogram"].caption)


def test_a_biplot_has_a_point_per_cell_and_an_arrow_per_response() -> None:
    tree = svg(FIGURES["biplot"])
    assert len([text for text in readouts(tree) if text.startswith(("cubic", "bic"))]) == 4
    assert {"Jain's index", "Loss rate"} <= set(words(tree))


def test_rows_of_the_heat_map_are_contenders_and_the_poorer_an_incumbent_the_fuller_its_field() -> None:
    tree = svg(FIGURES["pairs"])
    fields = {mark.attrib["data-point"]: float(mark.attrib["fill-opacity"]) for mark in tree.iter("path")
              if "tile" in mark.attrib.get("class", "")}  # fmt: skip
    assert fields == {
        "<bic> beside bbr1: 25 ± 4 % of its fair share": 1.0,
        "bbr1 beside <bic>: 50 % of its fair share": 0.66,
        "bbr1 beside bbr1: 110 ± 10 % of its fair share": 0.2,
    }
    # The first contender's fields lie above the second's, and the first incumbent's are at the left.
    assert words(tree)[:3] == ["110 ± 10", "25 ± 4", "50"]


def test_an_axis_of_names_has_a_tick_per_name_and_cuts_long_ones() -> None:
    axis = Axis.of_names("Factor", ["path.rate", "a very long name of a factor"], inverted=True)
    scale = axis.scale(100, 0)
    assert axis.ticks(scale, 3) == [0, 1]
    assert scale.position(0) < scale.position(1)
    assert axis.written(1, 66) == "a very lo…"
    assert shortened("short", 66) == "short"


def test_names_across_are_whole_if_they_fit_on_the_line_of_a_missing_title_too() -> None:
    names = [f"{name},queue={queue}" for name in ("cubic", "newreno") for queue in ("droptail", "pie", "red")]
    for title, whole in (("", True), ("Algorithm", False)):
        panel = Panel(Box(58, 26, 528, 270), Axis.of_names(title, names), Axis("Goodput", BITS_PER_SECOND, 0.0, 1e6))
        assert (set(names) <= set(re.findall("[^<>]+(?=</text>)", str(panel.draw())))) is whole
        # Names that fit on one line stay there, with a title or without.
        few = Panel(Box(58, 26, 528, 270), Axis.of_names(title, names[:3]), Axis("Goodput", BITS_PER_SECOND, 0.0, 1e6))
        assert len({re.findall(f' y="([^"]+)"[^<>]*>{name}</text>', str(few.draw()))[0] for name in names[:3]}) == 1


def test_a_response_of_a_study_is_called_by_its_measure_and_whose_it_is() -> None:
    shown = response_meaning("group.cubic.goodput_bps")
    assert (shown.title, shown.unit, shown.better) == ("Goodput of cubic", BITS_PER_SECOND, 1)
    assert response_meaning("link.bottleneck reverse.loss_rate").title == "Loss rate of bottleneck reverse"
    assert response_meaning("jain").label == "Jain's index"
    assert response_meaning("group.web.completion_time_p95_s").title == "Completion time of web, 95th percentile"
    assert response_meaning("group.web.cov(bin=10s)").label == "coefficient of variation of goodput of web (bin=10s)"


def test_an_algorithm_has_one_style_in_every_figure_of_a_study() -> None:
    cells = {
        "rtt": ["10ms", "80ms"] * 2,
        "algorithm": ["newreno"] * 2 + ["cubic"] * 2,
        "rate_bps": [1e6, 2e6, 3e6, 5e6],
    }
    crossed = drawn_effects.interactions("rate_bps", [means(cells, "rate_bps", ["rtt", "algorithm"])])
    assert {key.label: key.style for key in crossed.keys} == {
        f"algorithm = {name}": style_of(name) for name in ("newreno", "cubic")
    }


def test_names_that_would_read_alike_keep_their_ends() -> None:
    assert all_shortened(("copa(compete=true)", "copa(compete=false)", "cubic"), 60) == [
        "copa…rue)",
        "copa…lse)",
        "cubic",
    ]


def test_both_ends_of_an_effect_are_the_means_there() -> None:
    """Montgomery, example 6.2: the mean is 70.06 and the effect of A 21.63."""
    assert f"A: 59.2{SPACE}Mbps at low, 80.9{SPACE}Mbps at high" in readouts(svg(FIGURES["youden"]))


def test_the_greatest_effect_is_on_top_with_its_sign() -> None:
    tree = svg(FIGURES["sizes"])
    names = [word for word in words(tree) if re.fullmatch(r"[A-D](:[A-D])*", word)]
    assert names[:4] == ["A", "A:C", "A:D", "D"]
    assert readouts(tree)[1] == f"A:C: \N{MINUS SIGN}18.1{SPACE}Mbps, -25.9 % of the mean"


def test_each_further_effect_leaves_what_the_printed_sums_of_squares_say() -> None:
    """Montgomery, table 6.12: 5730.94 in all, 1870.56 of it by A, 5535.80 by A, AC, AD, D and C together."""
    left = [float(text.split(": ")[1].split(SPACE)[0]) for text in readouts(svg(FIGURES["residual"]))[:6]]
    sums = ((5730.94, 15), (3860.38, 14), (195.14, 10))
    assert [left[0], left[1], left[5]] == pytest.approx([(rest / degrees) ** 0.5 for rest, degrees in sums], rel=0.01)


def test_contours_pass_where_the_model_has_their_value() -> None:
    """With A 21.63, D 14.63 and AD 16.63 the corner of hot and fast is 70.06 + 26.44 = 96.5."""
    tree = svg(FIGURES["contours"])
    assert f"A = hot, D = fast: 96.5{SPACE}Mbps" in readouts(tree)
    assert {f"60.0{SPACE}Mbps", f"80.0{SPACE}Mbps"} <= set(words(tree))


def test_settings_stand_from_least_to_greatest_over_their_levels() -> None:
    tree = svg(FIGURES["ordered"])
    dots = [text for text in readouts(tree) if "Mbps" in text]
    assert [text.split(": ")[1] for text in dots] == [f"{mean}{SPACE}Mbps" for mean in ("57.8", "60.8", "79.2", "82.5")]
    assert readouts(tree).count("pressure = high") == 2


def test_a_block_reads_out_its_algorithms_and_the_least_is_on_top() -> None:
    tree = svg(FIGURES["blocks"])
    assert readouts(tree)[0] == f"cubic; 20ms: 2.00{SPACE}Mbps"
    assert len([path for path in tree.iter("path") if path.attrib.get("class") == "faint"]) == 2


@pytest.mark.parametrize(("excess", "stated"), [(0.05, True), (0.005, False)])
def test_the_answer_of_a_matrix_states_what_is_clear_and_matters(excess: float, *, stated: bool) -> None:
    def estimated(mean: float) -> Estimate:
        return {"mean": mean, "ci95": [mean - 0.002, mean + 0.002], "interval_method": "t"}

    def meeting(contender: str, incumbent: str, more: float) -> Meeting:
        names = ("harm", "delay_harm", "excess_delay_harm")
        found = dict.fromkeys(names, estimated(0.0)) | {"harm": estimated(0.5 + more), "excess_harm": estimated(more)}
        return Meeting(None, contender, incumbent, found)

    found = [meeting("bbr1", "cubic", excess), meeting("cubic", "cubic", 0.0)]
    assert ("Beside bbr1, cubic loses" in matrix.findings(found)[0]) == stated


def test_a_single_panel_of_a_study_is_as_tall_as_other_figures() -> None:
    axis = Axis("Goodput", BITS_PER_SECOND, 0.0, 1.0)
    (alone,) = stacked_panels(PAPERS[0], [(axis, axis, "")])
    assert alone.box.height == PAPERS[0].tall
    assert {panel.box.height for panel in stacked_panels(PAPERS[0], [(axis, axis, "")] * 2)} == {PAPERS[0].low}
