# SPDX-License-Identifier: Apache-2.0
"""Effects and their significance, held against worked examples of textbooks (rule)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrows._internal.analysis.designs import two_level
from narrows._internal.analysis.effects import (
    coded,
    effects,
    half_normal,
    lenth,
    means,
    unexplained,
)
from narrows._internal.analysis.table import AnalysisError
from narrows.analysis.variance import anova

# Montgomery, "Design and Analysis of Experiments" (8th ed.), example 6.2: filtration rate, unreplicated 2^4.
FILTRATION = np.array([45.0, 71, 48, 65, 68, 60, 80, 65, 43, 100, 45, 104, 75, 86, 70, 96])
# All 15 contrasts, table 6.12, in the order A, B, C, D, AB, AC, ... ABCD.
PRINTED = {
    "A": 21.625, "B": 3.125, "C": 9.875, "D": 14.625, "A:B": 0.125, "A:C": -18.125, "A:D": 16.625,
    "B:C": 2.375, "B:D": -0.375, "C:D": -1.125, "A:B:C": 1.875, "A:B:D": 4.125, "A:C:D": -1.625,
    "B:C:D": -2.625, "A:B:C:D": 1.375,
}  # fmt: skip
# Box and Bisgaard (1987), NIST/SEMATECH e-Handbook 5.5.9: percentage of springs without a crack, 2^3.
SPRINGS = {
    "oven": ["-", "+", "-", "+", "-", "+", "-", "+"],
    "carbon": ["-", "-", "+", "+", "-", "-", "+", "+"],
    "quench": ["-", "-", "-", "-", "+", "+", "+", "+"],
    "good": [67.0, 79, 61, 75, 59, 90, 52, 87],
}
SIGNS = dict.fromkeys(("oven", "carbon", "quench"), ("-", "+"))
# Montgomery, example 5.1: life of batteries, hours, by plate material and temperature, four replications.
BATTERIES = {
    "material": [str(material) for material in (1, 2, 3) for _ in range(12)],
    "temperature": [level for _ in range(3) for level in ("15F", "70F", "125F") for _ in range(4)],
    "life": [
        130.0, 155, 74, 180, 34, 40, 80, 75, 20, 70, 82, 58,
        150, 188, 159, 126, 136, 122, 106, 115, 25, 70, 58, 45,
        138, 110, 168, 160, 174, 120, 150, 139, 96, 104, 82, 60,
    ],
}  # fmt: skip


def test_the_effects_of_the_filtration_experiment_are_the_printed_ones() -> None:
    found = effects(two_level("ABCD").runs.astype(float), "ABCD", FILTRATION, order=4)
    assert {effect.name: effect.value for effect in found} == pytest.approx(PRINTED)
    assert found[0].relative == pytest.approx(21.625 / 70.0625)


def test_the_pseudo_standard_error_of_the_filtration_experiment_is_the_printed_one() -> None:
    """Montgomery, section 6.5: PSE = 2.625, ME = 6.748, SME = 13.699; A, C, D, AC, AD stand out, C not surely."""
    found = lenth(np.array(list(PRINTED.values())))
    assert (found.error, found.margin, found.simultaneous_margin) == pytest.approx((2.625, 6.748, 13.699), abs=2e-3)
    active = [name for name, yes in zip(PRINTED, found.active, strict=True) if yes]
    assert active == ["A", "C", "D", "A:C", "A:D"]
    assert [name for name, yes in zip(PRINTED, found.surely_active, strict=True) if yes] == ["A", "D", "A:C", "A:D"]


def test_the_effects_of_the_springs_are_the_printed_ones() -> None:
    """e-Handbook 5.5.9.7: 23, -5, 1.5 for the factors; 1.5, 10, 0 for the pairs."""
    found = effects(coded(SPRINGS, SIGNS), list(SIGNS), np.array(SPRINGS["good"], dtype=float))
    assert [effect.value for effect in found] == pytest.approx([23, -5, 1.5, 1.5, 10, 0])


def test_the_springs_in_order_show_the_oven_alone_deciding() -> None:
    """e-Handbook 5.5.9.1: the four best runs are those with a hot oven; the best has (+, -, +)."""
    runs = sorted(means(SPRINGS, "good", list(SIGNS)), key=lambda each: each.mean)
    assert [run.levels["oven"] for run in runs] == ["-"] * 4 + ["+"] * 4
    assert (runs[-1].mean, dict(runs[-1].levels)) == (90, {"oven": "+", "carbon": "-", "quench": "+"})


def test_means_of_levels_and_of_pairs_are_those_worked_by_hand() -> None:
    assert [(m.levels["oven"], m.mean, m.cells) for m in means(SPRINGS, "good", ["oven"])] == [
        ("-", 59.75, 4),
        ("+", 82.75, 4),
    ]
    pairs = {tuple(mean.levels.values()): mean.mean for mean in means(SPRINGS, "good", ["oven", "quench"])}
    assert pairs == {("-", "-"): 64, ("-", "+"): 55.5, ("+", "-"): 77, ("+", "+"): 88.5}


def test_each_effect_lowers_the_residual_deviation_as_worked_by_hand() -> None:
    # Σ(y - 71.25)² = 1317.5; an effect e explains 2 e²: 1058 for 23, 200 for 10, 50 for -5.
    found = unexplained(np.array([23, -5, 1.5, 1.5, 10, 0]), np.array(SPRINGS["good"], dtype=float))
    assert found[:4] == pytest.approx([np.sqrt(s / d) for s, d in ((1317.5, 7), (259.5, 6), (59.5, 5), (9.5, 4))])
    assert len(found) == 7


def test_half_normal_scores_are_the_tabulated_quantiles() -> None:
    """For three effects the probabilities are 1/6, 3/6, 5/6 of the half-normal: z at .5833, .75 and .9167."""
    order, scores = half_normal(np.array([-5.0, 0.5, 2.0]))
    assert order == [1, 2, 0]
    assert scores == pytest.approx([0.2104, 0.6745, 1.3830], abs=1e-4)


def test_effects_that_a_fraction_cannot_separate_are_one_entry_with_its_aliases() -> None:
    design = two_level("ABCD", ["D=ABC"])
    found = effects(design.runs.astype(float), "ABCD", np.arange(8.0))
    aliases = {effect.name: effect.aliases for effect in found}
    assert aliases == {
        "A": (), "B": (), "C": (), "D": (),
        "A:B": ("C:D",), "A:C": ("B:D",), "A:D": ("B:C",),
    }  # fmt: skip
    opposite = effects(two_level("ABC", ["C=-AB"]).runs.astype(float), "ABC", np.arange(4.0))
    assert opposite[0].aliases == ("-B:C",)


def test_the_test_of_an_effect_is_students_between_high_and_low() -> None:
    """By hand: means 2 and 5, s² = 1, t = -3/√(2/3) = -3.674 on 4 degrees of freedom, p = 0.0213."""
    runs = np.array([[-1.0], [-1], [-1], [1], [1], [1]])
    (found,) = effects(runs, ["rtt"], np.array([1.0, 2, 3, 4, 5, 6]), order=1)
    assert found.p == pytest.approx(0.0213, abs=1e-4)
    (constant,) = effects(runs, ["rtt"], np.array([1.0, 1, 1, 2, 2, 2]), order=1)
    assert constant.p is None


@given(st.lists(st.floats(-100, 100), min_size=3, max_size=15))
def test_effects_rebuild_the_response_they_were_made_of(values: list[float]) -> None:
    runs = two_level("ABCD").runs.astype(float)
    wanted = np.resize(np.array(values), 4)
    response = 7.0 + runs @ wanted / 2
    assert [e.value for e in effects(runs, "ABCD", response, order=1)] == pytest.approx(wanted.tolist(), abs=1e-9)


def test_runs_that_mix_factors_and_levels_that_are_not_two_are_refused() -> None:
    with pytest.raises(AnalysisError, match="not balanced"):
        effects(np.array([[-1.0], [-1], [1]]), ["rtt"], np.arange(3.0))
    partly = np.array([[-1.0, -1], [-1, -1], [-1, 1], [1, 1], [1, 1], [1, -1]])
    with pytest.raises(AnalysisError, match='mix "rate" with "rtt"'):
        effects(partly, ["rate", "rtt"], np.arange(6.0), order=1)
    with pytest.raises(AnalysisError, match='the level "0" beside'):
        coded({"x": ["-", "0", "+"]}, {"x": ("-", "+")})
    with pytest.raises(AnalysisError, match="at least 3 effects"):
        lenth(np.array([1.0, 2.0]))


def test_the_analysis_of_variance_of_the_batteries_is_the_printed_table() -> None:
    """Montgomery, table 5.5."""
    material, temperature, both, residual = anova(BATTERIES, "life", ["material", "temperature"]).sources
    assert (both.name, residual.name) == ("material:temperature", "residual")
    sums = [source.sum_of_squares for source in (material, temperature, both, residual)]
    assert sums == pytest.approx([10683.72, 39118.72, 9613.78, 18230.75], abs=0.005)
    assert [source.degrees for source in (material, temperature, both, residual)] == [2, 2, 4, 27]
    assert [material.f, temperature.f, both.f] == pytest.approx([7.91, 28.97, 3.56], abs=0.005)
    assert [material.p, both.p] == pytest.approx([0.0020, 0.0186], abs=5e-5)


def test_an_unreplicated_factorial_has_sums_of_squares_and_no_test() -> None:
    """Montgomery, table 6.12: 1870.5625 for A, 1314.0625 for AC."""
    runs = two_level("AC").runs
    means = FILTRATION.reshape(2, 2, 2, 2).mean(axis=(0, 2)).ravel()
    cells = {"A": runs[:, 0].astype(str), "C": runs[:, 1].astype(str), "y": means}
    found = anova(cells, "y", ["A", "C"])
    assert [4 * source.sum_of_squares for source in found.sources] == pytest.approx([1870.5625, 390.0625, 1314.0625, 0])
    assert all(source.f is None for source in found.sources)


def test_interactions_that_a_fraction_cannot_separate_are_left_out_and_listed() -> None:
    runs = np.repeat(two_level("ABCD", ["D=ABC"]).runs, 2, axis=0)
    cells = {letter: runs[:, place].astype(str) for place, letter in enumerate("ABCD")}
    found = anova({**cells, "y": np.arange(16.0) % 7}, "y", list("ABCD"))
    assert found.left_out == (("B", "C"), ("B", "D"), ("C", "D"))
    assert [source.degrees for source in found.sources] == [1] * 7 + [8]


def test_a_factor_that_says_nothing_of_its_own_is_refused() -> None:
    cells = {"a": ["1", "1", "2", "2"], "b": ["x", "x", "y", "y"], "c": ["same"] * 4, "y": [1.0, 2, 3, 4]}
    with pytest.raises(AnalysisError, match='"b" only varies together'):
        anova(cells, "y", ["a", "b"])
    with pytest.raises(AnalysisError, match='"c" has the level "same" alone'):
        anova(cells, "y", ["a", "c"])
    with pytest.raises(AnalysisError, match='names "d"'):
        anova(cells, "y", ["a"], [("a", "d")])
