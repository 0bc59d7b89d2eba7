# SPDX-License-Identifier: Apache-2.0
"""Validation: the cards show the comparisons with the kernel that stand in `validation/linux`."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from narrows._internal import cards, core

FILE = Path(__file__).parents[3] / "validation" / "linux" / "judged.py"


def test_the_cards_have_the_rows_of_the_page() -> None:
    spec = importlib.util.spec_from_file_location("linux_judged", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.CARDS.read_text(encoding="utf-8") == module.text(), "run `python validation/linux/judged.py`"


def test_every_card_says_what_it_was_compared_with() -> None:
    without = [card["name"] for card in (*cards.algorithms(), *cards.queues()) if not card["validation"]]
    assert without == []
    # What stands in the table of comparisons is said first.
    for card in core.algorithms():
        found = next(each for each in cards.algorithms() if each["name"] == card["name"])
        assert str(found["validation"]).startswith(card["validation"] or "")


def test_every_card_has_a_figure_that_a_test_compares_with_a_closed_form_or_a_source() -> None:
    assert [card["name"] for card in (*core.algorithms(), *core.queues()) if not card["comparisons"]] == []
