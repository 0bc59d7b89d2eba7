# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. The tests of claims on the page of all claims: complete, and as `claims.toml` has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from claim_files import claim, claims_file
from predicates import Formulas

from narrows._internal.reproduction.registry import StudyFolder, published_studies

if TYPE_CHECKING:
    from pathlib import Path

RATE = 'measure = "goodput_bps"'
QUANTITIES = """\
[words.quick]
late = 9
[words.full]
late = 90
[lists]
both = ["reno", "cubic"]
[quantities]
rate = { measure = "goodput_bps", where = { algorithm = "{a}", load = "{l}" }, over = "mean" }
"""


def formulas(folder: Path, direction: str, size: str = "quick") -> Formulas:
    folder.mkdir(exist_ok=True)
    text = claims_file(1, claim("1-1", "It holds", direction), keys=QUANTITIES)
    (folder / "claims.toml").write_text(text, encoding="utf-8")
    return Formulas(StudyFolder(folder), size)


@pytest.mark.parametrize(
    ("direction", "lines"),
    [
        (f"{{ is = {{ {RATE} }}, at_least = 5 }}", ["`goodput_bps ≥ 5`"]),
        (f"{{ is = {{ {RATE} }}, at_least = 5, at_most = 6.5 }}", ["`5 ≤ goodput_bps ≤ 6.5`"]),
        (
            f'{{ order = [{{ {RATE}, where = {{ algorithm = "reno" }} }}, {{ {RATE}, where = {{ load = 1 }} }}] }}',
            ["`goodput_bps[reno] < goodput_bps[load = 1]`"],
        ),
        (
            f'{{ each = {{ a = "both", l = [1, 2] }}, least = 3, test = {{ is = {{ {RATE} }}, at_most = 2 }} }}',
            ["`goodput_bps ≤ 2` for at least 3 of 4: a of reno, cubic and l of 1, 2"],
        ),
        (
            f"{{ rising = {{ {RATE}, where = {{ load = '{{l}}' }} }}, over = {{ l = [1, 2] }}, or_equal = true }}",
            ["`goodput_bps[load = {l}]` does not fall over l of 1, 2"],
        ),
        (
            f"{{ is = {{ times = [2, {{ minus = [{{ {RATE} }}, {{ minus = [3, 4] }}] }}] }}, at_most = 2 }}",
            ["`2 * (goodput_bps - (3 - 4)) ≤ 2`"],
        ),
        (
            '{ is = { sum = { named = "rate", where = { a = "{x}", l = 1 } }, over = { x = "both" } }, at_least = 1 }',
            ["`sum(rate(a = {x}, l = 1); x of reno, cubic) ≥ 1`"],
        ),
    ],
)
def test_a_test_is_written_as_a_formula_with_its_conditions(tmp_path: Path, direction: str, lines: list[str]) -> None:
    assert formulas(tmp_path, direction).direction("1-1") == lines


def test_the_parts_of_a_test_are_a_list_with_all_of_them(tmp_path: Path) -> None:
    part = f"{{ is = {{ {RATE} }}, at_least = 1 }}"
    inner = f"{{ each = {{ l = [1, 2] }}, test = {{ any = [{part}, {part}, {part}, {part}, {part}], least = 2 }} }}"
    found = formulas(tmp_path, f"{{ all = [{part}, {inner}] }}").direction("1-1")
    assert found == [
        "all 2 of:",
        "  * `goodput_bps ≥ 1`",
        "  * for each l of 1, 2, at least 2 of 5:",
        *["    * `goodput_bps ≥ 1`"] * 5,
    ]


def test_words_have_the_values_of_the_size(tmp_path: Path) -> None:
    direction = f'{{ is = {{ {RATE}, missing = "{{late}}" }}, at_most = "{{late}}" }}'
    assert formulas(tmp_path, direction).direction("1-1") == ["`(goodput_bps, or 9 without one) ≤ 9`"]
    assert formulas(tmp_path, direction, "medium").direction("1-1") == ["`(goodput_bps, or 90 without one) ≤ 90`"]


def test_a_time_that_may_not_come_is_written_as_a_lower_bound(tmp_path: Path) -> None:
    direction = f"{{ is = {{ {RATE}, missing = 60, never = 60 }}, at_most = 5 }}"
    assert formulas(tmp_path, direction).direction("1-1") == [
        "`(goodput_bps, or 60 without one, at least from 60 on) ≤ 5`"
    ]


def test_named_quantities_are_defined(tmp_path: Path) -> None:
    found = formulas(tmp_path, f"{{ is = {{ {RATE} }}, at_least = 1 }}").quantities()
    assert found == ["`rate` is `mean(goodput_bps[{a}, load = {l}]; cells)`"]


def test_no_test_of_a_published_study_is_shortened() -> None:
    for study in published_studies():
        formula = Formulas(study, "full")
        for each in study.published.claims:
            if each.direction:
                text = " ".join(formula.direction(each.id))
                assert text.count("`") % 2 == 0
                assert "more" not in text.split()
