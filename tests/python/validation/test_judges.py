# SPDX-License-Identifier: Apache-2.0
"""Validation: every figure of a judge that is not ours, within its tolerance; a red test names the figure."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

VALIDATION = Path(__file__).parents[3] / "validation"
sys.path.insert(0, str(VALIDATION))
judgement: Any = importlib.import_module("judgement")
compare: Any = importlib.import_module("compare")

FIGURES = {figure.name: figure for judge in judgement.JUDGES for figure in judgement.figures(judge)}


def _held(name: str) -> Any:
    """Return a figure as a case, expected to fail where its difference is known."""
    cause = FIGURES[name].cause
    marks = [] if cause is None else [pytest.mark.xfail(strict=True, reason=judgement.differences()[cause].cause)]
    return pytest.param(name, id=name, marks=marks)


@pytest.mark.parametrize("name", [_held(name) for name in FIGURES])
def test_figure_agrees_with_the_judge(name: str) -> None:
    figure = FIGURES[name]
    assert figure.agrees, (
        f"the judge says {figure.value:.6g}, we {figure.ours['mean']}, the tolerance is {figure.tolerance:.2g}"
    )


@pytest.mark.parametrize("judge", judgement.JUDGES)
def test_every_scenario_is_held_against_something(judge: str) -> None:
    assert set(judgement.cases_of(judge)) == {figure.case for figure in FIGURES.values() if figure.judge == judge}
    written = {path.name for path in (VALIDATION / judge).glob("*.toml")} - {"reference.toml", "cases.toml"}
    assert written == {case.file.name for case in judgement.cases_of(judge).values()}


def test_every_known_difference_is_of_a_figure() -> None:
    known = {name for each in judgement.differences() for name in each.figures}
    assert known <= set(FIGURES)


def test_the_cards_state_what_was_measured() -> None:
    written = compare.CARDS.read_text(encoding="utf-8")
    assert written == compare.card_rows(FIGURES.values()), "run `python validation/compare.py --markdown`"
