# SPDX-License-Identifier: Apache-2.0
"""Truth: rule. The selections that claims read are those of every part under every condition, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from claim_files import claim, claims_file

from narrows._internal.reproduction.claims_file import read_claims
from narrows._internal.reproduction.computed import Chosen, Combined, Correlation, Folded, Named, Ranked
from narrows._internal.reproduction.needed_cells import of_claim
from narrows._internal.reproduction.quantity import Measured, Number, Quantity, Selection, read_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

OF_A = Measured("one", "{m}", {"algorithm": "{a}", "n": 1})
OF_B = Measured("two", "goodput_bps", {"algorithm": "{b}"}, "max")
A: list[dict[str, Any]] = [{"a": "x"}, {"a": "y"}]
B: list[dict[str, Any]] = [{"b": "x"}, {"b": "{a}"}, {"b": 1}, {"b": True}]
OVER_A = Folded("sum", [Combined("minus", OF_A, Number(1.0)), Named("b", OF_B)], A)
CHOSEN = Chosen("of {k}", {"of 1": OF_A, "of 2": OVER_A})


@pytest.mark.parametrize(
    ("quantity", "binding"),
    [
        (OF_A, {"m": "jain", "a": "{b}", "b": "z"}),
        (Folded("mean", [OVER_A, OF_B], [{}]), {"m": "jain", "b": "z", "unused": 3}),
        (Folded("max", [OVER_A, OVER_A], B), {"m": "jain"}),
        (Folded("max", [CHOSEN], [{"k": 1}, {"k": 2}]), {"m": "{k}", "a": "z", "b": "z"}),
        (Folded("max", [Named("one of two", CHOSEN)], [{"k": 1}, {"k": 2}]), {"m": "jain", "a": "z", "b": "z"}),
        (Correlation(OF_A, OF_B, [{**a, **b} for a in A for b in B]), {"m": "jain"}),
        (Ranked(OVER_A, {"b": "x"}, B, highest=True), {"m": "jain", "a": "w"}),
    ],
)
def test_every_part_is_read_under_every_condition(quantity: Quantity, binding: Mapping[str, Any]) -> None:
    def walk(each: Quantity, under: Mapping[str, Any]) -> Iterator[Selection]:
        if isinstance(each, Measured):
            yield each.selection(under)
        for part, inner in each.under(under):
            yield from walk(part, inner)

    wanted = list(dict.fromkeys(repr(each) for each in walk(quantity, binding)))
    assert [repr(each) for each in read_of([(quantity, binding)] * 2)] == wanted


NAMED = """\
[quantities]
"of a" = { measure = "{m}", where = { algorithm = "{a}" } }
"of m" = { named = "of a", where = { a = "newreno" } }
"""


def test_a_named_quantity_is_read_once_for_each_scope_and_values(tmp_path: Path) -> None:
    parts = [
        '{ named = "of m", where = { m = "jain" } }',
        '{ named = "of m", where = { m = "goodput_bps" } }',
        '{ named = "of a", where = { m = "jain", a = "aimd" } }',
        '{ named = "of m", where = { m = "jain" } }',
    ]
    file = tmp_path / "claims.toml"
    tests = [claim(name, "It does", f"{{ is = {{ sum = [{', '.join(parts)}] }}, at_least = 1 }}") for name in "ab"]
    text = claims_file(1, NAMED, tests[0], tests[1].replace('experiment = "one"', 'experiment = "two"'))
    file.write_text(text.replace("[experiments]\n", '[experiments]\ntwo = "Two flows."\n'), encoding="utf-8")
    first, second = read_claims(file).claims
    wanted = [("jain", "newreno"), ("goodput_bps", "newreno"), ("jain", "aimd")]
    for read, experiment in ((first, "one"), (second, "two")):
        assert [(each.column, each.where["algorithm"]) for each in of_claim(read)] == wanted
        assert {each.experiment for each in of_claim(read)} == {experiment}


def test_a_file_that_has_changed_is_read_again_and_each_size_with_its_words(tmp_path: Path) -> None:
    file = tmp_path / "claims.toml"
    words = "[words.quick]\nn = 1\n[words.medium]\nn = 1\n[words.full]\nn = 1.0\n"
    text = claims_file(1, words, claim("1-1", "With {n}", '{ is = { measure = "jain" }, at_least = 1 }'))
    file.write_text(text, encoding="utf-8")
    said = {size: read_claims(file, size).claims[0].statement for size in ("quick", "medium", "full")}
    assert said == {"quick": "With 1", "medium": "With 1", "full": "With 1.0"}
    file.write_text(text.replace("With", "Without"), encoding="utf-8")
    assert read_claims(file).claims[0].statement == "Without 1"
