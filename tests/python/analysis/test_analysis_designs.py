# SPDX-License-Identifier: Apache-2.0
"""Designs, held against printed defining relations, alias tables and design matrices (rule)."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from narrows._internal.analysis.designs import (
    LETTERS,
    STANDARD,
    fractional,
    full_factorial,
    latin_hypercube,
    plackett_burman,
    sobol,
    two_level,
)
from narrows._internal.analysis.table import AnalysisError

if TYPE_CHECKING:
    from numpy.typing import NDArray

DATA = Path(__file__).parent / "data"


def orthogonal(runs: NDArray[np.int64] | NDArray[np.float64]) -> bool:
    """Return whether a coded design, shape (runs, factors), is balanced, and no column is part of another."""
    columns = np.column_stack((np.ones(len(runs)), runs))
    return np.allclose(columns.T @ columns, len(runs) * np.eye(columns.shape[1]))


def test_a_full_factorial_has_every_combination_once_and_the_last_factor_changes_fastest() -> None:
    runs = full_factorial({"rate": ["1Mbps", "10Mbps"], "rtt": ["10ms", "40ms", "160ms"]})
    assert [tuple(run.values()) for run in runs[:4]] == [
        ("1Mbps", "10ms"),
        ("1Mbps", "40ms"),
        ("1Mbps", "160ms"),
        ("10Mbps", "10ms"),
    ]
    assert len({tuple(run.values()) for run in runs}) == len(runs) == 6


def test_the_half_fraction_of_three_factors_is_the_one_that_multiplies_out_by_hand() -> None:
    """C = AB in standard order: (1) has C high, a and b have it low, ab high."""
    assert two_level("abc", ["C=AB"]).runs.tolist() == [[-1, -1, 1], [1, -1, -1], [-1, 1, -1], [1, 1, 1]]
    assert two_level("abc", ["C=-AB"]).runs[:, 2].tolist() == [-1, 1, 1, -1]


def test_the_quarter_fraction_of_six_factors_has_the_printed_words_and_aliases() -> None:
    """Montgomery, "Design and Analysis of Experiments" (8th ed.), table 8.8: I = ABCE = BCDF = ADEF, resolution IV."""
    design = two_level("abcdef", ["E=ABC", "F=BCD"])
    assert design.words == (("ABCE", 1), ("ADEF", 1), ("BCDF", 1))
    assert design.resolution == 4
    aliases = design.aliases(longest=2)
    assert {effect: aliases[effect] for effect in ("AB", "AC", "AD", "AE", "AF", "BD", "BF")} == {
        "AB": ("CE",),
        "AC": ("BE",),
        "AD": ("EF",),
        "AE": ("BC", "DF"),
        "AF": ("DE",),
        "BD": ("CF",),
        "BF": ("CD",),
    }
    assert all(aliases[letter] == () for letter in "ABCDEF")
    assert design.aliases(order=1)["A"] == ("BCE", "DEF", "ABCDF")


def test_a_negative_generator_gives_the_other_fraction_with_aliases_of_the_opposite_sign() -> None:
    """Montgomery, 8.2.1: in the alternate fraction, A estimates A - BC."""
    assert two_level("abc", ["C=-AB"]).aliases(order=1) == {"A": ("-BC",), "B": ("-AC",), "C": ("-AB",)}


@pytest.mark.parametrize(("factors", "generators"), STANDARD)
def test_the_standard_fractions_have_the_tabulated_resolution(factors: int, generators: int) -> None:
    """NIST/SEMATECH e-Handbook, 5.3.3.4.7, summary of fractional factorial designs."""
    tabulated = {
        3: "3-1 5-2 6-3 7-4 9-5 10-6 11-7",
        4: "4-1 6-2 7-2 7-3 8-3 8-4 9-3 9-4 10-4 10-5 11-5 11-6",
        5: "5-1 8-2 10-3",
        6: "6-1 9-2",
        7: "7-1",
    }
    (resolution,) = [roman for roman, names in tabulated.items() if f"{factors}-{generators}" in names.split()]
    design = fractional(LETTERS[:factors], generators)
    assert design.resolution == resolution
    assert design.runs.shape == (2 ** (factors - generators), factors)
    assert orthogonal(design.runs)


@pytest.mark.parametrize(("name", "generators"), [("2_9_4", 4), ("2_7_2", 2), ("2_11_5", 5)])
def test_the_designs_of_the_large_network_study_come_out_run_by_run(name: str, generators: int) -> None:
    with (DATA / f"design_{name}.csv").open(encoding="utf-8") as file:
        rows = [{key: int(value) for key, value in row.items() if key != "run"} for row in csv.DictReader(file)]
    design = fractional(list(rows[0]), generators)
    assert design.runs.tolist() == [list(row.values()) for row in rows]
    assert design.resolution == 4


def test_the_words_of_a_design_say_which_products_of_its_columns_are_constant() -> None:
    design = two_level("abcdefg", ["D=-AB", "E=AC", "F=-BC", "G=ABC"])
    assert len(design.words) == 15
    for word, sign in design.words:
        assert (design.runs[:, [LETTERS.index(letter) for letter in word]].prod(axis=1) == sign).all()


@pytest.mark.parametrize("factors", [3, 7, 11, 15, 19, 23])
def test_a_plackett_burman_design_is_orthogonal_and_has_one_run_more_than_its_columns(factors: int) -> None:
    design = plackett_burman(LETTERS[:factors])
    assert design.runs.shape == (factors + 1, factors)
    assert orthogonal(design.runs)


def test_the_twelve_run_design_shifts_its_first_row() -> None:
    """Plackett and Burman (1946): for 12 runs + + - + + + - - - + -, shifted, and a row of minus."""
    runs = plackett_burman(LETTERS[:11]).runs
    generator = np.array([1, 1, -1, 1, 1, 1, -1, -1, -1, 1, -1])
    rows = {tuple(row) for row in runs.tolist()}
    shifts = {tuple(np.roll(each, shift).tolist()) for each in (generator, generator[::-1]) for shift in range(11)}
    assert (-1,) * 11 in rows or (1,) * 11 in rows
    signs = 1 if (-1,) * 11 in rows else -1
    assert {tuple(signs * value for value in row) for row in rows} - shifts == {(-1,) * 11}


def test_a_latin_hypercube_has_one_point_in_every_slice_of_every_factor() -> None:
    points = latin_hypercube(3, 10, seed=4)
    for column in points.T:
        assert sorted(np.floor(column * 10).tolist()) == list(range(10))
    assert (points == latin_hypercube(3, 10, seed=4)).all()


def test_sobol_points_halve_every_factor_evenly_and_need_a_power_of_two() -> None:
    points = sobol(4, 16, seed=1)
    for column in points.T:
        assert sorted(np.floor(column * 16).tolist()) == list(range(16))
    with pytest.raises(AnalysisError, match="power of two as number of runs, not 12"):
        sobol(2, 12, seed=1)


def test_coded_runs_become_levels() -> None:
    design = two_level(["rate", "rtt", "queue"], ["C=AB"])
    levels = {"rate": ("1Mbps", "9Mbps"), "rtt": ("10ms", "90ms"), "queue": (1, 2)}
    assert design.settings(levels)[1] == {"rate": "9Mbps", "rtt": "10ms", "queue": 1}
    with pytest.raises(AnalysisError, match='"rtt" needs two levels'):
        design.settings({"rate": (1, 2), "queue": (1, 2)})


@pytest.mark.parametrize("generator", ["C=AD", "D=AB", "C=A", "C=AAB", "AB"])
def test_a_generator_that_is_no_product_of_basic_factors_is_refused(generator: str) -> None:
    with pytest.raises(AnalysisError, match='should say "C="'):
        two_level("abc", [generator])


def test_what_cannot_be_built_is_refused_with_what_can() -> None:
    with pytest.raises(AnalysisError, match=r"no generators of 2\^\(5-3\) are tabulated"):
        fractional("abcde", 3)
    with pytest.raises(AnalysisError, match="28 runs"):
        plackett_burman(["x" * size for size in range(25)])
    with pytest.raises(AnalysisError, match="same name"):
        two_level(["rtt", "rtt"])
    with pytest.raises(AnalysisError, match="no level"):
        full_factorial({"rate": []})
